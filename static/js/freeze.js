// Loaded last: from here on nothing can change the rules, or anything else the page runs.
(function () {
  "use strict";

  const seen = new Set();

  // Plain objects, arrays and functions; what belongs to the browser is left as it is.
  function isOurs(value) {
    if (typeof value === "function" || Array.isArray(value)) {
      return true;
    }
    return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  }

  function freezeDeeply(value) {
    if (isOurs(value) && !seen.has(value)) {
      seen.add(value);
      Object.freeze(value);
      Object.getOwnPropertyNames(value).forEach((name) => freezeDeeply(value[name]));
    }
  }

  freezeDeeply(AgentBlame);
  Object.defineProperty(globalThis, "AgentBlame", { writable: false, configurable: false });
})();
