// Turns the fixes that are on into the picture of the pipeline, which the builder's pipeline_graph.py drew: which fixes are
// on and whose output changed. A step leads to its card; the switch in it turns its fix on and off.
(function (AgentBlame) {
  "use strict";

  const { part, setText } = AgentBlame.dom;
  const { coalitions } = AgentBlame;
  const STATES = {
    same: ["same", "M1 3H9M1 7H9"],
    changed: ["changed", "M5 1L9.5 9H0.5Z"],
    missing: ["missing", "M1 1L9 9M9 1L1 9"],
    unrun: ["not run", "M1 5H9"],
  };
  const SWITCHES = { off: ["fix off", 6], on: ["fix on", 16] };
  const MOVES = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

  AgentBlame.caseViews.pipelineGraph = function (root, act, summary) {
    const svg = part(root, "graph-picture");
    const boxes = Array.from(svg.querySelectorAll(".step"), boxOf);
    const flows = Array.from(svg.querySelectorAll(".flow, .arrow"));
    // One stop of the tab key; arrow keys go on from it.
    let at = 0;
    svg.setAttribute("role", "group");
    boxes.forEach((box, step) => {
      box.element.setAttribute("role", "button");
      box.element.setAttribute("tabindex", step === at ? "0" : "-1");
    });

    function boxOf(element, step) {
      const player = summary.players.indexOf(step);
      const inside = (kind) => element.querySelector("." + kind);
      const track = inside("track");
      return {
        element,
        player,
        told: inside("name").parentElement.querySelector("title").textContent,
        sign: inside("state-sign"),
        state: inside("state"),
        knob: inside("knob"),
        word: inside("fix-word"),
        left: track === null ? 0 : Number(track.getAttribute("x")),
      };
    }

    function stopAt(step) {
      boxes[at].element.setAttribute("tabindex", "-1");
      at = Math.min(boxes.length - 1, Math.max(0, step));
      boxes[at].element.setAttribute("tabindex", "0");
      boxes[at].element.focus();
    }

    function openCard(step) {
      const heading = root.querySelector('[data-step="' + step + '"] h3');
      heading.setAttribute("tabindex", "-1");
      heading.focus();
      heading.scrollIntoView({ block: "start" });
    }

    const stepOf = (event) => {
      const element = event.target.closest(".step");
      return element === null ? -1 : boxes.findIndex((box) => box.element === element);
    };

    svg.addEventListener("click", (event) => {
      const step = stepOf(event);
      if (step < 0) return;
      if (event.target.closest(".fix-switch") !== null) act.toggleFix(boxes[step].player);
      else openCard(step);
    });
    svg.addEventListener("focusin", (event) => {
      const step = stepOf(event);
      if (step >= 0 && step !== at) stopAt(step);
    });
    svg.addEventListener("keydown", (event) => {
      const step = stepOf(event);
      if (step < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Enter") openCard(step);
      else if (event.key === " ") {
        if (boxes[step].player >= 0 && !event.repeat) act.toggleFix(boxes[step].player);
      } else if (Object.prototype.hasOwnProperty.call(MOVES, event.key)) stopAt(step + MOVES[event.key]);
      else return;
      event.preventDefault();
    });

    function stateOf(index, place) {
      if (place < 0) return "unrun";
      if (index[place] === null) return "missing";
      return index[place] === index[0] ? "same" : "changed";
    }

    function set(element, name, value) {
      if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
    }

    function showStep(box, state, on) {
      const [word, sign] = STATES[state];
      set(box.element, "data-state", state);
      set(box.sign, "d", sign);
      setText(box.state, word);
      let said = box.told + " · " + word;
      if (box.player >= 0) {
        const [switched, knob] = SWITCHES[on ? "on" : "off"];
        set(box.element, "data-fix", on ? "on" : "off");
        set(box.knob, "cx", box.left + knob);
        setText(box.word, switched);
        said += " · " + switched;
      }
      set(box.element, "aria-label", said);
    }

    function show(now) {
      const states = now.game.steps.map((step) => stateOf(step.index, now.place));
      boxes.forEach((box, step) => showStep(box, states[step], box.player >= 0 && coalitions.has(now.mask, box.player)));
      flows.forEach((flow) => set(flow, "data-state", states[Number(flow.dataset.from)]));
    }

    return { show };
  };
})(globalThis.AgentBlame);
