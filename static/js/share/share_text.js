// Turns what is shown into Markdown for people: one case, or all of them. What is hypothetical is said first.
//
// `about` is { summary, place }: the scenario's summary, and where what is shown can be seen again.
(function (AgentBlame) {
  "use strict";

  const { batchWords, hypothetical, markdown, rules, shareWords, wording } = AgentBlame;
  const { escaped, sentence, table, list } = markdown;
  const { outcomeText } = shareWords;
  const MOST_LISTED = 12;
  const RULES = {
    shapley: "Shapley value",
    banzhaf: "Banzhaf value",
    fix_alone: "Fix alone",
    leave_one_out: "Leave one out",
    last_touch: "Last touch",
  };

  // The rules that a scenario's games can have values under.
  function rulesOf(summary) {
    return Object.keys(RULES).filter((rule) => rule !== "last_touch" || summary.ordered);
  }

  function paragraphs(parts) {
    return parts.filter((part) => part !== "").join("\n\n") + "\n";
  }

  function some(items, what) {
    const more = items.length - MOST_LISTED;
    return more > 0 ? [...items.slice(0, MOST_LISTED), "and " + more + " more " + what] : items;
  }

  function warning(note, edits) {
    return note === "" ? [] : ["**" + note + "**", list(some(edits, "edits"))];
  }

  function ending(about, mode) {
    const { package: made, version, fingerprint } = about.summary.shared.modes[mode.id];
    const by = "Made by " + escaped(made + " " + version) + ", pipeline " + markdown.code(fingerprint) + ".";
    return "See it: " + (/^https?:/.test(about.place) ? "<" + about.place + ">" : markdown.code(about.place, Infinity)) + "\n\n" + by;
  }

  function marked(heading, note) {
    return "## " + heading + (note === "" ? "" : " (hypothetical)");
  }

  function number(value) {
    return value === null ? wording.NOT_COMPUTED : rules.numberText(value);
  }

  function valueCell(now, rule, player) {
    const values = now.values[rule];
    const { sampled } = now.game;
    if (values === null) return wording.NOT_COMPUTED;
    const text = number(values[player]);
    const known = rule === "shapley" && sampled !== null && sampled.low !== null;
    return known ? text + " (" + wording.intervalText(sampled.low[player], sampled.high[player]) + ")" : text;
  }

  function rankRow(now, about, player) {
    const { players, shared } = about.summary;
    const { label } = shared.steps[players[player]].fix;
    const place = shareWords.placeOf(now, player);
    const cells = rulesOf(about.summary).map((rule) => valueCell(now, rule, player));
    return [place === null ? wording.NOT_COMPUTED : String(place), escaped(now.titles[player]), escaped(label), ...cells];
  }

  function ranking(now, about, note) {
    if (now.titles.length === 0) return [];
    const rows = shareWords.orderOf(now).map((player) => rankRow(now, about, player));
    const { sampled } = now.game;
    return [
      marked("What each fix is worth", note),
      sentence(now.withheld),
      sentence(sampled === null ? "" : sampled.text),
      table(["Rank", "Step", "Fix", ...rulesOf(about.summary).map((rule) => RULES[rule])], rows),
    ];
  }

  function repairs(now, note) {
    const found = shareWords.repairsOf(now);
    const heading = marked("The smallest sets of fixes that repair it", note);
    if (found === null) return [];
    if (found.length === 0) return [heading, "No set of fixes repairs it."];
    if (found[0] === 0) return [heading, "It passes without any fix."];
    return [heading, list(some(found.map((mask) => sentence(wording.coalitionName(mask, now.titles))), "sets"))];
  }

  function ends(now) {
    const passing = shareWords.passing(now).length + " of " + now.table.worth.length + (now.game.coalitions === null ? "" : " listed");
    const rows = [
      ["No fix", shareWords.toldOf(now, 0)],
      ["All fixes", shareWords.toldOf(now, now.grand)],
      ["Combinations that repair it", passing],
    ];
    return table(["", "Outcome"], now.titles.length > 0 ? rows : rows.slice(0, 1));
  }

  function editLine({ name, asRun, outcome }) {
    return sentence(name) + ": " + outcomeText(outcome) + ", as run " + outcomeText(asRun);
  }

  function ofCase(now, about) {
    const note = shareWords.note(now.edits.size);
    const [headline, ...remarks] = now.verdict.sentences;
    return paragraphs([
      "# " + escaped(about.summary.title) + ": " + escaped(now.case.id),
      ...warning(note, shareWords.edited(now).map(editLine)),
      "**" + sentence(headline) + "**",
      list(remarks.map(sentence)),
      "_" + escaped(now.mode.title) + "._ " + escaped(now.mode.question) + " " + escaped(now.mode.passing),
      ends(now),
      ...ranking(now, about, note),
      ...repairs(now, note),
      ending(about, now.mode),
    ]);
  }

  // The filters in force, and what is searched for.
  function filters({ list: wanted, order }, summary) {
    const chosen = (numbers, names) => numbers.map((number) => "\u201c" + escaped(names[number]) + "\u201d").join(" or ");
    const found = [
      ["What it takes", wanted.kinds.map((kind) => batchWords.KINDS[kind]).join(" or ")],
      ["Kind of failure", chosen(wanted.failures, summary.failures)],
      ["Tag", chosen(wanted.tags, summary.tags)],
    ].filter(([, text]) => text !== "");
    if (wanted.find !== "") {
      const left = order.length + " of " + summary.cases.length + " listed; the figures do not follow it";
      found.push(["Search", "\u201c" + escaped(wanted.find) + "\u201d (" + left + ")"]);
    }
    return found.length === 0 ? [] : ["Filters in force:", list(found.map(([name, text]) => name + ": " + text))];
  }

  function editsOverAll(now, summary) {
    const idOf = new Map(summary.cases.map((one) => [one.slug, one.id]));
    return Array.from(shareWords.editsUnder(now)).flatMap(([slug, edits]) =>
      hypothetical.sorted(edits).map(
        ([mask, value]) => escaped(idOf.get(slug)) + ", " + sentence(wording.coalitionName(mask, summary.titles)) + ": " + number(value)
      )
    );
  }

  function lineRow(line, labels, view, ordered) {
    return [
      line.place,
      escaped(line.title),
      escaped(labels[line.player]),
      line.mean,
      view.intervals ? line.interval : wording.NOT_COMPUTED,
      line.share,
      line.alone,
      ...(ordered ? [line.last_touch] : []),
      (line.necessity + " " + line.necessity_of).trim(),
      (line.sufficiency + " " + line.sufficiency_of).trim(),
    ];
  }

  function which(all, about, note) {
    const { view, confidence } = all;
    const { ordered, players, shared } = about.summary;
    if (view.lines.length === 0) return [];
    const labels = players.map((step) => shared.steps[step].fix.label);
    const touch = ordered ? ["Last touch"] : [];
    const blank = (cells) => ["", ...cells, ...touch.map(() => ""), "", ""];
    const names = ["Rank", "Step", "Fix", "Mean value", confidence + " interval", "Share", "Repairs alone", ...touch, "Needed", "Enough"];
    return [
      marked("Which fix to make first", note),
      table(names, [
        ...view.lines.map((line) => lineRow(line, labels, view, ordered)),
        blank(["No fix (the control)", "", "", "", "", view.control]),
        blank(["All fixes", "", "", "", "", view.together]),
      ]),
    ];
  }

  function ship({ view }, note) {
    if (view.sets.length === 0) return [];
    const rows = view.sets.map((line, size) => [String(size), sentence(line.name) + (line.ties === "" ? "" : " (" + line.ties + ")"), line.cases]);
    return [marked("Which fixes to ship", note), sentence(view.sets_sentence), table(["Fixes", "Best set of that size", "Repairs"], rows)];
  }

  // `all` is what is said over all cases (see share_view.js).
  function ofAll(now, all, about) {
    const { summary } = about;
    const note = shareWords.noteOf(now);
    const { view, again } = all;
    const told = again === null ? view.ends : [...view.ends, again];
    return paragraphs([
      "# " + escaped(summary.title) + ": over all failures",
      ...warning(note, editsOverAll(now, summary)),
      "**" + sentence(view.headline) + "**",
      list(view.remarks.map(sentence)),
      "_" + escaped(now.mode.title) + "._ " + escaped(all.question) + " " + escaped(now.mode.passing),
      ...filters({ list: now.list, order: all.order }, summary),
      table(["Over the cases", ""], told.map((one) => one.map(escaped))),
      ...which(all, about, note),
      ...ship(all, note),
      ending(about, now.mode),
    ]);
  }

  AgentBlame.shareText = { ofCase, ofAll };
})(globalThis.AgentBlame);
