// Turns a worth table into what is lost when one fix is left out of all of them: v(all) - v(all but i).
(function (rules) {
  "use strict";

  /** One number per player, in the unit of the score. Throws as rules.worth.worthTable does. */
  function leaveOneOut(worth, denominator) {
    const table = rules.worth.worthTable(worth, denominator);
    const grand = table.length - 1;
    const without = [];
    for (let bit = 1; bit < table.length; bit *= 2) {
      without.push(grand - bit);
    }
    return rules.worth.differences(table, denominator, without.map(() => grand), without);
  }

  rules.leaveOneOut = leaveOneOut;
})(AgentBlame.rules);
