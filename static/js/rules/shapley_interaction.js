// Turns a worth table into Shapley interaction indices: which two fixes need, and which replace, each other
// (G. Owen, 1972, doi:10.1287/mnsc.18.5.64; M. Grabisch and M. Roubens, 1999, doi:10.1007/s001820050125).
//
// The order of operations is part of the definition: by increasing mask within a coalition size, then by increasing
// size, then one division. In a rational table every sum is an integer below 2**53, hence exact.
(function (rules) {
  "use strict";

  function greatestCommonDivisor(a, b) {
    return b === 0 ? a : greatestCommonDivisor(b, a % b);
  }

  // Integer weights W_s = L / ((n - 1) * C(n - 2, s)) of the coalition sizes s, in units of L = lcm(1, ..., n - 1).
  function pairWeights(players) {
    let unit = 1;
    for (let factor = 2; factor < players; factor++) {
      unit = (unit / greatestCommonDivisor(unit, factor)) * factor;
    }
    const weights = [];
    let orderings = players - 1; // (n - 1) * C(n - 2, s)
    for (let size = 0; size < players - 1; size++) {
      weights.push(unit / orderings);
      orderings = (orderings * (players - 2 - size)) / (size + 1);
    }
    return { unit, weights };
  }

  /**
   * An index for every two players, as rows of a symmetric matrix with zeros on the diagonal, in the unit of the
   * score: positive where two fixes need each other, negative where one does the other's work. Throws as
   * rules.worth.worthTable does.
   */
  function shapleyInteraction(worth, denominator) {
    const table = rules.worth.worthTable(worth, denominator);
    const rational = !rules.worth.isHole(denominator);
    const length = table.length;
    const players = rules.worth.playerCount(length);
    const sizes = rules.worth.coalitionSizes(players);
    const { unit, weights } = pairWeights(players);
    if (rational) {
      rules.worth.checkExact(table, denominator, 2 * unit);
    }
    const divisor = rational ? unit * denominator : unit;
    const matrix = Array.from({ length: players }, () => new Array(players).fill(0));
    for (let later = 1; later < players; later++) {
      for (let earlier = 0; earlier < later; earlier++) {
        const i = 2 ** earlier;
        const j = 2 ** later;
        const sums = weights.map(() => 0);
        for (let high = 0; high < length; high += 2 * j) {
          for (let middle = high; middle < high + j; middle += 2 * i) {
            for (let mask = middle; mask < middle + i; mask++) {
              sums[sizes[mask]] += table[mask + i + j] - table[mask + i] - (table[mask + j] - table[mask]);
            }
          }
        }
        let total = 0;
        for (let size = 0; size < weights.length; size++) {
          total += weights[size] * sums[size];
        }
        rules.worth.checkOverflow([total]);
        matrix[earlier][later] = total / divisor;
        matrix[later][earlier] = total / divisor;
      }
    }
    return matrix;
  }

  rules.shapleyInteraction = shapleyInteraction;
})(AgentBlame.rules);
