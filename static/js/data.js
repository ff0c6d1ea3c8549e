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

  function pathOf(key) {
    return document.documentElement.getAttribute("data-root") + "data/" + key + ".js";
  }

  function damaged(key) {
    if (block(key) !== null) return new Error("This file is damaged: its data on " + key + " cannot be read. Get it again.");
    return new Error("The data file " + pathOf(key) + " is missing or damaged. Keep the folder of this page together.");
  }

  function parse(key, json) {
    try {
      return JSON.parse(json);
    } catch (error) {
      throw damaged(key);
    }
  }

  // A page opened from disk may not fetch, but it may append a script.
  function fromFile(key) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const fail = () => {
        waiting.delete(key);
        script.remove();
        reject(damaged(key));
      };
      waiting.set(key, resolve);
      script.onerror = fail;
      script.onload = () => {
        if (waiting.has(key)) fail();
      };
      script.src = pathOf(key);
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
      const promise = text(key).then((json) => parse(key, json));
      loaded.set(key, promise);
      promise.catch(() => {
        loaded.delete(key);
        texts.delete(key);
      });
    }
    return loaded.get(key);
  }

  AgentBlame.receive = receive;
  AgentBlame.load = load;
})(globalThis.AgentBlame);
