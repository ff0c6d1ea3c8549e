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

  // One scale for the rules that measure worth, its own for last touch; `ends` are those of the values' intervals.
  function spread(values, denominator, ends) {
    const spans = { last_touch: scale([], 1) };
    const measured = Object.keys(values).filter((rule) => rule !== "last_touch");
    const shown = measured.flatMap((rule) => Array.from(values[rule] || []));
    const shared = scale([...shown, ...(ends || [])], denominator === null ? 0 : 1);
    for (const rule of measured) spans[rule] = shared;
    return spans;
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

  function whiskers(low, high, span) {
    return { low: position(low, span), high: position(high, span) };
  }

  // To set what is there already would be drawn again.
  function set(element, name, value) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }

  // Draws a bar, and over it the whiskers of an interval if there is one.
  function draw(svg, drawn, interval) {
    const mark = svg.querySelector(".bar-mark");
    const zero = svg.querySelector(".bar-zero");
    set(mark, "x", drawn.x);
    set(mark, "width", drawn.width);
    mark.classList.toggle("is-negative", drawn.negative);
    set(zero, "x1", drawn.zero);
    set(zero, "x2", drawn.zero);
    drawWhiskers(svg, interval || null);
  }

  // A bar as the builder makes it.
  function make(drawn) {
    const element = (name, attributes) => {
      const made = document.createElementNS("http:" + "//www.w3.org/2000/svg", name);
      for (const key of Object.keys(attributes)) made.setAttribute(key, attributes[key]);
      return made;
    };
    const svg = element("svg", {
      class: "bar", viewBox: "0 0 " + WIDTH + " 20", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false",
    });
    svg.append(
      element("rect", { class: "bar-track", x: 0, y: 9, width: WIDTH, height: 2 }),
      element("rect", { class: "bar-mark", y: 3, height: 14 }),
      element("line", { class: "bar-zero", y1: 0, y2: 20 })
    );
    draw(svg, drawn);
    return svg;
  }

  function drawWhiskers(svg, interval) {
    let path = svg.querySelector(".bar-whiskers");
    if (interval === null) {
      if (path !== null) path.remove();
      return;
    }
    if (path === null) {
      path = document.createElementNS(svg.namespaceURI, "path");
      path.setAttribute("class", "bar-whiskers");
      svg.append(path);
    }
    const { low, high } = interval;
    path.setAttribute("d", "M" + low + " 4V16M" + low + " 10H" + high + "M" + high + " 4V16");
  }

  AgentBlame.figures = { scale, spread, bar, whiskers, draw, make };
})(globalThis.AgentBlame);
