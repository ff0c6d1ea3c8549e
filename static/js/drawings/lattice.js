// Turns the outcomes of every combination of fixes into one picture, as the builder's lattice_picture.py does, and a place
// in it into a combination and what is said of that.
//
// `found` is { titles, shares, level, worlds, graded }; shares are outcomes by mask, null where there is none.
(function (AgentBlame) {
  "use strict";

  const { coalitions, wording } = AgentBlame;
  const { mark, shortened } = AgentBlame.drawing;
  const MOST_IN_LAYERS = 5;
  const MOST_IN_GRID = 12;
  const SHADES = 5;
  const [BOX, STEP, GAP, MARGIN, HEAD, LINE] = [98, 106, 40, 8, 32, 15];
  const CELL = { 8: 40, 16: 32, 32: 20, 64: 12 };
  const [STRIP, NAMES, SPACE] = [16, 136, 8];
  // Longest number that fits a box; longer ones are in the table.
  const LONGEST = 8;

  const half = (number) => Math.floor(number / 2);
  const inLayers = (players) => players <= MOST_IN_LAYERS;

  function tooMany(players) {
    if (players <= MOST_IN_GRID) return "";
    return "There are " + 2 ** players + " combinations, too many for a picture. The table below lists them.";
  }

  function shadesText(found) {
    const { numberText } = AgentBlame.rules;
    const [low, high] = range(found);
    if (found.graded) {
      const ends = "Shades run from " + numberText(low) + " to " + numberText(high);
      return ends + ": the deeper the green or the red, the farther from what passes just so.";
    }
    if (found.worlds === 1) return "";
    return "Shades: the deeper the green, the more of the " + found.worlds + " worlds pass; the deeper the red, the fewer.";
  }

  // `edited` is a Map or Set of the masks whose outcome is hypothetical.
  function drawing(found, mask, edited) {
    return (inLayers(found.titles.length) ? layers : grid)(found, mask, edited);
  }

  function boxOf(players, mask) {
    return inLayers(players) ? boxInLayers(players, mask) : boxInGrid(players, mask);
  }

  // The outcomes that have the outermost shades.
  function range(found) {
    if (!found.graded) return [0, 1];
    const known = found.shares.filter((share) => share !== null);
    return known.length === 0 ? [0, 0] : known.reduce(([low, high], share) => [Math.min(low, share), Math.max(high, share)], [known[0], known[0]]);
  }

  function shade(share, low, high) {
    const largest = Math.max(Math.abs(low), Math.abs(high));
    if (!(low < high)) return half(SHADES);
    const fromLow = share / largest - low / largest;
    return Math.floor((fromLow / (high / largest - low / largest)) * (SHADES - 1) + 0.5);
  }

  function kindOf(share, found, ends) {
    if (share === null) return "is-missing";
    return "is-" + (share >= found.level ? "pass" : "fail") + " shade-" + shade(share, ends[0], ends[1]);
  }

  // Layers: no fix above, all fixes below; a line joins what differs in one fix.

  function layers(found, mask, edited) {
    const players = found.titles.length;
    const ends = range(found);
    const marks = [edges(found, mask)];
    for (let each = 0; each < 2 ** players; each += 1) marks.push(node(each, found, ends, each === mask, edited.has(each)));
    const width = STEP * choose(players, half(players)) + MARGIN;
    return { width, height: (players + 1) * heightOf(players) + players * GAP + 2 * MARGIN, marks };
  }

  const LAYERS = [[1], [1, 1], [1, 2, 1], [1, 3, 3, 1], [1, 4, 6, 4, 1], [1, 5, 10, 10, 5, 1]];
  const choose = (players, size) => LAYERS[players][size];
  const linesOf = (players) => [1, 1, 1, 2, 2, 3][players];
  const heightOf = (players) => HEAD + LINE * linesOf(players) + 6;

  function sizeOf(mask) {
    let size = 0;
    for (let rest = mask; rest > 0; rest = half(rest)) size += rest % 2;
    return size;
  }

  function boxInLayers(players, mask) {
    const size = sizeOf(mask);
    let before = 0;
    for (let each = 0; each < mask; each += 1) before += sizeOf(each) === size ? 1 : 0;
    const left = (choose(players, half(players)) - choose(players, size)) * half(STEP);
    const x = half(MARGIN) + left + before * STEP + half(STEP - BOX);
    return { x, y: MARGIN + size * (heightOf(players) + GAP), width: BOX, height: heightOf(players) };
  }

  function edges(found, mask) {
    const players = found.titles.length;
    const boxes = found.shares.map((share, each) => boxInLayers(players, each));
    const lines = [];
    boxes.forEach((a, lower) => {
      for (let player = 0; player < players; player += 1) {
        if (coalitions.has(lower, player)) continue;
        const upper = coalitions.toggled(lower, player);
        const b = boxes[upper];
        const near = mask === lower || mask === upper ? " is-near" : "";
        const kind = "edge" + turn(found.shares[lower], found.shares[upper], found.level) + near;
        lines.push(mark("line", kind, { x1: a.x + half(BOX), y1: a.y + a.height, x2: b.x + half(BOX), y2: b.y }));
      }
    });
    return mark("g", "edges", {}, lines);
  }

  function turn(before, after, level) {
    if (before === null || after === null || before >= level === after >= level) return "";
    return after >= level ? " turns-pass" : " turns-fail";
  }

  function node(mask, found, ends, on, edited) {
    const { titles } = found;
    const players = titles.length;
    const share = found.shares[mask];
    const { x, y, width, height } = boxInLayers(players, mask);
    const said = wording.outcome(share, found.worlds, found.level);
    const middle = x + half(width);
    const marks = [mark("title", "", {}, wording.coalitionName(mask, titles) + ": " + said.word)];
    if (on) marks.push(mark("rect", "ring", { x: x - 4, y: y - 4, width: width + 8, height: height + 8, rx: 11 }));
    marks.push(mark("rect", "box " + kindOf(share, found, ends), { x, y, width, height, rx: 8 }));
    marks.push(...sign(said.state, x + 16, y + 17));
    marks.push(mark("text", "said is-" + said.state, { x: x + 30, y: y + 22 }, shortOutcome(said, found)));
    const names = namesOf(mask, titles);
    const first = y + HEAD + 11 + half((linesOf(players) - names.length) * LINE);
    names.forEach((name, k) => {
      marks.push(mark("text", "name", { x: middle, y: first + k * LINE, "text-anchor": "middle" }, shortened(name, 14)));
    });
    if (edited) {
      marks.push(mark("rect", "edited-box", { x: middle - 24, y: y + height - 7, width: 48, height: 14, rx: 7 }));
      marks.push(mark("text", "edited-text", { x: middle, y: y + height + 4, "text-anchor": "middle" }, "edited"));
    }
    return mark("g", "node", { "data-coalition": mask }, marks);
  }

  const isPlain = (said, found) => found.worlds === 1 && !found.graded && ["0", "1"].includes(said.number);

  // A plain pass or fail in a word, anything else as its number.
  function shortOutcome(said, found) {
    if (said.state === "missing") return "Missing";
    return isPlain(said, found) || said.number.length > LONGEST ? said.word : said.number;
  }

  function namesOf(mask, titles) {
    const players = titles.length;
    const size = sizeOf(mask);
    if (size === 0 || (size === players && players > 1)) return [wording.coalitionName(mask, titles)];
    const off = titles.filter((title, player) => !coalitions.has(mask, player));
    if (players > 3 && off.length === 1) return ["all but", off[0]];
    return titles.filter((title, player) => coalitions.has(mask, player));
  }

  function sign(state, x, y) {
    if (state === "pass") {
      const tick = mark("path", "sign-line", { d: "M" + (x - 4) + " " + y + "l3 3 5 -6" });
      return [mark("circle", "sign is-pass", { cx: x, cy: y, r: 8 }), tick];
    }
    if (state === "fail") {
      const cross = mark("path", "sign-line", { d: "M" + (x - 3) + " " + (y - 3) + "l6 6m0 -6l-6 6" });
      return [mark("rect", "sign is-fail", { x: x - 8, y: y - 8, width: 16, height: 16, rx: 3 }), cross];
    }
    return [mark("circle", "sign is-missing", { cx: x, cy: y, r: 7 })];
  }

  // The grid: the first half of the fixes runs along it, the rest down; cells that touch differ in one fix.

  const alongOf = (players) => half(players + 1);
  const downOf = (players) => half(players);

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
    const [along, down] = [alongOf(players), downOf(players)];
    const cell = CELL[2 ** along];
    return { along, down, cell, left: Math.max(NAMES, down * STRIP) + SPACE, top: along * STRIP + SPACE };
  }

  function boxInGrid(players, mask) {
    const { along, down, cell, left, top } = frame(players);
    const column = placeOf(mask % 2 ** along, along);
    const row = placeOf(Math.floor(mask / 2 ** along), down);
    return { x: left + column * cell, y: top + row * cell, width: cell, height: cell };
  }

  function grid(found, mask, edited) {
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
    const corners = Array.from(edited.keys()).sort((a, b) => a - b).map((each) => boxInGrid(players, each));
    if (corners.length > 0) {
      const path = corners.map((box) => "M" + (box.x + cell) + " " + box.y + "v" + size + "l-" + size + " -" + size + "z").join("");
      marks.push(mark("path", "edited-corner", { d: path }));
    }
    const { x, y, width, height } = boxInGrid(players, mask);
    marks.push(mark("rect", "ring", { x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 3 }));
    return { width: right + SPACE, height: bottom + down * STRIP + SPACE, marks };
  }

  function cells(found) {
    const { along, down, cell, left, top } = frame(found.titles.length);
    const ends = range(found);
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

  // The combination drawn at a point, or null.
  function maskAt(players, x, y) {
    const inside = (box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
    if (inLayers(players)) {
      const found = Array.from({ length: 2 ** players }, (none, mask) => mask).find((mask) => inside(boxInLayers(players, mask)));
      return found === undefined ? null : found;
    }
    const { along, down, cell, left, top } = frame(players);
    const [column, row] = [Math.floor((x - left) / cell), Math.floor((y - top) / cell)];
    if (column < 0 || row < 0 || column >= 2 ** along || row >= 2 ** down) return null;
    return fixesAt(column, along) + 2 ** along * fixesAt(row, down);
  }

  // Where an arrow key leads: to the neighbour in the picture. In layers, up takes a fix away and down adds one.
  function moved(players, mask, key) {
    const box = boxOf(players, mask);
    const [right, down] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
    if (!inLayers(players) || right !== 0) {
      const step = inLayers(players) ? STEP : box.width;
      const to = maskAt(players, box.x + 1 + right * step, box.y + 1 + down * box.height);
      return to === null ? mask : to;
    }
    const near = Array.from({ length: players }, (none, player) => player)
      .filter((player) => coalitions.has(mask, player) === (down < 0))
      .map((player) => coalitions.toggled(mask, player));
    const away = (each) => Math.abs(boxOf(players, each).x - box.x);
    near.sort((a, b) => away(a) - away(b) || a - b);
    return near.length === 0 ? mask : near[0];
  }

  // What a combination gives, and what one fix more or less would.
  function explained(found, mask, edited) {
    const { titles } = found;
    const said = (each) => wording.outcome(found.shares[each], found.worlds, found.level);
    const text = (each) => {
      const { word, number } = said(each);
      return number === "" || isPlain(said(each), found) ? word : word + " (" + number + ")";
    };
    const steps = (adding) => {
      const groups = new Map();
      titles.forEach((title, player) => {
        if (coalitions.has(mask, player) === adding) return;
        const gives = text(coalitions.toggled(mask, player));
        groups.set(gives, [...(groups.get(gives) || []), title]);
      });
      const verb = adding ? "adding " : "removing ";
      return Array.from(groups, ([gives, names]) => verb + orList(names) + " \u2192 " + gives);
    };
    const own = wording.coalitionName(mask, titles) + ": " + text(mask) + (edited.has(mask) ? ", edited" : "");
    return [own, ...steps(true), ...steps(false)].join("; ") + ".";
  }

  function orList(names) {
    return names.length < 2 ? names.join("") : names.slice(0, -1).join(", ") + " or " + names[names.length - 1];
  }

  // The outcome that a flip gives a combination, null for the one measured: `measured` and `share` are what it was and is,
  // `empty` the outcome without any fix. What fails is lifted to where it passes; what passes falls to nothing, on a scale
  // to where no fix is. A flip of what was flipped takes that back.
  function flipped(found, { measured, share, edited, low, empty }) {
    const passes = share !== null && share >= found.level;
    const passed = measured !== null && measured >= found.level;
    if (edited && (measured === null ? share !== null && !passes : passes !== passed)) return null;
    if (!passes) return found.graded ? found.level : 1;
    if (!found.graded) return 0;
    return empty !== null && empty < found.level ? empty : low;
  }

  AgentBlame.lattice = { MOST_IN_GRID, tooMany, shadesText, drawing, boxOf, maskAt, moved, explained, flipped };
})(globalThis.AgentBlame);
