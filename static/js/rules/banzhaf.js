// Turns a worth table into Banzhaf values: what each fix changes on average, all coalitions being equally likely
// (J. F. Banzhaf, 1965; L. S. Penrose, 1946, doi:10.2307/2981392). Sums run by increasing mask, then one division.
(function (rules) {
  "use strict";

  /** The Banzhaf value of every player, in the unit of the score. Throws as rules.worth.worthTable does. */
  function banzhaf(worth, denominator) {
    const table = rules.worth.worthTable(worth, denominator);
    const rational = !rules.worth.isHole(denominator);
    const players = rules.worth.playerCount(table.length);
    const half = 2 ** Math.max(0, players - 1); // coalitions without a player
    if (rational) {
      rules.worth.checkExact(table, denominator, half);
    }
    const sums = [];
    for (let bit = 1; bit < table.length; bit *= 2) {
      let sum = 0;
      for (let start = 0; start < table.length; start += 2 * bit) {
        for (let mask = start; mask < start + bit; mask++) {
          sum += table[mask + bit] - table[mask];
        }
      }
      sums.push(sum);
    }
    rules.worth.checkOverflow(sums);
    const divisor = rational ? half * denominator : half;
    return sums.map((sum) => sum / divisor);
  }

  rules.banzhaf = banzhaf;
})(AgentBlame.rules);
