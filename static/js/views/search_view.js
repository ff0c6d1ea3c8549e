// Turns what is typed into the search field into a search.
(function (AgentBlame) {
  "use strict";

  const { part, setHidden } = AgentBlame.dom;
  // Milliseconds without a key after which one has typed enough.
  const PAUSE = 120;

  // `search(text)` is called with what to look for.
  AgentBlame.views.search = function (root, search) {
    const box = part(root, "search");
    const field = part(root, "search-text");
    let waiting = null;
    let isGone = false;

    function ask() {
      clearTimeout(waiting);
      if (!isGone) search(field.value.trim());
    }

    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(ask, PAUSE);
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") ask();
      else if (event.key === "Escape" && (isGone || field.value === "")) field.blur();
      else if (event.key === "Escape") {
        field.value = "";
        ask();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });

    // A field that goes stays while somebody types: what they type on would be taken for commands to the page.
    field.addEventListener("blur", () => setHidden(box, isGone));

    function show(text, searchable) {
      isGone = !searchable;
      field.readOnly = isGone;
      setHidden(box, isGone && document.activeElement !== field);
      if (document.activeElement !== field) field.value = text;
    }

    function focus() {
      field.scrollIntoView({ block: "center" });
      field.focus({ preventScroll: true });
    }

    return { show, focus };
  };
})(globalThis.AgentBlame);
