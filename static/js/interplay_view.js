// Turns how the fixes work together into lists and tables; a set of fixes in them can be chosen.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, make, isolated } = AgentBlame.dom;
  const { interplay } = AgentBlame;

  AgentBlame.views.interplay = function (root, act) {
    const box = part(root, "interplay");
    if (box === null) return { show() {} };
    const inside = (name) => part(box, name);
    let drawn = null;

    inside("repairs").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button === null) return;
      act.setMask(Number(button.dataset.set));
      part(root, "steps").scrollIntoView({ block: "start" });
    });

    // The same game with the same edits needs no new drawing.
    function keyOf(now) {
      return [now.case.slug, now.mode.id, ...Array.from(now.edits).sort((a, b) => a[0] - b[0])].join("|");
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

    function setRow([mask, name]) {
      const button = make("button", { type: "button", class: "button needs-script", "data-set": mask });
      button.append(make("bdi", {}, name));
      const item = make("li", {});
      item.append(button, make("bdi", { class: "set-name" }, name));
      return item;
    }

    function tableRow(name, cells) {
      const row = make("tr", {});
      const head = isolated("th", name);
      head.setAttribute("scope", "row");
      row.append(head, ...cells);
      return row;
    }

    function pairCell(pair) {
      if (pair === null) return make("td", { class: "pair-none" }, "\u00b7");
      const cell = make("td", { class: "pair pair-" + pair.word, "data-shade": pair.shade });
      cell.append(make("span", { class: "number" }, pair.number), " ", make("small", {}, pair.word));
      return cell;
    }

    function matrixHead(titles) {
      const heads = titles.map((title) => {
        const head = isolated("th", title);
        head.setAttribute("scope", "col");
        return head;
      });
      const row = make("tr", {});
      const corner = make("th", { scope: "col" });
      corner.append(make("span", { class: "unseen" }, "Fix"));
      row.append(corner, ...heads);
      return row;
    }

    function number(text) {
      return make("td", { class: "number" }, text);
    }

    function draw(view, titles) {
      setNote("interplay-reason", view.reason);
      setHidden(inside("interplay-shown"), view.reason !== "");
      const repairs = view.repairs.filter(([mask]) => mask > 0);
      setHidden(inside("repairs-help"), repairs.length === 0);
      inside("repairs").replaceChildren(...repairs.map(setRow));
      setNote("repairs-note", view.repairsNote);
      inside("causes").replaceChildren(
        ...view.causes.map((cause) => tableRow(cause.title, [number(cause.needed), number(cause.enough)]))
      );
      setNote("pairs-note", view.pairsNote);
      const hasMatrix = view.matrix.length > 0;
      setHidden(inside("matrix-box"), !hasMatrix);
      inside("matrix-head").replaceChildren(...(hasMatrix ? [matrixHead(titles)] : []));
      inside("matrix").replaceChildren(...view.matrix.map((row, k) => tableRow(titles[k], row.map(pairCell))));
      setHidden(inside("strongest-box"), view.strongest.length === 0);
      inside("strongest").replaceChildren(...view.strongest.map(([name, pair]) => tableRow(name, [pairCell(pair)])));
      setHidden(inside("dividends-box"), view.dividends.length === 0);
      inside("dividends").replaceChildren(...view.dividends.map(([name, text]) => tableRow(name, [number(text)])));
      setNote("dividends-note", view.dividendsNote);
    }

    function show(now) {
      const key = keyOf(now);
      if (drawn !== key) draw(viewOf(now), now.titles);
      drawn = key;
      for (const button of inside("repairs").querySelectorAll("button")) {
        const here = Number(button.dataset.set) === now.mask;
        button.setAttribute("aria-pressed", String(here));
      }
    }

    return { show };
  };
})(globalThis.AgentBlame);
