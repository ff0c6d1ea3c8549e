// Turns outcomes of every combination of few fixes into layers of boxes: no fix above, all below, as the builder's
// lattice_layers.py does, and a place in it into a combination.
(function (AgentBlame) {
  "use strict";

  const { coalitions, wording } = AgentBlame;
  const { mark, shortened } = AgentBlame.drawing;
  const { endsOf, kindOf, isPlain } = AgentBlame.latticeOutcomes;
  const [BOX, STEP, GAP, MARGIN, HEAD, LINE] = [98, 106, 40, 8, 32, 15];
  // Longest number that fits a box; longer ones are in the table.
  const LONGEST = 8;

  const LAYERS = [[1], [1, 1], [1, 2, 1], [1, 3, 3, 1], [1, 4, 6, 4, 1], [1, 5, 10, 10, 5, 1]];

  const half = (number) => Math.floor(number / 2);
  const choose = (players, size) => LAYERS[players][size];
  // Of the longest name of a box.
  const linesOf = (players) => [1, 1, 1, 2, 2, 3][players];
  const heightOf = (players) => HEAD + LINE * linesOf(players) + 6;

  function drawing(found, mask, edited) {
    const players = found.titles.length;
    const ends = endsOf(found);
    const marks = [edges(found, mask)];
    for (let each = 0; each < 2 ** players; each += 1) marks.push(node(each, found, ends, each === mask, edited.has(each)));
    const width = STEP * choose(players, half(players)) + MARGIN;
    return { width, height: (players + 1) * heightOf(players) + players * GAP + 2 * MARGIN, marks };
  }

  function sizeOf(mask) {
    let size = 0;
    for (let rest = mask; rest > 0; rest = half(rest)) size += rest % 2;
    return size;
  }

  function boxOf(players, mask) {
    const size = sizeOf(mask);
    let before = 0;
    for (let each = 0; each < mask; each += 1) before += sizeOf(each) === size ? 1 : 0;
    const left = (choose(players, half(players)) - choose(players, size)) * half(STEP);
    const x = half(MARGIN) + left + before * STEP + half(STEP - BOX);
    return { x, y: MARGIN + size * (heightOf(players) + GAP), width: BOX, height: heightOf(players) };
  }

  function edges(found, mask) {
    const players = found.titles.length;
    const boxes = found.shares.map((share, each) => boxOf(players, each));
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
    const { x, y, width, height } = boxOf(players, mask);
    const said = wording.outcome(share, found.worlds, found.level);
    const middle = x + half(width);
    const text = wording.coalitionName(mask, titles) + ": " + said.word + (edited ? ", edited" : "");
    const marks = [mark("title", "", {}, text)];
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

  // The combination whose box is at a point, or null.
  function maskAt(players, x, y) {
    const inside = (box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
    const found = Array.from({ length: 2 ** players }, (none, mask) => mask).find((mask) => inside(boxOf(players, mask)));
    return found === undefined ? null : found;
  }

  // The box beside one, or the nearest in the layer above (which takes a fix away) or below (which adds one).
  function neighbour(players, mask, right, down) {
    const box = boxOf(players, mask);
    if (right !== 0) return maskAt(players, box.x + 1 + right * STEP, box.y + 1);
    const near = Array.from({ length: players }, (none, player) => player)
      .filter((player) => coalitions.has(mask, player) === (down < 0))
      .map((player) => coalitions.toggled(mask, player));
    const away = (each) => Math.abs(boxOf(players, each).x - box.x);
    near.sort((a, b) => away(a) - away(b) || a - b);
    return near.length === 0 ? null : near[0];
  }

  AgentBlame.latticeLayers = { drawing, boxOf, maskAt, neighbour };
})(globalThis.AgentBlame);
