// Turns the choice of case and noise mode into controls.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden, make } = AgentBlame.dom;
  const LONGEST = 80;

  AgentBlame.views.chooser = function (root, act, summary) {
    const modes = parts(root, "mode");
    const showCase = cases(root, act, summary);
    modes.forEach((input) => input.addEventListener("change", () => act.setMode(input.value)));

    function show(now) {
      showCase(now);
      setText(part(root, "question"), now.mode.question);
      setText(part(root, "passing-means"), now.mode.passing);
      const edited = now.edited.get(now.case.slug) || [];
      modes.forEach((input) => {
        input.checked = input.value === now.mode.id;
        setHidden(part(input.parentElement, "mode-edited"), !edited.includes(input.value));
        input.disabled = !Object.prototype.hasOwnProperty.call(now.case.modes, input.value);
      });
    }

    return { show };
  };

  // The chooser of cases; a scenario with a single case has none.
  function cases(root, act, summary) {
    const select = part(root, "case");
    if (select === null) return () => {};
    const previous = part(root, "previous");
    const next = part(root, "next");
    const name = (one) => (one.id.length > LONGEST ? one.id.slice(0, LONGEST) + "…" : one.id);
    const options = summary.cases.map((one, k) => make("option", { value: k }, name(one)));
    let marked = [];
    select.replaceChildren(...options);
    select.addEventListener("change", () => act.setCase(Number(select.value)));
    previous.addEventListener("click", () => act.moveCase(-1));
    next.addEventListener("click", () => act.moveCase(1));
    // Edited cases carry a word; only options that gain or lose it are touched.
    function mark(edited) {
      const wanted = Array.from(summary.cases.keys()).filter((k) => edited.has(summary.cases[k].slug));
      for (const k of [...marked, ...wanted]) {
        setText(options[k], name(summary.cases[k]) + (wanted.includes(k) ? " (edited)" : ""));
      }
      marked = wanted;
    }

    return ({ caseIndex, edited }) => {
      mark(edited);
      select.value = String(caseIndex);
    };
  }
})(globalThis.AgentBlame);
