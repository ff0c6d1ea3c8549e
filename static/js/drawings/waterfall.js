// Turns a case's outcomes along one order of fixes into a waterfall, as the builder's waterfall.py does.
(function (AgentBlame) {
  "use strict";

  const { figures, wording } = AgentBlame;
  const { mark, shortened } = AgentBlame.drawing;
  const [WIDTH, ROW, EDGE, BAR] = [360, 46, 8, 16];
  const MOST_COUNTED = 8;

  // What the fixes add when they are switched on one after another; `path` lists the players in that order, `edited` is a Map
  // or Set of the masks whose outcome is hypothetical. In a rational table a difference is one of whole numbers, divided once.
  function waterfall(titles, table, path, level, worlds, edited) {
    const { worth, denominator } = table;
    const under = denominator === null ? 1 : denominator;
    const share = (value) => (value === null ? null : value / under);
    let mask = 0;
    const steps = path.map((player) => {
      const [before, wasEdited] = [worth[mask], edited.has(mask)];
      mask += 2 ** player;
      const [after, isEdited] = [worth[mask], edited.has(mask)];
      const change = before === null || after === null ? null : (after - before) / under;
      return { player, before: share(before), after: share(after), change, wasEdited, isEdited };
    });
    const unit = denominator === null ? 0 : 1;
    return { titles, start: share(worth[0]), startEdited: edited.has(0), steps, level, worlds, unit };
  }

  function drawing(found) {
    const values = [found.start, ...found.steps.map((step) => step.after)];
    const span = figures.scale(values.filter((value) => value !== null), found.unit);
    const height = ROW * (found.steps.length + 2) + EDGE;
    const marks = [upright("axis", xOf(0, span), height)];
    if (span.low <= found.level && found.level <= span.high) marks.push(upright("level", xOf(found.level, span), height));
    marks.push(end("No fix", found.start, found.startEdited, found, span, 0));
    found.steps.forEach((step, k) => marks.push(floating(step, found.titles[step.player], span, k + 1)));
    const last = found.steps[found.steps.length - 1];
    marks.push(end("All fixes", last.after, last.isEdited, found, span, found.steps.length + 1));
    return { width: WIDTH, height, marks };
  }

  function xOf(value, span) {
    const largest = Math.max(-span.low, span.high);
    const low = span.low / largest;
    const high = span.high / largest;
    return EDGE + Math.floor(((value / largest - low) / (high - low)) * (WIDTH - 2 * EDGE) + 0.5);
  }

  function upright(kind, x, height) {
    return mark("line", kind, { x1: x, y1: 0, x2: x, y2: height });
  }

  function bar(kind, a, b, top) {
    return mark("rect", kind, { x: Math.min(a, b), y: top + 22, width: Math.max(2, Math.abs(b - a)), height: BAR });
  }

  // The row without any fix or with all of them: a bar from zero.
  function end(name, value, edited, found, span, row) {
    const top = row * ROW;
    const said = wording.outcome(value, found.worlds, found.level);
    const text = said.number === "" ? said.word : said.word + " " + said.number;
    const marks = labels(name, marked(text, edited), top);
    if (value === null) {
      marks.push(hole(top));
    } else {
      marks.push(bar("fall is-end is-" + said.state, xOf(0, span), xOf(value, span), top));
      if (row === 0) marks.push(link(xOf(value, span), top));
    }
    return mark("g", "row", { "data-key": row === 0 ? "start" : "end" }, marks);
  }

  function floating(step, title, span, row) {
    const top = row * ROW;
    const marks = [mark("title", "", {}, title), ...labels(shortened(title, 30), numberOf(step), top)];
    if (step.before === null || step.after === null) marks.push(hole(top));
    else marks.push(stretch(step.before, step.after, span, top));
    if (step.after !== null) marks.push(link(xOf(step.after, span), top));
    return mark("g", "row is-movable", { "data-key": step.player }, marks);
  }

  // The bar of a change; of none only the line that goes on, which cannot be read as one.
  function stretch(before, after, span, top) {
    const x = xOf(before, span);
    if (before === after) return mark("line", "link", { x1: x, y1: top + 22, x2: x, y2: top + 22 + BAR });
    return bar(after < before ? "fall is-lower" : "fall", x, xOf(after, span), top);
  }

  function labels(name, number, top) {
    return [
      mark("text", "name", { x: EDGE, y: top + 16 }, name),
      mark("text", "number", { x: WIDTH - EDGE, y: top + 16, "text-anchor": "end" }, number),
    ];
  }

  function hole(top) {
    return mark("line", "hole", { x1: EDGE, y1: top + 30, x2: WIDTH - EDGE, y2: top + 30 });
  }

  function link(x, top) {
    return mark("line", "link", { x1: x, y1: top + 22 + BAR, x2: x, y2: top + ROW + 22 });
  }

  function rows(found) {
    return found.steps.map((step) => ({
      player: step.player,
      title: found.titles[step.player],
      outcome: wording.outcome(step.after, found.worlds, found.level),
      edited: step.isEdited,
      change: step.change === null ? wording.NOT_COMPUTED : numberOf(step),
    }));
  }

  // What a fix adds; a change from or to a hypothetical outcome is one itself.
  function numberOf(step) {
    return marked(changeText(step.change), step.change !== null && (step.wasEdited || step.isEdited));
  }

  function marked(text, edited) {
    return edited ? text + " \u00b7 edited" : text;
  }

  function changeText(change) {
    if (change === null) return "no outcome";
    const text = AgentBlame.rules.numberText(change);
    return change > 0 && !text.startsWith("<") ? "+" + text : text;
  }

  function sentence(found) {
    return largest(found) + " " + allOrders(found.steps.length);
  }

  function largest(found) {
    const changes = found.steps.map((step) => step.change);
    if (changes.includes(null)) return "Outcomes on the way are missing, so the fixes next to them have no number.";
    const most = Math.max(...changes);
    if (most <= 0) return "In this order no fix adds anything.";
    const names = found.steps.filter((step) => step.change === most).map((step) => AgentBlame.rules.isolated(found.titles[step.player]));
    const one = names.length === 1;
    const all = one ? names[0] : names.slice(0, -1).join(", ") + " and " + names[names.length - 1];
    return "In this order " + all + (one ? " adds" : " add") + " most (" + changeText(most) + (one ? "" : " each") + ").";
  }

  function allOrders(players) {
    if (players === 1) return "There is one fix, so there is one order: what it adds is its Shapley value.";
    let orders = 1;
    for (let k = 2; k <= players; k += 1) orders *= k;
    const all = players === 2 ? "both orders" : players <= MOST_COUNTED ? "all " + orders + " orders" : "all orders";
    return "In another order the same fix may add more or less; its Shapley value is the mean of what it adds over " + all + ".";
  }

  // The row under a height of the picture, counted from the first fix; it stays among the fixes.
  function rowAt(players, y) {
    return Math.min(players - 1, Math.max(0, Math.floor(y / ROW) - 1));
  }

  // An order with the fix at one place moved to another.
  function movedTo(path, from, to) {
    const rest = path.filter((player, k) => k !== from);
    return [...rest.slice(0, to), path[from], ...rest.slice(to)];
  }

  AgentBlame.waterfall = { waterfall, drawing, rows, sentence, rowAt, movedTo };
})(globalThis.AgentBlame);
