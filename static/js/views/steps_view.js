// Turns the current coalition into the steps' cards: the switches, what a step read, and its factual output beside the one
// under these fixes.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden, setOutcome, make, isolated } = AgentBlame.dom;
  const { coalitions, changedText, wording } = AgentBlame;

  // Keeps what a closed disclosure holds out of the page until it is opened, or printed.
  function stow(details) {
    const kept = document.createDocumentFragment();
    const unpack = () => details.append(kept);
    const pack = () => kept.append(...Array.from(details.children).slice(1));
    const follow = () => (details.open ? unpack() : pack());
    details.addEventListener("toggle", follow);
    window.addEventListener("beforeprint", unpack);
    window.addEventListener("afterprint", follow);
    follow();
  }

  AgentBlame.caseViews.steps = function (root, act) {
    const cards = Array.from(root.querySelectorAll("[data-step]"), card);
    const switches = Array.from(root.querySelectorAll("[role=switch]"));
    const bar = part(root, "now");
    let shown = null;
    switches.forEach((button) => button.addEventListener("click", () => act.toggleFix(Number(button.dataset.player))));
    if (bar !== null) {
      part(bar, "all-off").addEventListener("click", () => act.setMask(0));
      part(bar, "all-on").addEventListener("click", () => act.setMask(coalitions.grand(switches.length)));
    }
    parts(root, "fix-diff").forEach(stow);
    changedText.follow(part(root, "steps"), () => shown !== null && showCards());

    // A step's elements; `boxes` are those of what it read, while that is open.
    function card(element, step) {
      const current = part(element, "current");
      const found = {
        element,
        step,
        title: part(element, "step-title").textContent,
        factual: part(element, "factual"),
        current: current === null ? null : changedText.attach(current),
        read: part(element, "read"),
        boxes: [],
      };
      found.parents = found.read.dataset.parents.split(" ").filter((parent) => parent !== "").map(Number);
      found.read.addEventListener("toggle", () => {
        if (found.read.open && shown !== null) fillRead(found);
        else emptyRead(found);
      });
      return found;
    }

    function emptyRead(found) {
      Array.from(found.read.children).slice(1).forEach((child) => child.remove());
      found.boxes = [];
    }

    function named(name, text) {
      const title = make("p", { class: "read-name" });
      title.append(make("bdi", {}, name), text);
      return title;
    }

    // A step without parents reads the case alone; any other may read it, too, and no game file says whether it does.
    function fillRead(found) {
      emptyRead(found);
      if (found.parents.length === 0) {
        for (const [name, text] of shown.game.inputs) {
          const box = changedText.box(found.title + " read " + name);
          found.read.append(named(name, ", of the case"), box.element);
          box.show(null, shown.case.texts[text]);
        }
        if (shown.game.inputs.length === 0) found.read.append(make("p", { class: "quiet" }, "The case has no inputs to show."));
        return;
      }
      found.boxes = found.parents.map((parent) => {
        const box = changedText.box(found.title + " read from " + cards[parent].title);
        found.read.append(named(cards[parent].title, ", what it put out"), box.element);
        return box;
      });
      found.read.append(make("p", { class: "quiet" }, "It may have read the case\u2019s input as well."));
      showRead(found);
    }

    function showRead(found) {
      found.boxes.forEach((box, k) => {
        const { state, factual, text } = AgentBlame.stepOutput(shown, found.parents[k]);
        box.show(state === "changed" ? factual : null, text);
      });
    }

    function showCard(found) {
      const { state, factual, text } = AgentBlame.stepOutput(shown, found.step);
      found.element.dataset.state = state;
      setText(part(found.element, "factual-title"), shown.mode.factual);
      changedText.setWhole(found.factual, factual === null ? wording.noOutput(shown.game.errors[0]) : factual);
      if (found.read.open) showRead(found);
      if (found.current === null) return;
      found.current.show(state === "changed" ? factual : null, text);
      setText(part(found.element, "mark"), { same: "same", changed: "changed", missing: "missing", unrun: "not run" }[state]);
    }

    function showCards() {
      cards.forEach(showCard);
    }

    function showInputs(now) {
      const rows = now.game.inputs.map(([name, text]) => {
        const row = make("div", {});
        const box = make("dd", {});
        const output = make("div", { class: "output", tabindex: 0, role: "group", "aria-label": name });
        changedText.setWhole(output, now.case.texts[text]);
        box.append(output);
        row.append(isolated("dt", name), box);
        return row;
      });
      part(root, "inputs").replaceChildren(...rows);
    }

    function show(now) {
      const another = shown === null || shown.game !== now.game;
      shown = now;
      if (another) {
        showInputs(now);
        cards.filter((found) => found.read.open).forEach(fillRead);
      }
      showCards();
      switches.forEach((button) => {
        button.setAttribute("aria-checked", String(coalitions.has(now.mask, Number(button.dataset.player))));
      });
      const outcome = now.place < 0 ? wording.NOT_RUN : wording.outcome(now.game.shown[now.place], 1, now.scoreThreshold);
      setHidden(part(root, "unrun"), now.place >= 0);
      setText(part(root, "world"), wording.worldSentence(now.mode.world, outcome.state));
      if (bar === null) return;
      setText(part(bar, "now-name"), wording.shortName(now.mask, now.titles));
      setOutcome(part(bar, "now-outcome"), now.outcome(now.mask));
      setHidden(part(bar, "now-edited"), !now.edits.has(now.mask));
    }

    return { show };
  };
})(globalThis.AgentBlame);
