// Turns everything about a scenario's cases under one mode into the part of its section over all failures: loads what it
// takes, computes the table from all edits and filters, and shows it and the list of cases. While one case is looked at the
// part is hidden: it is computed and drawn when it is seen.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;
  const { batchRows, caseList, gameKey, rules, strips } = AgentBlame;

  // With a single case there is nothing to show.
  const NOTHING = { show: () => Promise.resolve(), table: () => null, told: () => null, reveal() {}, neighbour: () => null, focusSearch() {} };

  AgentBlame.views.overAll = function (root, act, summary) {
    const box = part(root, "over-all");
    if (box === null) return NOTHING;
    const games = new Map();
    const modes = parts(box, "batch-mode");
    const filters = AgentBlame.views.filters(box, act, summary);
    const cases = AgentBlame.views.cases(root, act, summary);
    const batch = AgentBlame.views.batch(box, summary.titles, pick);
    const placeOf = new Map(summary.cases.map((one, place) => [one.slug, place]));
    const left = new Map();
    let turn = 0;
    let shown = null;
    let drawn = null;

    modes.forEach((input) => input.addEventListener("change", () => act.setModeOfAll(input.value)));
    part(box, "batch-reset").addEventListener("click", () => {
      act.resetMode();
      part(box, "batch-verdict").focus();
    });

    function gamesOf(mode) {
      if (!games.has(mode)) {
        const load = (name) => AgentBlame.load(root.dataset.scenario, name, true);
        const more = (number) => load("batch." + mode + "." + number);
        const first = load("batch." + mode);
        games.set(mode, first.then((chunk) => AgentBlame.batchGames(chunk, summary, summary.batch[mode], more)));
        games.get(mode).catch(() => games.delete(mode));
      }
      return games.get(mode);
    }

    // The edits in force under a mode, by place.
    function editsUnder(now) {
      const own = Array.from(gameKey.under(now.allEdits, now.mode.id));
      return new Map(own.map(([slug, made]) => [placeOf.get(slug), made]));
    }

    // How many outcomes are edited under each other mode that has edits, by its title.
    function editsElsewhere(now) {
      const found = new Map();
      for (const { id, title } of summary.modes) {
        const made = Array.from(gameKey.under(now.allEdits, id).values());
        const outcomes = made.reduce((all, edits) => all + edits.size, 0);
        if (outcomes > 0 && id !== now.mode.id) found.set(title, outcomes);
      }
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
      const moved = loaded.follow(edits);
      shown = overall(now, loaded, placesLeft(now, loaded, moved));
      if (now.view !== "case") draw(now, edits);
      cases.show(now, loaded.found, shown.places, () => leading(shown.over().table));
    }

    // The places the filters leave; `moved` says that the kind of a case is another than it was.
    function placesLeft(now, { found }, moved) {
      const { tags, failures, kinds } = now.list;
      const asked = JSON.stringify([tags, failures, kinds]);
      const before = left.get(now.mode.id);
      const same = before !== undefined && before.asked === asked && !(moved && kinds.length > 0);
      if (!same) left.set(now.mode.id, { asked, places: caseList.chosen(now.list, summary, found.kinds) });
      return left.get(now.mode.id).places;
    }

    function leading(table) {
      return table.fixes.length === 0 ? 0 : rules.rank(table.fixes.map((fix) => fix.mean))[0];
    }

    // Without its data the table is what it is without scripts; what stands there may be about another kind of luck.
    function showLost(now) {
      setStill(true);
      box.classList.toggle("is-lost", now.mode.id !== box.dataset.mode);
      box.classList.remove("is-hypothetical");
      setHidden(part(box, "batch-hypothetical"), true);
      setHidden(part(box, "batch-elsewhere"), true);
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

    // What is said over all cases changes with mode, edits and filters, not with the case or the order. It is computed when
    // somebody asks: while one case is looked at, nobody may.
    function overall(now, { totals, found, total }, places) {
      const over = () => {
        totals.choose(places);
        return { table: totals.table(), basis: totals.basis() };
      };
      return { mode: now.mode.id, caseIndex: now.caseIndex, over, found, total, byOutcome: now.list.kinds.length > 0, places };
    }

    // A table that is on the page stays as it is.
    function draw(now, edits) {
      const on = summary.batch[now.mode.id];
      const { found, total, byOutcome, places } = shown;
      const { table, basis } = shown.over();
      if (drawn === null || drawn.table !== table || drawn.byOutcome !== byOutcome) {
        batch.show(batchRows.view(table, basis, summary.titles, on, total, byOutcome), table);
      }
      drawn = { table, byOutcome };
      box.dataset.mode = now.mode.id;
      setText(part(box, "batch-mode-name"), now.mode.title + ".");
      setText(part(box, "batch-question"), on.question);
      setText(part(box, "batch-passing-means"), now.mode.passing);
      if (part(box, "batch-confidence") !== null) setText(part(box, "batch-confidence"), on.confidence);
      filters.show(now.list, found.counts, places.length);
      showAgain(now);
      showHypothesis(Array.from(edits.values(), (made) => made.size));
      showElsewhere(editsElsewhere(now));
    }

    // Edits that change nothing here, so that nobody takes them to be lost.
    function showElsewhere(counts) {
      const where = Array.from(counts, ([title, outcomes]) => outcomes + " under " + title.toLowerCase());
      setText(part(box, "batch-elsewhere"), "Outcomes edited: " + where.join(", ") + ". These figures do not depend on them.");
      setHidden(part(box, "batch-elsewhere"), counts.size === 0);
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
      const { step } = batchRows.ruler(shown.over().basis, summary.batch[shown.mode]);
      const inside = new Set(shown.places.filter((place) => {
        const one = shown.found.figures[place];
        return one !== undefined && one !== null && strips.binOf(one.shapley[player], step) === bin;
      }));
      const order = cases.order().filter((place) => inside.has(place));
      const at = order.indexOf(shown.caseIndex);
      if (order.length > 0) act.setCase(order[(at + 1) % order.length]);
    }

    // All that is said, and the cases in the order they are listed.
    const told = () => (shown === null ? null : { ...shown, ...shown.over(), order: cases.order() });

    const table = () => (shown === null ? null : shown.over().table);

    return { show, table, told, neighbour: cases.neighbour, reveal: cases.reveal, focusSearch: cases.focusSearch };
  };
})(globalThis.AgentBlame);
