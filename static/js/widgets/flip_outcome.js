// Turns eight outcomes that one can flip into Shapley values, each as a number and as the 64 bits that hold it.
(function (AgentBlame) {
  "use strict";

  const { coalitions, dom, frame, rules, wording } = AgentBlame;
  const CAPTION =
    "Three fixes make eight combinations, from no fix at the bottom to all fixes at the top. Press one to flip its " +
    "outcome: the shares of the repair are computed again, with the same bits as Python's.";
  const FIXES = ["search", "rank", "answer"];
  const WORTH = [0, 0, 0, 1, 0, 1, 0, 1];
  // Top to bottom, and each row from left to right; a combination stands under those it is part of.
  const LAYERS = [[7], [3, 5, 6], [1, 2, 4], [0]];
  const place = (mask) => {
    const row = LAYERS.findIndex((layer) => layer.includes(mask));
    const column = LAYERS[row].length === 1 ? 1 : LAYERS[row].indexOf(mask);
    return { x: 100 + 200 * column, y: 50 + 100 * row, row, column };
  };
  const bytes = new DataView(new ArrayBuffer(8));

  function hex(number) {
    bytes.setFloat64(0, number);
    return [0, 4].map((at) => bytes.getUint32(at).toString(16).padStart(8, "0")).join("");
  }

  function lines() {
    const drawn = frame.svg("svg", {
      class: "widget-lines", viewBox: "0 0 600 400", preserveAspectRatio: "none", "aria-hidden": "true",
    });
    for (const mask of WORTH.keys()) {
      for (const player of FIXES.keys()) {
        if (coalitions.has(mask, player)) continue;
        const [from, to] = [place(mask), place(mask + 2 ** player)];
        drawn.append(frame.svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
      }
    }
    return drawn;
  }

  AgentBlame.widgets["flip-outcome"] = function (box) {
    let table = { worth: WORTH.slice(), denominator: 1 };
    const { picture, say } = frame.open(box, "Outcomes to flip", CAPTION, () => {
      table = { worth: WORTH.slice(), denominator: 1 };
      show();
    });
    const lattice = dom.make("div", { class: "widget-lattice" });
    lattice.append(lines());
    const nodes = LAYERS.flat().map((mask) => {
      const { row, column } = place(mask);
      const outcome = frame.outcome();
      const node = frame.button("", () => {
        table = rules.setOutcome(table.worth, table.denominator, mask, 1 - table.worth[mask]);
        show();
      });
      node.className = "widget-node row-" + row + " column-" + column;
      node.append(dom.make("span", {}, wording.coalitionName(mask, FIXES)), outcome.element);
      lattice.append(node);
      return { mask, node, outcome };
    });
    const values = frame.bars(["Fix", "Shapley value"], FIXES, { low: -1, high: 1 });
    values.element.classList.add("has-bits");
    picture.append(lattice, values.element);

    function show() {
      const { worth, denominator } = table;
      for (const { mask, node, outcome } of nodes) {
        const passes = worth[mask] === 1;
        outcome.show(passes);
        node.classList.toggle("is-pass", passes);
        const name = wording.coalitionName(mask, FIXES) + (passes ? ": passes" : ": fails");
        node.setAttribute("aria-label", name + ". Make it " + (passes ? "fail" : "pass"));
      }
      const shares = rules.shapley(worth, denominator);
      shares.forEach((share, k) => {
        values.show(k, share, [rules.numberText(share)]);
        values.note(k, hex(share));
      });
      const [whole] = rules.worth.differences(worth, denominator, [7], [0]);
      const told = frame.joined(FIXES.map((fix, k) => fix + " " + rules.numberText(shares[k])), "and");
      const ends = rules.numberText(worth[7]) + " with all fixes less " + rules.numberText(worth[0]) + " without any";
      say("Shapley values: " + told + ". They add up to " + rules.numberText(whole) + ": " + ends + ".");
    }

    show();
  };
})(globalThis.AgentBlame);
