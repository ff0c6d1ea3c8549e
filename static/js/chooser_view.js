// Turns the choice of case and noise mode into controls.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, make } = AgentBlame.dom;
  const LONGEST = 80;

  AgentBlame.views.chooser = function (root, act, summary) {
    const modes = parts(root, "mode");
    const showCase = cases(root, act, summary);
    modes.forEach((input) => input.addEventListener("change", () => act.setMode(input.value)));

    function show(now) {
      showCase(now.caseIndex);
      setText(part(root, "question"), now.mode.question);
      modes.forEach((input) => {
        input.checked = input.value === now.mode.id;
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
    const options = summary.cases.map((one, k) => {
      const text = one.id.length > LONGEST ? one.id.slice(0, LONGEST) + "…" : one.id;
      return make("option", { value: k }, text);
    });
    select.replaceChildren(...options);
    select.addEventListener("change", () => act.setCase(Number(select.value)));
    previous.addEventListener("click", () => act.moveCase(-1));
    next.addEventListener("click", () => act.moveCase(1));
    return (caseIndex) => {
      select.value = String(caseIndex);
      previous.disabled = caseIndex === 0;
      next.disabled = caseIndex === summary.cases.length - 1;
      setText(part(root, "position"), caseIndex + 1 + " of " + summary.cases.length);
    };
  }
})(globalThis.AgentBlame);
