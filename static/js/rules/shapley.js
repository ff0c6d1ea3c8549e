// Turns a worth table into Shapley values, with the same bits in every language and in every browser.
//
// The Shapley value of a fix is its marginal contribution v(S + i) - v(S), averaged over all orderings in which
// the fixes could be put in (L. S. Shapley, 1953, doi:10.1515/9781400881970-018). The order of
// additions below is part of the definition: by increasing mask within a coalition size, then by increasing
// size, then one division. In a rational table every sum is an integer below 2**53, hence exact.
(function (rules) {
  "use strict";

  const byPlayers = []; // what depends on n only is computed once

  function greatestCommonDivisor(a, b) {
    return b === 0 ? a : greatestCommonDivisor(b, a % b);
  }

  /** Integer weights W_s = L / (n * C(n - 1, s)) of the coalition sizes s, in units of L = lcm(1, ..., n). */
  function sizeWeights(players) {
    let unit = 1;
    for (let factor = 2; factor <= players; factor++) {
      unit = (unit / greatestCommonDivisor(unit, factor)) * factor;
    }
    const weights = [];
    let orderings = players; // n * C(n - 1, s)
    for (let size = 0; size < players; size++) {
      weights.push(unit / orderings);
      orderings = (orderings * (players - 1 - size)) / (size + 1);
    }
    return { unit, weights };
  }

  // Arrays that are used again by every call, so that thousands of games leave no garbage.
  function prepared(players) {
    return {
      ...sizeWeights(players),
      sizes: rules.worth.coalitionSizes(players),
      reused: new Float64Array(2 ** players),
      sums: new Float64Array(players),
    };
  }

  /** The Shapley values before their one division, and what divides them: { numerators, divisor }. */
  function shapleyNumerators(worth, denominator) {
    rules.worth.checkDenominator(denominator);
    const length = worth.length;
    const players = rules.worth.playerCount(length);
    if (byPlayers[players] === undefined) {
      byPlayers[players] = prepared(players);
    }
    const { unit, weights, sizes, reused, sums } = byPlayers[players];
    const table = rules.worth.worthTable(worth, denominator, reused);
    const rational = !rules.worth.isHole(denominator);
    if (rational) {
      rules.worth.checkExact(table, denominator, unit);
    }
    const numerators = [];
    for (let player = 0; player < players; player++) {
      const bit = 1 << player;
      sums.fill(0);
      for (let start = 0; start < length; start += 2 * bit) {
        for (let mask = start; mask < start + bit; mask++) {
          sums[sizes[mask]] += table[mask + bit] - table[mask];
        }
      }
      let total = 0;
      for (let size = 0; size < players; size++) {
        total += weights[size] * sums[size];
      }
      numerators.push(total);
    }
    if (!rational) {
      rules.worth.checkOverflow(numerators);
    }
    return { numerators, divisor: rational ? unit * denominator : unit };
  }

  /** The Shapley value of every player; they sum to v(all) - v(none). Throws as rules.worth.worthTable does. */
  function shapley(worth, denominator) {
    const { numerators, divisor } = shapleyNumerators(worth, denominator);
    return numerators.map((numerator) => numerator / divisor);
  }

  rules.sizeWeights = sizeWeights;
  rules.shapleyNumerators = shapleyNumerators;
  rules.shapley = shapley;
})(AgentBlame.rules);
