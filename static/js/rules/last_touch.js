// Turns the outputs each step showed into the step that last-step blame would have named: the last player in
// run order whose own output under all fixes differs from its factual one.
(function (rules) {
  "use strict";

  /**
   * 1 for that player, 0 for the others. `outputs` has a row per player in run order: for each coalition that was
   * run, by increasing mask from the empty to the grand one, the index of the distinct output its step showed, null
   * where the run raised before it showed one.
   */
  function lastTouch(outputs) {
    const players = outputs.length;
    if (outputs.some((row) => row.length !== outputs[0].length || row.length === 0)) {
      throw rules.worth.named("BadTable", "outputs have one row per player and one column per coalition");
    }
    const width = players === 0 ? 1 : outputs[0].length;
    const ends = [0, width - 1];
    const masks = [0, 2 ** players - 1];
    const holes = masks.filter((_, end) => outputs.some((row) => rules.worth.isHole(row[ends[end]])));
    if (holes.length > 0) {
      throw rules.worth.missingWorth(holes);
    }
    const isIndex = (index) => Number.isInteger(index) && index >= 0;
    if (!outputs.every((row) => ends.every((column) => isIndex(row[column])))) {
      throw rules.worth.named("BadTable", "an output is named by its index, an integer of at least 0");
    }
    let last = -1;
    outputs.forEach((row, player) => {
      if (row[0] !== row[width - 1]) {
        last = player;
      }
    });
    return outputs.map((row, player) => (player === last ? 1 : 0));
  }

  rules.lastTouch = lastTouch;
})(AgentBlame.rules);
