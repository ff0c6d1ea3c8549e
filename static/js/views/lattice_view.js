// Turns the table of outcomes into the picture of all combinations, in which one can be looked at, chosen and flipped.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;
  const { drawing, hypothetical, latticeOutcomes, latticePicture } = AgentBlame;
  const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

  AgentBlame.caseViews.lattice = function (root, act) {
    const block = part(root, "lattice");
    if (block === null) return { show() {} };
    const inside = (name) => part(block, name);
    const picture = inside("lattice-picture");
    const cursor = inside("lattice-cursor");
    const box = inside("lattice-box");
    const undo = inside("lattice-undo");
    let now = null;
    let found = null;
    let drawnFor = null;
    // The combination that is looked at, by pointer or by keyboard; null for the one that is switched on.
    let seen = null;

    undo.addEventListener("click", () => act.undo());
    const clickFlips = () => parts(block, "lattice-click").some((input) => input.checked && input.value === "flip");

    function outcomesOf(table) {
      const shares = Array.from(table.worth.keys(), (place) => hypothetical.share(table, place));
      return { titles: now.titles, shares, level: now.level, worlds: now.worlds, graded: now.graded };
    }

    function flip(mask) {
      const measured = hypothetical.share(now.game, mask);
      const edited = now.edits.has(mask);
      const given = { measured, share: found.shares[mask], edited, low: now.low, empty: found.shares[0] };
      act.setOutcome(mask, latticeOutcomes.flipped(found, given));
    }

    function choose(mask) {
      act.setMask(mask);
    }

    // Says what a combination gives, and shows which one is meant.
    function look(mask) {
      seen = mask;
      if (found === null) return;
      const shown = mask === null ? now.mask : mask;
      const text = latticeOutcomes.explained(found, shown, now.edits);
      setText(inside("lattice-said"), text);
      box.setAttribute("aria-valuenow", String(shown));
      box.setAttribute("aria-valuetext", text);
      const { x, y, width, height } = latticePicture.boxOf(found.titles.length, shown);
      const ring = { x: x - 1, y: y - 1, width: width + 2, height: height + 2, rx: 8 };
      const marks = mask === null ? [] : [drawing.mark("rect", "cursor", ring)];
      drawing.draw(cursor, { width: Number(picture.getAttribute("width")), height: Number(picture.getAttribute("height")), marks });
    }

    function maskUnder(event) {
      if (found === null) return null;
      const { left, top, width, height } = picture.getBoundingClientRect();
      const { width: across, height: down } = picture.viewBox.baseVal;
      const [x, y] = [((event.clientX - left) / width) * across, ((event.clientY - top) / height) * down];
      return latticePicture.maskAt(found.titles.length, x, y);
    }

    box.addEventListener("pointermove", (event) => {
      const mask = maskUnder(event);
      if (mask !== seen) look(mask);
      box.classList.toggle("is-over", mask !== null);
    });
    box.addEventListener("pointerleave", () => {
      box.classList.remove("is-over");
      look(null);
    });
    box.addEventListener("click", (event) => {
      const mask = maskUnder(event);
      if (mask === null) return;
      if (clickFlips()) flip(mask);
      else choose(mask);
      look(mask);
    });
    box.addEventListener("blur", () => look(null));
    box.addEventListener("keydown", (event) => {
      if (found === null || event.ctrlKey || event.metaKey || event.altKey) return;
      const mask = seen === null ? now.mask : seen;
      const key = event.key.toLowerCase();
      if (ARROWS.includes(event.key)) look(latticePicture.moved(found.titles.length, mask, event.key));
      else if (event.key === "Home") look(0);
      else if (event.key === "End") look(now.grand);
      else if (event.key === "Enter" || event.key === " ") choose(mask);
      else if (key === "f" && !event.repeat) flip(mask);
      else return;
      // The combination that is looked at stays in view, wherever the picture was scrolled to.
      cursor.firstElementChild?.scrollIntoView({ block: "nearest", inline: "nearest" });
      event.preventDefault();
    });

    function slider(players) {
      const attributes = {
        role: "slider", tabindex: "0", "aria-label": "Combination of fixes", "aria-valuemin": "0", "aria-valuemax": String(now.grand),
      };
      for (const name of Object.keys(attributes)) box.setAttribute(name, attributes[name]);
      picture.classList.toggle("is-grid", latticePicture.isGrid(players));
    }

    // The same outcomes with the same fixes on need no new drawing.
    function keyOf() {
      return now.mask + " " + now.version;
    }

    function show(shown) {
      now = shown;
      const key = keyOf();
      const { sampled } = now.game;
      const reason = (sampled === null ? "" : sampled.needs) || latticePicture.tooMany(now.titles.length);
      setText(inside("lattice-reason"), reason);
      setHidden(inside("lattice-reason"), reason === "");
      setHidden(inside("lattice-shown"), reason !== "");
      setHidden(inside("lattice-controls"), reason !== "");
      undo.disabled = !now.canUndo;
      if (reason !== "") {
        found = null;
        return;
      }
      if (drawnFor === key) return;
      drawnFor = key;
      found = outcomesOf(now.table);
      slider(now.titles.length);
      drawing.draw(picture, latticePicture.drawing(found, now.mask, now.edits));
      const shades = latticeOutcomes.shadesText(found);
      setText(inside("lattice-shades"), shades);
      setHidden(inside("lattice-shades"), shades === "");
      look(seen);
    }

    return { show };
  };
})(globalThis.AgentBlame);
