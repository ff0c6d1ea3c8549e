// Turns the verdict on the current table into its sentences, the two ends of the table, and the mark of a hypothesis.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden, setOutcome, setItems, make, isLong } = AgentBlame.dom;

  AgentBlame.caseViews.verdict = function (root, act, summary) {
    const box = part(root, "verdict");
    const lastTitle = summary.shared.steps[summary.shared.steps.length - 1].title;
    let gistOf = null;
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

    // In one line, which stays in view beside what changes it.
    function ranking(shapley, titles) {
      if (shapley === null) return "";
      const { rank, numberText, isolated } = AgentBlame.rules;
      return Array.from(rank(shapley), (player) => isolated(titles[player]) + " " + numberText(shapley[player])).join(" \u00b7 ");
    }

    // A name that would fill a screen scrolls in its own box, which the keyboard reaches.
    function boxLong(name, id) {
      const long = isLong(id);
      name.classList.toggle("is-boxed", long);
      if (long) name.setAttribute("tabindex", "0");
      else name.removeAttribute("tabindex");
    }

    function gistText([name, text]) {
      const element = make("span", {});
      element.append(make("bdi", { class: "quiet" }, name), ": ", make("bdi", {}, text));
      return [element, " "];
    }

    function remark(text) {
      return text === "" ? [] : [make("span", { class: "quiet" }, text)];
    }

    // As it was run, so it stays the same whatever is edited or switched on.
    function showGist(now) {
      if (gistOf === now.game) return;
      gistOf = now.game;
      const { inputs, more, gave, world } = AgentBlame.gist(now, lastTitle);
      setHidden(part(box, "gist-inputs"), inputs.length === 0);
      part(box, "gist-in").replaceChildren(...inputs.flatMap(gistText), ...remark(more));
      setText(part(box, "gist-gave"), now.mode.gave);
      part(box, "gist-out").replaceChildren(...gistText(gave), ...remark(world));
    }

    // Stands where the verdict is out of sight and outcomes are changed.
    function showEcho(name, now) {
      const echo = part(root, name);
      if (echo === null) return;
      setText(part(echo, name + "-headline"), now.verdict.sentences[0]);
      setText(part(echo, name + "-values"), ranking(now.values.shapley, now.titles));
      setHidden(echo, now.game.sampled !== null);
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
      showGist(now);
      for (const name of ["picture-echo", "echo"]) showEcho(name, now);
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
