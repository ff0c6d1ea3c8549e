// Turns the values of many cases into their mean and their spread around it.
(function (rules) {
  "use strict";

  const NO_BATCH = "the cases of a batch have one value for each of the same players";

  /** Refuse cases, each a list of values, with a value that is no finite number. */
  function checkCases(cases) {
    if (!cases.every((values) => values.every((value) => typeof value === "number"))) {
      throw rules.worth.named("BadTable", "a value of a case is not a number");
    }
    const wrong = cases.findIndex((values) => !values.every(Number.isFinite));
    if (wrong >= 0) {
      throw rules.worth.named("NotFinite", `a value of case ${wrong} is not a finite number`);
    }
  }

  /** A copy of a batch of values, one row per case, after checking it. */
  function caseTable(rows) {
    const table = Array.from(rows, (row) => Array.from(row));
    if (table.some((row) => row.length !== table[0].length)) {
      throw rules.worth.named("BadTable", NO_BATCH);
    }
    checkCases(table);
    return table;
  }

  /** The sum from 0, in case order; refuses one that overflows. */
  function orderedSum(values) {
    let sum = 0;
    for (let index = 0; index < values.length; index++) {
      sum += values[index];
    }
    rules.worth.checkOverflow([sum]);
    return sum;
  }

  /**
   * { means, deviations } per player: the sum in case order over m, and the square root of the sum of squared
   * distances from that mean, in case order, over m - 1; deviations is null for a single case.
   * Throws BadTable, NotFinite, TableTooLarge.
   */
  function meanAndDeviation(rows) {
    const table = caseTable(rows);
    const cases = table.length;
    if (cases === 0) {
      throw rules.worth.named("BadTable", "a batch without cases has no mean");
    }
    const columns = table[0].map((_, player) => table.map((row) => row[player]));
    const means = columns.map(meanOf);
    const deviations = cases === 1 ? null : columns.map((column, player) => deviationOf(column, means[player]));
    return { means, deviations };
  }

  /** The mean of one player's values, at least one, which are finite numbers. Throws TableTooLarge. */
  function meanOf(values) {
    return orderedSum(values) / values.length;
  }

  /** The deviation of one player's values, at least two, from their mean. Throws TableTooLarge. */
  function deviationOf(values, mean) {
    const cases = values.length;
    const squares = new Float64Array(cases);
    for (let index = 0; index < cases; index++) {
      squares[index] = (values[index] - mean) * (values[index] - mean);
    }
    return Math.sqrt(orderedSum(squares) / (cases - 1));
  }

  rules.cases = { checkCases, caseTable, orderedSum };
  rules.meanAndDeviation = meanAndDeviation;
  rules.meanOf = meanOf;
  rules.deviationOf = deviationOf;
})(AgentBlame.rules);
