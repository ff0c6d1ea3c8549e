// Turns a case's data, its edits and the view asked for into everything that the views of one case show.
(function (AgentBlame) {
  "use strict";

  const { coalitions, gameKey, hypothetical, wording } = AgentBlame;

  // `view` has the mode, the mask and how things are ordered; `edits` are those of this game.
  AgentBlame.shownCase = function (summary, data, view, edits) {
    const game = data.modes[view.mode];
    const { sampled } = game;
    const table = hypothetical.apply(game, edits);
    // What passes, and how it is counted, is a matter of the case as it was run: no edit changes that.
    const level = AgentBlame.rules.repairLevel(summary.threshold, game.denominator);
    const worlds = game.denominator === null ? 1 : game.denominator;
    const values = hypothetical.values(game, table, summary.players, summary.ordered);
    const outcomeAt = (place) => (place < 0 ? wording.NOT_RUN : wording.outcome(hypothetical.share(table, place), worlds, level));
    const key = gameKey.of(data.slug, view.mode);
    return {
      key,
      // The game with its edits: as long as it stays, so does all that is said of it.
      version: [key, ...hypothetical.sorted(edits)].join("|"),
      case: data,
      mode: summary.modes.find((mode) => mode.id === view.mode),
      mask: view.mask,
      order: view.order,
      path: view.path,
      titles: summary.titles,
      low: summary.low,
      high: summary.high,
      scoreThreshold: summary.threshold,
      graded: summary.graded,
      level,
      worlds,
      grand: coalitions.grand(summary.players.length),
      place: coalitions.placeOf(game, view.mask),
      edits,
      game,
      table,
      values,
      withheld: sampled === null ? wording.withheldReason(table.worth, summary.titles, game.errors) : sampled.withheld,
      verdict:
        sampled === null ? hypothetical.verdict(summary.titles, table, level, worlds, values.last_touch) : sampled.verdict,
      outcomeAt,
      outcome: (mask) => outcomeAt(coalitions.placeOf(game, mask)),
    };
  };
})(globalThis.AgentBlame);
