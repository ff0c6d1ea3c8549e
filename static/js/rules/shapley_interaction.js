// Turns a worth table into Shapley interaction indices: which two fixes need, and which replace, each other
// (G. Owen, 1972, doi:10.1287/mnsc.18.5.64; M. Grabisch and M. Roubens, 1999, doi:10.1007/s001820050125).
//
// The order of operations is part of the definition: by increasing mask within a coalition size, then by increasing
// size, then one division. In a rational table every sum is an integer below 2**53, hence exact.
(function (rules) {
  "use strict";

  const byPlayers = []; // what depends on n only is computed once

  /**
   * An index for every two players, as rows of a symmetric matrix with zeros on the diagonal, in the unit of the
   * score: positive where two fixes need each other, negative where one does the other's work. Throws as
   * rules.worth.worthTable does.
   */
  function shapleyInteraction(worth, denominator) {
    const table = rules.worth.heldTable(worth, denominator);
    const rational = !rules.worth.isHole(denominator);
    const length = table.length;
    const players = rules.worth.playerCount(length);
    const sizes = rules.worth.coalitionSizes(players);
    // A pair counts as one player: its coalitions weigh as those of one among n - 1.
    if (byPlayers[players] === undefined) {
      byPlayers[players] = { ...rules.sizeWeights(players - 1), sums: new Float64Array(Math.max(0, players - 1)) };
    }
    const { unit, weights, sums } = byPlayers[players];
    if (rational) {
      rules.worth.checkExact(table, denominator, 2 * unit);
    }
    const divisor = rational ? unit * denominator : unit;
    const matrix = Array.from({ length: players }, () => new Array(players).fill(0));
    for (let later = 1; later < players; later++) {
      for (let earlier = 0; earlier < later; earlier++) {
        const i = 2 ** earlier;
        const j = 2 ** later;
        sums.fill(0);
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
