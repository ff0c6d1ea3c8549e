// Turns a scenario's chunk of all games under one mode, and the reader's edits, into what is said of every case and over all.
(function (AgentBlame) {
  "use strict";

  const { batchCase, batchTotals, hypothetical, rules } = AgentBlame;
  // Milliseconds of work after which the page may do something else.
  const AT_ONCE = 25;

  const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
  const VALUES = new Float64Array(128).fill(NaN);
  for (let value = 0; value < DIGITS.length; value += 1) VALUES[DIGITS.charCodeAt(value)] = value;

  // A worth table to be read, with NaN for a hole; that of digits is kept only until the next one is read.
  let read = new Float64Array(0);
  function readWorth(kept) {
    if (typeof kept !== "string") return kept;
    if (read.length !== kept.length) read = new Float64Array(kept.length);
    for (let mask = 0; mask < read.length; mask += 1) read[mask] = VALUES[kept.charCodeAt(mask)];
    return read;
  }

  // The same to be edited, with null for a hole.
  function worthOf(kept) {
    return kept === null ? null : Array.from(readWorth(kept), (one) => (Number.isNaN(one) ? null : one));
  }

  function editsText(edits) {
    return Array.from(edits, ([mask, value]) => mask + "_" + value).sort().join("~");
  }

  /**
   * A promise of the games of a chunk: { totals, found, total, follow }. `found` holds { figures, kinds, counts, headlines }, by
   * place among all cases but for the `counts` of cases of each kind: figures are undefined for a case that was not analysed
   * in this mode, headlines are the verdicts' first sentences on edited cases; there are `total` that were. `follow(edits)`
   * takes a map of edits by place, computes anew the cases whose edits changed, and says whether the kind of any changed.
   * `more(number)` is a promise of each of the chunks that go on where this one ends.
   */
  async function batchGames(chunk, summary, on, more) {
    const level = rules.repairLevel(summary.threshold, chunk.denominator);
    const worlds = chunk.denominator === null ? 1 : chunk.denominator;
    const cases = summary.cases.length;
    const totals = batchTotals(cases, summary.titles.length, on.spread, on.delta, on.ordered);
    const kinds = new Array(cases).fill("unknown");
    const found = { figures: new Array(cases).fill(undefined), kinds, counts: new Map([["unknown", cases]]), headlines: new Map() };
    const tables = [];
    const numberOf = new Map(chunk.cases.map((place, k) => [place, k]));
    const followed = new Map();
    const none = new Map();

    function take(k, edits) {
      const { denominator } = chunk;
      const place = chunk.cases[k];
      const worth = edits.size > 0 ? worthOf(tables[k]) : readWorth(tables[k]);
      const touched = chunk.touched[k];
      const was = kinds[place];
      let figures = null;
      found.headlines.delete(place);
      if (worth !== null && chunk.sampled[k] !== null) {
        figures = batchCase.sampled(chunk.sampled[k], worth, denominator, touched, level, on);
      } else if (worth !== null) {
        const table = hypothetical.apply({ worth, denominator }, edits);
        figures = batchCase.exact(table, touched, level, on);
        if (edits.size > 0) found.headlines.set(place, headline(table, touched));
      }
      totals.put(place, figures);
      found.figures[place] = figures;
      const kind = figures === null ? "withheld" : figures.kind;
      kinds[place] = kind;
      found.counts.set(was, found.counts.get(was) - 1);
      found.counts.set(kind, (found.counts.get(kind) || 0) + 1);
      return was !== kind;
    }

    function headline(table, touched) {
      const marks = touched === null ? null : summary.players.map((step, player) => (player === touched ? 1 : 0));
      const said = hypothetical.verdict(summary.titles, table, level, worlds, marks).sentences[0];
      if (!on.fresh) return said;
      const empty = AgentBlame.wording.outcome(hypothetical.share(table, 0), worlds, level);
      return said + " No fix: " + (empty.number || "no outcome") + ".";
    }

    function follow(edits) {
      let other = false;
      for (const place of new Set([...followed.keys(), ...edits.keys()])) {
        const made = edits.get(place) || none;
        const text = editsText(made);
        if (text === (followed.get(place) || "") || !numberOf.has(place)) continue;
        followed.set(place, text);
        other = take(numberOf.get(place), made) || other;
      }
      return other;
    }

    let since = performance.now();
    async function rest() {
      if (performance.now() - since < AT_ONCE) return;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }

    // Scores that may be anything come as bits, counts as digits.
    const asBits = (worth) => typeof worth === "string" && chunk.denominator === null;
    let next = Promise.resolve(chunk);
    for (let number = 0; next !== null; number += 1) {
      const { worth } = await next;
      // The next one comes while this one is worked on.
      next = number < (chunk.more || 0) ? more(number + 1) : null;
      for (const packed of worth) {
        await rest();
        tables.push(asBits(packed) ? AgentBlame.base64.doublesOf(packed) : packed);
        take(tables.length - 1, none);
      }
    }
    await rest();
    totals.choose(chunk.cases);
    await rest();
    // The first table takes longer than any after it.
    for (const steps = totals.prepare(); !steps.next().done; ) await rest();
    totals.table();
    await rest();
    return { totals, found, total: chunk.cases.length, follow };
  }

  AgentBlame.batchGames = batchGames;
})(globalThis.AgentBlame);
