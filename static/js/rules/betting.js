// Turns values known to lie in a range into an interval for their mean that holds at every count at once.
//
// A confidence sequence by betting (I. Waudby-Smith and A. Ramdas, 2024, doi:10.1093/jrsssb/qkad009): a candidate mean
// is given up once a gambler who bets against it, at odds fair to it, has made enough of it. The order of operations
// below is part of the definition.
(function (rules) {
  "use strict";

  // Midpoints of twelve equal shares of the arcsine law, in 128ths.
  const BETS = [1, 5, 13, 25, 40, 56, 72, 88, 103, 115, 123, 127].map((part) => part / 128);
  const LARGEST_CAPITAL = 2 ** 1000;
  const BISECTIONS = 32;
  const SMALLEST_MEAN = 1 / 2 ** 32;
  const SCALE = 2 ** 500;
  const OVERSHOOT = 1 / 2 ** 40; // far above the rounding of a value, far below any difference worth telling

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

  // A copy of the values, each inside the range.
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

  // The capital of values given as parts of the range, at a candidate mean that is one, too. For each fraction it ends
  // as a mantissa of at least 1 and below SCALE, times SCALE**exponent. On the way it may be as small as 1 / SCALE: a
  // power of two rounds nothing, and a capital that wavers around 1 would be scaled at every case.
  function capitalAt(parts, mean) {
    const ratios = parts.map((part) => part / mean);
    const mantissas = [];
    const exponents = [];
    for (const bet of BETS) {
      const kept = 1 - bet;
      let mantissa = 1;
      let exponent = 0;
      for (let index = 0; index < ratios.length; index++) {
        mantissa *= kept + bet * ratios[index];
        if (mantissa >= SCALE) {
          mantissa /= SCALE;
          exponent += 1;
        } else if (mantissa < 1 / SCALE) {
          mantissa *= SCALE;
          exponent -= 1;
        }
      }
      const small = mantissa < 1;
      mantissas.push(small ? mantissa * SCALE : mantissa);
      exponents.push(small ? exponent - 1 : exponent);
    }
    return meanCapital(mantissas, exponents);
  }

  // The mean over the fractions bet of mantissa * 2**(500 * exponent).
  function meanCapital(mantissas, exponents) {
    const largest = exponents.reduce((a, b) => Math.max(a, b), -Infinity);
    let total = 0;
    mantissas.forEach((mantissa, index) => {
      if (exponents[index] === largest) {
        total += mantissa;
      } else if (exponents[index] === largest - 1) {
        total += mantissa / SCALE;
      }
    });
    const mean = total / BETS.length;
    switch (largest) {
      case 1:
        return mean * SCALE;
      case 0:
        return mean;
      case -1:
        return mean / SCALE;
      case -2:
        return mean / SCALE / SCALE;
      default:
        return largest > 1 ? LARGEST_CAPITAL : 0;
    }
  }

  // The largest part of the range found whose capital reaches the threshold.
  function largestGivenUp(parts, threshold) {
    let reached = 0;
    let missed = 1;
    for (let step = 0; step < BISECTIONS; step++) {
      const middle = (reached + missed) / 2;
      if (capitalAt(parts, middle) >= threshold) {
        reached = middle;
      } else {
        missed = middle;
      }
    }
    return reached;
  }

  /**
   * [lower, upper] for the mean of values in [low, high]: it is ever outside, at any count, with probability at most
   * 2 / threshold. The mean of the values lies inside. Throws BadTable, NotFinite, TableTooLarge.
   */
  function bettingInterval(values, low, high, threshold) {
    checkRange(low, high);
    checkThreshold(threshold);
    const inside = insideRange(values, low, high);
    const length = high - low;
    const lower = low + length * largestGivenUp(inside.map((value) => (value - low) / length), threshold);
    const upper = high - length * largestGivenUp(inside.map((value) => (high - value) / length), threshold);
    if (inside.length === 0) {
      return [lower, upper];
    }
    const mean = rules.cases.orderedSum(values) / inside.length;
    return [mean < lower ? mean : lower, mean > upper ? mean : upper];
  }

  /**
   * What a gambler owns who started with 1 and bet on each value in [low, high] that the mean is above the candidate.
   * Between 0 and 2**1000. Throws BadTable, NotFinite, TableTooLarge.
   */
  function capital(values, low, high, mean) {
    checkRange(low, high);
    if (!Number.isFinite(mean)) {
      throw rules.worth.named("NotFinite", "a candidate mean is a finite number");
    }
    const length = high - low;
    const part = (mean - low) / length;
    if (!(part >= SMALLEST_MEAN && part <= 1)) {
      const form = "a candidate mean lies in the range, by at least 2**-32 of it above the low end";
      throw rules.worth.named("BadTable", form);
    }
    return capitalAt(insideRange(values, low, high).map((value) => (value - low) / length), part);
  }

  rules.betting = { checkRange, checkThreshold };
  rules.bettingInterval = bettingInterval;
  rules.capital = capital;
})(AgentBlame.rules);
