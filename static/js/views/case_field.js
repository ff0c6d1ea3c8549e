// Turns a text field into the choice of one case among many: what is typed filters a short list of them.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, make } = AgentBlame.dom;
  const { folded } = AgentBlame.caseList;

  // Cases that are listed at once; one who looks for another types on.
  const LISTED = 40;

  // `pick(slug)` is called with the case that was chosen; `show(place)` puts a case's name into the field.
  AgentBlame.views.caseField = function (root, summary, pick) {
    const field = part(root, "other-case");
    const box = part(root, "other-box");
    const list = part(root, "other-list");
    let names = null;
    let shown = 0;
    let hits = [];
    let active = -1;

    // Those that begin with what is typed come first; all are in the order of the cases.
    function find(text) {
      if (names === null) names = summary.cases.map((one) => folded(one.id));
      const wanted = folded(text.trim());
      const holding = Array.from(names.keys()).filter((place) => names[place].includes(wanted));
      const begins = (place) => names[place].startsWith(wanted);
      return wanted === "" ? holding : [...holding.filter(begins), ...holding.filter((place) => !begins(place))];
    }

    function option(place, k) {
      const made = make("li", { role: "option", id: list.id + "-" + k, "aria-selected": "false" });
      made.append(make("bdi", {}, summary.cases[place].id));
      return made;
    }

    function open(text) {
      const found = find(text);
      hits = found.slice(0, LISTED);
      list.replaceChildren(...hits.map(option));
      const more = found.length - hits.length;
      setText(part(root, "other-hits"), found.length === 0 ? "No case has that in its name." : more > 0 ? more + " more: type on to narrow them down." : "");
      setHidden(box, false);
      field.setAttribute("aria-expanded", "true");
      move(text.trim() === "" ? -1 : 0);
    }

    function close() {
      setHidden(box, true);
      list.replaceChildren();
      field.setAttribute("aria-expanded", "false");
      field.removeAttribute("aria-activedescendant");
      active = -1;
    }

    // Who types next replaces the name.
    function restore() {
      close();
      if (field.value === summary.cases[shown].id) return;
      field.value = summary.cases[shown].id;
      if (document.activeElement === field) field.select();
    }

    function move(to) {
      if (active >= 0 && list.children[active]) list.children[active].setAttribute("aria-selected", "false");
      active = hits.length === 0 ? -1 : Math.min(to, hits.length - 1);
      if (active < 0) {
        field.removeAttribute("aria-activedescendant");
        return;
      }
      const chosen = list.children[active];
      chosen.setAttribute("aria-selected", "true");
      field.setAttribute("aria-activedescendant", chosen.id);
      chosen.scrollIntoView({ block: "nearest" });
    }

    function choose(k) {
      const place = hits[k];
      close();
      if (place === undefined) return restore();
      field.value = summary.cases[place].id;
      pick(summary.cases[place].slug);
    }

    const isOpen = () => !box.hidden;
    const keys = {
      ArrowDown: () => (isOpen() ? move(active + 1) : open("")),
      ArrowUp: () => (isOpen() ? move(Math.max(0, active - 1)) : open("")),
      Enter: () => isOpen() && choose(active),
      Escape: () => isOpen() && restore(),
    };
    field.addEventListener("keydown", (event) => {
      if (!Object.prototype.hasOwnProperty.call(keys, event.key) || event.isComposing) return;
      keys[event.key]();
      event.preventDefault();
    });
    field.addEventListener("input", () => open(field.value));
    field.addEventListener("click", () => {
      field.select();
      if (!isOpen()) open("");
    });
    field.addEventListener("blur", restore);
    // A press on the list must not take the focus away before it is a choice.
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const chosen = event.target.closest("[role=option]");
      if (chosen !== null) choose(Array.from(list.children).indexOf(chosen));
    });

    function show(place) {
      shown = place;
      if (document.activeElement !== field || !isOpen()) restore();
    }

    return { show };
  };
})(globalThis.AgentBlame);
