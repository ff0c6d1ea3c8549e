// Turns a game and the reader's edits into the table after them, and a table into the values of every rule.
(function (AgentBlame) {
  "use strict";

  const rules = AgentBlame.rules;

  // Edits are applied to the original table in increasing mask order, so that taking one back leaves no trace of it.
  function apply(game, edits) {
    let table = { worth: game.worth, denominator: game.denominator };
    for (const [mask, value] of sorted(edits)) {
      table = rules.setOutcome(table.worth, table.denominator, mask, value);
    }
    return table;
  }

  // Edits as [mask, outcome], in increasing mask order.
  function sorted(edits) {
    return Array.from(edits).sort((one, other) => one[0] - other[0]);
  }

  // For each player, the number of the output its step showed under each coalition.
  function playerOutputs(game, players) {
    return players.map((step) => game.steps[step].index);
  }

  function orNullIfMissing(compute) {
    try {
      return compute();
    } catch (error) {
      if (error.name === "MissingWorth") return null;
      throw error;
    }
  }

  // Whether the steps are `ordered`, so that one of them is the last.
  // Returns one number per player under each rule, by the names game files use; null for a rule that needs an outcome
  // that is missing or was never run. Where only some coalitions are listed the values are those that were sampled.
  function values(game, table, players, ordered = true) {
    if (game.coalitions !== null) return game.sampled.values;
    const whole = !table.worth.includes(null);
    return {
      shapley: whole ? rules.shapley(table.worth, table.denominator) : null,
      banzhaf: whole ? rules.banzhaf(table.worth, table.denominator) : null,
      fix_alone: whole ? rules.fixAlone(table.worth, table.denominator) : null,
      leave_one_out: whole ? rules.leaveOneOut(table.worth, table.denominator) : null,
      last_touch: whole && ordered ? orNullIfMissing(() => rules.lastTouch(playerOutputs(game, players))) : null,
    };
  }

  // `worlds` and `level` are those of the game as it was run: an edit that turns a table real changes neither.
  function verdict(titles, table, level, worlds, lastTouch) {
    return rules.verdict(titles, table.worth, table.denominator, level, worlds, lastTouch);
  }

  // The outcome at a place of a table, in the unit of the score.
  function share(table, place) {
    const worth = table.worth[place];
    return worth === null ? null : worth / (table.denominator === null ? 1 : table.denominator);
  }

  // Reads "0.25", "-1e-3" or "3/8"; null unless the whole text is one of them.
  function readNumber(text) {
    const whole = text.trim().replace(/\u2212/g, "-");
    if (!/^([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[0-9]+\/[0-9]+)$/i.test(whole)) return null;
    const [over, under] = whole.split("/").map(Number);
    const number = under === undefined ? over : over / under;
    // Zero has no sign here: an outcome of "-0" is 0.
    return Number.isFinite(number) ? number + 0 : null;
  }

  AgentBlame.hypothetical = { apply, sorted, values, verdict, share, readNumber };
})(globalThis.AgentBlame);
