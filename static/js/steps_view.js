// Turns the current coalition into the steps' cards: the switches, the factual outputs and the outputs under these fixes.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setOutput, setHidden, setOutcome, make, isolated } = AgentBlame.dom;
  const { wording } = AgentBlame;

  AgentBlame.views.steps = function (root, act) {
    const cards = Array.from(root.querySelectorAll("[data-step]"));
    const switches = Array.from(root.querySelectorAll("[role=switch]"));
    const bar = part(root, "now");
    switches.forEach((button) => button.addEventListener("click", () => act.toggleFix(Number(button.dataset.player))));
    if (bar !== null) {
      part(bar, "all-off").addEventListener("click", () => act.setMask(0));
      part(bar, "all-on").addEventListener("click", () => act.setMask(2 ** switches.length - 1));
    }

    function outputText(now, step, mask) {
      const index = now.game.steps[step].index[mask];
      return index === null ? null : now.case.texts[now.game.steps[step].outputs[index]];
    }

    function showCard(card, now) {
      const step = Number(card.dataset.step);
      const index = now.game.steps[step].index;
      const missing = index[now.mask] === null;
      const state = missing ? "missing" : index[now.mask] === index[0] ? "same" : "changed";
      card.dataset.state = state;
      const factual = outputText(now, step, 0);
      setText(part(card, "factual-title"), now.mode.factual);
      setOutput(part(card, "factual"), factual === null ? wording.noOutput(now.game.errors[0]) : factual);
      const current = part(card, "current");
      if (current === null) return;
      setOutput(current, missing ? wording.noOutput(now.game.errors[now.mask]) : outputText(now, step, now.mask));
      setText(part(card, "mark"), { same: "same", changed: "changed", missing: "missing" }[state]);
    }

    function showInputs(now) {
      const rows = now.game.inputs.map(([name, text]) => {
        const row = make("div", {});
        const shown = make("div", { dir: "auto", class: "output", tabindex: 0, role: "group", "aria-label": name });
        setOutput(shown, now.case.texts[text]);
        const box = make("dd", {});
        box.append(shown);
        row.append(isolated("dt", name), box);
        return row;
      });
      part(root, "inputs").replaceChildren(...rows);
    }

    let inputsOf = null;
    function show(now) {
      if (inputsOf !== now.game) {
        showInputs(now);
        inputsOf = now.game;
      }
      cards.forEach((card) => showCard(card, now));
      switches.forEach((button) => {
        button.setAttribute("aria-checked", String(Boolean((now.mask >> button.dataset.player) & 1)));
      });
      const shown = wording.outcome(now.game.shown[now.mask], 1, now.scoreThreshold);
      setText(part(root, "world"), wording.worldSentence(now.mode.world, shown.state));
      if (bar === null) return;
      setText(part(bar, "now-name"), wording.shortName(now.mask, now.titles));
      setOutcome(part(bar, "now-outcome"), now.outcome(now.mask));
      setHidden(part(bar, "now-edited"), !now.edits.has(now.mask));
    }

    return { show };
  };
})(globalThis.AgentBlame);
