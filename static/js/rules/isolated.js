// Turns a name into one that moves nothing around it where it stands in a sentence.
(function (rules) {
  "use strict";

  const FIRST_STRONG_ISOLATE = "\u2068";
  const POP_ISOLATE = "\u2069";
  // The blocks of scripts that run from right to left, with their digits and marks, and what sets a direction by itself.
  const TURNS =
    /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
  const ISOLATES = /[\u2066-\u2069]/g;

  /**
   * The name as given, if nothing in it runs from right to left or sets a direction. Else between U+2068 and U+2069,
   * without what would begin or end another such isolate within it: it could end this one.
   */
  function isolated(name) {
    return TURNS.test(name) ? FIRST_STRONG_ISOLATE + name.replace(ISOLATES, "") + POP_ISOLATE : name;
  }

  rules.isolated = isolated;
})(AgentBlame.rules);
