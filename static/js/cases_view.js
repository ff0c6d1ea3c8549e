// Turns the list of cases into rows to pick from, a page at a time.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, make, pager } = AgentBlame.dom;

  AgentBlame.views.cases = function (root, act, summary) {
    const body = part(root, "cases");
    if (body === null) return { show() {} };
    const rows = Array.from(body.children);
    const { first, turnTo } = pager(part(root, "cases-pager"), summary.cases.length, rows.length, fill);
    let current = 0;
    let edited = new Map();

    rows.forEach((row, k) => {
      part(row, "pick").closest("button").addEventListener("click", () => {
        act.setCase(first() + k);
        part(root, "verdict").scrollIntoView({ block: "start" });
      });
    });

    // The sentences are those of the cases as they were run.
    function tag(cell, wanted) {
      const there = cell.querySelector(".tag");
      if (wanted && there === null) cell.append(" ", make("span", { class: "tag tag-edited" }, "edited"));
      if (!wanted && there !== null) there.remove();
    }

    function mark() {
      rows.forEach((row, k) => {
        const here = first() + k === current;
        row.classList.toggle("is-current", here);
        if (here) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
        const modes = edited.get(row.dataset.case) || [];
        for (const cell of row.querySelectorAll("[data-mode]")) tag(cell, modes.includes(cell.dataset.mode));
      });
    }

    function fill() {
      rows.forEach((row, k) => {
        const one = summary.cases[first() + k];
        setHidden(row, one === undefined);
        if (one === undefined) return;
        row.dataset.case = one.slug;
        setText(part(row, "pick"), one.id);
        for (const cell of row.querySelectorAll("[data-mode]")) {
          setText(part(cell, "sentence"), one.sentences[cell.dataset.mode] || "not analysed");
        }
      });
      mark();
    }

    function show(now) {
      const moved = now.caseIndex !== current;
      current = now.caseIndex;
      edited = now.edited;
      if (moved) turnTo(current);
      mark();
    }

    return { show };
  };
})(globalThis.AgentBlame);
