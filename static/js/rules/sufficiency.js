// Turns pass probabilities into bounds on how likely each fix alone would do where the case fails without any
// (J. Tian and J. Pearl, 2000, doi:10.1023/A:1018912507879).
(function (rules) {
  "use strict";

  /**
   * [lower, upper] for each player: given a world that fails without any fix, how probable it is that it would pass
   * with this one alone. null if the case always passes without any fix. Throws as rules.worth.worthTable does.
   */
  function sufficiency(worth, denominator) {
    const { passes, whole } = rules.passProbabilities(worth, denominator);
    const alone = [];
    for (let bit = 1; bit < passes.length; bit *= 2) {
      alone.push(passes[bit]);
    }
    return rules.conditionalBounds(alone.map((pass) => pass - passes[0]), alone, whole - passes[0]);
  }

  rules.sufficiency = sufficiency;
})(AgentBlame.rules);
