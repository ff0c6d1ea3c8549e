// Turns a text into numbers between 0 and 1, the same at every start and in every browser, and these into noise.
//
// mulberry32 (T. Ettinger, 2017, public domain), seeded with the FNV-1a hash (G. Fowler, L. C. Noll and K.-P. Vo) of
// the text: good enough for a picture of luck. The analyzer hashes its addresses with BLAKE2b.
(function (AgentBlame) {
  "use strict";

  function hash(text) {
    let state = 0x811c9dc5;
    for (let index = 0; index < text.length; index += 1) {
      state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
    }
    return state;
  }

  /** A running stream: each call gives its next number, strictly between 0 and 1. */
  function stream(text) {
    let state = hash(text);
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
    };
  }

  /** The number at an address, whatever was drawn before. */
  function unit(...address) {
    return stream(address.join("/"))();
  }

  /** The natural logarithm, by the series of the inverse hyperbolic tangent: Math.log differs between browsers. */
  function logarithm(number) {
    let part = number;
    let twos = 0;
    while (part < 0.75) {
      part *= 2;
      twos -= 1;
    }
    while (part >= 1.5) {
      part /= 2;
      twos += 1;
    }
    const ratio = (part - 1) / (part + 1);
    let power = ratio;
    let sum = 0;
    for (let odd = 1; odd < 30; odd += 2) {
      sum += power / odd;
      power *= ratio * ratio;
    }
    return 2 * sum + twos * Math.LN2;
  }

  /** Gumbel noise from a number strictly between 0 and 1. */
  function gumbel(number) {
    return -logarithm(-logarithm(number));
  }

  /** 0 to count - 1 in an order taken from a stream (R. Durstenfeld, 1964, doi:10.1145/364520.364540). */
  function shuffled(next, count) {
    const order = Array.from({ length: count }, (_, index) => index);
    for (let last = count - 1; last > 0; last -= 1) {
      const other = Math.floor(next() * (last + 1));
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }

  AgentBlame.seeded = { stream, unit, logarithm, gumbel, shuffled };
})(globalThis.AgentBlame);
