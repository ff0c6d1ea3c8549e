// Turns words into the cases that have them all: in their names, tags and verdicts, or in what their steps read and wrote.
(function (AgentBlame) {
  "use strict";

  const { folded } = AgentBlame.caseList;
  // Milliseconds of work after which the page may do something else.
  const AT_ONCE = 12;

  async function eachOf(count, visit) {
    let since = performance.now();
    for (let k = 0; k < count; k += 1) {
      visit(k);
      if (performance.now() - since < AT_ONCE) continue;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
  }

  // `find(text)` gives a promise of the places found, null where nothing is searched for. What is searched is loaded and
  // prepared when somebody first searches.
  AgentBlame.caseSearch = function (scenario, summary) {
    let prepared = null;

    async function prepare() {
      const { texts } = await AgentBlame.load(scenario, "search.all");
      const found = new Array(summary.cases.length);
      await eachOf(found.length, (place) => {
        const one = summary.cases[place];
        const marks = one.tags.map((tag) => summary.tags[tag]);
        if (one.failure !== null) marks.push(summary.failures[one.failure]);
        found[place] = folded([one.id, ...marks, ...Object.values(one.sentences), texts[place]].join("\n"));
      });
      return found;
    }

    async function find(text) {
      const words = folded(text).split(/\s+/).filter((word) => word !== "");
      if (words.length === 0) return null;
      if (prepared === null) {
        prepared = prepare();
        prepared.catch(() => {
          prepared = null;
        });
      }
      const texts = await prepared;
      const found = new Set();
      await eachOf(texts.length, (place) => {
        if (words.every((word) => texts[place].includes(word))) found.add(place);
      });
      return found;
    }

    return { find };
  };
})(globalThis.AgentBlame);
