// Turns the table of outcomes and an order of fixes into the waterfall and the table beside it, in both of which a fix can
// be moved to another place.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, setOutcome, make, keepFocus } = AgentBlame.dom;
  const { drawing, rules, waterfall } = AgentBlame;

  AgentBlame.caseViews.waterfall = function (root, act) {
    const block = part(root, "waterfall");
    if (block === null) return { show() {} };
    const inside = (name) => part(block, name);
    const picture = inside("waterfall-picture");
    const body = inside("waterfall-rows");
    const byPlayer = new Map(Array.from(body.children, (element) => [Number(element.dataset.moves), rowOf(element)]));
    let now = null;
    // The order that is shown, and the place of the fix that is dragged through it.
    let path = [];
    let dragged = null;

    function button(name, text) {
      return make("button", { type: "button", class: "button", "data-part": name }, text);
    }

    function rowOf(element) {
      const player = Number(element.dataset.moves);
      const title = element.querySelector("bdi").textContent;
      const grip = make("span", { class: "grip", "aria-hidden": "true", "data-part": "grip" }, "\u2059");
      const earlier = button("earlier", "\u2191");
      const later = button("later", "\u2193");
      earlier.setAttribute("aria-label", title + ": earlier");
      later.setAttribute("aria-label", title + ": later");
      earlier.addEventListener("click", () => move(player, -1));
      later.addEventListener("click", () => move(player, 1));
      element.querySelector(".moves").append(grip, earlier, later);
      element.addEventListener("keydown", (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        move(player, by);
        event.preventDefault();
      });
      return { element, title, grip, earlier, later, outcome: part(element, "outcome"), edited: part(element, "then-edited"), adds: part(element, "adds") };
    }

    const byStep = () => now.titles.map((title, player) => player);
    const byRank = () => (now.values.shapley === null ? null : Array.from(rules.rank(now.values.shapley)));
    const same = (one, other) => other !== null && one.every((player, k) => player === other[k]);

    function setPath(wanted) {
      return act.setPath(same(wanted, byStep()) ? null : wanted);
    }

    function move(player, by) {
      const from = path.indexOf(player);
      const to = from + by;
      if (to < 0 || to >= path.length) return;
      setPath(waterfall.movedTo(path, from, to));
      setText(inside("waterfall-moved"), rules.isolated(byPlayer.get(player).title) + " is now number " + (to + 1) + " of " + path.length + ".");
    }

    inside("path-steps").addEventListener("click", () => act.setPath(null));
    inside("path-rank").addEventListener("click", () => setPath(byRank()));

    // Dragging shows the order there would be; letting go takes it, Escape leaves it as it was.
    function begin(event, player, placeAt) {
      if (event.button !== 0 || path.length < 2) return;
      dragged = { player, placeAt, pointer: event.pointerId, before: path };
      block.setPointerCapture(event.pointerId);
      block.classList.add("is-dragging");
      event.preventDefault();
      draw();
    }

    function finish(taken) {
      if (dragged === null) return;
      const { before, pointer } = dragged;
      dragged = null;
      block.classList.remove("is-dragging");
      if (block.hasPointerCapture(pointer)) block.releasePointerCapture(pointer);
      if (taken && !same(path, before)) {
        setPath(path);
        return;
      }
      path = before;
      draw();
    }

    function placeInPicture(event) {
      const { top, height } = picture.getBoundingClientRect();
      return waterfall.rowAt(path.length, ((event.clientY - top) / height) * picture.viewBox.baseVal.height);
    }

    function placeInTable(event) {
      const under = path.filter((player) => event.clientY > byPlayer.get(player).element.getBoundingClientRect().top);
      return Math.max(0, under.length - 1);
    }

    picture.addEventListener("pointerdown", (event) => {
      const row = event.target.closest(".is-movable");
      // A finger scrolls the page; it drags by the handles of the table.
      if (row !== null && event.pointerType !== "touch") begin(event, Number(row.dataset.key), placeInPicture);
    });
    for (const [player, row] of byPlayer) row.grip.addEventListener("pointerdown", (event) => begin(event, player, placeInTable));
    block.addEventListener("pointermove", (event) => {
      if (dragged === null || event.pointerId !== dragged.pointer) return;
      const to = dragged.placeAt(event);
      const from = path.indexOf(dragged.player);
      if (to === from) return;
      path = waterfall.movedTo(path, from, to);
      draw();
    });
    block.addEventListener("pointerup", () => finish(true));
    block.addEventListener("pointercancel", () => finish(false));
    // Wherever the focus is, and before anybody else hears of it.
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape" || dragged === null) return;
        finish(false);
        event.preventDefault();
      },
      true
    );

    function showRow(row, shown, place) {
      setOutcome(row.outcome, shown.outcome);
      setHidden(row.edited, !shown.edited);
      setText(row.adds, shown.change);
      row.earlier.disabled = place === 0;
      row.later.disabled = place === path.length - 1;
      row.element.classList.toggle("is-dragged", dragged !== null && dragged.player === shown.player);
    }

    function draw() {
      const found = waterfall.waterfall(now.titles, now.table, path, now.level, now.worlds, now.edits);
      drawing.draw(picture, waterfall.drawing(found));
      for (const row of picture.querySelectorAll(".row")) {
        row.classList.toggle("is-dragged", dragged !== null && row.dataset.key === String(dragged.player));
      }
      setText(inside("waterfall-sentence"), waterfall.sentence(found));
      setOutcome(inside("waterfall-start"), now.outcome(0));
      setHidden(inside("start-edited"), !found.startEdited);
      const buttons = Array.from(byPlayer.values()).flatMap((row) => [row.earlier, row.later]);
      const focused = document.activeElement;
      path.forEach((player, place) => {
        const row = byPlayer.get(player);
        if (body.children[place] !== row.element) body.insertBefore(row.element, body.children[place] || null);
      });
      // An element that is moved loses the focus.
      if (focused !== document.activeElement && body.contains(focused)) focused.focus();
      keepFocus(buttons, () => {
        waterfall.rows(found).forEach((shown, place) => showRow(byPlayer.get(shown.player), shown, place));
      });
      inside("path-steps").setAttribute("aria-pressed", String(same(path, byStep())));
      inside("path-rank").setAttribute("aria-pressed", String(same(path, byRank())));
      inside("path-rank").disabled = byRank() === null;
    }

    let drawnFor = null;
    function keyOf() {
      return (now.path || []).join(".") + " " + now.version;
    }

    function show(shown) {
      now = shown;
      const reason = now.game.sampled === null ? "" : now.game.sampled.needs;
      setText(inside("waterfall-reason"), reason);
      setHidden(inside("waterfall-reason"), reason === "");
      setHidden(inside("waterfall-shown"), reason !== "");
      setHidden(inside("waterfall-controls"), reason !== "");
      const key = keyOf();
      if (reason !== "" || drawnFor === key) return;
      drawnFor = key;
      path = now.path || byStep();
      draw();
    }

    return { show };
  };
})(globalThis.AgentBlame);
