// Turns the table over many failing cases into sentences; the builder's batch_words.py says the same.
(function (AgentBlame) {
  "use strict";

  const { rules, wording } = AgentBlame;
  const NAMED = 3;
  const BY_OUTCOME = "Chosen by their outcome: these figures describe the cases chosen and support no claim beyond them.";

  // What a case takes, by the kind of its verdict, in the order cases are sorted.
  const KINDS = {
    repairable: "one fix is enough",
    no_single: "takes several fixes",
    fewer: "all fixes together fail, fewer repair it",
    all_fail: "no combination repairs it",
    unsettled: "all fixes together fail",
    passes: "passes without a fix",
    withheld: "no values",
    unknown: "not analysed",
  };

  const NO_CLAIM = "Some values are estimates, so it is not claimed which fix comes first.";

  function kindOf(figures) {
    if (figures === null) return "withheld";
    if (figures.passes) return "passes";
    if (!figures.repaired) {
      if ((figures.minimal !== null && figures.minimal.length > 0) || figures.alone.includes(true)) return "fewer";
      return figures.minimal === null ? "unsettled" : "all_fail";
    }
    return figures.alone.includes(true) ? "repairable" : "no_single";
  }

  // Names the first few, and says how many more there are.
  function some(items, word) {
    const more = items.length - NAMED;
    return more <= 0 ? wording.listed(items, word) : items.slice(0, NAMED).join(", ") + " " + word + " " + more + " more";
  }

  // The players that may have the largest mean, by rank: the first, and all it is not separated from. `capitals` is what was
  // made by betting on its lead over each other one.
  function contenders(order, capitals, threshold) {
    const [first, ...others] = order;
    return [first, ...others.filter((other) => capitals.get(other) < threshold)];
  }

  function control(table) {
    return "Without any fix, " + table.passes + " of " + table.complete + " pass under new luck.";
  }

  // `basis` is that of the table (see batch_totals.js). Where the cases were chosen by their outcome the headline describes them, and claims nothing.
  function headline(table, basis, given, on, byOutcome) {
    const titles = given.map(rules.isolated);
    if (table.cases === 0) return "No case is left to compare.";
    if (titles.length === 0) return "No fix was tried.";
    if (table.complete === 0) return "The fixes can be compared in none of " + table.cases + " failing cases.";
    const said = byOutcome ? described(table, titles, "the " + failuresOf(table) + " chosen") : first(table, basis, titles, on);
    return on.fresh ? said + " " + control(table) : said;
  }

  function failuresOf(table) {
    return table.complete + (table.complete > 1 ? " failures" : " failure");
  }

  function orderOf(table) {
    return Array.from(rules.rank(table.fixes.map((fix) => fix.mean)));
  }

  function described(table, titles, chosen) {
    const order = orderOf(table);
    const { mean } = table.fixes[order[0]];
    if (mean <= 0) return "No fix helps on average over " + chosen + ".";
    if (titles.length > 1) return "Over " + chosen + ", " + most(table, order, titles) + ".";
    return "Over " + chosen + ", fixing " + titles[0] + " has a mean value of " + rules.numberText(mean) + ".";
  }

  function tiedFor(table, order) {
    return order.filter((player) => table.fixes[player].mean === table.fixes[order[0]].mean);
  }

  // Says which fix has the largest mean value, or which tie for it.
  function most(table, order, titles) {
    const mean = rules.numberText(table.fixes[order[0]].mean);
    const tied = tiedFor(table, order).map((player) => titles[player]);
    return "fixing " + some(tied, "or") + " helps most on average (" + mean + (tied.length > 1 ? " each" : "") + ")";
  }

  function first(table, basis, titles, on) {
    const text = rules.numberText;
    const order = orderOf(table);
    const best = table.fixes[order[0]];
    const title = titles[order[0]];
    const only = titles.length === 1;
    const failures = failuresOf(table);
    if (best.mean <= 0) return "No fix helps on average over " + failures + ".";
    if (best.low === null) return described(table, titles, failures) + " " + NO_CLAIM;
    const sure = on.confidence + " interval " + wording.intervalText(best.low, best.high);
    if (table.leader !== null) {
      const apart = only ? "" : ", separated from every other fix";
      if (best.low > 0 || only) return "Fixing " + title + " " + gain(best, on, !only) + " (" + sure + ")" + apart + ".";
      const doubt = "too few failures to rule out that it does nothing (" + sure + ")";
      return "Fixing " + title + " comes before every other fix (" + amount(best, on) + "); " + doubt + ".";
    }
    const threshold = titles.length / on.delta;
    const enough = rules.capitalOfTally({ values: [1], counts: [table.complete] }, -1, 1, 0) >= threshold;
    if (only) {
      const tail = enough ? "do not tell apart from nothing" : "are too few to judge by";
      return "Fixing " + title + " " + gain(best, on, false) + " (" + sure + "), which " + failures + " " + tail + ".";
    }
    if (!enough) {
      const few = failures + (table.complete > 1 ? " are" : " is") + " too few to tell the fixes apart";
      return few + "; " + most(table, order, titles) + ".";
    }
    const close = contenders(order, basis.capitals, threshold);
    if (close.length === titles.length) return failures + " do not tell the fixes apart; " + most(table, order, titles) + ".";
    // Only the first was tested against the others; fixes whose means are equal cannot be told apart.
    const tied = tiedFor(table, order);
    const leading = "F" + most(table, order, titles).slice(1);
    if (tied.length === close.length) return leading + "; " + failures + " do not tell them apart.";
    const valueOf = (player) => (table.fixes[player].mean === best.mean ? "" : " (" + text(table.fixes[player].mean) + ")");
    const others = some(close.slice(1).map((player) => titles[player] + valueOf(player)), "and");
    return leading + "; " + failures + " do not tell " + (tied.length > 1 ? title : "it") + " apart from " + others + ".";
  }

  function gain(fix, on, most) {
    const mean = rules.numberText(fix.mean);
    if (on.graded) return (most ? "helps most: it " : "") + "adds " + mean + " to the score on average";
    return "repairs " + (most ? "most: " : "") + mean + " of a failure on average";
  }

  function amount(fix, on) {
    return rules.numberText(fix.mean) + (on.graded ? "" : " of a failure") + " on average";
  }

  function remarks(table, basis, given, on, byOutcome) {
    const titles = given.map(rules.isolated);
    if (titles.length === 0 || table.complete === 0) return [];
    const text = rules.numberText;
    const said = [...(byOutcome ? [BY_OUTCOME] : []), whatItTakes(table, basis.kinds)];
    if (basis.idle > 0) said.push("In " + basis.idle + " of " + table.complete + ", no fix helps on balance.");
    table.fixes.forEach((fix, player) => {
      if (fix.high === null || fix.high >= 0 || byOutcome) return;
      const sure = on.confidence + " interval " + wording.intervalText(fix.low, fix.high);
      said.push("Fixing " + titles[player] + " makes things worse on average (" + text(fix.mean) + ", " + sure + ").");
    });
    return [...said, ...lastStep(table, titles)];
  }

  function whatItTakes(table, kinds) {
    const phrases = {
      repairable: "one fix is enough for",
      no_single: "several are needed for",
      fewer: "all together fail but fewer repair",
      all_fail: "no combination repairs",
      unsettled: "all together are not enough for",
      passes: "none is needed for",
    };
    const found = Object.keys(phrases).filter((kind) => kinds.get(kind) > 0);
    const counted = found.map((kind) => phrases[kind] + " " + kinds.get(kind));
    return "Of " + table.complete + " compared, " + wording.listed(counted, "and") + ".";
  }

  function lastStep(table, titles) {
    const blamed = table.fixes.map((fix) => fix.last_touch || 0);
    const most = Math.max(...blamed);
    if (most === 0) return [];
    const named = Array.from(blamed.keys()).filter((player) => blamed[player] === most);
    const where = most + " of " + table.complete + (named.length > 1 ? " each" : "");
    const said = "Last-step blame would have named " + some(named.map((player) => titles[player]), "or") + " in " + where;
    return [said + "; " + worthOf(named, table, titles) + "."];
  }

  // What the fixes of the steps are worth that last-step blame names.
  function worthOf(named, table, titles) {
    const mean = Math.max(...table.fixes.map((fix) => fix.mean));
    const first = named.filter((player) => table.fixes[player].mean === mean && mean > 0);
    const several = named.length > 1;
    if (first.length === named.length) return (several ? "their fixes help" : "its fix helps") + " most on average, too";
    if (first.length > 0) {
      return "fixing " + some(first.map((player) => titles[player]), "or") + " helps most on average, too";
    }
    const means = some(named.map((player) => rules.numberText(table.fixes[player].mean)), "and");
    return (several ? "their fixes are" : "its fix is") + " worth " + means + " on average";
  }

  function setsSentence(table, titles) {
    if (table.sets.length === 0) return "Which fixes to ship together needs every combination; these games were sampled.";
    const most = Math.max(...table.sets.map((one) => one[1]));
    const size = table.sets.findIndex((one) => one[1] === most);
    if (most === 0) return "No set of fixes repairs any case.";
    if (size === 0) return "No set of fixes does better than none: " + most + " of " + table.exact + " pass.";
    if (size > 1 && size === titles.length) {
      const whole = size === 2 ? "both" : "all " + size;
      return "It takes " + whole + " fixes to repair the most: " + most + " of " + table.exact + ".";
    }
    const fixes = size === 1 ? "one fix is enough" : size + " fixes are enough";
    const [mask, , ties] = table.sets[size];
    const others = ties === 1 ? "" : ties === 2 ? " or one other such set" : " or another of " + ties + " such sets";
    const name = wording.coalitionName(mask, titles) + others;
    const said = "To repair as many as any set does, " + fixes + ": " + name + ", " + most + " of " + table.exact + ".";
    const grand = table.sets[table.sets.length - 1][1];
    return grand === most ? said : said + " All fixes together repair " + grand + ".";
  }

  function percent(part) {
    return Math.floor(100 * part + 0.5) + " %";
  }

  AgentBlame.batchWords = { KINDS, kindOf, contenders, headline, remarks, setsSentence, percent, some };
})(globalThis.AgentBlame);
