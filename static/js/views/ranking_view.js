// Turns the values of every rule into the rows, numbers and bars of the ranking.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;
  const { figures, wording, rules } = AgentBlame;

  // Rows of a ranking that is cut short.
  const SHORT = 12;

  AgentBlame.caseViews.ranking = function (root, act) {
    const body = part(root, "ranking");
    if (body === null) return { show() {} };
    const rows = Array.from(body.children).sort((a, b) => a.dataset.player - b.dataset.player);
    const places = rows.map((row) => part(row, "place"));
    const cells = rows.map((row) => Array.from(row.querySelectorAll("[data-rule]"), cellOf));
    const orders = parts(root, "order");
    const all = part(root, "all-rows");
    if (all !== null) {
      all.addEventListener("click", () => {
        const short = body.parentElement.classList.toggle("is-short");
        all.setAttribute("aria-expanded", String(!short));
        setText(all, short ? "Show all " + rows.length + " fixes" : "Show the first " + SHORT);
      });
    }
    orders.forEach((input) => input.addEventListener("change", () => act.setOrder(input.value)));

    function cellOf(element) {
      const { rule } = element.dataset;
      return { rule, number: part(element, "number"), interval: part(element, "interval"), svg: element.querySelector("svg"), seen: "" };
    }

    // A value is withheld with all others, or it would take combinations that were not run.
    function textOf(number, now) {
      if (number !== null) return rules.numberText(number);
      return now.game.sampled === null || now.values.shapley === null ? "withheld" : wording.NOT_COMPUTED;
    }

    function showCell(cell, now, player, span) {
      const { rule } = cell;
      const numbers = now.values[rule];
      const number = numbers === null ? null : numbers[player];
      const { sampled } = now.game;
      const known = rule === "shapley" && number !== null && sampled !== null;
      const ends = known ? [sampled.low[player], sampled.high[player]] : null;
      const text = textOf(number, now);
      const seen = [text, number, span.low, span.high, ends].join("|");
      if (cell.seen === seen) return;
      cell.seen = seen;
      setText(cell.number, text);
      const whiskers = known ? figures.whiskers(...ends, span) : null;
      figures.draw(cell.svg, figures.bar(number === null ? 0 : number, span), whiskers);
      if (rule !== "shapley") return;
      setText(cell.interval, known ? wording.intervalText(...ends) : "");
      setHidden(cell.interval, !known);
    }

    // Of values that were sampled only the first place is known, if any.
    function placeOf(player, now) {
      const { shapley } = now.values;
      if (shapley === null) return wording.NOT_COMPUTED;
      if (now.game.sampled === null) return wording.place(player, shapley);
      return player === now.game.sampled.leader ? "1" : wording.NOT_COMPUTED;
    }

    function show(now) {
      const shapley = now.values.shapley;
      const { sampled } = now.game;
      const ends = sampled === null || shapley === null ? [] : [...sampled.low, ...sampled.high];
      const spans = figures.spread(now.values, now.game.denominator, ends);
      const steps = rows.map((row, player) => player);
      const order = now.order === "rank" && shapley !== null ? rules.rank(shapley) : steps;
      const focused = document.activeElement;
      Array.from(order).forEach((player, k) => {
        if (body.children[k] !== rows[player]) body.insertBefore(rows[player], body.children[k] || null);
      });
      if (focused !== document.activeElement && body.contains(focused)) focused.focus();
      rows.forEach((row, player) => {
        setText(places[player], placeOf(player, now));
        for (const cell of cells[player]) showCell(cell, now, player, spans[cell.rule]);
      });
      setText(part(root, "withheld"), now.withheld);
      setHidden(part(root, "withheld"), now.withheld === "");
      const sampling = sampled === null ? "" : sampled.text;
      setText(part(root, "sampling"), sampling);
      setHidden(part(root, "sampling"), sampling === "");
      orders.forEach((input) => {
        input.checked = input.value === now.order;
      });
    }

    return { show };
  };
})(globalThis.AgentBlame);
