// Turns the log-probabilities a model returns into tokens, picked by the client's own dice or by the server's.
(function (AgentBlame) {
  "use strict";

  const { dom, frame, rules, seeded } = AgentBlame;
  const CAPTION =
    "A model weighs five next tokens by log-probability. Either your client adds noise of its own and picks, or the " +
    "server picks with dice you never see. Change the prompt, call again, and compare.";
  const TOKENS = ["refund", "replace", "sorry", "please", "no"];
  const PROBABILITIES = { old: [0.25, 0.2, 0.3, 0.15, 0.1], changed: [0.45, 0.25, 0.15, 0.1, 0.05] };
  const NAMES = { old: "the old prompt", changed: "the changed prompt" };
  const SPAN = { low: -5, high: 5 };
  const LISTED = 6;

  AgentBlame.widgets["client-dice"] = function (box) {
    let who = "client";
    let prompt = "old";
    let luck = 1;
    let calls = [];
    const { controls, picture, say } = frame.open(box, "Whose dice pick the token", CAPTION, () => {
      who = "client";
      prompt = "old";
      luck = 1;
      begin();
    });
    const dice = [["client", "The client, keyed noise"], ["server", "The server, unseen"]];
    const throwers = frame.choices("Who throws the dice", dice, (value) => {
      who = value;
      begin();
    });
    const prompts = frame.choices("Prompt", [["old", "As it was"], ["changed", "Changed"]], (value) => {
      prompt = value;
      call();
    });
    const again = frame.button("Call again", () => call());
    const another = frame.button("New luck", () => {
      luck += 1;
      call();
    });
    controls.append(throwers.element, prompts.element, again, another);
    const table = frame.bars(["Token", "Sum", "Choice"], TOKENS, SPAN);
    table.element.classList.add("is-plain"); // below 0 is not worse
    const list = dom.make("ol", { class: "widget-log" });
    picture.append(table.element, list);

    function logs() {
      return PROBABILITIES[prompt].map(seeded.logarithm);
    }

    // A server has other dice at every call; the client's belong to the luck and the token.
    function noise() {
      const key = who === "client" ? "keyed " + luck : "server " + calls.length;
      return TOKENS.map((token) => seeded.gumbel(seeded.unit(key, token)));
    }

    function begin() {
      calls = [];
      call();
    }

    function call() {
      const dice = noise();
      const sums = logs().map((log, k) => log + dice[k]);
      calls.push({ prompt, luck, dice, sums, token: rules.rank(sums)[0] });
      show();
    }

    function sentence() {
      const now = calls[calls.length - 1];
      const picked = "Call " + calls.length + ": the " + who + " picked “" + TOKENS[now.token] + "”";
      const before = calls[calls.length - 2];
      if (before === undefined) return picked + " under " + NAMES[now.prompt] + ".";
      const same = before.token === now.token;
      const compared = same ? ", the same as in the call before. " : ", not what was picked in the call before. ";
      const asked = before.prompt === now.prompt ? "Same prompt" : "Other prompt";
      const dice = who === "client" && before.luck === now.luck ? ", same dice" : ", other dice";
      const blurred = who === "server" && !same && before.prompt !== now.prompt;
      return picked + compared + asked + dice + (blurred ? ": nobody can tell which of them made the change." : ".");
    }

    function show() {
      throwers.set(who);
      prompts.set(prompt);
      another.disabled = who === "server";
      const { dice, sums, token } = calls[calls.length - 1];
      const hidden = who === "server";
      const seen = (number) => (hidden ? "unseen" : rules.numberText(number));
      logs().forEach((log, k) => {
        table.show(k, hidden ? log : sums[k], [seen(sums[k]), k === token ? "✓ picked" : ""]);
        table.note(k, "log-prob " + rules.numberText(log) + ", noise " + seen(dice[k]));
        table.rows[k].row.classList.toggle("is-first", k === token);
      });
      const first = Math.max(0, calls.length - LISTED);
      list.setAttribute("start", first + 1);
      dom.setItems(list, "li", calls.slice(first).map((one) => NAMES[one.prompt] + ": " + TOKENS[one.token]));
      say(sentence());
    }

    begin();
  };
})(globalThis.AgentBlame);
