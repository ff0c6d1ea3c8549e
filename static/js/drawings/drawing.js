// Turns a drawing, a list of marks in whole units, into what an SVG shows, touching only what changed; the builder makes
// the same marks with drawing.py.
//
// A mark is { tag, attributes, content }; its content is a text or marks. Marks with a "data-key" keep their element when
// they change places.
(function (AgentBlame) {
  "use strict";

  const SVG = "http:" + "//www.w3.org/2000/svg";
  // From this character on (Chinese, Japanese, Korean, pictures) one takes the room of two.
  const WIDE = "\u2e80";

  function mark(tag, kind, attributes, content) {
    return { tag, attributes: kind === "" ? attributes : { class: kind, ...attributes }, content: content || [] };
  }

  function draw(svg, drawing) {
    const { width, height } = drawing;
    setAttributes(svg, { viewBox: "0 0 " + width + " " + height, width, height });
    place(svg, drawing.marks);
  }

  function setAttributes(element, attributes) {
    for (const name of Object.keys(attributes)) {
      const value = AgentBlame.dom.visible(String(attributes[name]));
      if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
  }

  // The elements that are there are used again: one of the same key, or one in the same place if neither has a key.
  function place(parent, marks) {
    const keyed = new Map();
    for (const child of parent.children) if (child.dataset.key !== undefined) keyed.set(child.dataset.key, child);
    marks.forEach((one, k) => {
      const there = parent.children[k] || null;
      const element = fitting(one, there, keyed) || document.createElementNS(SVG, one.tag);
      if (element !== there) parent.insertBefore(element, there);
      fill(element, one);
    });
    while (parent.children.length > marks.length) parent.lastElementChild.remove();
  }

  function fitting(one, there, keyed) {
    const key = one.attributes["data-key"];
    const found = key === undefined ? there : keyed.get(String(key)) || null;
    if (found === null || found.tagName !== one.tag) return null;
    return key === undefined && found.dataset.key !== undefined ? null : found;
  }

  function fill(element, one) {
    for (const name of element.getAttributeNames()) {
      if (!Object.prototype.hasOwnProperty.call(one.attributes, name)) element.removeAttribute(name);
    }
    setAttributes(element, one.attributes);
    if (typeof one.content === "string") AgentBlame.dom.setText(element, one.content);
    else place(element, one.content);
  }

  function room(text) {
    return Array.from(text).reduce((sum, character) => sum + (character >= WIDE ? 2 : 1), 0);
  }

  // At most the room of `most` letters, with an ellipsis where something was cut.
  function shortened(text, most) {
    if (room(text) <= most) return text;
    let kept = "";
    let left = most - 1;
    for (const character of text) {
      left -= room(character);
      if (left < 0) break;
      kept += character;
    }
    return kept + "\u2026";
  }

  AgentBlame.drawing = { mark, draw, room, shortened };
})(globalThis.AgentBlame);
