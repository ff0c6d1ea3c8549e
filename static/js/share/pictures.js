// Turns a picture on the page, or a table with pictures in it, into an SVG that looks the same alone, and that into a PNG.
//
// Styles are resolved into attributes, texts stay texts. What a table shows is set where the browser has set it.
(function (AgentBlame) {
  "use strict";

  const SVG = "http:" + "//www.w3.org/2000/svg";
  const MARGIN = 16;
  // What is written above the picture, a line each.
  const LINE = 20;
  const GAP = 8;
  const FONT = "sans-serif";
  const SIZE = 14;
  // Pixels of a PNG for one of the page, and how many there may be along a side.
  const SHARP = 2;
  const LARGEST = 8000;
  const GROUPS = ["g", "svg", "defs", "symbol", "a"];
  const SHAPES = ["rect", "path", "line", "circle", "ellipse", "polygon", "polyline", "text", "tspan"];
  const STROKE = ["stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-opacity"];
  const TYPE = ["font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline", "letter-spacing", "direction"];
  const OTHER = ["opacity", "vector-effect", "paint-order"];
  const PLAIN = { opacity: "1", "vector-effect": "none", "paint-order": "normal", "letter-spacing": "normal", direction: "ltr" };
  // Where something is, which colours and styles do not say.
  const KEPT = /^(x|y|x1|x2|y1|y2|width|height|cx|cy|r|rx|ry|d|points|dx|dy|transform|viewBox|preserveAspectRatio|text-anchor|dominant-baseline)$/;

  function canvas(width, height) {
    const made = document.createElement("canvas");
    made.width = width;
    made.height = height;
    return made;
  }

  // The browser tells colours in many ways; other programs know this one.
  const dot = canvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  function colour(text) {
    if (!colours.has(text)) {
      dot.clearRect(0, 0, 1, 1);
      dot.fillStyle = text;
      dot.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = dot.getImageData(0, 0, 1, 1).data;
      const hex = "#" + [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("");
      colours.set(text, { hex, alpha: Math.round((alpha / 255) * 1000) / 1000 });
    }
    return colours.get(text);
  }

  function element(tag, attributes, text) {
    const made = document.createElementNS(SVG, tag);
    for (const name of Object.keys(attributes)) made.setAttribute(name, attributes[name]);
    if (text !== undefined) made.textContent = clean(text);
    return made;
  }

  // What XML cannot hold.
  function clean(text) {
    return AgentBlame.dom.visible(text).replace(/[\ufffe\uffff]/g, "\ufffd");
  }

  function paint(made, name, value) {
    if (value === "none" || value === "") {
      made.setAttribute(name, "none");
      return;
    }
    const { hex, alpha } = colour(value);
    made.setAttribute(name, alpha === 0 ? "none" : hex);
    if (alpha > 0 && alpha < 1) made.setAttribute(name + "-opacity", alpha);
  }

  // A mark of a picture with its styles as attributes, and all that is in it; null for what is not seen.
  function resolved(source) {
    const tag = source.localName;
    if (tag === "title" || tag === "desc") return element(tag, {}, source.textContent);
    const style = getComputedStyle(source);
    if (style.display === "none" || style.visibility !== "visible") return null;
    if (tag === "use") return used(source, style);
    if (!GROUPS.includes(tag) && !SHAPES.includes(tag)) return null;
    const made = element(tag === "a" ? "g" : tag, {});
    for (const { name, value } of source.attributes) if (KEPT.test(name)) made.setAttribute(name, value);
    if (!source.hasAttribute("transform") && style.transform !== "none") made.setAttribute("transform", style.transform);
    set(made, style, OTHER);
    if (SHAPES.includes(tag)) shape(made, style, tag);
    for (const child of source.childNodes) append(made, child);
    return made;
  }

  function append(made, child) {
    if (child.nodeType === Node.TEXT_NODE) {
      if (made.localName === "text" || made.localName === "tspan") made.append(clean(child.data));
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      const inner = resolved(child);
      if (inner !== null) made.append(inner);
    }
  }

  function set(made, style, names) {
    for (const name of names) {
      const value = style.getPropertyValue(name);
      if (value !== "" && value !== PLAIN[name]) made.setAttribute(name, value);
    }
  }

  function shape(made, style, tag) {
    paint(made, "fill", style.fill);
    paint(made, "stroke", style.stroke);
    if (style.fillOpacity !== "1") made.setAttribute("fill-opacity", style.fillOpacity);
    if (style.stroke !== "none") set(made, style, STROKE);
    if (tag === "text" || tag === "tspan") set(made, style, TYPE);
    if (tag === "rect" && !made.hasAttribute("rx") && parseFloat(style.rx) > 0) made.setAttribute("rx", style.rx);
  }

  // A symbol of the page, drawn where it is used.
  function used(source, style) {
    const symbol = document.getElementById((source.getAttribute("href") || "").replace(/^#/, ""));
    if (symbol === null) return null;
    const made = element("svg", { viewBox: symbol.getAttribute("viewBox"), width: "100%", height: "100%" });
    const value = (text) =>
      text.replace(/^currentColor$/, style.color).replace(/^var\((--[a-z-]+)\)$/, (whole, name) => style.getPropertyValue(name).trim());
    for (const child of symbol.children) {
      const copy = element(child.localName, {});
      for (const attribute of child.attributes) {
        const told = value(attribute.value);
        if (attribute.name === "fill" || attribute.name === "stroke") paint(copy, attribute.name, told);
        else copy.setAttribute(attribute.name, told);
      }
      made.append(copy);
    }
    return made;
  }

  function placed(svg, at) {
    const { left, top, width, height } = svg.getBoundingClientRect();
    const made = resolved(svg);
    if (made === null || width === 0) return null;
    for (const [name, value] of Object.entries({ x: left - at.left, y: top - at.top, width, height })) made.setAttribute(name, tidy(value));
    return made;
  }

  function tidy(number) {
    return String(Math.round(number * 100) / 100);
  }

  const ruler = canvas(1, 1).getContext("2d");

  function isUnseen(style) {
    return style.display === "none" || style.visibility !== "visible" || style.clipPath !== "none" || style.opacity === "0";
  }

  // A part of the page as marks, painted in order.
  function marksOf(source, at) {
    if (source.localName === "svg") return [placed(source, at)].filter((made) => made !== null);
    const style = getComputedStyle(source);
    if (isUnseen(style)) return [];
    const marks = boxOf(source, style, at);
    for (const child of source.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) marks.push(...lines(child, style, at));
      else if (child.nodeType === Node.ELEMENT_NODE) marks.push(...marksOf(child, at));
    }
    return marks;
  }

  function boxOf(source, style, at) {
    const { left, top, width, height } = source.getBoundingClientRect();
    const [x, y] = [left - at.left, top - at.top];
    const marks = [];
    if (colour(style.backgroundColor).alpha > 0) {
      const rect = element("rect", { x: tidy(x), y: tidy(y), width: tidy(width), height: tidy(height) });
      if (parseFloat(style.borderTopLeftRadius) > 0) rect.setAttribute("rx", parseFloat(style.borderTopLeftRadius));
      paint(rect, "fill", style.backgroundColor);
      marks.push(rect);
    }
    for (const [side, x1, y1, x2, y2] of [
      ["Top", x, y, x + width, y], ["Bottom", x, y + height, x + width, y + height],
      ["Left", x, y, x, y + height], ["Right", x + width, y, x + width, y + height],
    ]) {
      const size = parseFloat(style["border" + side + "Width"]);
      if (!(size > 0) || ["none", "hidden"].includes(style["border" + side + "Style"])) continue;
      const line = element("line", { x1: tidy(x1), y1: tidy(y1), x2: tidy(x2), y2: tidy(y2), "stroke-width": size });
      paint(line, "stroke", style["border" + side + "Color"]);
      marks.push(line);
    }
    return marks;
  }

  // The lines a text is broken into.
  function lines(node, style, at) {
    const text = node.data.trim();
    if (text === "") return [];
    const range = document.createRange();
    // A space at the end of a line may have room of its own, or none.
    const begin = node.data.indexOf(text);
    const rectsFrom = (from, length) => {
      range.setStart(node, begin + from);
      range.setEnd(node, begin + from + length);
      return range.getClientRects();
    };
    const all = rectsFrom(0, text.length);
    if (all.length === 1) return [line(text, all[0], style, at)];
    const found = [];
    let from = 0;
    for (const character of text) {
      const [rect] = rectsFrom(from, character.length);
      from += character.length;
      if (rect === undefined || (rect.width === 0 && character.trim() === "")) continue;
      const last = found[found.length - 1];
      if (last !== undefined && Math.abs(last.top - rect.top) < rect.height / 2) {
        Object.assign(last, { text: last.text + character, left: Math.min(last.left, rect.left), right: Math.max(last.right, rect.right) });
      } else if (character.trim() !== "") {
        const { left, right, top, height } = rect;
        found.push({ text: character, left, right, top, height });
      }
    }
    return found.map((one) => line(one.text, one, style, at));
  }

  function line(text, rect, style, at) {
    ruler.font = [style.fontStyle, style.fontWeight, style.fontSize, style.fontFamily].join(" ");
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = ruler.measureText("x");
    const baseline = rect.top + (rect.height - above - below) / 2 + above - at.top;
    const isLeft = style.direction === "ltr";
    const made = element("text", { x: tidy((isLeft ? rect.left : rect.right) - at.left), y: tidy(baseline) });
    set(made, style, ["font-family", "font-size", "font-weight", "font-style", "letter-spacing", "direction"]);
    paint(made, "fill", style.color);
    const upper = style.textTransform === "uppercase";
    made.textContent = clean((upper ? text.toUpperCase() : text).replace(/\s+/g, " ").trim());
    return made;
  }

  function paper(source) {
    for (let one = source; one !== null; one = one.parentElement) {
      const { backgroundColor } = getComputedStyle(one);
      if (colour(backgroundColor).alpha === 1) return colour(backgroundColor).hex;
    }
    return "#ffffff";
  }

  // What stands above a picture, so that it says what it is about wherever it is pasted: of what it is, and what is hypothetical.
  function linesAbove(source, about, note) {
    const style = getComputedStyle(source);
    return [
      { text: about, colour: "--soft", weight: 400 },
      { text: note, colour: "--edited", weight: 600 },
    ]
      .filter(({ text }) => text !== "")
      .map(({ text, colour: name, weight }, k) => {
        ruler.font = weight + " " + SIZE + "px " + FONT;
        const type = { "font-family": FONT, "font-size": SIZE + "px", "font-weight": weight };
        const { hex } = colour(style.getPropertyValue(name).trim());
        return {
          width: ruler.measureText(text).width,
          mark: element("text", { x: MARGIN, y: MARGIN + k * LINE + SIZE - 2, fill: hex, ...type }, text),
        };
      });
  }

  // `title` names it; `about` and `note`, where there is one, are painted above it.
  function svgOf(source, title, about, note) {
    const at = source.getBoundingClientRect();
    const said = linesAbove(source, about, note);
    const above = MARGIN + said.length * LINE + GAP;
    const width = Math.ceil(Math.max(at.width, ...said.map((line) => line.width))) + 2 * MARGIN;
    const height = Math.ceil(at.height) + above + MARGIN;
    const svg = element("svg", { width, height, viewBox: "0 0 " + width + " " + height, role: "img" });
    svg.append(element("title", {}, title + (note === "" ? "" : ". " + note)));
    svg.append(element("rect", { width, height, fill: paper(source) }));
    svg.append(...said.map((line) => line.mark));
    const inside = element("g", { transform: "translate(" + MARGIN + " " + above + ")" });
    inside.append(...marksOf(source, at));
    svg.append(inside);
    return new XMLSerializer().serializeToString(svg) + "\n";
  }

  // A promise of the picture as a PNG, in which one of its units is two pixels, or as many as there is room for.
  async function pngOf(svg) {
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    await image.decode();
    const sharp = Math.min(SHARP, LARGEST / Math.max(image.width, image.height));
    const sheet = canvas(Math.round(image.width * sharp), Math.round(image.height * sharp));
    sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
    const png = await new Promise((resolve) => sheet.toBlob(resolve, "image/png"));
    if (png === null) throw new Error("This browser cannot draw the picture.");
    return png;
  }

  AgentBlame.pictures = { svgOf, pngOf };
})(globalThis.AgentBlame);
