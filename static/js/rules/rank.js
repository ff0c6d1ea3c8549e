// Turns values into the order in which the players are listed.
(function (rules) {
  "use strict";

  /** Player indices by decreasing value, ties in step order. */
  function rank(values) {
    const numbers = Array.from(values);
    if (!numbers.every(Number.isFinite)) {
      throw rules.worth.named("NotFinite", "only finite numbers can be ranked");
    }
    const order = numbers.map((value, player) => player);
    // comparisons, not a difference: that of two huge values is infinite
    return order.sort((a, b) => (numbers[b] > numbers[a]) - (numbers[b] < numbers[a]) || a - b);
  }

  rules.rank = rank;
})(AgentBlame.rules);
