// Turns outcomes of every combination of many fixes into a grid: a Karnaugh map, whose neighbours differ in one fix, as the
// builder's lattice_grid.py does, and a place in it into a combination.
//
// The first half of the fixes runs along it, the rest down; strips show where each is on.
(function (AgentBlame) {
  "use strict";

  const { coalitions } = AgentBlame;
  const { mark, shortened } = AgentBlame.drawing;
  const { endsOf, kindOf } = AgentBlame.latticeOutcomes;
  const CELL = { 8: 40, 16: 32, 32: 20, 64: 12 };
  const [STRIP, NAMES, SPACE] = [16, 136, 8];

  const half = (number) => Math.floor(number / 2);

  // Which fixes are on in a column or row, as a mask; the first fix changes least often.
  function fixesAt(place, bits) {
    const code = place ^ (place >> 1);
    let fixes = 0;
    for (let bit = 0; bit < bits; bit += 1) if ((code >> (bits - 1 - bit)) & 1) fixes += 2 ** bit;
    return fixes;
  }

  function placeOf(fixes, bits) {
    let place = 0;
    let on = 0;
    for (let bit = 0; bit < bits; bit += 1) {
      on ^= (fixes >> bit) & 1;
      place = 2 * place + on;
    }
    return place;
  }

  function frame(players) {
    const [along, down] = [half(players + 1), half(players)];
    const cell = CELL[2 ** along];
    return { along, down, cell, left: Math.max(NAMES, down * STRIP) + SPACE, top: along * STRIP + SPACE };
  }

  function boxOf(players, mask) {
    const { along, down, cell, left, top } = frame(players);
    const column = placeOf(mask % 2 ** along, along);
    const row = placeOf(Math.floor(mask / 2 ** along), down);
    return { x: left + column * cell, y: top + row * cell, width: cell, height: cell };
  }

  function drawing(found, mask, edited) {
    const players = found.titles.length;
    const { along, down, cell, left, top } = frame(players);
    const right = left + cell * 2 ** along;
    const bottom = top + cell * 2 ** down;
    const marks = [];
    for (let bit = 0; bit < along; bit += 1) marks.push(stripAlong(bit, found.titles, mask));
    for (let bit = 0; bit < down; bit += 1) marks.push(stripDown(bit, found.titles, mask, bottom));
    marks.push(mark("rect", "ground", { x: left, y: top, width: right - left, height: bottom - top }));
    marks.push(...cells(found));
    const size = half(cell);
    const corners = Array.from(edited.keys()).sort((a, b) => a - b).map((each) => boxOf(players, each));
    if (corners.length > 0) {
      const path = corners.map((box) => "M" + (box.x + cell) + " " + box.y + "v" + size + "l-" + size + " -" + size + "z").join("");
      marks.push(mark("path", "edited-corner", { d: path }));
    }
    const { x, y, width, height } = boxOf(players, mask);
    marks.push(mark("rect", "ring", { x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 3 }));
    return { width: right + SPACE, height: bottom + down * STRIP + SPACE, marks };
  }

  function cells(found) {
    const { along, down, cell, left, top } = frame(found.titles.length);
    const ends = endsOf(found);
    const xs = Array.from({ length: 2 ** along }, (none, fixes) => left + placeOf(fixes, along) * cell);
    const ys = Array.from({ length: 2 ** down }, (none, fixes) => top + placeOf(fixes, down) * cell);
    const paths = new Map();
    const shapes = new Map();
    found.shares.forEach((share, mask) => {
      const kind = kindOf(share, found, ends);
      if (!paths.has(kind)) {
        paths.set(kind, []);
        const inset = share === null || share < found.level ? Math.floor(cell / 3) : 1;
        const size = cell - 2 * inset;
        const cross = "l" + size + " " + size + "m0 -" + size + "l-" + size + " " + size;
        shapes.set(kind, { inset, shape: share === null ? cross : "h" + size + "v" + size + "h-" + size + "z" });
      }
      const { inset, shape } = shapes.get(kind);
      paths.get(kind).push("M" + (xs[mask % xs.length] + inset) + " " + (ys[Math.floor(mask / xs.length)] + inset) + shape);
    });
    return Array.from(paths.keys()).sort().map((kind) => mark("path", "cells " + kind, { d: paths.get(kind).join(""), "data-key": kind }));
  }

  // Where a fix is on along an axis: the beginning and length of each run.
  function runs(bit, bits, start, cell) {
    const found = [];
    for (let place = 0; place < 2 ** bits; place += 1) {
      if (!coalitions.has(fixesAt(place, bits), bit)) continue;
      const at = start + place * cell;
      const last = found[found.length - 1];
      if (last !== undefined && last[0] + last[1] === at) last[1] += cell;
      else found.push([at, cell]);
    }
    return found;
  }

  function stripAlong(bit, titles, mask) {
    const { along, cell, left } = frame(titles.length);
    const y = bit * STRIP + 4;
    const path = runs(bit, along, left, cell).map(([x, length]) => "M" + (x + 1) + " " + y + "h" + (length - 2) + "v8h-" + (length - 2) + "z");
    const on = coalitions.has(mask, bit);
    return strip(path.join(""), titles[bit], [name(titles[bit], on, { x: left - SPACE, y: y + 9, "text-anchor": "end" })], on);
  }

  function stripDown(bit, titles, mask, bottom) {
    const { along, down, cell, left, top } = frame(titles.length);
    const x = left - SPACE - (down - bit) * STRIP + 4;
    const path = runs(bit, down, top, cell).map(([y, length]) => "M" + x + " " + (y + 1) + "h8v" + (length - 2) + "h-8z");
    const y = bottom + (down - 1 - bit) * STRIP + 14;
    const leader = mark("path", "leader", { d: "M" + (x + 4) + " " + (bottom + 2) + "V" + (y - 4) + "H" + (left - 2) });
    const title = titles[along + bit];
    const on = coalitions.has(mask, along + bit);
    return strip(path.join(""), title, [leader, name(title, on, { x: left + 2, y })], on);
  }

  function name(title, on, at) {
    return mark("text", "name", at, shortened(title, 16) + (on ? " \u00b7 on" : ""));
  }

  function strip(path, title, more, on) {
    const drawn = [mark("title", "", {}, title), mark("path", "runs", { d: path }), ...more];
    return mark("g", on ? "strip-axis is-on" : "strip-axis", {}, drawn);
  }

  // The combination whose cell is at a point, or null.
  function maskAt(players, x, y) {
    const { along, down, cell, left, top } = frame(players);
    const [column, row] = [Math.floor((x - left) / cell), Math.floor((y - top) / cell)];
    if (column < 0 || row < 0 || column >= 2 ** along || row >= 2 ** down) return null;
    return fixesAt(column, along) + 2 ** along * fixesAt(row, down);
  }

  // The cell beside, above or below one, or null.
  function neighbour(players, mask, right, down) {
    const { x, y, width, height } = boxOf(players, mask);
    return maskAt(players, x + right * width, y + down * height);
  }

  AgentBlame.latticeGrid = { drawing, boxOf, maskAt, neighbour };
})(globalThis.AgentBlame);
