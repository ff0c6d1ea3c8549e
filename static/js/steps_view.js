// Turns the current coalition into the steps' cards: the switches, the factual outputs and the outputs under these fixes.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setOutput, setHidden, setOutcome, make, isolated } = AgentBlame.dom;
  const { coalitions, wording } = AgentBlame;

  AgentBlame.views.steps = function (root, act) {
    const cards = Array.from(root.querySelectorAll("[data-step]"));
    const switches = Array.from(root.querySelectorAll("[role=switch]"));
    const bar = part(root, "now");
    switches.forEach((button) => button.addEventListener("click", () => act.toggleFix(Number(button.dataset.player))));
    if (bar !== null) {
      part(bar, "all-off").addEventListener("click", () => act.setMask(0));
      part(bar, "all-on").addEventListener("click", () => act.setMask(coalitions.grand(switches.length)));
    }

    function outputText(now, step, place) {
      const index = now.game.steps[step].index[place];
      return index === null ? null : now.case.texts[now.game.steps[step].outputs[index]];
    }

    function stateOf(index, place) {
      if (place < 0) return "unrun";
      if (index[place] === null) return "missing";
      return index[place] === index[0] ? "same" : "changed";
    }

    function currentText(now, step, state) {
      if (state === "unrun") return wording.NOT_RUN.word + ".";
      return state === "missing" ? wording.noOutput(now.game.errors[now.mask]) : outputText(now, step, now.place);
    }

    function showCard(card, now) {
      const step = Number(card.dataset.step);
      const state = stateOf(now.game.steps[step].index, now.place);
      card.dataset.state = state;
      const factual = outputText(now, step, 0);
      setText(part(card, "factual-title"), now.mode.factual);
      setOutput(part(card, "factual"), factual === null ? wording.noOutput(now.game.errors[0]) : factual);
      const current = part(card, "current");
      if (current === null) return;
      setOutput(current, currentText(now, step, state));
      setText(part(card, "mark"), { same: "same", changed: "changed", missing: "missing", unrun: "not run" }[state]);
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
        button.setAttribute("aria-checked", String(coalitions.has(now.mask, Number(button.dataset.player))));
      });
      const shown = now.place < 0 ? wording.NOT_RUN : wording.outcome(now.game.shown[now.place], 1, now.scoreThreshold);
      setHidden(part(root, "unrun"), now.place >= 0);
      setText(part(root, "world"), wording.worldSentence(now.mode.world, shown.state));
      if (bar === null) return;
      setText(part(bar, "now-name"), wording.shortName(now.mask, now.titles));
      setOutcome(part(bar, "now-outcome"), now.outcome(now.mask));
      setHidden(part(bar, "now-edited"), !now.edits.has(now.mask));
    }

    return { show };
  };
})(globalThis.AgentBlame);
