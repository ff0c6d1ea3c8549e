// Turns one game into what it adds to the table over all failing cases; the analyzer's case_figures says the same.
(function (AgentBlame) {
  "use strict";

  const { rules, batchWords } = AgentBlame;
  const ROUNDING = 1 / 2 ** 40;
  let repairs = new Uint8Array(0);

  function ends(empty, grand, alone, level) {
    return { empty, grand, alone: alone.map((outcome) => outcome >= level), passes: empty >= level, repaired: grand >= level };
  }

  // What is known of sampled values, too. `idle` says that no fix helps on balance, but for rounding.
  function completed(found, values, touched, spread) {
    const shapley = Array.from(values);
    const idle = shapley.every((value) => value <= spread * ROUNDING);
    const nothing = { necessity: null, sufficiency: null, pairs: null, repairing: null, minimal: null };
    const figures = Object.assign(nothing, found, { shapley, touched, idle });
    return Object.assign(figures, { kind: batchWords.kindOf(figures) });
  }

  // Every two players in turn: the matrix is symmetric, with zeros on the diagonal.
  function pairsOf(matrix) {
    const pairs = [];
    for (let one = 0; one < matrix.length; one += 1) {
      for (let other = one + 1; other < matrix.length; other += 1) pairs.push(matrix[one][other]);
    }
    return pairs;
  }

  // A lower and an upper bound for each player in turn.
  function boundsOf(bounds) {
    return bounds === null ? null : bounds.flat();
  }

  /**
   * What one case adds; null where a coalition has no outcome (null or NaN). `table` is its worth table with edits, `touched` the
   * player last-step blame names, or null. An outcome repairs the case from `level` on. For graded scores necessity and
   * sufficiency are about reaching it. What `repairing` holds by mask is to be used before the next case.
   */
  function exact(table, touched, level, on) {
    const { worth, denominator } = table;
    if (worth.includes(null) || worth.includes(NaN)) return null;
    const unit = denominator === null ? 1 : denominator;
    const last = worth.length - 1;
    const alone = [];
    for (let bit = 1; bit <= last; bit *= 2) alone.push(worth[bit] / unit);
    if (repairs.length !== worth.length) repairs = new Uint8Array(worth.length);
    const repairing = repairs;
    for (let mask = 0; mask <= last; mask += 1) repairing[mask] = worth[mask] / unit >= level ? 1 : 0;
    const [passing, over] = on.graded ? [repairing, 1] : [worth, denominator];
    const found = Object.assign(ends(worth[0] / unit, worth[last] / unit, alone, level), {
      necessity: boundsOf(rules.necessity(passing, over)),
      sufficiency: boundsOf(rules.sufficiency(passing, over)),
      pairs: pairsOf(rules.shapleyInteraction(worth, denominator)),
      repairing,
      minimal: rules.minimalRepairs(worth, denominator, level),
    });
    return completed(found, rules.shapley(worth, denominator), touched, on.spread);
  }

  /**
   * What a case with sampled values adds: its estimates, and the outcomes of no fix, all fixes and each fix alone, in
   * units of 1 / denominator where there is one.
   */
  function sampled(estimates, worth, denominator, touched, level, on) {
    const [empty, grand, ...alone] = worth.map((one) => one / (denominator === null ? 1 : denominator));
    return completed(ends(empty, grand, alone, level), estimates, touched, on.spread);
  }

  AgentBlame.batchCase = { exact, sampled };
})(globalThis.AgentBlame);
