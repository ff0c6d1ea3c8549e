// Turns a part's name into its element, and a text or an outcome into what that element shows. Text is never markup.
(function (AgentBlame) {
  "use strict";

  function part(root, name) {
    return root.querySelector('[data-part="' + name + '"]');
  }

  function parts(root, name) {
    return Array.from(root.querySelectorAll('[data-part="' + name + '"]'));
  }

  // Control characters are shown as the builder shows them.
  function visible(text) {
    return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
  }

  // Characters, as for the builder: one that takes two of JavaScript's units is one.
  const LONGEST_NAME = 200;

  // Whether a name would fill what it stands in.
  function isLong(name) {
    return Array.from(name).length > LONGEST_NAME;
  }

  function setText(element, text) {
    const shown = visible(String(text));
    if (element.textContent !== shown) element.textContent = shown;
  }

  // A step's text; what looks like data is set in a type that keeps its columns.
  function setOutput(element, text) {
    setText(element, text);
    element.classList.toggle("is-data", text.startsWith("{") || text.startsWith("["));
  }

  function setHidden(element, hidden) {
    if (element.hidden !== hidden) element.hidden = hidden;
  }

  function setOutcome(element, outcome) {
    if (element.dataset.state !== outcome.state) {
      element.dataset.state = outcome.state;
      element.querySelector("use").setAttribute("href", "#icon-" + outcome.state);
    }
    setText(part(element, "word"), outcome.word);
    setText(part(element, "number"), outcome.number);
  }

  function make(tag, attributes, text) {
    const element = document.createElement(tag);
    for (const name of Object.keys(attributes)) element.setAttribute(name, attributes[name]);
    if (text !== undefined) element.textContent = visible(text);
    return element;
  }

  // An element whose text keeps its own direction and moves nothing around it.
  function isolated(tag, text) {
    const element = make(tag, {});
    element.append(make("bdi", {}, text));
    return element;
  }

  // Shows one text per child of `list`, as elements of the given kind.
  function setItems(list, tag, texts) {
    const same = list.children.length === texts.length && texts.every((text, k) => list.children[k].textContent === visible(text));
    if (!same) list.replaceChildren(...texts.map((text) => isolated(tag, text)));
  }

  // Makes a change after which some of `elements` may be hidden or disabled; one that had the focus hands it to the nearest
  // one that can have it.
  function keepFocus(elements, change) {
    const at = elements.indexOf(document.activeElement);
    change();
    const able = (element) => !element.disabled && element.getClientRects().length > 0;
    if (at < 0 || able(elements[at])) return;
    const near = Array.from(elements.keys()).sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
    const next = near.find((k) => able(elements[k]));
    if (next !== undefined) elements[next].focus();
  }

  // Turns pages through `count` rows, `size` at a time; `first` names the first row shown, `turnTo` shows another's page,
  // `setCount` starts over with another number of rows.
  function pager(nav, count, size, turned) {
    let first = 0;
    const previous = make("button", { type: "button", class: "button" }, "← Previous");
    const where = make("span", { class: "quiet" });
    const next = make("button", { type: "button", class: "button" }, "Next →");
    const show = () => {
      where.textContent = first + 1 + "–" + Math.min(first + size, count) + " of " + count;
      keepFocus([previous, next], () => {
        previous.disabled = first === 0;
        next.disabled = first + size >= count;
      });
      nav.hidden = count <= size;
    };
    const turnTo = (row) => {
      if (row >= first && row < first + size) return;
      first = row - (row % size);
      show();
      turned();
    };
    previous.addEventListener("click", () => turnTo(first - size));
    next.addEventListener("click", () => turnTo(first + size));
    const setCount = (rows) => {
      if (rows === count) return;
      count = rows;
      first = 0;
      show();
      turned();
    };
    nav.replaceChildren(previous, where, next);
    show();
    return { first: () => first, turnTo, setCount };
  }

  AgentBlame.dom = { part, parts, setText, setOutput, setHidden, setOutcome, make, isolated, setItems, visible, isLong, keepFocus, pager };
  // Views by name; those of one case are all started with a scenario, in this order.
  AgentBlame.views = {};
  AgentBlame.caseViews = {};
})(globalThis.AgentBlame);
