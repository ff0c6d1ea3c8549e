// Turns orders drawn one after another into a mean and an interval per fix, until one is separated from all others.
(function (AgentBlame) {
  "use strict";

  const { coalitions, dom, frame, rules, seeded, wording } = AgentBlame;
  const CAPTION =
    "Five fixes can be put in 120 orders. Draw orders by chance and watch each fix's mean and the interval for its " +
    "value, until one fix is separated from all others.";
  const FIXES = ["plan", "search", "rank", "answer", "check"];
  // Search needs any one of the others; rank and answer do without it, if plan or check helps them.
  const WORTH = frame.worthOf(5, (fixed) => {
    const helped = fixed(0) || fixed(4);
    return fixed(1) ? helped || fixed(2) || fixed(3) : helped && fixed(2) && fixed(3);
  });
  const ERROR = 0.05;
  const SPREAD = 2; // one fix may add 1 in an order and another take 1 away
  const MOST = 500;

  // What each fix adds in an order, by fix.
  function added(order) {
    const masks = order.map((_, place) => coalitions.maskOf(order.slice(0, place + 1)));
    const along = rules.worth.differences(WORTH, 1, masks, [0, ...masks.slice(0, -1)]);
    return FIXES.map((_, player) => along[order.indexOf(player)]);
  }

  AgentBlame.widgets["watch-sampling"] = function (box) {
    let next = null;
    let rows = [];
    let last = null;
    let leader = null;
    const { controls, picture, say } = frame.open(box, "Orders drawn by chance", CAPTION, startOver);
    const buttons = [
      frame.button("Draw one order", () => draw(1)),
      frame.button("Draw 10", () => draw(10)),
      frame.button("To the end", () => draw(MOST)),
    ];
    controls.append(...buttons);
    const span = { low: -1, high: 1 };
    const table = frame.bars(["Fix and interval", "Mean", "True value"], FIXES, span);
    picture.append(table.element);

    function startOver() {
      next = seeded.stream("sampled orders");
      rows = [];
      last = null;
      leader = null;
      show();
    }

    // It looks after every order, which this kind of interval allows.
    function draw(count) {
      for (let k = 0; k < count && leader === null && rows.length < MOST; k += 1) {
        last = seeded.shuffled(next, FIXES.length);
        rows.push(added(last));
        leader = rules.separation(rows, SPREAD, FIXES.length / ERROR);
      }
      dom.keepFocus([...buttons, box.querySelector(".widget-foot button")], show);
    }

    function sentence() {
      if (rows.length === 0) return "No order drawn yet: every value may still be anything from −1 to 1.";
      const orders = rows.length === 1 ? "After 1 order" : "After " + rows.length + " orders";
      const order = " Last order: " + last.map((player) => FIXES[player]).join(", ") + ".";
      if (leader === null) return orders + " no fix is separated from all others." + order;
      return orders + " " + FIXES[leader] + " is separated from all others, at a risk of error of at most 5 %." + order;
    }

    function show() {
      const truth = rules.shapley(WORTH, 1);
      const { numberText } = rules;
      const threshold = (2 * FIXES.length) / ERROR;
      const { means } = rows.length === 0 ? { means: FIXES.map(() => 0) } : rules.meanAndDeviation(rows);
      FIXES.forEach((fix, k) => {
        const interval = rules.bettingInterval(rows.map((row) => row[k]), -1, 1, threshold);
        const mean = rows.length === 0 ? wording.NOT_COMPUTED : numberText(means[k]);
        table.show(k, means[k], [mean, numberText(truth[k])], interval);
        table.note(k, wording.intervalText(...interval));
        table.rows[k].row.classList.toggle("is-first", k === leader);
      });
      buttons.forEach((button) => { button.disabled = leader !== null || rows.length >= MOST; });
      say(sentence());
    }

    startOver();
  };
})(globalThis.AgentBlame);
