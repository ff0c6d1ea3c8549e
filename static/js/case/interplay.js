// Turns a worth table into how its fixes work together: smallest repairs, pairs, dividends, needed and enough. The
// builder's interplay.py makes the same numbers, words and shades.
(function (AgentBlame) {
  "use strict";

  const { rules, wording } = AgentBlame;
  const MOST_SHOWN = 12;
  const MOST_IN_TABLE = 12;
  const SHADES = 4;

  // Every two players: [0, 1], [0, 2], ... [1, 2], ...
  function everyTwo(players) {
    const found = [];
    for (let one = 0; one < players; one += 1) {
      for (let other = one + 1; other < players; other += 1) found.push([one, other]);
    }
    return found;
  }

  // The numbers. `level` is the outcome from which a coalition repairs; where scores are graded, whether a fix is needed
  // or enough is about reaching it.
  function interplayFigures(worth, denominator, level, graded) {
    const players = rules.worth.playerCount(worth.length);
    const outcomes = worth.map((value) => value / (denominator === null ? 1 : denominator));
    // Rounding of real scores grows with the number of additions.
    const top = outcomes.reduce((most, outcome) => Math.max(most, Math.abs(outcome)), 0);
    const least = denominator === null ? top * 2 ** (Math.max(players, 12) - 52) : 0;
    const repairs = rules.minimalRepairs(worth, denominator, level);
    const passing = graded ? outcomes.map((outcome) => (outcome >= level ? 1 : 0)) : worth;
    const over = graded ? 1 : denominator;
    const indices = rules.shapleyInteraction(worth, denominator);
    const dividends = rules.harsanyiDividends(worth, denominator);
    const masks = Array.from(dividends.keys()).filter((mask) => mask > 0 && Math.abs(dividends[mask]) > least);
    const largest = masks.slice().sort((a, b) => Math.abs(dividends[b]) - Math.abs(dividends[a]) || a - b);
    return {
      repairs: repairs.slice(0, MOST_SHOWN),
      repairCount: repairs.length,
      needed: rules.necessity(passing, over),
      enough: rules.sufficiency(passing, over),
      pairs: everyTwo(players).map(([one, other]) => (Math.abs(indices[one][other]) > least ? indices[one][other] : 0)),
      dividends: largest.slice(0, MOST_SHOWN).map((mask) => [mask, dividends[mask]]),
      dividendCount: masks.length,
    };
  }

  // The words and shades.
  function interplayView(figures, titles) {
    const twos = everyTwo(titles.length).map(([one, other], k) => ({ one, other, index: figures.pairs[k] }));
    // Equal ones stay in step order.
    const order = twos.slice().sort((a, b) => Math.abs(b.index) - Math.abs(a.index));
    const largest = order.length > 0 ? Math.abs(order[0].index) : 0;
    const named = order.map(({ one, other, index }) => [wording.joined([titles[one], titles[other]]), pair(index, largest)]);
    const inTable = titles.length > 1 && titles.length <= MOST_IN_TABLE;
    return {
      reason: "",
      repairs: figures.repairs.map((mask) => [mask, wording.coalitionName(mask, titles)]),
      repairsNote: repairsNote(figures),
      causes: titles.map((title, player) => ({
        title,
        needed: probability(figures.needed, player),
        enough: probability(figures.enough, player),
      })),
      pairsNote: pairsNote(named),
      matrix: inTable ? matrixOf(twos, titles.length, largest) : [],
      strongest: inTable ? [] : named.slice(0, MOST_SHOWN).filter(([, found]) => found.shade > 0),
      dividends: figures.dividends.map(([mask, dividend]) => [wording.coalitionName(mask, titles), signed(dividend)]),
      dividendsNote: dividendsNote(figures),
    };
  }

  function unknown(reason) {
    const nothing = { repairsNote: "", pairsNote: "", dividendsNote: "" };
    return { reason, repairs: [], causes: [], matrix: [], strongest: [], dividends: [], ...nothing };
  }

  function matrixOf(twos, players, largest) {
    const rows = Array.from({ length: players }, () => new Array(players).fill(null));
    for (const { one, other, index } of twos) {
      rows[one][other] = pair(index, largest);
      rows[other][one] = rows[one][other];
    }
    return rows;
  }

  function pair(index, largest) {
    const word = index === 0 ? "independent" : index > 0 ? "synergy" : "overlap";
    return { number: signed(index), word, shade: index === 0 ? 0 : Math.ceil((Math.abs(index) / largest) * SHADES) };
  }

  function signed(number) {
    const text = rules.numberText(number);
    return number > 0 && !text.startsWith("<") ? "+" + text : text;
  }

  function probability(bounds, player) {
    if (bounds === null) return wording.NOT_COMPUTED;
    const [low, high] = bounds[player];
    return low === high ? rules.numberText(low) : wording.intervalText(low, high);
  }

  function repairsNote(figures) {
    if (figures.repairs.length === 1 && figures.repairs[0] === 0) return "It passes without any fix.";
    if (figures.repairs.length === 0) return "No set of fixes repairs it.";
    const more = figures.repairCount - figures.repairs.length;
    return more > 0 ? "And " + more + " more, of no fewer fixes." : "";
  }

  function pairsNote(named) {
    if (named.length === 0) return "There is one fix, so there are no pairs.";
    const told = [];
    for (const word of ["synergy", "overlap"]) {
      const found = named.filter(([, pair]) => pair.word === word);
      if (found.length === 0) continue;
      const [name, { number }] = found[0];
      const more = found.filter(([, pair]) => pair.number === number).length - 1;
      const others = more > 0 ? " and " + more + " other " + (more === 1 ? "pair" : "pairs") : "";
      told.push("Most " + word + " (" + number + "): " + name + others + ".");
    }
    return told.join(" ") || "No two fixes need or replace each other, on average over the others.";
  }

  function dividendsNote(figures) {
    const shown = figures.dividends.length;
    if (figures.dividendCount === 0) return "No combination adds anything.";
    return figures.dividendCount > shown ? "The " + shown + " largest of " + figures.dividendCount + "." : "";
  }

  AgentBlame.interplay = { interplayFigures, interplayView, unknown };
})(globalThis.AgentBlame);
