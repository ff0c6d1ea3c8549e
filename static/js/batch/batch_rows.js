// Turns the table over many failing cases into what is shown of it; the builder's batch_view.py says the same.
(function (AgentBlame) {
  "use strict";

  const { rules, figures: bars, strips, wording, batchWords, coalitions } = AgentBlame;
  const SETS_LISTED = 8;
  const ROUNDING = 1 / 2 ** 40;
  const NO = "\u2013";

  // `basis` is the table's (see batch_totals.js), `on` what the figures rest on (see the builder's Basis), `total` the cases
  // there are before any filter, `byOutcome` whether one chose them by what they take.
  function view(table, basis, titles, on, total, byOutcome) {
    const shared = ruler(basis, on);
    const drawn = basis.tallies.map((tally) => strips.strip(tally, shared));
    const interplay = interplayOf(table, titles, on) || { pairsNote: "", matrix: [], strongest: [] };
    const named = (mask) => wording.coalitionName(mask, titles);
    return {
      headline: batchWords.headline(table, basis, titles, on, byOutcome),
      remarks: batchWords.remarks(table, basis, titles, on, byOutcome),
      ends: ends(table, on, total),
      intervals: !byOutcome && table.fixes.every((fix) => fix.low !== null),
      shares: table.fixes.some((fix) => fix.share !== null),
      lines: table.complete > 0 ? lines(table, drawn, titles, byOutcome) : titles.map((title, player) => noLine(player, title)),
      control: ofCases(table.passes, table.complete),
      together: ofCases(table.repaired, table.complete),
      ranges: table.complete > 0 ? ranges(drawn, shared) : [],
      partly: partly(table),
      sets_sentence: table.complete > 0 ? batchWords.setsSentence(table, titles) : "",
      sets: table.sets.map(([mask, repaired, ties]) =>
        setLine(named(mask), repaired, table.exact, mask === 0 ? "pass without one" : tied(ties - 1))
      ),
      minimal: table.minimal
        .slice(0, SETS_LISTED)
        .map(([mask, cases]) => setLine(minimalName(mask, titles), cases, table.exact, "")),
      rarer: rarer(table),
      pairs_note: interplay.pairsNote,
      matrix: interplay.matrix,
      strongest: interplay.strongest,
    };
  }

  function ruler(basis, on) {
    return strips.ruler(basis.tallies, on.graded ? null : on.spread);
  }

  function ends(table, on, total) {
    const chosen = table.cases === total ? "" : " of " + total;
    const found = [["Failing cases", table.cases + chosen]];
    if (table.complete < table.cases) found.push(["Without values", String(table.cases - table.complete)]);
    if (table.complete > 0) {
      found.push(["Pass with no fix", end(table.passes, table.empty, table, on)]);
      found.push(["Pass with all fixes", end(table.repaired, table.grand, table, on)]);
    }
    return found;
  }

  function ofCases(cases, complete) {
    return complete > 0 ? cases + "/" + complete : "no case";
  }

  function end(cases, outcome, table, on) {
    const counted = cases + " of " + table.complete;
    if (on.graded) return counted + ", mean score " + rules.numberText(outcome);
    return on.worlds > 1 ? counted + ", " + batchWords.percent(outcome) + " of runs" : counted;
  }

  function lines(table, drawn, titles, byOutcome) {
    const means = table.fixes.map((fix) => fix.mean);
    const intervals = table.fixes.map((fix) => (byOutcome || fix.low === null ? null : [fix.low, fix.high]));
    const span = bars.scale([...means, ...intervals.flatMap((ends) => ends || [])], 0);
    return Array.from(rules.rank(means), (player) =>
      line(player, wording.place(player, means), titles[player], table, span, intervals[player], drawn[player])
    );
  }

  function line(player, place, title, table, span, ends, strip) {
    const fix = table.fixes[player];
    return {
      player,
      place,
      title,
      mean: rules.numberText(fix.mean),
      interval: ends === null ? "" : wording.intervalText(ends[0], ends[1]),
      deviation: fix.deviation === null ? NO : rules.numberText(fix.deviation),
      share: fix.share === null ? NO : batchWords.percent(fix.share),
      alone: fix.alone + "/" + table.complete,
      last_touch: fix.last_touch === null ? NO : fix.last_touch + "/" + table.complete,
      necessity: probability(fix.necessity),
      necessity_of: of(fix.necessity, table.complete),
      sufficiency: probability(fix.sufficiency),
      sufficiency_of: of(fix.sufficiency, table.complete),
      bar: bars.bar(fix.mean, span),
      whiskers: ends === null ? null : bars.whiskers(ends[0], ends[1], span),
      strip,
    };
  }

  function noLine(player, title) {
    const span = { low: 0, high: 1 };
    const found = { player, place: NO, title, necessity_of: "", sufficiency_of: "" };
    for (const name of ["mean", "interval", "deviation", "share", "alone", "last_touch", "necessity", "sufficiency"]) {
      found[name] = NO;
    }
    const strip = strips.strip({ values: [], counts: [] }, strips.ruler([], 1));
    return Object.assign(found, { bar: bars.bar(0, span), whiskers: bars.whiskers(0, 0, span), strip });
  }

  function probability(bounds) {
    if (bounds === null) return NO;
    const [low, high] = bounds.slice(0, 2).map(rules.numberText);
    return low === high ? low : low + " to " + high;
  }

  function of(bounds, complete) {
    return bounds === null || bounds[2] === complete ? "" : "of " + bounds[2];
  }

  function partly(table) {
    if (table.exact === 0 || table.exact === table.complete) return "";
    const verb = table.exact === 1 ? "lists" : "list";
    return "What follows is over the " + table.exact + " of " + table.complete + " cases that " + verb + " every combination.";
  }

  function ranges(drawn, on) {
    const found = [];
    for (let number = on.last; number >= on.first; number -= 1) {
      const cases = drawn.map((strip) => {
        const bin = strip.bins.find((one) => one.number === number);
        return bin === undefined ? 0 : bin.cases;
      });
      if (cases.some((count) => count > 0)) found.push({ text: strips.binText(number, on.step), cases });
    }
    return found;
  }

  function setLine(name, cases, of, ties) {
    return { name, cases: cases + "/" + of, ties, bar: bars.bar(cases, { low: 0, high: of || 1 }) };
  }

  function tied(others) {
    if (others === 0) return "";
    return others === 1 ? "so does 1 other set of this size" : "so do " + others + " other sets of this size";
  }

  function minimalName(mask, titles) {
    if (mask === 0) return "No fix needed";
    const named = titles.filter((title, player) => coalitions.has(mask, player));
    return wording.joined(named) + (named.length === 1 ? " alone" : "");
  }

  function rarer(table) {
    const more = table.minimal.length - SETS_LISTED;
    if (more <= 0) return "";
    return more === 1 ? "and 1 rarer set" : "and " + more + " rarer sets";
  }

  // How the fixes work together on average, two at a time; null where no game says so.
  function interplayOf(table, titles, on) {
    const players = titles.length;
    if (table.interactions === null || players < 2) return null;
    const told = [];
    for (let one = 0; one < players; one += 1) {
      for (let other = one + 1; other < players; other += 1) {
        const index = table.interactions[one * players + other];
        told.push(Math.abs(index) <= on.spread * ROUNDING ? 0 : index);
      }
    }
    const nothing = { repairs: [], repairCount: 0, needed: null, enough: null, dividends: [], dividendCount: 0 };
    return AgentBlame.interplay.interplayView({ ...nothing, pairs: told }, titles);
  }

  AgentBlame.batchRows = { view, ruler };
})(globalThis.AgentBlame);
