// Turns a scenario's and a case's name into their data: from a JSON block of this page, or from a script file beside it.
(function (AgentBlame) {
  "use strict";

  const texts = new Map();
  const waiting = new Map();
  const loaded = new Map();

  // Called by the data files. The JSON is parsed only when somebody asks for it.
  function receive(key, text) {
    texts.set(key, text);
    const resolve = waiting.get(key);
    if (resolve !== undefined) {
      waiting.delete(key);
      resolve(text);
    }
  }

  function block(key) {
    const blocks = document.querySelectorAll('script[type="application/json"]');
    for (const one of blocks) {
      if (one.getAttribute("data-key") === key) return one.textContent;
    }
    return null;
  }

  // A page opened from disk may not fetch, but it may append a script.
  function fromFile(key) {
    return new Promise((resolve, reject) => {
      const path = document.documentElement.getAttribute("data-root") + "data/" + key + ".js";
      const script = document.createElement("script");
      const fail = () => {
        waiting.delete(key);
        script.remove();
        reject(new Error("The data file " + path + " is missing or damaged. Keep the folder of this page together."));
      };
      waiting.set(key, resolve);
      script.onerror = fail;
      script.onload = () => {
        if (waiting.has(key)) fail();
      };
      script.src = path;
      document.head.appendChild(script);
    });
  }

  function text(key) {
    if (texts.has(key)) return Promise.resolve(texts.get(key));
    const inside = block(key);
    return inside === null ? fromFile(key) : Promise.resolve(inside);
  }

  // Returns a promise of a scenario's summary, or of one case with its games under every mode.
  function load(scenario, caseSlug) {
    const key = caseSlug === undefined ? scenario : scenario + "/" + caseSlug;
    if (!loaded.has(key)) {
      const promise = text(key).then(JSON.parse);
      loaded.set(key, promise);
      promise.catch(() => loaded.delete(key));
    }
    return loaded.get(key);
  }

  AgentBlame.receive = receive;
  AgentBlame.load = load;
})(globalThis.AgentBlame);
