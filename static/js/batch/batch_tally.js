// Turns the values of many cases into a tally that follows as cases change: the distinct values, increasing, with counts.
(function (AgentBlame) {
  "use strict";

  /** The tally of some numbers: `add` and `remove` take one more or one less, `now` gives { values, counts }. */
  function batchTally(numbers) {
    const first = AgentBlame.rules.tally(numbers);
    let { values, counts } = first;
    let length = values.length;

    // Where a value is, or would be.
    function placeOf(value) {
      let low = 0;
      let high = length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] < value) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    function grow() {
      const more = { values: new Float64Array(2 * length + 8), counts: new Int32Array(2 * length + 8) };
      more.values.set(values);
      more.counts.set(counts);
      ({ values, counts } = more);
    }

    function add(value) {
      const place = placeOf(value);
      if (place === length || values[place] !== value) {
        if (length === values.length) grow();
        values.copyWithin(place + 1, place, length);
        counts.copyWithin(place + 1, place, length);
        values[place] = value;
        counts[place] = 0;
        length += 1;
      }
      counts[place] += 1;
    }

    function remove(value) {
      const place = placeOf(value);
      counts[place] -= 1;
      if (counts[place] > 0) return;
      values.copyWithin(place, place + 1, length);
      counts.copyWithin(place, place + 1, length);
      length -= 1;
    }

    return { add, remove, now: () => ({ values: values.subarray(0, length), counts: counts.subarray(0, length) }) };
  }

  AgentBlame.batchTally = batchTally;
})(globalThis.AgentBlame);
