// Turns the values of a fix over many cases into a strip, a small histogram; the builder's strips.py says the same.
(function (AgentBlame) {
  "use strict";

  const WIDTH = 1000;
  const HEIGHT = 100;
  const BINS = 10;
  const LOWEST = 6;

  function binOf(value, step) {
    return Math.floor(value / step + 0.5);
  }

  // What all strips share; `spread` is the largest value there can be, null to take the largest there is.
  function ruler(rows, spread) {
    let largest = spread || 0;
    if (spread === null) {
      for (const row of rows) for (const value of row) largest = Math.max(largest, Math.abs(value));
    }
    const step = (largest || 1) / BINS;
    let first = Infinity;
    let last = -Infinity;
    let most = 0;
    const players = rows.length === 0 ? 0 : rows[0].length;
    for (let player = 0; player < players; player += 1) {
      for (const [number, count] of counted(rows.map((row) => row[player]), step)) {
        first = Math.min(first, number);
        last = Math.max(last, number);
        most = Math.max(most, count);
      }
    }
    return most === 0 ? { step, first: 0, last: 0, most: 1 } : { step, first, last, most };
  }

  function counted(values, step) {
    const counts = new Map();
    for (const value of values) counts.set(binOf(value, step), (counts.get(binOf(value, step)) || 0) + 1);
    return counts;
  }

  function binText(number, step) {
    const { numberText } = AgentBlame.rules;
    const end = BINS * step;
    return numberText(Math.max((number - 0.5) * step, -end)) + " to " + numberText(Math.min((number + 0.5) * step, end));
  }

  function strip(values, on) {
    const low = Math.min(0, on.first);
    const bins = Math.max(0, on.last) - low + 1;
    const edge = (k) => Math.floor((k * WIDTH) / bins + 0.5);
    const counts = counted(values, on.step);
    const numbers = Array.from(counts.keys()).sort((a, b) => a - b);
    const drawn = numbers.map((number) => ({
      number,
      x: edge(number - low),
      width: edge(number - low + 1) - edge(number - low),
      height: Math.max(LOWEST, Math.floor((counts.get(number) / on.most) * HEIGHT + 0.5)),
      cases: counts.get(number),
      text: binText(number, on.step),
    }));
    return { zero: Math.floor(((0.5 - low) * WIDTH) / bins + 0.5), bins: drawn, text: stripText(values) };
  }

  function stripText(values) {
    if (values.length === 0) return "no values";
    const ends = [Infinity, -Infinity];
    for (const value of values) {
      ends[0] = Math.min(ends[0], value);
      ends[1] = Math.max(ends[1], value);
    }
    const [low, high] = ends.map(AgentBlame.rules.numberText);
    return low !== high ? "from " + low + " to " + high : "all at " + low;
  }

  // Draws a strip into the SVG the builder made.
  function draw(svg, drawn) {
    const zero = svg.querySelector(".strip-zero");
    zero.setAttribute("x1", drawn.zero);
    zero.setAttribute("x2", drawn.zero);
    const bins = drawn.bins.map((one) => {
      const rect = document.createElementNS(svg.namespaceURI, "rect");
      rect.setAttribute("class", one.number < 0 ? "strip-bin is-negative" : "strip-bin");
      const place = { "data-bin": one.number, x: one.x, y: HEIGHT - one.height, width: one.width, height: one.height };
      for (const name of Object.keys(place)) rect.setAttribute(name, place[name]);
      return rect;
    });
    svg.replaceChildren(zero, ...bins);
  }

  AgentBlame.strips = { ruler, strip, binOf, binText, draw };
})(globalThis.AgentBlame);
