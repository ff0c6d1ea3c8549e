// Turns the outputs each step showed into the step that last-step blame would have named: the last player in
// run order whose own output under all fixes differs from its factual one.
(function (rules) {
  "use strict";

  /**
   * 1 for that player, 0 for the others. `outputs` has a row per player in run order: for each coalition mask
   * the index of the distinct output its step showed, null where the run raised before it showed one.
   */
  function lastTouch(outputs) {
    const players = outputs.length;
    const coalitions = 2 ** players;
    if (outputs.some((row) => row.length !== coalitions)) {
      const form = "outputs have one row per player and 2**n columns, one per coalition";
      throw rules.worth.named("BadTable", form);
    }
    const ends = [0, coalitions - 1];
    const holes = ends.filter((mask) => outputs.some((row) => rules.worth.isHole(row[mask])));
    if (holes.length > 0) {
      throw rules.worth.missingWorth(holes);
    }
    const isIndex = (index) => Number.isInteger(index) && index >= 0;
    if (!outputs.every((row) => ends.every((mask) => isIndex(row[mask])))) {
      throw rules.worth.named("BadTable", "an output is named by its index, an integer of at least 0");
    }
    let last = -1;
    outputs.forEach((row, player) => {
      if (row[0] !== row[coalitions - 1]) {
        last = player;
      }
    });
    return outputs.map((row, player) => (player === last ? 1 : 0));
  }

  rules.lastTouch = lastTouch;
})(AgentBlame.rules);
