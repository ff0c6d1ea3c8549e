// Turns a worth table and one edited outcome into the table after the edit.
//
// A rational table stays rational as long as the new outcome is a multiple of 1 / denominator. Otherwise the
// whole table turns real: each k becomes k / denominator, and the denominator null.
(function (rules) {
  "use strict";

  /**
   * { worth, denominator } with v(mask) = value, which is a score and not a numerator. Other coalitions without
   * an outcome stay without. Throws NotFinite, BadTable.
   */
  function setOutcome(worth, denominator, mask, value) {
    const { worthTable, checkExact, named, isHole } = rules.worth;
    const old = Array.from(worth);
    const table = worthTable(old.map((outcome) => (isHole(outcome) ? 0 : outcome)), denominator);
    const rational = !isHole(denominator);
    if (rational) {
      checkExact(table, denominator, 1);
    }
    if (!Number.isInteger(mask) || mask < 0 || mask >= table.length) {
      throw named("BadTable", `a coalition of this table is an integer from 0 to ${table.length - 1}`);
    }
    if (!Number.isFinite(value)) {
      throw named("NotFinite", "an outcome is a finite number");
    }
    const scaled = rational ? value * denominator : NaN;
    const nearest = Math.floor(scaled + 0.5) + 0; // + 0: an integer has no -0
    const staysRational = Math.abs(scaled) < rules.worth.EXACT && nearest / denominator === value;
    const turnsReal = rational && !staysRational;
    const edited = old.map((outcome, index) => {
      if (isHole(outcome)) {
        return null;
      }
      const kept = rational ? table[index] + 0 : table[index];
      return turnsReal ? kept / denominator : kept;
    });
    edited[mask] = staysRational ? nearest : value;
    return { worth: edited, denominator: staysRational ? denominator : null };
  }

  rules.setOutcome = setOutcome;
})(AgentBlame.rules);
