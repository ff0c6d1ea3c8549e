// Turns the list of cases into rows to pick from, a page at a time.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, pager } = AgentBlame.dom;

  AgentBlame.views.cases = function (root, act, summary) {
    const body = part(root, "cases");
    if (body === null) return { show() {} };
    const rows = Array.from(body.children);
    const first = pager(part(root, "cases-pager"), summary.cases.length, rows.length, fill);
    let current = 0;

    rows.forEach((row, k) => {
      part(row, "pick").addEventListener("click", () => {
        act.setCase(first() + k);
        part(root, "verdict").scrollIntoView({ block: "start" });
      });
    });

    function mark() {
      rows.forEach((row, k) => {
        const here = first() + k === current;
        row.classList.toggle("is-current", here);
        if (here) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
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
          setText(cell, one.sentences[cell.dataset.mode] || "not analysed");
        }
      });
      mark();
    }

    function show(now) {
      if (now.caseIndex === current && rows.some((row) => row.hasAttribute("aria-current"))) return;
      current = now.caseIndex;
      mark();
    }

    return { show };
  };
})(globalThis.AgentBlame);
