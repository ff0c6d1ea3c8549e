// Turns three steps that draw into a table of their draws, from one running stream or each from its own address.
(function (AgentBlame) {
  "use strict";

  const { frame, rules, seeded } = AgentBlame;
  const CAPTION =
    "Three steps draw, one after another. Swap the one in the middle for one that draws twice, and see whose luck " +
    "changes.";
  const DRAWS = [["classify", 1], ["search", 1], ["search", 2], ["answer", 1], ["answer", 2]];
  const EXTRA = 2; // only the search that was swapped in makes this draw
  const ANSWER = [3, 4];

  // The number each draw gets and where it comes from; null for a draw that is not made.
  function numbers(source, swapped) {
    const next = seeded.stream("one luck");
    let place = 0;
    return DRAWS.map(([step, draw], k) => {
      if (k === EXTRA && !swapped) return null;
      place += 1;
      if (source === "stream") return { number: next(), from: "number " + place + " of the stream" };
      return { number: seeded.unit("one luck", step, draw), from: "address: one luck / " + step + " / " + draw };
    });
  }

  AgentBlame.widgets["addressed-draws"] = function (box) {
    let source = "stream";
    let swapped = false;
    const { controls, picture, say } = frame.open(box, "Draws with an address", CAPTION, () => {
      source = "stream";
      swapped = false;
      show();
    });
    const sources = [["stream", "One running stream"], ["address", "An address for every draw"]];
    const choice = frame.choices("Where luck comes from", sources, (value) => {
      source = value;
      show();
    });
    const swap = frame.button("Swap step 2", () => {
      swapped = !swapped;
      show();
    });
    controls.append(choice.element, swap);
    const titles = DRAWS.map(([step, draw]) => step + ", draw " + draw);
    const span = { low: 0, high: 1 };
    const table = frame.bars(["Draw", "Luck", "Before the swap"], titles, span);
    picture.append(table.element);

    function sentence(before, now) {
      if (!swapped) return "Step 2 is as it was: it draws once. The answer step draws twice.";
      const text = (draws) => frame.joined(ANSWER.map((k) => rules.numberText(draws[k].number)), "and");
      if (ANSWER.every((k) => before[k].number === now[k].number)) {
        return "Step 2 draws once more, and the answer step's luck is the same as before: " + text(now) + ".";
      }
      return (
        "Step 2 draws once more, so the answer step's luck has changed from " + text(before) + " to " + text(now) +
        ", although nobody touched that step."
      );
    }

    function show() {
      choice.set(source);
      swap.setAttribute("aria-pressed", String(swapped));
      const before = numbers(source, false);
      const now = numbers(source, swapped);
      now.forEach((draw, k) => {
        table.hide(k, draw === null);
        if (draw === null) return;
        const was = before[k] === null ? null : before[k].number;
        const compared = was === null ? "not drawn" : was === draw.number ? "the same" : rules.numberText(was);
        table.show(k, draw.number, [rules.numberText(draw.number), swapped ? compared : ""]);
        table.note(k, draw.from);
        table.rows[k].row.classList.toggle("is-changed", swapped && compared !== "the same");
      });
      say(sentence(before, now));
    }

    show();
  };
})(globalThis.AgentBlame);
