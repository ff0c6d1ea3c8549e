// Turns a score's threshold into the worth from which a coalition counts as repairing its case.
(function (rules) {
  "use strict";

  /**
   * 1/2 where passes in several worlds were counted (a denominator above 1: a repair holds in at least half of them),
   * otherwise the threshold. A matter of the game as it was run: an edit that turns its table real moves no level.
   */
  function repairLevel(threshold, denominator) {
    rules.worth.checkDenominator(denominator);
    return !rules.worth.isHole(denominator) && denominator > 1 ? 0.5 : threshold;
  }

  rules.repairLevel = repairLevel;
})(AgentBlame.rules);
