// Turns a worth table into rows, one per coalition, in which any outcome can be flipped or set.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, setOutcome, make, pager } = AgentBlame.dom;
  const { coalitions, hypothetical, wording } = AgentBlame;

  // Rows at once; without scripts there are more.
  const ROWS = 32;

  AgentBlame.caseViews.outcomes = function (root, act) {
    const body = part(root, "outcomes");
    const listed = Array.from(body.children);
    listed.slice(ROWS).forEach((element) => element.remove());
    const rows = listed.slice(0, ROWS).map((element) => row(element));
    const turned = () => shown !== null && showRows();
    const { first, turnTo, setCount } = pager(part(root, "outcomes-pager"), listed.length, rows.length, turned);
    let shown = null;
    let turnedFor = null;

    // A row's elements, its controls, and the coalition it stands for at the moment.
    function row(element) {
      const found = {
        element,
        mask: Number(element.dataset.mask),
        place: -1,
        name: part(element, "name"),
        dots: Array.from(element.querySelectorAll(".dots i")),
        outcome: part(element, "outcome"),
        error: part(element, "error"),
        flip: make("button", { type: "button", class: "button", "data-part": "flip" }),
        fail: make("button", { type: "button", class: "button", "data-part": "flip-to-fail" }, "Make it fail"),
        input: make("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "data-part": "set" }),
        message: make("span", { class: "error", role: "alert", hidden: "" }),
        tag: make("span", { class: "tag tag-edited" }, "edited"),
        undo: make("button", { type: "button", class: "link", "data-part": "undo" }, "Undo"),
      };
      part(element, "edit").append(found.flip, found.fail, found.input, found.tag, found.undo, found.message);
      found.name.closest("button").addEventListener("click", () => act.setMask(found.mask));
      found.flip.addEventListener("click", () => act.setOutcome(found.mask, found.flip.dataset.to === "1" ? 1 : 0));
      found.fail.addEventListener("click", () => {
        act.setOutcome(found.mask, 0);
        found.flip.focus();
      });
      found.undo.addEventListener("click", () => {
        refuse(found, "");
        act.setOutcome(found.mask, null);
        (found.flip.hidden ? found.input : found.flip).focus();
      });
      listen(found);
      return found;
    }

    // Shows why what was typed is no outcome, or with no reason that it is one.
    function refuse(found, reason) {
      setText(found.message, reason);
      setHidden(found.message, reason === "");
      if (reason === "") found.input.removeAttribute("aria-invalid");
      else found.input.setAttribute("aria-invalid", "true");
      found.refused = reason !== "";
      found.element.classList.toggle("is-refused", found.refused);
    }

    // Numbers follow while one types; only the first change makes a step one can go back to. Text that is no outcome
    // gives back what was there before this visit of the field.
    function listen(found) {
      const edit = () => (shown.edits.has(found.mask) ? shown.edits.get(found.mask) : null);
      let before = null;
      found.input.addEventListener("focus", () => {
        found.typing = false;
      });
      found.input.addEventListener("input", () => {
        if (!found.typing) before = edit();
        const text = found.input.value;
        const value = text.trim() === "" ? null : hypothetical.readNumber(text);
        const { low, high } = shown;
        const taken = text.trim() === "" || (value !== null && value >= low && value <= high);
        refuse(found, taken ? "" : wording.askOutcome(low, high, shown.worlds));
        const wanted = taken ? value : before;
        if (wanted === edit()) return;
        act.setOutcome(found.mask, wanted, found.typing);
        found.typing = true;
      });
      found.input.addEventListener("blur", () => {
        found.seen = null;
        if (shown !== null) showRow(found, shown);
      });
    }

    // Most rows stay as they are when one changes; those are left alone.
    function showRow(found, now) {
      const { mask } = found;
      const outcome = now.outcomeAt(found.place);
      const edited = now.edits.has(mask);
      const share = hypothetical.share(now.table, found.place);
      const seen = [mask, outcome.number, outcome.state, share, edited, mask === now.mask, now.resets].join(" ");
      if (found.game === now.game && found.seen === seen && document.activeElement !== found.input) return;
      const another = found.game !== now.game || found.drawn !== mask || found.resets !== now.resets;
      if (another && found.refused) refuse(found, "");
      const typing = found.typing && !another;
      Object.assign(found, { game: now.game, drawn: mask, resets: now.resets, seen, typing });
      drawRow(found, now, outcome, edited, share);
    }

    function drawRow(found, now, outcome, edited, share) {
      const { mask } = found;
      const name = wording.coalitionName(mask, now.titles);
      const missing = now.game.worth[found.place] === null;
      const fixed = now.game.sampled !== null;
      const flips = now.game.denominator === 1 && !fixed;
      found.element.dataset.mask = mask;
      found.element.classList.toggle("is-current", mask === now.mask);
      found.element.classList.toggle("is-edited", edited);
      if (mask === now.mask) found.element.setAttribute("aria-current", "true");
      else found.element.removeAttribute("aria-current");
      setText(found.name, name);
      found.dots.forEach((dot, player) => dot.classList.toggle("on", coalitions.has(mask, player)));
      setOutcome(found.outcome, outcome);
      setText(found.error, missing ? (edited ? "As it ran, no outcome: " : "") + now.game.errors[mask] : "");
      setHidden(found.error, !missing);
      found.error.classList.toggle("is-past", edited);
      setHidden(found.flip, !flips);
      setHidden(found.fail, !flips || outcome.state !== "missing");
      found.fail.setAttribute("aria-label", "Make it fail: " + name);
      setHidden(found.input, flips || fixed);
      setHidden(found.tag, !edited);
      setHidden(found.undo, !edited);
      found.undo.setAttribute("aria-label", "Undo the edit of " + name);
      const to = outcome.state === "pass" ? "0" : "1";
      found.flip.dataset.to = to;
      setText(found.flip, to === "1" ? "Make it pass" : "Make it fail");
      found.flip.setAttribute("aria-label", found.flip.textContent + ": " + name);
      found.input.setAttribute("aria-label", "Outcome of " + name);
      if (!found.typing && !found.refused) found.input.value = share === null ? "" : String(share);
    }

    function rowOf(now) {
      return now.game.sampled === null ? now.mask : now.game.sampled.rows.indexOf(now.place);
    }

    function showRows() {
      const { game, table } = shown;
      rows.forEach((found, k) => {
        const at = first() + k;
        setHidden(found.element, at >= table.worth.length);
        if (at >= table.worth.length) return;
        found.place = game.sampled === null ? at : game.sampled.rows[at];
        found.mask = coalitions.maskAt(game, found.place);
        showRow(found, shown);
      });
    }

    function show(now) {
      shown = now;
      setCount(now.table.worth.length);
      // To the combination that was chosen, wherever; but not away from where one reads.
      if (turnedFor !== now.mask && rowOf(now) >= 0) turnTo(rowOf(now));
      turnedFor = now.mask;
      showRows();
      const listed = now.game.sampled !== null;
      body.parentElement.classList.toggle("is-listed", listed);
      setHidden(part(root, "outcomes-every"), listed);
      setHidden(part(root, "outcomes-listed"), !listed);
    }

    return { show };
  };
})(globalThis.AgentBlame);
