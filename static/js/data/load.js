// Turns a scenario's and a case's name into their data: from a block of this page, or from a script file beside it.
(function (AgentBlame) {
  "use strict";

  const packs = new Map();
  const waiting = new Map();
  const loaded = new Map();

  // Called by the data files. What they hold is unpacked only when somebody asks for it.
  function receive(key, packed) {
    packs.set(key, packed);
    const resolve = waiting.get(key);
    if (resolve !== undefined) {
      waiting.delete(key);
      resolve(packed);
    }
  }

  function block(key) {
    for (const one of document.querySelectorAll("script[data-key]")) {
      if (one.getAttribute("data-key") === key) return one.textContent;
    }
    return null;
  }

  function pathOf(key) {
    return document.documentElement.getAttribute("data-root") + "data/" + key + ".js";
  }

  function damaged(key) {
    if (typeof DecompressionStream === "undefined") return new Error("This browser is too old to unpack the data of this page.");
    if (block(key) !== null) return new Error("This file is damaged: its data on " + key + " cannot be read. Get it again.");
    return new Error("The data file " + pathOf(key) + " is missing or damaged. Keep the folder of this page together.");
  }

  // Base64 of compressed JSON.
  async function unpack(key, packed) {
    try {
      const stream = new Blob([AgentBlame.base64.bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
      return JSON.parse(await new Response(stream).text());
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
        script.remove();
      };
      script.src = pathOf(key);
      document.head.appendChild(script);
    });
  }

  function packed(key) {
    if (packs.has(key)) return Promise.resolve(packs.get(key));
    const inside = block(key);
    return inside === null ? fromFile(key) : Promise.resolve(inside);
  }

  // Returns a promise of a scenario's summary, or of what else is kept of it: one case with its games under every mode
  // ("CASE"), all games under a mode ("batch.MODE", "batch.MODE.1", ...), or the texts that are searched ("search.all").
  // What is `passing` is not kept for the next who asks.
  function load(scenario, part, passing) {
    const key = part === undefined ? scenario : scenario + "/" + part;
    if (!loaded.has(key)) {
      const promise = packed(key).then((text) => {
        packs.delete(key);
        return unpack(key, text);
      });
      const forget = () => loaded.delete(key);
      loaded.set(key, promise);
      promise.then(passing === true ? forget : () => {}, forget);
    }
    return loaded.get(key);
  }

  AgentBlame.receive = receive;
  AgentBlame.load = load;
})(globalThis.AgentBlame);
