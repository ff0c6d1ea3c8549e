// Turns a worth table into what each fix gains when it is the only one: v({i}) - v(none).
(function (rules) {
  "use strict";

  /** One number per player, in the unit of the score. Throws as rules.worth.worthTable does. */
  function fixAlone(worth, denominator) {
    const table = rules.worth.worthTable(worth, denominator);
    const alone = [];
    for (let bit = 1; bit < table.length; bit *= 2) {
      alone.push(bit);
    }
    return rules.worth.differences(table, denominator, alone, alone.map(() => 0));
  }

  rules.fixAlone = fixAlone;
})(AgentBlame.rules);
