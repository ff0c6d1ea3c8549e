// Turns a case and a noise mode into the key of their game, "case.mode", and back.
(function (AgentBlame) {
  "use strict";

  function of(slug, mode) {
    return slug + "." + mode;
  }

  // [slug, mode]; neither holds a dot.
  function parts(key) {
    return key.split(".");
  }

  // What a map has by the keys of games of one mode, by case.
  function under(found, mode) {
    return new Map(Array.from(found, ([key, one]) => [...parts(key), one]).filter(([, its]) => its === mode).map(([slug, , one]) => [slug, one]));
  }

  AgentBlame.gameKey = { of, parts, under };
})(globalThis.AgentBlame);
