// Turns a widget's box into its parts: a caption, controls, a picture, a line that says the result, and "Start over".
(function (AgentBlame) {
  "use strict";

  const { make, setText, setHidden } = AgentBlame.dom;
  const { coalitions, figures } = AgentBlame;

  // Radio buttons belong together by a name, which no other group of the page may have.
  let groups = 0;

  function button(text, pressed) {
    const made = make("button", { type: "button", class: "button" }, text);
    made.addEventListener("click", pressed);
    return made;
  }

  /** { controls, picture, say }; `name` is what a screen reader calls the box. */
  function open(box, name, caption, startOver) {
    const controls = make("div", { class: "widget-controls" });
    const picture = make("div", { class: "widget-picture" });
    const result = make("p", { class: "widget-result", "data-part": "result", "aria-live": "polite" });
    const foot = make("div", { class: "widget-foot" });
    foot.append(button("Start over", startOver));
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", name);
    box.replaceChildren(make("p", { class: "widget-caption" }, caption), controls, picture, result, foot);
    return { controls, picture, say: (text) => setText(result, text) };
  }

  /** A choice of one; options are [value, text]. */
  function choices(legend, options, chosen) {
    groups += 1;
    const element = make("fieldset", { class: "widget-choices" });
    element.append(make("legend", {}, legend));
    const inputs = options.map(([value, text]) => {
      const label = make("label", {});
      const input = make("input", { type: "radio", name: "widget-choice-" + groups, value });
      input.addEventListener("change", () => chosen(value));
      label.append(input, make("span", {}, text));
      element.append(label);
      return input;
    });
    const set = (value) => inputs.forEach((input) => { input.checked = input.value === value; });
    return { element, set };
  }

  /** A number one can drag; `said` is its value in words. */
  function slider(name, [low, high, step], moved) {
    const input = make("input", { type: "range", min: low, max: high, step, "aria-label": name });
    input.addEventListener("input", () => moved(Number(input.value)));
    const set = (value, said) => {
      input.value = String(value);
      input.setAttribute("aria-valuetext", said);
    };
    return { element: input, set };
  }

  /** A table with a row per title: a bar, and one cell under each of the heads after the first. */
  function bars(heads, titles, span) {
    const element = make("table", { class: "widget-bars" });
    const top = make("tr", {});
    top.append(make("th", { scope: "col" }, heads[0]), make("td", {}));
    heads.slice(1).forEach((head) => top.append(make("th", { scope: "col", class: "number" }, head)));
    const body = make("tbody", {});
    const rows = titles.map((title) => {
      const row = make("tr", {});
      const head = make("th", { scope: "row" }, title);
      const note = make("small", { class: "widget-note" });
      const bar = figures.make(figures.bar(0, span));
      const place = make("td", {});
      const cells = heads.slice(1).map(() => make("td", { class: "number" }));
      head.append(note);
      place.append(bar);
      row.append(head, place, ...cells);
      body.append(row);
      return { row, head, note, bar, cells };
    });
    const thead = make("thead", {});
    thead.append(top);
    element.append(thead, body);
    const show = (k, value, texts, interval) => {
      figures.draw(rows[k].bar, figures.bar(value, span), interval ? figures.whiskers(...interval, span) : null);
      texts.forEach((text, column) => setText(rows[k].cells[column], text));
    };
    const note = (k, text) => setText(rows[k].note, text);
    const hide = (k, hidden) => setHidden(rows[k].row, hidden);
    return { element, rows, show, note, hide };
  }

  function svg(tag, attributes) {
    const element = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag);
    for (const name of Object.keys(attributes)) element.setAttribute(name, attributes[name]);
    return element;
  }

  /** Pass or fail, as a sign and a word. */
  function outcome() {
    const element = make("span", { class: "outcome" });
    const icon = svg("svg", { class: "icon", "aria-hidden": "true", focusable: "false" });
    const word = make("span", {});
    icon.append(svg("use", {}));
    element.append(icon, word);
    const show = (passes) => {
      element.dataset.state = passes ? "pass" : "fail";
      icon.firstChild.setAttribute("href", passes ? "#icon-pass" : "#icon-fail");
      setText(word, passes ? "Pass" : "Fail");
    };
    return { element, show };
  }

  function joined(texts, word) {
    if (texts.length < 2) return texts.join("");
    return texts.slice(0, -1).join(", ") + " " + word + " " + texts[texts.length - 1];
  }

  /** The outcomes 0 and 1 of every coalition, by mask, from what passes; `fixed` tells whether a player's fix is on. */
  function worthOf(players, passes) {
    return Array.from({ length: 2 ** players }, (_, mask) => Number(passes((player) => coalitions.has(mask, player))));
  }

  AgentBlame.frame = { open, button, choices, slider, bars, svg, outcome, joined, worthOf };
})(globalThis.AgentBlame);
