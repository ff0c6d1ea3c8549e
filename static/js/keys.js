// Turns key presses into actions, except while somebody types. A key held down acts once. What undoes elsewhere does, too.
(function (AgentBlame) {
  "use strict";

  function types(target) {
    if (target.isContentEditable) return true;
    return target.matches("select, textarea, input:not([type=radio]):not([type=checkbox])");
  }

  // `actions` maps a key to a function; digits come as "digit" with their number.
  function listen(actions) {
    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.repeat || event.altKey) return;
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
      if ((event.ctrlKey || event.metaKey) && !isUndo) return;
      if (event.target instanceof Element && types(event.target)) return;
      // What can be pressed is pressed by Enter.
      if (event.key === "Enter" && event.target instanceof Element && event.target.closest("a, button, summary, [role=slider]")) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (/^[1-9]$/.test(key)) actions.digit(Number(key));
      else if (Object.prototype.hasOwnProperty.call(actions, key) && key !== "digit") actions[key]();
      else return;
      event.preventDefault();
    });
  }

  AgentBlame.keys = { listen };
})(globalThis.AgentBlame);
