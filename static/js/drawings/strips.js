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

  // What all strips share, from the tally of each fix's values; `spread` is the largest value there can be, null to take
  // the largest there is.
  function ruler(tallies, spread) {
    let largest = spread || 0;
    if (spread === null) {
      for (const { values } of tallies) {
        if (values.length > 0) largest = Math.max(largest, Math.abs(values[0]), Math.abs(values[values.length - 1]));
      }
    }
    const step = (largest || 1) / BINS;
    const bins = tallies.flatMap((tally) => counted(tally, step));
    if (bins.length === 0) return { step, first: 0, last: 0, most: 1 };
    const numbers = bins.map((bin) => bin.number);
    return { step, first: Math.min(...numbers), last: Math.max(...numbers), most: Math.max(...bins.map((bin) => bin.cases)) };
  }

  // The bins that are not empty, increasing, as the values of a tally are.
  function counted({ values, counts }, step) {
    const bins = [];
    for (let k = 0; k < values.length; k += 1) {
      const number = binOf(values[k], step);
      if (bins.length === 0 || bins[bins.length - 1].number !== number) bins.push({ number, cases: 0 });
      bins[bins.length - 1].cases += counts[k];
    }
    return bins;
  }

  function binText(number, step) {
    const { numberText } = AgentBlame.rules;
    const end = BINS * step;
    return numberText(Math.max((number - 0.5) * step, -end)) + " to " + numberText(Math.min((number + 0.5) * step, end));
  }

  function strip(tally, on) {
    const low = Math.min(0, on.first);
    const bins = Math.max(0, on.last) - low + 1;
    const edge = (k) => Math.floor((k * WIDTH) / bins + 0.5);
    const drawn = counted(tally, on.step).map(({ number, cases }) => ({
      number,
      x: edge(number - low),
      width: edge(number - low + 1) - edge(number - low),
      height: Math.max(LOWEST, Math.floor((cases / on.most) * HEIGHT + 0.5)),
      cases,
      text: binText(number, on.step),
    }));
    return { zero: Math.floor(((0.5 - low) * WIDTH) / bins + 0.5), bins: drawn, text: stripText(tally.values) };
  }

  function stripText(values) {
    if (values.length === 0) return "no values";
    const [low, high] = [values[0], values[values.length - 1]].map(AgentBlame.rules.numberText);
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
