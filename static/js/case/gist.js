// Turns a case as it is shown into what went into it and what its run gave without any fix, in a line each; the builder's
// gist.py says the same.
(function (AgentBlame) {
  "use strict";

  const { drawing, wording } = AgentBlame;

  // Letters' room for all inputs together, for what the run gave, and for a name.
  const LINE = 160;
  const NAME = 40;
  // Inputs that are told; the others are counted.
  const MOST_INPUTS = 4;
  const EMPTY = "(empty)";
  // White space as browsers and Python agree on it; what else is blank is a character.
  const WORD = /[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

  // A text in one line that takes at most the room of `most` letters.
  function line(text, most) {
    const words = [];
    let length = 0;
    // The rest of a text of any length is not looked at. A character may take two places in it.
    for (const [word] of text.matchAll(WORD)) {
      const kept = Array.from(word.slice(0, 2 * (most + 1))).slice(0, most + 1);
      words.push(kept.join(""));
      length += kept.length + 1;
      if (length > most + 1) break;
    }
    return drawing.shortened(words.join(" "), most) || EMPTY;
  }

  // How much of `whole` each of some has that want so much: all have alike, and what one does not want the others do.
  function shares(wanted, whole) {
    const found = wanted.map(() => 0);
    const order = Array.from(wanted.keys()).sort((a, b) => wanted[a] - wanted[b]);
    let left = whole;
    order.forEach((number, place) => {
      found[number] = Math.min(wanted[number], Math.floor(left / (order.length - place)));
      left -= found[number];
    });
    return found;
  }

  // `lastTitle` is that of the last step; in what is returned each of `inputs`, and `gave`, is [name, text].
  AgentBlame.gist = function (now, lastTitle) {
    const { game, case: { texts }, mode } = now;
    const told = game.inputs.slice(0, MOST_INPUTS);
    const lines = told.map(([, text]) => line(texts[text], LINE));
    const most = shares(lines.map(drawing.room), LINE);
    const left = game.inputs.length - told.length;
    const { factual } = AgentBlame.stepOutput(now, game.steps.length - 1);
    const { state } = wording.outcome(game.shown[0], 1, now.scoreThreshold);
    return {
      inputs: told.map(([name], k) => [line(name, NAME), drawing.shortened(lines[k], most[k])]),
      more: left > 0 ? "and " + left + " more" : "",
      gave: [line(lastTitle, NAME), line(factual === null ? wording.noOutput(game.errors[0]) : factual, LINE)],
      world: factual === null ? "" : wording.worldSentence(mode.world, state),
    };
  };
})(globalThis.AgentBlame);
