// Turns the values of every rule into the rows, numbers and bars of the ranking.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;
  const { figures, wording, rules } = AgentBlame;

  AgentBlame.views.ranking = function (root, act) {
    const body = part(root, "ranking");
    if (body === null) return { show() {} };
    const rows = Array.from(body.children).sort((a, b) => a.dataset.player - b.dataset.player);
    const cells = rows.map((row) => Array.from(row.querySelectorAll("[data-rule]")));
    const orders = parts(root, "order");
    orders.forEach((input) => input.addEventListener("change", () => act.setOrder(input.value)));

    function showCell(cell, number, span) {
      setText(part(cell, "number"), number === null ? "withheld" : rules.numberText(number));
      figures.draw(cell.querySelector("svg"), figures.bar(number === null ? 0 : number, span));
    }

    function show(now) {
      const shapley = now.values.shapley;
      const spans = figures.spread(now.values, now.game.denominator);
      const steps = rows.map((row, player) => player);
      const order = now.order === "rank" && shapley !== null ? rules.rank(shapley) : steps;
      const focused = document.activeElement;
      Array.from(order).forEach((player, k) => {
        if (body.children[k] !== rows[player]) body.insertBefore(rows[player], body.children[k] || null);
      });
      if (focused !== document.activeElement && body.contains(focused)) focused.focus();
      rows.forEach((row, player) => {
        setText(part(row, "place"), shapley === null ? "–" : wording.place(player, shapley));
        for (const cell of cells[player]) {
          const numbers = now.values[cell.dataset.rule];
          showCell(cell, numbers === null ? null : numbers[player], spans[cell.dataset.rule]);
        }
      });
      const reason = wording.withheldReason(now.table.worth, now.titles, now.game.errors);
      setText(part(root, "withheld"), reason);
      setHidden(part(root, "withheld"), reason === "");
      orders.forEach((input) => {
        input.checked = input.value === now.order;
      });
    }

    return { show };
  };
})(globalThis.AgentBlame);
