// Turns a scenario's chunk of all games under one mode, and the reader's edits, into the figures of every case.
(function (AgentBlame) {
  "use strict";

  const { batchTable, hypothetical, rules } = AgentBlame;
  // Milliseconds of work after which the page may do something else.
  const AT_ONCE = 40;

  function worthOf(packed) {
    if (typeof packed !== "string") return packed;
    return Array.from(packed, (digit) => (digit === "-" ? null : parseInt(digit, 36)));
  }

  function editsText(edits) {
    return Array.from(edits, ([mask, value]) => mask + "_" + value).sort().join("~");
  }

  /**
   * The games of a chunk: `figures(editsOf)` gives a promise of { figures, kinds, headlines } by place among all cases,
   * where `editsOf(place)` is a map of edits or undefined. Only cases whose edits changed are computed anew. `figures` is
   * undefined for a case that was not analysed in this mode; `headlines` holds the verdicts' first sentences on edited
   * cases.
   */
  function batchGames(chunk, summary, on) {
    const level = rules.repairLevel(summary.threshold, chunk.denominator);
    const worlds = chunk.denominator === null ? 1 : chunk.denominator;
    const known = chunk.cases.map(() => new Map());

    function compute(k, edits) {
      const { denominator } = chunk;
      const worth = worthOf(chunk.worth[k]);
      const touched = chunk.touched[k];
      if (worth === null) return { figures: null, headline: null };
      if (chunk.sampled[k] !== null) {
        return { figures: batchTable.sampledFigures(chunk.sampled[k], worth, denominator, touched, level), headline: null };
      }
      const table = hypothetical.apply({ worth, denominator }, edits);
      const figures = batchTable.caseFigures(table, touched, level, on.graded);
      return { figures, headline: edits.size === 0 ? null : headline(table, touched) };
    }

    function headline(table, touched) {
      const marks = touched === null ? null : summary.players.map((step, player) => (player === touched ? 1 : 0));
      const said = hypothetical.verdict(summary.titles, table, level, worlds, marks).sentences[0];
      if (!on.fresh) return said;
      const empty = AgentBlame.wording.outcome(hypothetical.share(table, 0), worlds, level);
      return said + " No fix: " + (empty.number || "no outcome") + ".";
    }

    // The case as it was run is kept, and its latest edit.
    function cached(k, edits) {
      const key = edits === undefined ? "" : editsText(edits);
      const found = known[k];
      if (!found.has(key)) {
        for (const old of found.keys()) if (old !== "") found.delete(old);
        found.set(key, compute(k, edits || new Map()));
      }
      return found.get(key);
    }

    async function figures(editsOf) {
      const found = { figures: [], kinds: [], headlines: new Map() };
      found.figures.length = summary.cases.length;
      found.kinds = summary.cases.map(() => "unknown");
      let since = performance.now();
      for (let k = 0; k < chunk.cases.length; k += 1) {
        if (performance.now() - since > AT_ONCE) {
          await new Promise((resolve) => setTimeout(resolve));
          since = performance.now();
        }
        const place = chunk.cases[k];
        const one = cached(k, editsOf(place));
        found.figures[place] = one.figures;
        found.kinds[place] = AgentBlame.batchWords.kindOf(one.figures);
        if (one.headline !== null) found.headlines.set(place, one.headline);
      }
      return found;
    }

    return { figures };
  }

  AgentBlame.batchGames = batchGames;
})(globalThis.AgentBlame);
