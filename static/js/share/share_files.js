// Turns what is shown into the contents of files: rows for CSV, and JSON with every number as it is.
(function (AgentBlame) {
  "use strict";

  const { batchWords, coalitions, csv, hypothetical, rules, shareWords } = AgentBlame;
  const VERSION = 1;
  // Sets the direction of what stands around it, in whatever shows the file.
  const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

  function yes(is) {
    return is ? "yes" : "no";
  }

  // Every combination that is listed, with its outcome in the unit of the score.
  function outcomes(now) {
    const names = ["Combination", ...now.titles.map((title) => "Fix: " + title), "Outcome", "State", "As run", "Hypothetical", "Error"];
    const rows = Array.from(now.table.worth.keys(), (place) => {
      const mask = coalitions.maskAt(now.game, place);
      const on = now.titles.map((title, player) => (coalitions.has(mask, player) ? 1 : 0));
      const edited = now.edits.has(mask);
      const error = edited ? undefined : now.game.errors[mask];
      return [
        mask,
        ...on,
        hypothetical.share(now.table, place),
        now.outcomeAt(place).state,
        hypothetical.share(now.game, place),
        yes(edited),
        error === undefined ? "" : error,
      ];
    });
    return csv.text([names, ...rows]);
  }

  function at(numbers, player) {
    return numbers === null ? null : numbers[player];
  }

  function ranking(now, about) {
    const { ordered, players, shared } = about.summary;
    const { sampled } = now.game;
    const touch = ordered ? ["Last touch"] : [];
    const names = ["Rank", "Step", "Fix", "Shapley value", "Low", "High", "Banzhaf value", "Fix alone", "Leave one out", ...touch, "Hypothetical"];
    const others = ["banzhaf", "fix_alone", "leave_one_out", ...(ordered ? ["last_touch"] : [])];
    const rows = shareWords.orderOf(now).map((player) => [
      shareWords.placeOf(now, player),
      now.titles[player],
      shared.steps[players[player]].fix.label,
      at(now.values.shapley, player),
      sampled === null ? null : at(sampled.low, player),
      sampled === null ? null : at(sampled.high, player),
      ...others.map((rule) => at(now.values[rule], player)),
      yes(now.edits.size > 0),
    ]);
    return csv.text([names, ...rows]);
  }

  function bounds(found) {
    return found === null ? [null, null] : found.slice(0, 2);
  }

  function rankingOfAll(now, all, about) {
    const { ordered, players, shared, titles } = about.summary;
    const { table, view } = all;
    const names = [
      "Step", "Fix", "Mean value", "Low", "High", "Standard deviation", "Share of the repair", "Repairs alone",
      ...(ordered ? ["Last touch"] : []),
      "Needed from", "Needed to", "Enough from", "Enough to", "Cases", "Hypothetical",
    ];
    const order = view.lines.map((line) => line.player).filter((player) => table.fixes[player] !== undefined);
    const rows = order.map((player) => {
      const fix = table.fixes[player];
      const ends = view.intervals ? [fix.low, fix.high] : [null, null];
      const numbers = [fix.mean, ...ends, fix.deviation, fix.share, fix.alone, ...(ordered ? [fix.last_touch] : [])];
      const likely = [...bounds(fix.necessity), ...bounds(fix.sufficiency)];
      return [titles[player], shared.steps[players[player]].fix.label, ...numbers, ...likely, table.complete, yes(isEdited(now))];
    });
    return csv.text([names, ...rows]);
  }

  function isEdited(now) {
    return shareWords.editsUnder(now).size > 0;
  }

  // The cases as they are listed, with filters, search and order.
  function cases(now, all, about) {
    const { summary } = about;
    const edited = shareWords.editsUnder(now);
    const names = ["Case", "What it takes", ...summary.titles.map((title) => "Value of " + title), "Verdict", "Kind of failure", "Tags", "Hypothetical"];
    const rows = all.order.map((place) => {
      const one = summary.cases[place];
      const { values, kind, verdict } = caseOf(now, all, summary, place);
      const failure = one.failure === null ? "" : summary.failures[one.failure];
      const tags = one.tags.map((tag) => summary.tags[tag]).join("; ");
      const numbers = summary.titles.map((title, player) => at(values, player));
      return [one.id, batchWords.KINDS[kind], ...numbers, verdict, failure, tags, yes(edited.has(one.slug))];
    });
    return csv.text([names, ...rows]);
  }

  function caseOf(now, all, summary, place) {
    const figures = all.found.figures[place] || null;
    const verdict = all.found.headlines.get(place) || summary.cases[place].sentences[now.mode.id] || "";
    return { values: figures === null ? null : figures.shapley, kind: all.found.kinds[place], verdict };
  }

  // Keys sorted, so that equal views give equal bytes; arrays for arrays of any kind. A number that is not finite is an error.
  function stable(value) {
    if (typeof value === "number" && !Number.isFinite(value)) throw rules.worth.named("NotFinite", "only finite numbers can be written");
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value, stable);
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, stable(value[key])]));
  }

  function json(content) {
    return JSON.stringify(stable(content), null, 1).replace(TURNS, (character) => "\\u" + character.charCodeAt(0).toString(16)) + "\n";
  }

  function shared(now, about, kind) {
    const { scenario, steps, modes } = about.summary.shared;
    return {
      format: "agentblame." + kind,
      format_version: VERSION,
      address: about.place,
      mode: now.mode.id,
      made_by: modes[now.mode.id],
      scenario,
      score: { low: about.summary.low, high: about.summary.high, threshold: about.summary.threshold, graded: about.summary.graded },
      fixes: about.summary.players.map((step) => ({ step: steps[step].id, title: steps[step].title, label: steps[step].fix.label })),
    };
  }

  function editList(edits) {
    return hypothetical.sorted(edits).map(([coalition, outcome]) => ({ coalition, outcome }));
  }

  // The texts of a case as the page shows them. Each output of a step stands once; `index` has its place for each combination,
  // in the order of the outcomes, or null where there was none.
  function textsOf({ game, case: { texts }, mode }, { steps }) {
    return {
      inputs: game.inputs.map(([name, text]) => ({ name, text: texts[text] })),
      outputs_of_world: mode.world,
      steps: game.steps.map(({ index, outputs }, number) => ({
        step: steps[number].id,
        title: steps[number].title,
        outputs: outputs.map((text) => texts[text]),
        index,
      })),
    };
  }

  function ofCase(now, about) {
    const { game, table } = now;
    return json({
      ...shared(now, about, "case"),
      ...textsOf(now, about.summary.shared),
      case: { id: now.case.id, slug: now.case.slug },
      hypothetical: now.edits.size > 0,
      edits: editList(now.edits),
      coalitions: game.coalitions,
      worth: table.worth,
      denominator: table.denominator,
      worth_as_run: game.worth,
      denominator_as_run: game.denominator,
      errors: game.errors,
      passes_from: now.level,
      values: now.values,
      intervals: game.sampled === null ? null : { low: game.sampled.low, high: game.sampled.high },
      withheld: now.withheld,
      verdict: { kind: now.verdict.kind, sentences: now.verdict.sentences },
    });
  }

  function ofAll(now, all, about) {
    const { summary } = about;
    const edits = shareWords.editsUnder(now);
    return json({
      ...shared(now, about, "cases"),
      hypothetical: edits.size > 0,
      edits: Array.from(edits, ([slug, made]) => ({ case: slug, outcomes: editList(made) })),
      filters: now.list,
      table: all.table,
      intervals_hold: all.view.intervals,
      headline: all.view.headline,
      remarks: all.view.remarks,
      new_luck_without_fix: all.again,
      cases: all.order.map((place) => {
        const { id, slug } = summary.cases[place];
        return { id, slug, ...caseOf(now, all, summary, place) };
      }),
    });
  }

  // Of names that a file system takes; what is hypothetical says so.
  function fileName(now, scenario, slug, what, ending) {
    const edited = now.view === "case" ? now.edits.size > 0 : isEdited(now);
    return [scenario, slug, now.mode.id, what, edited ? "hypothetical" : "", ending].filter((part) => part !== "").join(".");
  }

  AgentBlame.shareFiles = { outcomes, ranking, rankingOfAll, cases, ofCase, ofAll, fileName };
})(globalThis.AgentBlame);
