// Turns a worth table into Harsanyi dividends: what each coalition adds beyond its parts (J. C. Harsanyi, 1963,
// doi:10.2307/2525487). The order of subtractions is part of the definition: bit by bit, player 0 first.
(function (rules) {
  "use strict";

  /** One number per coalition, by mask, in the unit of the score. Throws as rules.worth.worthTable does. */
  function harsanyiDividends(worth, denominator) {
    const dividends = rules.worth.worthTable(worth, denominator);
    const rational = !rules.worth.isHole(denominator);
    const length = dividends.length;
    if (rational) {
      rules.worth.checkExact(dividends, 1, 2 ** Math.max(0, rules.worth.playerCount(length) - 1));
    }
    for (let bit = 1; bit < length; bit *= 2) {
      for (let start = 0; start < length; start += 2 * bit) {
        for (let mask = start; mask < start + bit; mask++) {
          dividends[mask + bit] -= dividends[mask];
        }
      }
    }
    const values = Array.from(dividends, (dividend) => (rational ? dividend / denominator : dividend) + 0); // no -0
    rules.worth.checkOverflow(values);
    return values;
  }

  rules.harsanyiDividends = harsanyiDividends;
})(AgentBlame.rules);
