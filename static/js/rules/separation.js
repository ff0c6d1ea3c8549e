// Turns the values of many cases into the one player whose mean is claimed to be the largest, if any.
(function (rules) {
  "use strict";

  const OVERSHOOT = 1 / 2 ** 40; // far above the rounding of a value, far below any difference worth telling

  // Refuse cases whose values lie further apart than the spread; a single player's from 0, the value of doing nothing.
  function checkSpread(table, spread) {
    const apart = table.findIndex((row) => {
      const all = row.length === 1 ? [row[0], 0] : row;
      const highest = all.reduce((a, b) => Math.max(a, b));
      const lowest = all.reduce((a, b) => Math.min(a, b));
      return highest - lowest > spread + OVERSHOOT * spread;
    });
    if (apart >= 0) {
      throw rules.worth.named("BadTable", `the values of case ${apart} lie further apart than the spread`);
    }
  }

  /**
   * The player with the largest mean, if the capital of its lead over every other player, at a candidate mean of 0, is
   * at least the threshold; else null. With a threshold of n / delta a player that is not the only one with the largest
   * true mean is ever claimed with probability at most delta. `spread` is the most by which the values of two players
   * in one case can differ. A single player's rival is to do nothing, whose value is 0.
   * Throws BadTable, NotFinite, TableTooLarge.
   */
  function separation(rows, spread, threshold) {
    rules.betting.checkRange(-spread, spread);
    rules.betting.checkThreshold(threshold);
    const table = rules.cases.caseTable(rows);
    if (table.length === 0 || table[0].length === 0) {
      return null;
    }
    checkSpread(table, spread);
    const players = [...table[0].keys()];
    const means = players.map((player) => rules.cases.orderedSum(table.map((row) => row[player])) / table.length);
    const leader = rules.rank(means)[0];
    const rivals = players.length === 1 ? [null] : players.filter((player) => player !== leader);
    const leads = rivals.map((rival) => table.map((row) => row[leader] - (rival === null ? 0 : row[rival])));
    return separated(leader, leads.map((lead) => rules.capital(lead, -spread, spread, 0)), threshold);
  }

  /** The same from the capitals of the leads, at a candidate mean of 0. */
  function separated(leader, capitals, threshold) {
    return capitals.every((owned) => owned >= threshold) ? leader : null;
  }

  rules.separated = separated;
  rules.separation = separation;
})(AgentBlame.rules);
