// Turns what is shown into the words that every copy and export of it has in common: what is hypothetical, ranks, repairs.
(function (AgentBlame) {
  "use strict";

  const { coalitions, gameKey, hypothetical, rules, wording } = AgentBlame;
  const LONGEST_NAME = 60;

  function outcomeText(outcome) {
    return outcome.number === "" ? outcome.word : outcome.word + " (" + outcome.number + ")";
  }

  // A combination's outcome; one that was edited says so.
  function toldOf(now, mask) {
    return outcomeText(now.outcome(mask)) + (now.edits.has(mask) ? ", hypothetical" : "");
  }

  function outcomes(count) {
    return count + (count === 1 ? " outcome" : " outcomes");
  }

  // Says that a case's outcomes were edited; nothing if none was.
  function note(count) {
    if (count === 0) return "";
    return "Hypothetical: " + outcomes(count) + " edited by hand; this is not what was run.";
  }

  // The same over all cases, of which `counts` has the number of edits of each edited one.
  function noteOverAll(counts) {
    const all = counts.reduce((sum, one) => sum + one, 0);
    if (all === 0) return "";
    const where = counts.length + (counts.length === 1 ? " case" : " cases");
    return "Hypothetical: " + outcomes(all) + " edited by hand in " + where + "; the figures follow the edits, not only what was run.";
  }

  function noteOf(now) {
    return now.view === "case" ? note(now.edits.size) : noteOverAll(Array.from(editsUnder(now).values(), (made) => made.size));
  }

  // Of what a picture is: the case or how many of them, the scenario, and the kind of luck. `over` is what is computed over
  // all cases, null where nothing is.
  function aboutPicture(now, { title }, over) {
    const about = now.view === "case" ? [now.case.id, title] : [title, casesOf(over)];
    return [...about, now.mode.title].map(shortName).join(" \u00b7 ");
  }

  // The same of a tab, a bookmark and each printed sheet, which may be read one by one.
  function titleOf(now, summary) {
    const compared = now.view === "case" && now.other !== null && now.other.edits.size > 0;
    return (compared || noteOf(now) !== "" ? "Hypothetical: " : "") + aboutPicture(now, summary, null);
  }

  function casesOf(over) {
    const all = over === null || over.table.cases === over.total;
    return all ? "all failures" : over.table.cases + " of " + over.total + " failures";
  }

  function shortName(name) {
    const letters = Array.from(name.replace(/\s+/g, " "));
    return rules.isolated(letters.length > LONGEST_NAME ? letters.slice(0, LONGEST_NAME - 1).join("") + "\u2026" : letters.join(""));
  }

  // The edits under the kind of luck that is shown, by slug of the case.
  function editsUnder(now) {
    return gameKey.under(now.allEdits, now.mode.id);
  }

  // Each edit of a case: the combination, its outcome as run, and the one it was given.
  function edited(now) {
    return hypothetical.sorted(now.edits).map(([mask]) => ({
      mask,
      name: wording.coalitionName(mask, now.titles),
      asRun: wording.outcome(hypothetical.share(now.game, mask), now.worlds, now.level),
      outcome: now.outcome(mask),
    }));
  }

  // The place of each fix; what ties shares it. Of values that were sampled only the first is known, if any.
  function placeOf(now, player) {
    const { shapley } = now.values;
    if (shapley === null) return null;
    if (now.game.sampled !== null) return player === now.game.sampled.leader ? 1 : null;
    return 1 + Array.from(shapley).filter((value) => value > shapley[player]).length;
  }

  // Players in the order of the rows on the page.
  function orderOf(now) {
    const { shapley } = now.values;
    if (now.order === "rank" && shapley !== null) return Array.from(rules.rank(shapley));
    return now.titles.map((title, player) => player);
  }

  // The minimal repairing coalitions, or null where they are not known.
  function repairsOf(now) {
    if (!knowsAll(now)) return null;
    return Array.from(rules.minimalRepairs(now.table.worth, now.table.denominator, now.level));
  }

  // The places of the outcomes that pass.
  function passing(now) {
    return Array.from(now.table.worth.keys()).filter((place) => now.outcomeAt(place).state === "pass");
  }

  // Whether the outcome of every combination is known.
  function knowsAll(now) {
    return now.game.coalitions === null && !now.table.worth.includes(null);
  }

  // The smallest of the combinations that are known to pass, as masks.
  function smallestRepairs(now) {
    const masks = passing(now).map((place) => coalitions.maskAt(now.game, place)).sort((a, b) => a - b);
    const sizes = masks.map((mask) => playersOf(mask, now.titles).length);
    const least = sizes.reduce((a, b) => Math.min(a, b), Infinity);
    return masks.filter((mask, k) => sizes[k] === least);
  }

  // Which fixes are asked for: those switched on, or else a smallest set that repairs the case, or the one worth most.
  function wanted(now) {
    if (now.mask !== 0) return { mask: now.mask, why: "on" };
    const [smallest] = smallestRepairs(now);
    if (smallest === 0) return { mask: 0, why: "passes" };
    if (smallest !== undefined) return { mask: smallest, why: knowsAll(now) ? "repair" : "known" };
    const { shapley } = now.values;
    const first = shapley === null || shapley.length === 0 ? -1 : rules.rank(shapley)[0];
    return first >= 0 && shapley[first] > 0 ? { mask: 2 ** first, why: "first" } : { mask: 0, why: knowsAll(now) ? "nothing" : "unknown" };
  }

  function playersOf(mask, titles) {
    return Array.from(titles.keys()).filter((player) => coalitions.has(mask, player));
  }

  AgentBlame.shareWords = {
    outcomeText, toldOf, note, noteOf, aboutPicture, titleOf, editsUnder, edited, placeOf, orderOf, repairsOf, smallestRepairs, passing, wanted, playersOf,
  };
})(globalThis.AgentBlame);
