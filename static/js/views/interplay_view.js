// Turns how the fixes work together into lists and tables; a set of fixes in them can be chosen.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, make, isolated } = AgentBlame.dom;
  const { interplay } = AgentBlame;

  AgentBlame.caseViews.interplay = function (root, act) {
    const box = part(root, "interplay");
    if (box === null) return { show() {} };
    const elements = new Map();
    const rows = new Map();
    let drawn = null;

    inside("repairs").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button === null) return;
      act.setMask(Number(button.dataset.set));
      part(root, "steps").scrollIntoView({ block: "start" });
    });

    function inside(name) {
      if (!elements.has(name)) elements.set(name, part(box, name));
      return elements.get(name);
    }

    function viewOf(now) {
      const { sampled } = now.game;
      const reason = (sampled === null ? "" : sampled.needs) || now.withheld;
      if (reason !== "") return interplay.unknown(reason);
      const { worth, denominator } = now.table;
      return interplay.interplayView(interplay.interplayFigures(worth, denominator, now.level, now.graded), now.titles);
    }

    function setNote(name, text) {
      setText(inside(name), text);
      setHidden(inside(name), text === "");
    }

    // One row for each item; those that are there are used again. A row is { element, show }.
    function fill(name, items, makeRow) {
      if (!rows.has(name)) {
        inside(name).replaceChildren();
        rows.set(name, []);
      }
      const there = rows.get(name);
      while (there.length > items.length) there.pop().element.remove();
      items.forEach((item, k) => {
        if (k === there.length) {
          there.push(makeRow(item));
          inside(name).append(there[k].element);
        }
        there[k].show(item);
      });
    }

    function setRow() {
      const element = make("li", {});
      const button = make("button", { type: "button", class: "button needs-script" });
      const names = [make("bdi", {}), make("bdi", { class: "set-name" })];
      button.append(names[0]);
      element.append(button, names[1]);
      const showSet = ([mask, name]) => {
        button.dataset.set = mask;
        names.forEach((one) => setText(one, name));
      };
      return { element, show: showSet };
    }

    function headOf(scope) {
      const head = isolated("th", "");
      head.setAttribute("scope", scope);
      return head;
    }

    // A row of a table, of a name and what `makeCell` makes for each thing in it.
    function tableRow([, things], makeCell) {
      const element = make("tr", {});
      const head = headOf("row");
      const cells = things.map(makeCell);
      element.append(head, ...cells.map((cell) => cell.element));
      const showRow = ([name, shown]) => {
        setText(head.firstElementChild, name);
        cells.forEach((cell, k) => cell.show(shown[k]));
      };
      return { element, show: showRow };
    }

    function numberCell() {
      const element = make("td", { class: "number" });
      return { element, show: (text) => setText(element, text) };
    }

    // A fix has no pair with itself.
    function pairCell(pair) {
      if (pair === null) return { element: make("td", { class: "pair-none" }, "\u00b7"), show() {} };
      const element = make("td", {});
      const number = make("span", { class: "number" });
      const word = make("small", {});
      element.append(number, " ", word);
      const showPair = (found) => {
        const kind = "pair pair-" + found.word;
        if (element.className !== kind) element.className = kind;
        if (element.dataset.shade !== String(found.shade)) element.dataset.shade = found.shade;
        setText(number, found.number);
        setText(word, found.word);
      };
      return { element, show: showPair };
    }

    function headRow(titles) {
      const element = make("tr", {});
      const corner = make("th", { scope: "col" });
      corner.append(make("span", { class: "unseen" }, "Fix"));
      const heads = titles.map(() => headOf("col"));
      element.append(corner, ...heads);
      return { element, show: (shown) => heads.forEach((head, k) => setText(head.firstElementChild, shown[k])) };
    }

    function draw(view, titles) {
      setNote("interplay-reason", view.reason);
      setHidden(inside("interplay-shown"), view.reason !== "");
      const repairs = view.repairs.filter(([mask]) => mask > 0);
      setHidden(inside("repairs-help"), repairs.length === 0);
      fill("repairs", repairs, setRow);
      setNote("repairs-note", view.repairsNote);
      const numbersRow = (item) => tableRow(item, numberCell);
      const pairsRow = (item) => tableRow(item, pairCell);
      fill("causes", view.causes.map((cause) => [cause.title, [cause.needed, cause.enough]]), numbersRow);
      setNote("pairs-note", view.pairsNote);
      const hasMatrix = view.matrix.length > 0;
      setHidden(inside("matrix-box"), !hasMatrix);
      fill("matrix-head", hasMatrix ? [titles] : [], headRow);
      fill("matrix", view.matrix.map((pairs, k) => [titles[k], pairs]), pairsRow);
      setHidden(inside("strongest-box"), view.strongest.length === 0);
      fill("strongest", view.strongest.map(([name, pair]) => [name, [pair]]), pairsRow);
      setHidden(inside("dividends-box"), view.dividends.length === 0);
      fill("dividends", view.dividends.map(([name, text]) => [name, [text]]), numbersRow);
      setNote("dividends-note", view.dividendsNote);
    }

    function show(now) {
      if (drawn !== now.version) draw(viewOf(now), now.titles);
      drawn = now.version;
      for (const button of inside("repairs").querySelectorAll("button")) {
        const here = Number(button.dataset.set) === now.mask;
        button.setAttribute("aria-pressed", String(here));
      }
    }

    return { show };
  };
})(globalThis.AgentBlame);
