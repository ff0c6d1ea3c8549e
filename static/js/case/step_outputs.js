// Turns a case as it is shown into what one of its steps put out under the fixes that are on, and without any.
(function (AgentBlame) {
  "use strict";

  const { wording } = AgentBlame;

  function textAt({ game, case: { texts } }, step, place) {
    const { index, outputs } = game.steps[step];
    return index[place] === null ? null : texts[outputs[index[place]]];
  }

  function stateAt(index, place) {
    if (place < 0) return "unrun";
    if (index[place] === null) return "missing";
    return index[place] === index[0] ? "same" : "changed";
  }

  // `state` is "same", "changed", "missing" or "unrun", `factual` what the step put out without any fix, null if nothing;
  // `text` is what it put out under the fixes that are on, or why there is nothing, `there` whether there is something.
  AgentBlame.stepOutput = function (now, step) {
    const state = stateAt(now.game.steps[step].index, now.place);
    const there = state === "same" || state === "changed";
    const missing = state === "missing" ? wording.noOutput(now.game.errors[now.mask]) : wording.NOT_RUN.word + ".";
    return { state, factual: textAt(now, step, 0), text: there ? textAt(now, step, now.place) : missing, there };
  };
})(globalThis.AgentBlame);
