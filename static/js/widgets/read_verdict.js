// Turns a pattern of outcomes one can choose into the verdict on it, word for word as a case's page gives it.
(function (AgentBlame) {
  "use strict";

  const { dom, frame, rules, wording } = AgentBlame;
  const CAPTION =
    "A case with three fixes has eight outcomes. Choose a pattern and read the verdict that a case's page gives for " +
    "it, below the outcomes it is made from.";
  const FIXES = ["search", "answer", "check"];
  // What passes, by the fixes of search, answer and check that are on.
  const PATTERNS = [
    ["one", "One fix repairs it", (search) => search],
    ["either", "Either of two does", (search, answer) => search || answer],
    ["both", "It takes two", (search, answer) => search && answer],
    ["none", "Nothing repairs it", () => false],
    ["worse", "A fix makes it worse", (search, answer, check) => answer && (search || !check)],
    ["passes", "It passes anyway", () => true],
    ["tie", "Three tie", (search, answer, check) => Number(search) + Number(answer) + Number(check) >= 2],
    ["checker", "Only the checker helps", (search, answer, check) => check],
  ];

  function worthOf(name) {
    const [, , passes] = PATTERNS.find(([key]) => key === name);
    return frame.worthOf(3, (fixed) => passes(fixed(0), fixed(1), fixed(2)));
  }

  // A step's output changes with its own fix and with those before it.
  const OUTPUTS = FIXES.map((_, step) => Array.from({ length: 8 }, (_unused, mask) => mask % 2 ** (step + 1)));

  AgentBlame.widgets["read-verdict"] = function (box) {
    let pattern = "one";
    const { controls, picture, say } = frame.open(box, "Verdicts to read", CAPTION, () => {
      pattern = "one";
      show();
    });
    const options = PATTERNS.map(([key, text]) => [key, text]);
    const choice = frame.choices("Pattern", options, (value) => {
      pattern = value;
      show();
    });
    controls.append(choice.element);
    const list = dom.make("ul", { class: "widget-outcomes" });
    const outcomes = Array.from({ length: 8 }, (_, mask) => {
      const item = dom.make("li", {});
      const outcome = frame.outcome();
      item.append(dom.make("span", {}, wording.coalitionName(mask, FIXES)), outcome.element);
      list.append(item);
      return outcome;
    });
    const table = frame.bars(["Fix", "Shapley value", "Fix alone", "Last touch"], FIXES, { low: -1, high: 1 });
    picture.append(list, table.element);

    function show() {
      choice.set(pattern);
      const worth = worthOf(pattern);
      outcomes.forEach((outcome, mask) => outcome.show(worth[mask] === 1));
      const touch = rules.lastTouch(OUTPUTS);
      const columns = [rules.shapley(worth, 1), rules.fixAlone(worth, 1), touch];
      FIXES.forEach((fix, k) => table.show(k, columns[0][k], columns.map((column) => rules.numberText(column[k]))));
      const level = rules.repairLevel(1, 1);
      const { sentences } = rules.verdict(FIXES, worth, 1, level, 1, touch);
      say(sentences.join(" "));
    }

    show();
  };
})(globalThis.AgentBlame);
