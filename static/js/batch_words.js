// Turns the table over many failing cases into sentences; the builder's batch_words.py says the same.
(function (AgentBlame) {
  "use strict";

  const { rules } = AgentBlame;
  const NAMED = 3;
  const ROUNDING = 1 / 2 ** 40;

  // What a case takes, by the kind of its verdict, in the order cases are sorted.
  const KINDS = {
    repairable: "one fix is enough",
    no_single: "takes several fixes",
    all_fail: "all fixes are not enough",
    passes: "passes without a fix",
    withheld: "no values",
    unknown: "not analysed",
  };

  function kindOf(figures) {
    if (figures === null) return "withheld";
    if (figures.passes) return "passes";
    if (!figures.repaired) return "all_fail";
    return figures.alone.includes(true) ? "repairable" : "no_single";
  }

  function listed(items) {
    return items.length === 1 ? items[0] : items.slice(0, -1).join(", ") + " and " + items[items.length - 1];
  }

  function some(items) {
    const more = items.length - NAMED;
    return more <= 0 ? listed(items) : items.slice(0, NAMED).join(", ") + " and " + more + " more";
  }

  // The players that may have the largest mean, by rank: the first, and all it is not separated from.
  function contenders(rows, spread, threshold) {
    const [first, ...others] = Array.from(rules.rank(rules.meanAndDeviation(rows).means));
    const lead = (other) => rules.capital(rows.map((row) => row[first] - row[other]), -spread, spread, 0);
    return [first, ...others.filter((other) => lead(other) < threshold)];
  }

  function control(table) {
    return "Without any fix, " + table.passes + " of " + table.complete + " pass under new luck.";
  }

  function headline(table, figures, titles, on) {
    if (table.cases === 0) return "No case is left to compare.";
    if (titles.length === 0) return "No fix was tried.";
    if (table.complete === 0) return "The fixes can be compared in none of " + table.cases + " failing cases.";
    const rows = figures.filter((one) => one !== null).map((one) => one.shapley);
    const said = first(table, rows, titles, on);
    return on.fresh ? said + " " + control(table) : said;
  }

  function first(table, rows, titles, on) {
    const text = rules.numberText;
    const order = Array.from(rules.rank(table.fixes.map((fix) => fix.mean)));
    const best = table.fixes[order[0]];
    const title = titles[order[0]];
    const only = titles.length === 1;
    const failures = table.complete + (table.complete > 1 ? " failures" : " failure");
    if (best.mean <= 0) return "No fix helps on average over " + failures + ".";
    const sure = on.confidence + " interval " + text(best.low) + " to " + text(best.high);
    if (table.leader !== null) {
      const apart = only ? "" : ", separated from every other fix";
      if (best.low > 0 || only) return "Fixing " + title + " " + gain(best, on, !only) + " (" + sure + ")" + apart + ".";
      return "Fixing " + title + " comes before every other fix, but may not help at all (" + amount(best, on) + "; " + sure + ").";
    }
    const threshold = titles.length / on.delta;
    const enough = rules.capital(new Array(table.complete).fill(1), -1, 1, 0) >= threshold;
    if (only) {
      const tail = enough ? "do not tell apart from nothing" : "are too few to judge by";
      return "Fixing " + title + " " + gain(best, on, false) + " (" + sure + "), which " + failures + " " + tail + ".";
    }
    if (!enough) {
      const tied = order.filter((player) => table.fixes[player].mean === best.mean);
      const few = failures + (table.complete > 1 ? " are" : " is") + " too few to tell the fixes apart";
      const verb = tied.length === 1 ? "has" : "have";
      return few + "; " + some(tied.map((player) => titles[player])) + " " + verb + " the largest mean value (" + text(best.mean) + ").";
    }
    // Sampled values of two fixes may lie further apart than two scores.
    const apart = table.exact === table.complete ? on.spread : 2 * on.spread;
    const close = contenders(rows, apart, threshold);
    const values = close.map((player) => titles[player] + " (" + text(table.fixes[player].mean) + ")");
    if (close.length < titles.length) return some(values) + " lead; " + failures + " do not tell them apart.";
    if (titles.length === 2) return failures + " do not tell " + some(values) + " apart.";
    return failures + " do not tell the fixes apart; " + title + " has the largest mean value (" + text(best.mean) + ").";
  }

  function gain(fix, on, most) {
    const mean = rules.numberText(fix.mean);
    if (on.graded) return (most ? "helps most: it " : "") + "adds " + mean + " to the score on average";
    return "repairs " + (most ? "most: " : "") + mean + " of a failure on average";
  }

  function amount(fix, on) {
    return rules.numberText(fix.mean) + (on.graded ? "" : " of a failure") + " on average";
  }

  function remarks(table, figures, titles, on) {
    if (titles.length === 0 || table.complete === 0) return [];
    const text = rules.numberText;
    const said = [whatItTakes(table, figures)];
    const complete = figures.filter((one) => one !== null);
    const idle = complete.filter((one) => one.shapley.every((value) => value <= on.spread * ROUNDING)).length;
    if (idle > 0) said.push("In " + idle + " of " + table.complete + ", no fix helps on balance.");
    const fewer = complete.filter((one) => !one.repaired && one.minimal !== null && one.minimal.length > 0).length;
    if (fewer > 0) {
      said.push("In " + fewer + " of " + table.complete + ", all fixes together fail although fewer would repair it.");
    }
    table.fixes.forEach((fix, player) => {
      if (fix.high >= 0) return;
      const sure = on.confidence + " interval " + text(fix.low) + " to " + text(fix.high);
      said.push("Fixing " + titles[player] + " makes things worse on average (" + text(fix.mean) + ", " + sure + ").");
    });
    return [...said, ...lastStep(table, titles)];
  }

  function whatItTakes(table, figures) {
    const kinds = figures.filter((one) => one !== null).map(kindOf);
    const phrases = {
      repairable: "one fix is enough for",
      no_single: "several are needed for",
      all_fail: "all together are not enough for",
      passes: "none is needed for",
    };
    const found = Object.keys(phrases).filter((kind) => kinds.includes(kind));
    const counted = found.map((kind) => phrases[kind] + " " + kinds.filter((one) => one === kind).length);
    return "Of " + table.complete + " compared, " + listed(counted) + ".";
  }

  function lastStep(table, titles) {
    const blamed = table.fixes.map((fix) => fix.last_touch);
    const most = Math.max(...blamed);
    if (most === 0) return [];
    const named = blamed.indexOf(most);
    const where = most + " of " + table.complete;
    if (rules.rank(table.fixes.map((fix) => fix.mean))[0] === named) {
      return ["Last-step blame would have named the same step, " + titles[named] + ", in " + where + "."];
    }
    const mean = rules.numberText(table.fixes[named].mean);
    return ["Last-step blame would have named " + titles[named] + " in " + where + "; its fix is worth " + mean + " on average."];
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
    const name = AgentBlame.wording.coalitionName(table.sets[size][0], titles);
    const said = "To repair as many as any set does, " + fixes + ": " + name + ", " + most + " of " + table.exact + ".";
    const grand = table.sets[table.sets.length - 1][1];
    return grand === most ? said : said + " All fixes together repair " + grand + ".";
  }

  function percent(part) {
    return Math.floor(100 * part + 0.5) + " %";
  }

  AgentBlame.batchWords = { KINDS, kindOf, contenders, headline, remarks, setsSentence, percent, some };
})(globalThis.AgentBlame);
