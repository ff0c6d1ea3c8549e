// Turns a worth table into rows, one per coalition, in which any outcome can be flipped or set.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, setOutcome, make, pager } = AgentBlame.dom;
  const { hypothetical, wording } = AgentBlame;

  AgentBlame.views.outcomes = function (root, act, count) {
    const body = part(root, "outcomes");
    const rows = Array.from(body.children).map((element) => row(element));
    const first = pager(part(root, "outcomes-pager"), count, rows.length, () => show(shown));
    let shown = null;

    // A row's elements, its controls, and the mask it stands for at the moment.
    function row(element) {
      const found = {
        element,
        mask: Number(element.dataset.mask),
        name: part(element, "name"),
        dots: Array.from(element.querySelectorAll(".dots i")),
        outcome: part(element, "outcome"),
        error: part(element, "error"),
        flip: make("button", { type: "button", class: "button", "data-part": "flip" }),
        input: make("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "data-part": "set" }),
        message: make("span", { class: "error", role: "alert" }, "Enter a number, such as 0.25 or 3/8."),
        tag: make("span", { class: "tag tag-edited" }, "edited"),
        undo: make("button", { type: "button", class: "link", "data-part": "undo" }, "Undo"),
      };
      part(element, "edit").append(found.flip, found.input, found.tag, found.undo, found.message);
      found.message.hidden = true;
      found.name.addEventListener("click", () => act.setMask(found.mask));
      found.flip.addEventListener("click", () => act.setOutcome(found.mask, found.flip.dataset.to === "1" ? 1 : 0));
      found.undo.addEventListener("click", () => {
        act.setOutcome(found.mask, null);
        (found.flip.hidden ? found.input : found.flip).focus();
      });
      listen(found);
      return found;
    }

    // Numbers follow while one types; only the first keystroke makes a step one can go back to.
    function listen(found) {
      let typing = false;
      found.input.addEventListener("focus", () => {
        typing = false;
      });
      found.input.addEventListener("input", () => {
        const text = found.input.value;
        const value = text.trim() === "" ? null : hypothetical.readNumber(text);
        const invalid = text.trim() !== "" && value === null;
        setHidden(found.message, !invalid);
        found.input.setAttribute("aria-invalid", String(invalid));
        if (!invalid) act.setOutcome(found.mask, value, typing);
        typing = true;
      });
      found.input.addEventListener("blur", () => {
        setHidden(found.message, true);
        found.input.removeAttribute("aria-invalid");
        found.seen = null;
        if (shown !== null) showRow(found, shown);
      });
    }

    // Most rows stay as they are when one changes; those are left alone.
    function showRow(found, now) {
      const { mask } = found;
      const outcome = now.outcome(mask);
      const edited = now.edits.has(mask);
      const share = hypothetical.share(now.table, mask);
      const seen = [mask, outcome.number, outcome.state, share, edited, mask === now.mask].join(" ");
      if (found.game === now.game && found.seen === seen && document.activeElement !== found.input) return;
      Object.assign(found, { game: now.game, seen });
      drawRow(found, now, outcome, edited, share);
    }

    function drawRow(found, now, outcome, edited, share) {
      const { mask } = found;
      const name = wording.coalitionName(mask, now.titles);
      const missing = now.game.worth[mask] === null;
      const flips = now.game.denominator === 1;
      found.element.dataset.mask = mask;
      found.element.classList.toggle("is-current", mask === now.mask);
      found.element.classList.toggle("is-edited", edited);
      if (mask === now.mask) found.element.setAttribute("aria-current", "true");
      else found.element.removeAttribute("aria-current");
      setText(found.name, name);
      found.dots.forEach((dot, player) => dot.classList.toggle("on", Boolean((mask >> player) & 1)));
      setOutcome(found.outcome, outcome);
      setText(found.error, missing ? now.game.errors[mask] || "no score" : "");
      setHidden(found.error, !missing);
      setHidden(found.flip, !flips);
      setHidden(found.input, flips);
      setHidden(found.tag, !edited);
      setHidden(found.undo, !edited);
      found.undo.setAttribute("aria-label", "Undo the edit of " + name);
      const to = outcome.state === "pass" ? "0" : "1";
      found.flip.dataset.to = to;
      setText(found.flip, to === "1" ? "Make it pass" : "Make it fail");
      found.flip.setAttribute("aria-label", found.flip.textContent + ": " + name);
      found.input.setAttribute("aria-label", "Outcome of " + name);
      if (document.activeElement !== found.input) found.input.value = share === null ? "" : String(share);
    }

    function show(now) {
      shown = now;
      rows.forEach((found, k) => {
        found.mask = first() + k;
        setHidden(found.element, found.mask >= count);
        if (found.mask < count) showRow(found, now);
      });
    }

    return { show };
  };
})(globalThis.AgentBlame);
