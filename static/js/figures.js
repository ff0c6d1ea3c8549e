// Turns numbers into bars: the description of a bar as the builder's figures.py makes it, drawn into the SVG it made.
(function (AgentBlame) {
  "use strict";

  const WIDTH = 1000;

  function scale(values, unit) {
    let low = 0;
    let high = unit;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return { low, high: high > low ? high : 1 };
  }

  // One scale for the three rules that measure worth, its own for last touch.
  function spread(values, denominator) {
    const measured = [];
    for (const rule of ["shapley", "fix_alone", "leave_one_out"]) measured.push(...(values[rule] || []));
    const shared = scale(measured, denominator === null ? 0 : 1);
    return { shapley: shared, fix_alone: shared, leave_one_out: shared, last_touch: scale([], 1) };
  }

  function position(value, span) {
    const largest = Math.max(-span.low, span.high);
    const low = span.low / largest;
    const high = span.high / largest;
    return Math.floor(((value / largest - low) / (high - low)) * WIDTH + 0.5);
  }

  function bar(value, span) {
    const zero = position(0, span);
    const end = position(value, span);
    return { zero, x: Math.min(zero, end), width: Math.abs(end - zero), negative: value < 0 };
  }

  function draw(svg, drawn) {
    const mark = svg.querySelector(".bar-mark");
    const zero = svg.querySelector(".bar-zero");
    mark.setAttribute("x", drawn.x);
    mark.setAttribute("width", drawn.width);
    mark.classList.toggle("is-negative", drawn.negative);
    zero.setAttribute("x1", drawn.zero);
    zero.setAttribute("x2", drawn.zero);
  }

  AgentBlame.figures = { scale, spread, bar, draw };
})(globalThis.AgentBlame);
