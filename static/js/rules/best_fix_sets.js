// Turns how many cases each set of fixes repairs into the best set of every size.
(function (rules) {
  "use strict";

  /**
   * For sizes 0 ... n { coalition, repaired, tied }: the mask of the coalition of that size that repairs most cases,
   * the smallest of equals; how many it repairs; how many coalitions of that size repair as many. `repaired` is a count
   * by mask. Throws as rules.worth.worthTable does.
   */
  function bestFixSets(repaired, players) {
    const counts = rules.worth.worthTable(repaired, 1);
    rules.worth.checkExact(counts, 1, 1);
    if (counts.length !== 2 ** players) {
      const form = "there is one count for each coalition of the players, 2**n in all";
      throw rules.worth.named("BadTable", form);
    }
    if (counts.some((count) => count < 0)) {
      throw rules.worth.named("BadTable", "a number of cases is at least 0");
    }
    const sizes = rules.worth.coalitionSizes(players);
    const best = [];
    counts.forEach((count, mask) => {
      const size = sizes[mask];
      if (best[size] === undefined || count > best[size].repaired) {
        best[size] = { coalition: mask, repaired: count + 0, tied: 1 };
      } else if (count === best[size].repaired) {
        best[size].tied += 1;
      }
    });
    return best;
  }

  rules.bestFixSets = bestFixSets;
})(AgentBlame.rules);
