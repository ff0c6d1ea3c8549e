// Turns a case and a noise mode into the key of their game, "case.mode", and back.
(function (AgentBlame) {
  "use strict";

  AgentBlame.gameKey = {
    of: (slug, mode) => slug + "." + mode,
    // [slug, mode]; neither holds a dot.
    parts: (key) => key.split("."),
  };
})(globalThis.AgentBlame);
