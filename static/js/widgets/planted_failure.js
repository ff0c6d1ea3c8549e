// Turns the transcript of a failed run with one planted error into a guess, and the guess into what each rule says.
(function (AgentBlame) {
  "use strict";

  const { dom, frame, rules } = AgentBlame;
  const CAPTION =
    "Four agents answered a customer, and the answer was wrong: the plan costs 18 a month. One error was planted. " +
    "Read the transcript, guess the agent whose fix is worth most, then see what each rule says.";
  const AGENTS = ["planner", "researcher", "writer", "reviewer"];
  const TRANSCRIPT = [
    "Find the current price of the Team plan, then answer in one sentence.",
    "From the price list of last year: Team plan, 12 a month.",
    "The Team plan costs 12 a month.",
    "Short and polite. Approved.",
  ];
  const FIXES = ["asks for a source", "reads this year's list", "links the price list", "compares with the list"];
  const PLANTED = 1;
  // A right look-up is enough. So is a reviewer who compares, if the writer gives it the list to compare with.
  const WORTH = frame.worthOf(4, (fixed) => fixed(1) || (fixed(2) && fixed(3)));
  // An agent's message changes with its own fix and with those before it.
  const OUTPUTS = AGENTS.map((_, agent) => Array.from({ length: 16 }, (_unused, mask) => mask % 2 ** (agent + 1)));

  AgentBlame.widgets["planted-failure"] = function (box) {
    let guess = null;
    const { controls, picture, say } = frame.open(box, "A planted failure", CAPTION, () => {
      guess = null;
      show();
    });
    const transcript = dom.make("ol", { class: "widget-transcript" });
    transcript.append(
      ...AGENTS.map((agent, k) => {
        const item = dom.make("li", {});
        item.append(dom.make("strong", {}, agent), dom.make("p", {}, TRANSCRIPT[k]));
        return item;
      })
    );
    const choice = frame.choices("Your guess", AGENTS.map((agent) => [agent, agent]), (value) => {
      guess = value;
      show();
    });
    controls.before(transcript);
    controls.append(choice.element);
    const heads = ["Agent", "Shapley value", "Fix alone", "Last touch"];
    const table = frame.bars(heads, AGENTS, { low: 0, high: 1 });
    picture.append(table.element);

    function sentence(shares, touch) {
      if (guess === null) return "Make a guess: the values are shown then.";
      const right = guess === AGENTS[PLANTED];
      const first = AGENTS[rules.rank(shares)[0]];
      return (
        "You said " + guess + (right ? ": right. " : ". ") +
        "The error was planted in the " + AGENTS[PLANTED] + "'s message. The Shapley value names the " + first +
        "; last-step blame names the " + AGENTS[touch.indexOf(1)] + ", who only let it pass."
      );
    }

    function show() {
      choice.set(guess);
      dom.setHidden(table.element, guess === null);
      const columns = [rules.shapley(WORTH, 1), rules.fixAlone(WORTH, 1), rules.lastTouch(OUTPUTS)];
      AGENTS.forEach((agent, k) => {
        table.show(k, columns[0][k], columns.map((column) => rules.numberText(column[k])));
        table.note(k, "Fix: " + FIXES[k]);
      });
      say(sentence(columns[0], columns[2]));
    }

    show();
  };
})(globalThis.AgentBlame);
