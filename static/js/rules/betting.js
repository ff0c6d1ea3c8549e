// Turns values known to lie in a range into an interval for their mean that holds at every count at once.
//
// A confidence sequence by betting (I. Waudby-Smith and A. Ramdas, 2024, doi:10.1093/jrsssb/qkad009): a candidate mean
// is given up once a gambler who bets against it, at odds fair to it, has made enough of it. The order of operations
// below is part of the definition. It is over the tally of the values, so the work grows with how many are distinct.
(function (rules) {
  "use strict";

  // Midpoints of twelve equal shares of the arcsine law, in 128ths.
  const BETS = [1, 5, 13, 25, 40, 56, 72, 88, 103, 115, 123, 127].map((part) => part / 128);
  const LARGEST_CAPITAL = 2 ** 1000;
  const CANDIDATES = 2 ** 32; // the parts a range is cut into
  const SCALE = 2 ** 500;
  const SCALE_BITS = 500;
  const SMALLEST_FACTOR_BITS = 7; // 1 - 127/128
  const OVERSHOOT = 1 / 2 ** 40; // far above the rounding of a value, far below any difference worth telling
  const PATIENCE = 12;

  function checkRange(low, high) {
    if (!(Number.isFinite(low) && Number.isFinite(high))) {
      throw rules.worth.named("NotFinite", "the ends of a range are finite numbers");
    }
    if (low >= high) {
      throw rules.worth.named("BadTable", "a range goes from a low end up to a high end");
    }
    rules.worth.checkOverflow([high - low]);
  }

  function checkThreshold(threshold) {
    if (!(threshold > 1 && threshold <= LARGEST_CAPITAL)) {
      throw rules.worth.named("BadTable", "a threshold is a number above 1, at most 2**1000");
    }
  }

  // A copy of the values, each inside the range; one that rounding did not put outside is refused.
  function insideRange(values, low, high) {
    const cases = Array.from(values);
    rules.cases.checkCases(cases.map((value) => [value]));
    const margin = OVERSHOOT * Math.max(Math.abs(low), Math.abs(high));
    const outside = cases.findIndex((value) => value < low - margin || value > high + margin);
    if (outside >= 0) {
      throw rules.worth.named("BadTable", `a value of case ${outside} lies outside the range`);
    }
    return Float64Array.from(cases, (value) => Math.min(Math.max(value, low), high));
  }

  // For each binary digit of the counts, the highest first, the parts whose count has it: one after the other, and where
  // each digit's end.
  function digitsOf(parts, counts) {
    let largest = 0;
    let ones = 0;
    for (let index = 0; index < counts.length; index++) {
      largest = Math.max(largest, counts[index]);
      for (let rest = counts[index]; rest > 0; rest &= rest - 1) {
        ones += 1;
      }
    }
    const found = { parts: new Float64Array(ones), ends: [] };
    let end = 0;
    for (let digit = 31 - Math.clz32(largest); digit >= 0; digit--) {
      for (let index = 0; index < counts.length; index++) {
        if ((counts[index] >> digit) & 1) {
          found.parts[end] = parts[index];
          end += 1;
        }
      }
      found.ends.push(end);
    }
    return found;
  }

  function digitsAbove({ values, counts }, low, length) {
    const parts = new Float64Array(values.length);
    for (let index = 0; index < parts.length; index++) {
      parts[index] = (values[index] - low) / length;
    }
    return digitsOf(parts, counts);
  }

  // The mirror image.
  function digitsBelow({ values, counts }, high, length) {
    const last = values.length - 1;
    const parts = new Float64Array(values.length);
    const mirrored = new Int32Array(values.length);
    for (let index = 0; index <= last; index++) {
      parts[index] = (high - values[last - index]) / length;
      mirrored[index] = counts[last - index];
    }
    return digitsOf(parts, mirrored);
  }

  // The same tally with what rounding has put outside the range moved to its ends.
  function insideTally(tally, low, high) {
    const { values } = tally;
    const last = values.length - 1;
    if (last < 0 || (values[0] >= low && values[last] <= high)) {
      return tally;
    }
    insideRange([values[0], values[last]], low, high);
    const found = { values: [], counts: [] };
    values.forEach((value, index) => {
      const inside = Math.min(Math.max(value, low), high);
      if (inside === found.values[found.values.length - 1]) {
        found.counts[found.counts.length - 1] += tally.counts[index];
      } else {
        found.values.push(inside);
        found.counts.push(tally.counts[index]);
      }
    });
    return { values: Float64Array.from(found.values), counts: Int32Array.from(found.counts) };
  }

  // How many factors a product may take before it is scaled again; none is larger than 1 or the largest ratio.
  function factorsAtOnce(largestRatio) {
    let bits = SMALLEST_FACTOR_BITS;
    while (2 ** bits <= largestRatio) {
      bits += 1;
    }
    return Math.floor(SCALE_BITS / bits);
  }

  // Of each fraction: the product so far is its mantissa times SCALE**exponent.
  const mantissas = new Float64Array(BETS.length);
  const exponents = new Float64Array(BETS.length);
  let ratios = new Float64Array(0);

  // The capital at a candidate mean, a part of the range. A mantissa ends at 1 or above and below SCALE. On the way it
  // may be as small as 1 / SCALE: a power of two rounds nothing, and a capital that wavers around 1 would be scaled again
  // and again.
  function capitalAt({ parts, ends }, mean) {
    if (ratios.length < parts.length) {
      ratios = new Float64Array(2 * parts.length);
    }
    let largest = 1;
    for (let index = 0; index < parts.length; index++) {
      ratios[index] = parts[index] / mean;
      largest = ratios[index] > largest ? ratios[index] : largest;
    }
    const atOnce = factorsAtOnce(largest);
    mantissas.fill(1);
    exponents.fill(0);
    let start = 0;
    for (const end of ends) {
      square();
      scale(1 / SCALE);
      for (; start < end; start += atOnce) {
        const stop = Math.min(end, start + atOnce);
        multiply(0, start, stop);
        multiply(4, start, stop);
        multiply(8, start, stop);
        scale(1 / SCALE);
      }
      start = end;
    }
    scale(1);
    return meanCapital();
  }

  // Multiplies some factors into four products: one has to wait for each of its products, four keep an engine busy.
  function multiply(first, start, stop) {
    const held = ratios;
    const bet0 = BETS[first];
    const bet1 = BETS[first + 1];
    const bet2 = BETS[first + 2];
    const bet3 = BETS[first + 3];
    const kept0 = 1 - bet0;
    const kept1 = 1 - bet1;
    const kept2 = 1 - bet2;
    const kept3 = 1 - bet3;
    let product0 = mantissas[first];
    let product1 = mantissas[first + 1];
    let product2 = mantissas[first + 2];
    let product3 = mantissas[first + 3];
    for (let index = start; index < stop; index++) {
      const ratio = held[index];
      product0 *= kept0 + bet0 * ratio;
      product1 *= kept1 + bet1 * ratio;
      product2 *= kept2 + bet2 * ratio;
      product3 *= kept3 + bet3 * ratio;
    }
    mantissas[first] = product0;
    mantissas[first + 1] = product1;
    mantissas[first + 2] = product2;
    mantissas[first + 3] = product3;
  }

  function square() {
    for (let index = 0; index < BETS.length; index++) {
      mantissas[index] *= mantissas[index];
      exponents[index] *= 2;
    }
  }

  function scale(least) {
    for (let index = 0; index < BETS.length; index++) {
      if (mantissas[index] >= SCALE) {
        mantissas[index] /= SCALE;
        exponents[index] += 1;
      } else if (mantissas[index] < least) {
        mantissas[index] *= SCALE;
        exponents[index] -= 1;
      }
    }
  }

  // The mean over the fractions bet of mantissa * 2**(500 * exponent), each that is at least 2**-500.
  function meanCapital() {
    const largest = exponents.reduce((a, b) => Math.max(a, b));
    if (largest > 1) {
      return LARGEST_CAPITAL;
    }
    const unit = largest === 1 ? SCALE : 1;
    let total = 0;
    for (let index = 0; index < BETS.length; index++) {
      if (exponents[index] === 1) {
        total += mantissas[index];
      } else if (exponents[index] === 0) {
        total += mantissas[index] / unit;
      } else if (exponents[index] === -1) {
        total += mantissas[index] / SCALE / unit;
      }
    }
    return (total / BETS.length) * unit;
  }

  // The largest candidate, counted in parts of the range, whose capital reaches the threshold, or 0. The capital never
  // rises from one to the next, not even by rounding: each operation is monotone in each operand. So the answer does not
  // depend on how it is looked for, only the time it takes: by secants, beginning at `near`, and by halves where these
  // fail. Along a secant the capital is seen through a function that is almost straight around the threshold.
  function largestGivenUp(digits, threshold, near) {
    let reached = 0;
    let missed = CANDIDATES;
    let before = null;
    let next = near === undefined ? CANDIDATES / 2 : Math.min(Math.max(near, 1), CANDIDATES - 1);
    for (let tries = 1; missed - reached > 1; tries++) {
      const owned = capitalAt(digits, next / CANDIDATES);
      const height = (owned - threshold) / (owned + threshold);
      if (owned >= threshold) {
        reached = next;
      } else {
        missed = next;
      }
      let aim = next - (before === null ? 0 : (height * (next - before.next)) / (height - before.height));
      if (before === null && near !== undefined) {
        aim += owned >= threshold ? 1 : -1;
      }
      before = { next, height };
      const lost = !(aim >= reached && aim <= missed) || (tries > PATIENCE && tries % 2 === 0) || (tries === 1 && near === undefined);
      next = lost ? Math.floor((reached + missed) / 2) : Math.min(Math.max(Math.floor(aim), reached + 1), missed - 1);
    }
    return reached;
  }

  /**
   * { interval, near }: [lower, upper] for a tally of values in [low, high] whose mean is `mean`, and where to begin when
   * a few of them have changed, as `near` of the next call. Without it the same is found in more steps.
   */
  function intervalOfTally(tally, mean, low, high, threshold, near) {
    checkRange(low, high);
    checkThreshold(threshold);
    const length = high - low;
    const inside = insideTally(tally, low, high);
    const [above, below] = near || [];
    const found = [
      largestGivenUp(digitsAbove(inside, low, length), threshold, above),
      largestGivenUp(digitsBelow(inside, high, length), threshold, below),
    ];
    const lower = low + length * (found[0] / CANDIDATES);
    const upper = high - length * (found[1] / CANDIDATES);
    return { interval: [mean < lower ? mean : lower, mean > upper ? mean : upper], near: found };
  }

  /**
   * [lower, upper] for the mean of values in [low, high]: it is ever outside, at any count, with probability at most
   * 2 / threshold. The mean of the values lies inside. Throws BadTable, NotFinite, TableTooLarge.
   */
  function bettingInterval(values, low, high, threshold) {
    checkRange(low, high);
    checkThreshold(threshold);
    const inside = insideRange(values, low, high);
    const mean = rules.cases.orderedSum(values) / inside.length; // NaN without any value, which is beyond no bound
    return intervalOfTally(rules.tally(inside), mean, low, high, threshold).interval;
  }

  function partOfRange(mean, low, high) {
    checkRange(low, high);
    if (!Number.isFinite(mean)) {
      throw rules.worth.named("NotFinite", "a candidate mean is a finite number");
    }
    const part = (mean - low) / (high - low);
    if (!(part >= 1 / CANDIDATES && part <= 1)) {
      const form = "a candidate mean lies in the range, by at least 2**-32 of it above the low end";
      throw rules.worth.named("BadTable", form);
    }
    return part;
  }

  /** `capital` of a tally of values in [low, high]. */
  function capitalOfTally(tally, low, high, mean) {
    const part = partOfRange(mean, low, high);
    return capitalAt(digitsAbove(insideTally(tally, low, high), low, high - low), part);
  }

  /**
   * What a gambler owns who started with 1 and bet on each value in [low, high] that the mean is above the candidate.
   * Between 0 and 2**1000. Throws BadTable, NotFinite, TableTooLarge.
   */
  function capital(values, low, high, mean) {
    partOfRange(mean, low, high);
    return capitalOfTally(rules.tally(insideRange(values, low, high)), low, high, mean);
  }

  rules.betting = { checkRange, checkThreshold };
  rules.bettingInterval = bettingInterval;
  rules.intervalOfTally = intervalOfTally;
  rules.capitalOfTally = capitalOfTally;
  rules.capital = capital;
})(AgentBlame.rules);
