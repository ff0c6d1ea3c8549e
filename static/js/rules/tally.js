// Turns values into a tally: the distinct ones, increasing, and how many times each of them occurs.
(function (rules) {
  "use strict";

  /** { values, counts } of finite numbers; 0 and -0 are one value. */
  function tally(numbers) {
    const sorted = Float64Array.from(numbers).sort();
    const counts = new Int32Array(sorted.length);
    let distinct = 0;
    for (let index = 0; index < sorted.length; index++) {
      if (distinct === 0 || sorted[index] !== sorted[distinct - 1]) {
        sorted[distinct] = sorted[index];
        distinct += 1;
      }
      counts[distinct - 1] += 1;
    }
    return { values: sorted.slice(0, distinct), counts: counts.slice(0, distinct) };
  }

  rules.tally = tally;
})(AgentBlame.rules);
