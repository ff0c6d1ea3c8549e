// Turns pass probabilities into bounds on how likely each fix was needed where all fixes together pass
// (J. Tian and J. Pearl, 2000, doi:10.1023/A:1018912507879).
(function (rules) {
  "use strict";

  /** { passes, whole }: a checked table of pass probabilities, and what stands for certainty in it. */
  function passProbabilities(worth, denominator) {
    const passes = rules.worth.heldTable(worth, denominator);
    const rational = !rules.worth.isHole(denominator);
    if (rational) {
      rules.worth.checkExact(passes, denominator, 1);
    }
    const whole = rational ? denominator : 1;
    const outside = passes.findIndex((outcome) => outcome < 0 || outcome > whole);
    if (outside >= 0) {
      const message = `the worth of coalition ${outside} is no probability: it is not from 0 to 1`;
      throw rules.worth.named("BadTable", message);
    }
    return { passes, whole };
  }

  /**
   * [lower, upper] for each player: Frechet's bounds on the probability of an event and a condition, divided by that
   * of the condition, `given`. lower is by how much the two probabilities exceed certainty together, upper the
   * event's. null if the condition never holds.
   */
  function conditionalBounds(lower, upper, given) {
    if (given === 0) {
      return null;
    }
    return lower.map((least, player) => [
      Math.max(least, 0) / given,
      Math.min(upper[player], given) / given + 0, // no -0
    ]);
  }

  /**
   * [lower, upper] for each player: given a world in which all fixes together pass, how probable it is that it would
   * fail without this one. null if all fixes together never pass. Throws as rules.worth.worthTable does.
   */
  function necessity(worth, denominator) {
    const { passes, whole } = passProbabilities(worth, denominator);
    const given = passes[passes.length - 1];
    const without = [];
    for (let bit = 1; bit < passes.length; bit *= 2) {
      without.push(passes[passes.length - 1 - bit]);
    }
    return conditionalBounds(without.map((pass) => given - pass), without.map((pass) => whole - pass), given);
  }

  rules.passProbabilities = passProbabilities;
  rules.conditionalBounds = conditionalBounds;
  rules.necessity = necessity;
})(AgentBlame.rules);
