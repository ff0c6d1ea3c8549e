// Turns the choice of case and noise mode into controls.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;

  AgentBlame.caseViews.chooser = function (root, act) {
    const modes = parts(root, "mode");
    listenToMoves(root, act);
    modes.forEach((input) => input.addEventListener("change", () => act.setMode(input.value)));

    function show(now) {
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

  // The way to the cases before and after; a scenario with a single case has none.
  function listenToMoves(root, act) {
    if (part(root, "previous") === null) return;
    part(root, "previous").addEventListener("click", () => act.moveCase(-1));
    part(root, "next").addEventListener("click", () => act.moveCase(1));
  }
})(globalThis.AgentBlame);
