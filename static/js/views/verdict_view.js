// Turns the verdict on the current table into its sentences, the two ends of the table, and the mark of a hypothesis.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden, setOutcome, setItems } = AgentBlame.dom;

  // Characters, as for the builder.
  const LONGEST_NAME = 200;

  AgentBlame.caseViews.verdict = function (root, act) {
    const box = part(root, "verdict");
    part(box, "reset").addEventListener("click", () => {
      act.resetEdits();
      // The button goes with what it undid.
      box.focus();
    });

    function passing(now) {
      let count = 0;
      const places = now.table.worth.length;
      for (let place = 0; place < places; place += 1) {
        if (now.outcomeAt(place).state === "pass") count += 1;
      }
      return count + " of " + places + (now.game.coalitions === null ? "" : " listed");
    }

    // In one line, which stays in view beside the outcomes.
    function ranking(shapley, titles) {
      if (shapley === null) return "";
      const { rank, numberText, isolated } = AgentBlame.rules;
      return Array.from(rank(shapley), (player) => isolated(titles[player]) + " " + numberText(shapley[player])).join(" \u00b7 ");
    }

    // A name that would fill a screen scrolls in its own box, which the keyboard reaches.
    function boxLong(name, id) {
      const isLong = id.length > LONGEST_NAME;
      name.classList.toggle("is-boxed", isLong);
      if (isLong) name.setAttribute("tabindex", "0");
      else name.removeAttribute("tabindex");
    }

    function hypothesis(count, others) {
      const here = count + (count === 1 ? " outcome" : " outcomes") + " edited; this is not what was run.";
      return others === 0 ? here : here + " " + others + " more edited in other cases or kinds of luck.";
    }

    function show(now) {
      box.dataset.kind = now.verdict.kind;
      setText(part(box, "case-name"), now.case.id);
      boxLong(part(box, "case-name"), now.case.id);
      setText(part(box, "mode-name"), now.mode.title);
      setText(part(box, "headline"), now.verdict.sentences[0]);
      setText(part(root, "echo-headline"), now.verdict.sentences[0]);
      setText(part(root, "echo-values"), ranking(now.values.shapley, now.titles));
      setItems(part(box, "remarks"), "li", now.verdict.sentences.slice(1));
      parts(box, "end").forEach((element, k) => setOutcome(element, now.outcome([0, now.grand][k])));
      setText(part(box, "passing"), passing(now));
      const count = now.edits.size;
      setHidden(part(box, "hypothetical"), count === 0);
      setText(part(box, "hypothetical-text"), hypothesis(count, now.otherEdits));
      root.classList.toggle("is-hypothetical", count > 0);
    }

    return { show };
  };
})(globalThis.AgentBlame);
