// Turns a worth table into the minimal repairing coalitions: the sets of fixes that repair with nothing to spare
// (J. Y. Halpern, 2016, doi:10.7551/mitpress/10809.001.0001).
(function (rules) {
  "use strict";

  /**
   * The masks of the coalitions with a worth of at least `level` of which no proper part has one, by increasing
   * size, equal sizes by increasing mask: [0] if the case passes without any fix. Throws as rules.worth.worthTable
   * does.
   */
  function minimalRepairs(worth, denominator, level) {
    const table = rules.worth.heldTable(worth, denominator);
    const length = table.length;
    const rational = !rules.worth.isHole(denominator);
    if (rational) {
      rules.worth.checkExact(table, denominator, 1);
    }
    if (!Number.isFinite(level)) {
      throw rules.worth.named("NotFinite", "a repair level is a finite number");
    }
    const repairs = new Uint8Array(length);
    for (let mask = 0; mask < length; mask++) {
      const outcome = table[mask];
      repairs[mask] = outcome / (rational ? denominator : 1) >= level ? 1 : 0;
    }
    const partRepairs = new Uint8Array(length); // some proper part does, by the bits folded so far
    for (let bit = 1; bit < length; bit *= 2) {
      for (let start = 0; start < length; start += 2 * bit) {
        for (let mask = start; mask < start + bit; mask++) {
          partRepairs[mask + bit] = partRepairs[mask + bit] || repairs[mask] || partRepairs[mask];
        }
      }
    }
    const sizes = rules.worth.coalitionSizes(rules.worth.playerCount(length));
    const masks = [];
    for (let mask = 0; mask < length; mask++) {
      if (repairs[mask] && !partRepairs[mask]) {
        masks.push(mask);
      }
    }
    return masks.sort((a, b) => sizes[a] - sizes[b] || a - b);
  }

  rules.minimalRepairs = minimalRepairs;
})(AgentBlame.rules);
