// Turns a case and the one it is compared with into two columns: verdicts, values, repairs, outcomes, and each step's output.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden, setOutcome, setItems, make, isolated } = AgentBlame.dom;
  const { changedText, comparison, figures, gameKey, rules, wording } = AgentBlame;

  const SIDES = ["A", "B"];
  const ALONE = "Both are shown side by side, step by step, under the same fixes.";
  const ITSELF = "Both sides are the same case under the same luck, so nothing differs.";

  AgentBlame.caseViews.compare = function (root, act, summary) {
    const section = part(root, "compare");
    if (section === null) return { show() {} };
    const inside = (name) => part(section, name);
    const box = inside("compare-box");
    const sides = SIDES.map((letter) => section.querySelector('[data-side="' + letter + '"]'));
    const radios = parts(section, "other-mode");
    const field = inside("other-case") === null ? null : AgentBlame.views.caseField(section, summary, pick);
    const fixRows = inside("compare-values") === null ? [] : summary.titles.map(fixRow);
    const stepRows = [stepRow("Input", 0), ...parts(root, "step-title").map((title, k) => stepRow(title.textContent, k + 1))];
    const placeOf = new Map(summary.cases.map((one, place) => [one.slug, place]));
    let shown = null;
    let openedFor = null;
    let drawn = null;
    let missed = "";

    if (fixRows.length > 0) inside("compare-values").append(...fixRows.map((row) => row.element));
    inside("compare-steps").append(...stepRows.map((row) => row.element));
    box.addEventListener("toggle", () => box.open && shown !== null && draw());
    changedText.follow(section, () => box.open && shown !== null && shown.other !== null && drawSteps());
    radios.forEach((radio) => radio.addEventListener("change", () => choose(chosen().slug, radio.value)));
    inside("stop").addEventListener("click", () => {
      act.setOther(null);
      box.querySelector("summary").focus();
    });

    // The case that is on the other side, or would be if another kind of luck were chosen.
    function chosen() {
      return (shown.other === null ? shown : shown.other).case;
    }

    function choose(slug, mode) {
      missed = "";
      act.setOther(gameKey.of(slug, mode));
    }

    // A case is taken under the luck that was chosen, or under the first one it was analysed in.
    function pick(slug) {
      const wanted = (shown.other === null ? shown : shown.other).mode.id;
      const { id, sentences } = summary.cases[placeOf.get(slug)];
      const offered = summary.modes.filter((mode) => Object.prototype.hasOwnProperty.call(sentences, mode.id));
      const mode = offered.find((one) => one.id === wanted) || offered[0];
      choose(slug, mode.id);
      const title = summary.modes.find((one) => one.id === wanted).title;
      missed = mode.id === wanted ? "" : rules.isolated(id) + " was not analysed under \u201c" + title + "\u201d, so \u201c" + mode.title + "\u201d is shown.";
    }

    function cellOf(letter) {
      const cell = make("td", { role: "cell", class: "compare-value", "data-name": letter });
      const bar = figures.make(figures.bar(0, figures.scale([], 1)));
      const number = make("span", { class: "number" });
      const interval = make("small", { class: "interval" });
      const inner = make("span", { class: "cell" });
      inner.append(bar, number, interval);
      cell.append(inner);
      return { cell, bar, number, interval };
    }

    function fixRow(title, player) {
      const element = make("tr", { role: "row", "data-player": player });
      const head = make("th", { scope: "row", role: "rowheader" });
      head.append(make("bdi", {}, title));
      const cells = SIDES.map(cellOf);
      const against = make("td", { role: "cell", class: "compare-against", "data-name": "B against A" });
      const places = make("td", { role: "cell", class: "compare-places", "data-name": "Rank" });
      element.append(head, ...cells.map(({ cell }) => cell), against, places);
      return { element, cells, against, places };
    }

    function stepRow(title, number) {
      const element = make("li", { class: "compare-step" });
      const head = isolated("h4", title);
      if (number > 0) head.prepend(make("span", { class: "quiet" }, number + ". "));
      const mark = make("span", { class: "tag", "data-part": "compare-mark" });
      head.append(" ", mark);
      const pair = make("div", { class: "compare-pair" });
      const boxes = SIDES.map((letter) => {
        const figure = make("figure", { "data-output": letter });
        const caption = make("figcaption", {});
        caption.append(make("span", { class: "compare-letter" }, letter));
        const text = changedText.box(title + ", side " + letter);
        figure.append(caption, text.element);
        pair.append(figure);
        return text;
      });
      element.append(head, pair);
      return { element, mark, boxes };
    }

    function drawSide(side, now) {
      setText(part(side, "side-case"), now.case.id);
      setText(part(side, "side-mode"), now.mode.title);
      setHidden(part(side, "side-edited"), now.edits.size === 0);
      setText(part(side, "side-question"), now.mode.question);
      setText(part(side, "side-headline"), now.verdict.sentences[0]);
      setItems(part(side, "side-remarks"), "li", now.verdict.sentences.slice(1));
      parts(side, "side-end").forEach((element, k) => setOutcome(element, now.outcome([0, now.grand][k])));
      const count = now.edits.size;
      const text = "Hypothetical: " + count + (count === 1 ? " outcome" : " outcomes") + " edited; this is not what was run.";
      setText(part(side, "side-hypothetical"), text);
      setHidden(part(side, "side-hypothetical"), count === 0);
    }

    function drawCell({ bar, number, interval }, value, span) {
      setText(number, value === null ? "withheld" : rules.numberText(value.number));
      const known = value !== null && value.sampled;
      const whiskers = known ? figures.whiskers(value.low, value.high, span) : null;
      figures.draw(bar, figures.bar(value === null ? 0 : value.number, span), whiskers);
      setText(interval, known ? wording.intervalText(value.low, value.high) : "");
    }

    function drawValues({ fixes, span, note }) {
      setText(inside("compare-values-note"), note);
      setHidden(inside("compare-values-note"), note === "");
      fixes.forEach((fix, player) => {
        const row = fixRows[player];
        row.cells.forEach((cell, k) => drawCell(cell, fix.values[k], span));
        setText(row.against, fix.against);
        setText(row.places, "A " + fix.places[0] + " \u00b7 B " + fix.places[1]);
      });
    }

    function drawRepairs({ names, note }) {
      setText(inside("compare-repairs-note"), note);
      setHidden(inside("compare-repairs-note"), note === "");
      SIDES.forEach((letter, k) => {
        const column = section.querySelector('[data-repairs="' + letter + '"]');
        setText(part(column, "repairs-case"), sideOf(k).case.id);
        setHidden(part(column, "repairs-edited"), sideOf(k).edits.size === 0);
        setItems(part(column, "side-repairs"), "li", names[k]);
      });
    }

    function outcomeCell(outcome, edited) {
      const element = part(section, "side-end").cloneNode(true);
      element.dataset.part = "outcome";
      setOutcome(element, outcome);
      const cell = make("td", {});
      cell.append(element);
      if (edited) cell.append(" ", make("span", { class: "tag tag-edited" }, "edited"));
      return cell;
    }

    function outcomeRow({ mask, outcomes, edited }) {
      const row = make("tr", { "data-compared": mask });
      const head = make("th", { scope: "row" });
      const button = make("button", { type: "button", class: "link" });
      button.append(make("bdi", {}, wording.coalitionName(mask, summary.titles)));
      button.addEventListener("click", () => act.setMask(mask));
      head.append(button);
      row.append(head, ...outcomes.map((outcome, k) => outcomeCell(outcome, edited[k])));
      return row;
    }

    function drawOutcomes({ rows, note }) {
      setText(inside("compare-outcomes-note"), note);
      setHidden(inside("compare-outcomes-table"), rows.length === 0);
      inside("compare-outcomes").replaceChildren(...rows.map(outcomeRow));
    }

    function markCurrent() {
      for (const row of inside("compare-outcomes").children) {
        if (Number(row.dataset.compared) === shown.mask) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
      }
    }

    function drawStep({ mark, boxes }, [one, other]) {
      const both = one.there && other.there;
      setText(mark, !both ? "not on both sides" : one.text === other.text ? "same" : "differs");
      mark.dataset.kind = both && one.text !== other.text ? "differs" : "";
      boxes[0].show(null, one.text);
      boxes[1].show(both ? one.text : null, other.text);
    }

    function drawSteps() {
      const [input, ...rows] = stepRows;
      const texts = [0, 1].map((k) => comparison.inputsText(sideOf(k)));
      setHidden(input.element, texts.every((text) => text === ""));
      drawStep(input, texts.map((text) => ({ text, there: true })));
      rows.forEach((row, step) => drawStep(row, [0, 1].map((k) => AgentBlame.stepOutput(sideOf(k), step))));
      const on = summary.titles.length === 0 ? "" : "with fixes on: " + wording.shortName(shown.mask, summary.titles);
      setText(inside("compare-on"), on);
    }

    function sideOf(k) {
      return k === 0 ? shown : shown.other;
    }

    // What is said of two games stays while neither changes; what their steps put out follows the fixes.
    function drawBoth() {
      const key = shown.version + "\n" + shown.other.version;
      if (key !== drawn) {
        drawn = key;
        sides.forEach((side, k) => drawSide(side, sideOf(k)));
        if (fixRows.length > 0) {
          const { values, repairs, outcomes } = comparison.compared(shown, shown.other);
          drawValues(values);
          drawRepairs(repairs);
          drawOutcomes(outcomes);
        }
      }
      if (fixRows.length > 0) markCurrent();
      drawSteps();
    }

    function drawChoice() {
      const { other } = shown;
      if (field !== null) field.show(placeOf.get(chosen().slug));
      for (const radio of radios) {
        radio.checked = other !== null && radio.value === other.mode.id;
        radio.disabled = !Object.prototype.hasOwnProperty.call(chosen().modes, radio.value);
      }
      setHidden(inside("compare-actions"), other === null);
      setText(inside("compare-note"), other === null ? ALONE : other.key === shown.key ? ITSELF : missed);
      if (other === null) return;
      const swapped = { caseIndex: placeOf.get(other.case.slug), mode: other.mode.id, other: shown.key };
      inside("swap").setAttribute("href", shown.addressOf(swapped));
    }

    function draw() {
      drawChoice();
      setHidden(inside("compare-shown"), shown.other === null);
      if (shown.other !== null) drawBoth();
    }

    // A link to a comparison opens it; one that was closed stays so until another is asked for.
    function show(now) {
      shown = now;
      const key = now.other === null ? null : now.other.key;
      if (key !== openedFor && key !== null) box.open = true;
      openedFor = key;
      section.classList.toggle("is-comparing", key !== null);
      if (box.open) draw();
    }

    return { show };
  };
})(globalThis.AgentBlame);
