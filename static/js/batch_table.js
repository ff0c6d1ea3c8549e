// Turns the games of many failing cases into one table over all of them: a row per fix, and what sets of fixes repair.
//
// The analyzer's batch_table.py says the same to the last bit. What one case adds is kept apart from what many make, so
// that an edit of one case is new work for that case only.
(function (AgentBlame) {
  "use strict";

  const rules = AgentBlame.rules;

  function common(values, touched, alone, empty, grand, level) {
    return {
      shapley: Array.from(values),
      last_touch: Array.from(values, (value, player) => (player === touched ? 1 : 0)),
      alone: alone.map((outcome) => outcome >= level),
      empty,
      grand,
      passes: empty >= level,
      repaired: grand >= level,
      necessity: null,
      sufficiency: null,
      interactions: null,
      repairing: null,
      minimal: null,
    };
  }

  /**
   * What one case adds; null where a coalition has no outcome. `table` is its worth table with edits, `touched` the
   * player last-step blame names, or null. An outcome repairs the case from `level` on. For graded scores necessity and
   * sufficiency are about reaching it.
   */
  function caseFigures(table, touched, level, graded) {
    const { worth, denominator } = table;
    if (worth.includes(null)) return null;
    const outcomes = Array.from(worth, (one) => one / (denominator === null ? 1 : denominator));
    const alone = [];
    for (let bit = 1; bit < outcomes.length; bit *= 2) alone.push(outcomes[bit]);
    const shapley = rules.shapley(worth, denominator);
    const found = common(shapley, touched, alone, outcomes[0], outcomes[outcomes.length - 1], level);
    found.repairing = outcomes.map((outcome) => outcome >= level);
    const passing = graded ? found.repairing.map(Number) : worth;
    const over = graded ? 1 : denominator;
    found.necessity = rules.necessity(passing, over);
    found.sufficiency = rules.sufficiency(passing, over);
    found.interactions = rules.shapleyInteraction(worth, denominator).flatMap((row) => Array.from(row));
    found.minimal = Array.from(rules.minimalRepairs(worth, denominator, level));
    return found;
  }

  /**
   * What a case with sampled values adds: its estimates, and the outcomes of no fix, all fixes and each fix alone, in
   * units of 1 / denominator where there is one.
   */
  function sampledFigures(estimates, worth, denominator, touched, level) {
    const [empty, grand, ...alone] = worth.map((one) => one / (denominator === null ? 1 : denominator));
    return common(estimates, touched, alone, empty, grand, level);
  }

  function meanBounds(bounds) {
    if (bounds.length === 0) return null;
    const [low, high] = rules.meanAndDeviation(bounds).means;
    return [low, high, bounds.length];
  }

  function bestSets(exact, players) {
    if (exact.length === 0) return [];
    const repaired = new Array(2 ** players).fill(0);
    for (const one of exact) {
      one.repairing.forEach((repairs, mask) => {
        if (repairs) repaired[mask] += 1;
      });
    }
    return rules.bestFixSets(repaired, players).map((best) => [best.coalition, best.repaired, best.tied]);
  }

  function size(mask) {
    let bits = 0;
    for (let rest = mask; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
    return bits;
  }

  function minimalSets(exact) {
    const counted = new Map();
    for (const one of exact) {
      for (const mask of one.minimal) counted.set(mask, (counted.get(mask) || 0) + 1);
    }
    return Array.from(counted).sort((a, b) => b[1] - a[1] || size(a[0]) - size(b[0]) || a[0] - b[0]);
  }

  function fixRow(complete, player, { means, deviations, shares }, interval) {
    const bounds = (name) => complete.filter((one) => one[name] !== null).map((one) => one[name][player]);
    const count = (holds) => complete.filter(holds).length;
    return {
      mean: means[player],
      low: interval[0],
      high: interval[1],
      deviation: deviations === null ? null : deviations[player],
      share: shares === null ? null : shares[player],
      alone: count((one) => one.alone[player]),
      last_touch: count((one) => one.last_touch[player] > 0),
      necessity: meanBounds(bounds("necessity")),
      sufficiency: meanBounds(bounds("sufficiency")),
    };
  }

  /**
   * The table over many cases, with the fields of analyzer.batch_table.BatchTable. `figures` are those of each case in
   * case order, null for one without values; `spread` is the length of the score's range, `delta` the error
   * probability of the intervals jointly and of the claim who leads. Every mean is a sum in case order and one division.
   */
  function batchTable(figures, players, spread, delta) {
    const complete = figures.filter((one) => one !== null);
    const nothing = { passes: 0, repaired: 0, fixes: [], leader: null, interactions: null, exact: 0, sets: [], minimal: [] };
    if (complete.length === 0) return { cases: figures.length, complete: 0, empty: 0, grand: 0, ...nothing };
    const rows = complete.map((one) => one.shapley);
    const { means, deviations } = rules.meanAndDeviation(rows);
    const found = { means, deviations, shares: rules.shareOfRepair(means) };
    const [empty, grand] = rules.meanAndDeviation(complete.map((one) => [one.empty, one.grand])).means;
    const exact = complete.filter((one) => one.repairing !== null);
    // Estimates are no observations of the values: how their errors add up over cases is not known.
    const sure = players > 0 && exact.length === complete.length;
    // Each side of each interval may be wrong with its part of delta.
    const column = (player) => rows.map((row) => row[player]);
    const interval = (player) =>
      sure ? rules.bettingInterval(column(player), -spread, spread, (2 * players) / delta) : [null, null];
    return {
      cases: figures.length,
      complete: complete.length,
      empty,
      grand,
      passes: complete.filter((one) => one.passes).length,
      repaired: complete.filter((one) => one.repaired).length,
      fixes: Array.from(means, (mean, player) => fixRow(complete, player, found, interval(player))),
      leader: sure ? rules.separation(rows, spread, players / delta) : null,
      interactions: exact.length === 0 ? null : rules.meanAndDeviation(exact.map((one) => one.interactions)).means,
      exact: exact.length,
      sets: bestSets(exact, players),
      minimal: minimalSets(exact),
    };
  }

  AgentBlame.batchTable = { caseFigures, sampledFigures, batchTable };
})(globalThis.AgentBlame);
