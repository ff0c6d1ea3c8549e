// Turns what is said over all failures into the elements the builder made for it.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, setItems, make, isolated } = AgentBlame.dom;
  const { figures, strips } = AgentBlame;

  // `titles` are the fixes'; `pick(player, bin)` is called for a place in a strip that a reader chooses.
  AgentBlame.views.batch = function (box, titles, pick) {
    const body = part(box, "batch-lines");
    const rows = body === null ? [] : Array.from(body.children);
    const rowOf = new Map(rows.map((row) => [Number(row.dataset.fix), row]));
    const pickers = new Map();
    rowOf.forEach((row, player) => {
      pickers.set(player, AgentBlame.stripPicker(row, (bin) => pick(player, bin)));
    });
    const set = (name, text) => {
      const element = part(box, name);
      if (element !== null) setText(element, text);
    };
    const drawn = new Map();

    // Whether something is to be drawn: it is not as it was when this was last asked.
    function isNew(name, told) {
      const text = JSON.stringify(told);
      if (drawn.get(name) === text) return false;
      drawn.set(name, text);
      return true;
    }

    // One child for each item; those whose item is as before stay.
    function fill(name, items, makeOne) {
      const element = part(box, name);
      if (element === null) return;
      items.forEach((item, k) => {
        const there = element.children[k];
        if (!isNew(name + k, item) && there !== undefined) return;
        if (there === undefined) element.append(makeOne(item, k));
        else there.replaceWith(makeOne(item, k));
      });
      while (element.children.length > items.length) element.lastElementChild.remove();
    }

    function cellOf(bar, text) {
      const cell = make("span", { class: "cell" });
      cell.append(bar, make("span", { class: "number" }, text));
      const box = make("td", {});
      box.append(cell);
      return box;
    }

    function showLine(line) {
      if (!isNew("line" + line.player, line)) return;
      const row = rowOf.get(line.player);
      for (const name of ["place", "mean", "interval", "deviation", "share", "alone", "necessity", "sufficiency"]) {
        setText(part(row, name), line[name]);
      }
      for (const name of ["necessity_of", "sufficiency_of"]) {
        setText(part(row, name.replace("_", "-")), line[name]);
      }
      // There is no such column where the steps have no order.
      const touch = part(row, "last-touch");
      if (touch !== null) setText(touch, line.last_touch);
      figures.draw(row.querySelector(".bar"), line.bar, line.whiskers);
      strips.draw(part(row, "strip").querySelector("svg"), line.strip);
      pickers.get(line.player).show(line.strip, line.title);
    }

    // Rows in the order of the view; what has the focus keeps it.
    function sortRows(lines) {
      const focused = document.activeElement;
      lines.forEach((line, k) => {
        const row = rowOf.get(line.player);
        if (body.children[k] !== row) body.insertBefore(row, body.children[k] || null);
      });
      if (focused !== document.activeElement && body.contains(focused)) focused.focus();
    }

    function setRow(line, size) {
      const row = make("tr", {});
      const name = make("th", { scope: "row" });
      name.append(make("bdi", { "data-part": "set-name" }, line.name), make("small", { "data-part": "set-ties" }, line.ties));
      row.append(make("td", { class: "count" }, String(size)), name, cellOf(figures.make(line.bar), line.cases));
      row.querySelector(".number").setAttribute("data-part", "set-cases");
      return row;
    }

    function minimalRow(line) {
      const row = make("tr", {});
      const name = isolated("th", line.name);
      name.setAttribute("scope", "row");
      row.append(name, cellOf(figures.make(line.bar), line.cases));
      return row;
    }

    function rangeRow(line) {
      const row = make("tr", {});
      row.append(make("th", { scope: "row" }, line.text));
      row.append(...line.cases.map((count) => make("td", { class: "count" }, String(count))));
      return row;
    }

    function pairCell(pair) {
      if (pair === null) return make("td", { class: "pair-none" }, "\u00b7");
      const cell = make("td", { class: "pair pair-" + pair.word, "data-shade": pair.shade });
      cell.append(make("span", { class: "number" }, pair.number), " ", make("small", {}, pair.word));
      return cell;
    }

    function pairsRow(name, pairs) {
      const row = make("tr", {});
      const head = isolated("th", name);
      head.setAttribute("scope", "row");
      row.append(head, ...pairs.map(pairCell));
      return row;
    }

    function endOf([name, text]) {
      const end = make("div", {});
      end.append(make("dt", {}, name), make("dd", {}, text));
      return end;
    }

    function show(view, table) {
      set("batch-headline", view.headline);
      setItems(part(box, "batch-remarks"), "li", view.remarks);
      fill("batch-ends", view.ends, endOf);
      if (body === null) return;
      view.lines.forEach(showLine);
      setHidden(part(box, "batch-interval"), !view.intervals);
      body.parentElement.classList.toggle("is-unshared", !view.shares);
      sortRows(view.lines);
      set("batch-control", view.control);
      set("batch-together", view.together);
      fill("batch-ranges", view.ranges, rangeRow);
      set("batch-rarer", view.rarer);
      set("batch-partly", view.partly);
      setHidden(part(box, "batch-partly"), view.partly === "");
      const sentence = part(box, "batch-sets-sentence").firstElementChild;
      setText(sentence, view.sets_sentence);
      fill("batch-sets", view.sets, setRow);
      fill("batch-minimal", view.minimal, minimalRow);
      for (const name of ["batch-every", "batch-interplay"]) {
        if (part(box, name) !== null) setHidden(part(box, name), table.exact === 0);
      }
      setHidden(part(box, "batch-sampled"), table.exact > 0 || table.complete === 0);
      set("batch-pairs-note", view.pairs_note);
      fill("batch-matrix", view.matrix, (pairs, player) => pairsRow(titles[player], pairs));
      fill("batch-strongest", view.strongest, ([name, pair]) => pairsRow(name, [pair]));
    }

    return { show };
  };
})(globalThis.AgentBlame);
