// Turns one number per case into their mean over the cases that are chosen, computed anew only when one of them changed.
(function (AgentBlame) {
  "use strict";

  const { rules } = AgentBlame;
  let gathered = new Float64Array(0);

  /**
   * A number for each of many cases, NaN where a case has none, which `put` sets. Over some cases, in their order, `figures`
   * gives { count, mean } of those that have one, and `deviation` theirs: null where there are too few. The same list of
   * places is taken to hold the same places as before.
   */
  function batchColumn(cases) {
    const numbers = new Float64Array(cases).fill(NaN);
    let known = null;

    function put(place, number) {
      if (Object.is(numbers[place], number)) return;
      numbers[place] = number;
      known = null;
    }

    function gather(places) {
      if (gathered.length < places.length) gathered = new Float64Array(places.length);
      let count = 0;
      for (let k = 0; k < places.length; k += 1) {
        const number = numbers[places[k]];
        if (!Number.isNaN(number)) {
          gathered[count] = number;
          count += 1;
        }
      }
      return gathered.subarray(0, count);
    }

    function figures(places) {
      if (known !== null && known.places === places) return known;
      const found = gather(places);
      known = { places, count: found.length, mean: null, deviation: null };
      if (found.length > 0) known.mean = rules.meanOf(found);
      return known;
    }

    function deviation(places) {
      const found = figures(places);
      if (found.deviation === null && found.count > 1) found.deviation = rules.deviationOf(gather(places), found.mean);
      return found.deviation;
    }

    return { put, at: (place) => numbers[place], figures, deviation };
  }

  AgentBlame.batchColumn = batchColumn;
})(globalThis.AgentBlame);
