// Turns mean values into each player's share of what all fixes together repair.
(function (rules) {
  "use strict";

  /** Each mean over their sum in step order; null if a mean is negative or the sum is 0: no whole to share. */
  function shareOfRepair(means) {
    const values = Array.from(means);
    if (!values.every(Number.isFinite)) {
      throw rules.worth.named("NotFinite", "only finite numbers have shares");
    }
    const total = rules.cases.orderedSum(values);
    if (values.some((value) => value < 0) || total === 0) {
      return null;
    }
    return values.map((value) => (value + 0) / total); // + 0: no share is -0
  }

  rules.shareOfRepair = shareOfRepair;
})(AgentBlame.rules);
