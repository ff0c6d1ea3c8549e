// Turns everything about a scenario's cases under one mode into the part of its section over all failures: loads what it
// takes, computes the table from all edits and filters, and shows it and the list of cases.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;
  const { batchTable, batchRows, caseList, strips } = AgentBlame;

  // With a single case there is nothing to show.
  const NOTHING = { show: () => Promise.resolve(), table: () => null, neighbour: () => null };

  AgentBlame.views.overAll = function (root, act, summary) {
    const box = part(root, "over-all");
    if (box === null) return NOTHING;
    const games = new Map();
    const modes = parts(box, "batch-mode");
    const filters = AgentBlame.views.filters(box, act, summary);
    const cases = AgentBlame.views.cases(root, act, summary);
    const batch = AgentBlame.views.batch(box, summary.titles, pick);
    let turn = 0;
    let shown = null;

    modes.forEach((input) => input.addEventListener("change", () => act.setModeOfAll(input.value)));
    part(box, "batch-reset").addEventListener("click", () => {
      act.resetMode();
      part(box, "batch-verdict").focus();
    });

    function gamesOf(mode) {
      if (!games.has(mode)) {
        const chunk = AgentBlame.load(root.dataset.scenario, "batch." + mode);
        games.set(mode, chunk.then((data) => AgentBlame.batchGames(data, summary, summary.batch[mode])));
        games.get(mode).catch(() => games.delete(mode));
      }
      return games.get(mode);
    }

    // The edits in force under a mode, by place.
    function editsUnder(now) {
      const found = new Map();
      summary.cases.forEach((one, place) => {
        const made = now.allEdits.get(one.slug + "." + now.mode.id);
        if (made !== undefined) found.set(place, made);
      });
      return found;
    }

    async function show(now) {
      turn += 1;
      const mine = turn;
      modes.forEach((input) => {
        input.checked = input.value === now.mode.id;
      });
      const loaded = await gamesOf(now.mode.id).catch((error) => {
        if (mine === turn) showLost(now);
        throw error;
      });
      if (mine !== turn) return;
      setStill(false);
      box.classList.remove("is-lost");
      const edits = editsUnder(now);
      const found = await loaded.figures((place) => edits.get(place));
      if (mine !== turn) return;
      const places = caseList.chosen(now.list, summary, found.kinds);
      compute(now, edits, found, places);
      draw(now, edits, found, places);
    }

    // Without its data the table is what it is without scripts; what stands there may be about another kind of luck.
    function showLost(now) {
      setStill(true);
      box.classList.toggle("is-lost", now.mode.id !== box.dataset.mode);
      setHidden(part(box, "batch-hypothetical"), true);
      setHidden(part(box, "batch-as-run"), editsUnder(now).size === 0);
      showAgain(now);
    }

    function setStill(still) {
      root.classList.toggle("is-batchless", still);
      cases.setStill(still);
      if (!still) setHidden(part(box, "batch-as-run"), true);
    }

    // Under new luck the table itself says what happens without any fix.
    function showAgain(now) {
      const again = part(box, "batch-again");
      if (again !== null) setHidden(again, now.mode.id === "fresh");
    }

    // What is shown over all cases changes with mode, edits and filters, not with the case or the order.
    function compute(now, edits, found, places) {
      const on = summary.batch[now.mode.id];
      const analysed = places.filter((place) => found.figures[place] !== undefined);
      const figures = analysed.map((place) => found.figures[place]);
      const total = found.figures.filter((one) => one !== undefined).length;
      const byOutcome = now.list.kinds.length > 0;
      const same =
        shown !== null &&
        shown.mode === now.mode.id &&
        shown.total === total &&
        shown.byOutcome === byOutcome &&
        shown.figures.length === figures.length &&
        figures.every((one, k) => one === shown.figures[k]);
      if (same) return;
      const table = batchTable.batchTable(figures, summary.titles.length, on.spread, on.delta);
      const view = batchRows.view(table, figures, summary.titles, on, total, byOutcome);
      shown = { mode: now.mode.id, total, byOutcome, figures, places: analysed, table, view, drawn: false };
    }

    function draw(now, edits, found, places) {
      const on = summary.batch[now.mode.id];
      if (!shown.drawn) batch.show(shown.view, shown.table);
      shown.drawn = true;
      box.dataset.mode = now.mode.id;
      setText(part(box, "batch-mode-name"), now.mode.title + ".");
      setText(part(box, "batch-question"), on.question);
      setText(part(box, "batch-passing-means"), now.mode.passing);
      if (part(box, "batch-confidence") !== null) setText(part(box, "batch-confidence"), on.confidence);
      filters.show(now.list, found.kinds, places.length);
      showAgain(now);
      showHypothesis(Array.from(edits.values(), (made) => made.size));
      const leading = shown.view.lines.length === 0 ? 0 : shown.view.lines[0].player;
      cases.show(now, found, places, leading);
      shown.caseIndex = now.caseIndex;
    }

    // `counts` has the number of edits of each edited case, listed or not: an edit may be why one is left out.
    function showHypothesis(counts) {
      const outcomes = counts.reduce((all, one) => all + one, 0);
      const what = outcomes + (outcomes === 1 ? " outcome" : " outcomes") + " edited in ";
      const where = counts.length + (counts.length === 1 ? " case" : " cases");
      setText(part(box, "batch-hypothetical-text"), what + where + " of this luck; the figures follow the edits, not only what was run.");
      setHidden(part(box, "batch-hypothetical"), outcomes === 0);
      box.classList.toggle("is-hypothetical", outcomes > 0);
    }

    // Shows a case whose value of a fix lies in a bin: the first listed one, or the next after the one that is shown.
    function pick(player, bin) {
      const on = summary.batch[shown.mode];
      const rows = shown.figures.filter((one) => one !== null).map((one) => one.shapley);
      const { step } = strips.ruler(rows, on.graded ? null : on.spread);
      const inside = new Set();
      shown.places.forEach((place, k) => {
        const one = shown.figures[k];
        if (one !== null && strips.binOf(one.shapley[player], step) === bin) inside.add(place);
      });
      const order = cases.order().filter((place) => inside.has(place));
      const at = order.indexOf(shown.caseIndex);
      if (order.length > 0) act.setCase(order[(at + 1) % order.length]);
    }

    return { show, table: () => (shown === null ? null : shown.table), neighbour: cases.neighbour };
  };
})(globalThis.AgentBlame);
