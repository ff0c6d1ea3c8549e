// Turns two cases as they are shown, of one scenario, into how they differ: values, repairs and outcomes. A is the first.
(function (AgentBlame) {
  "use strict";

  const { coalitions, figures, rules, wording } = AgentBlame;

  // Combinations, or sets of fixes, that are named one by one.
  const MOST_NAMED = 12;
  // What real scores leave as rounding is told as equal, as in a verdict; counts are exact.
  const ROUNDING = 1 / 2 ** 40;

  // A fix's value on one side: its interval is the number itself where it was computed; null where it is withheld.
  function valueOf(now, player) {
    const { shapley } = now.values;
    if (shapley === null) return null;
    const { sampled } = now.game;
    const number = shapley[player];
    return sampled === null
      ? { number, low: number, high: number, sampled: false }
      : { number, low: sampled.low[player], high: sampled.high[player], sampled: true };
  }

  // Of values that were sampled only the first place is known, if any.
  function placeOf(now, player) {
    const { shapley } = now.values;
    if (shapley === null) return wording.NOT_COMPUTED;
    if (now.game.sampled === null) return wording.place(player, shapley);
    return player === now.game.sampled.leader ? "1" : wording.NOT_COMPUTED;
  }

  function against(a, b, margin) {
    if (a === null || b === null) return wording.NOT_COMPUTED;
    const estimated = a.sampled || b.sampled;
    if (estimated && a.low <= b.high && b.low <= a.high) return "cannot be told apart";
    const more = b.number - a.number;
    if (Math.abs(more) <= margin) return "the same";
    return (estimated ? "about " : "") + rules.numberText(Math.abs(more)) + (more > 0 ? " more" : " less");
  }

  function marginOf(sides) {
    if (sides.every((now) => now.table.denominator !== null)) return 0;
    const numbers = sides.flatMap((now) => Array.from(now.values.shapley || []));
    return ROUNDING * numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  }

  // One scale for both sides, and per fix its value on either, B against A in words, and its places.
  function valuesOf(a, b) {
    const margin = marginOf([a, b]);
    const fixes = a.titles.map((title, player) => {
      const [one, other] = [valueOf(a, player), valueOf(b, player)];
      return { values: [one, other], against: against(one, other, margin), places: [placeOf(a, player), placeOf(b, player)] };
    });
    const ends = fixes.flatMap((fix) => fix.values).filter((value) => value !== null).flatMap(({ low, high }) => [low, high]);
    const counted = a.game.denominator !== null || b.game.denominator !== null;
    return { fixes, span: figures.scale(ends, counted ? 1 : 0), note: valuesNote(a, b) };
  }

  function valuesNote(a, b) {
    const told = a.mode.id === b.mode.id ? [] : ["The two sides ask different questions, so values that differ do not contradict each other."];
    [["A", a], ["B", b]].forEach(([letter, now]) => {
      const { sampled } = now.game;
      const reason = now.withheld || (sampled === null ? "" : sampled.text);
      if (reason !== "") told.push(letter + ": " + reason);
      if (now.edits.size > 0) told.push(letter + " holds edited outcomes, so what is said of it is hypothetical.");
    });
    return told.join(" ");
  }

  // The smallest sets of fixes that repair a case, or why there is none to name.
  function repairsOf(now) {
    const { sampled } = now.game;
    const reason = (sampled === null ? "" : sampled.needs) || now.withheld;
    if (reason !== "") return { masks: null, names: [reason] };
    const masks = rules.minimalRepairs(now.table.worth, now.table.denominator, now.level);
    if (masks.length === 0) return { masks, names: ["No set of fixes repairs it."] };
    if (masks[0] === 0) return { masks, names: ["It passes without any fix."] };
    const names = masks.slice(0, MOST_NAMED).map((mask) => wording.coalitionName(mask, now.titles));
    if (masks.length > MOST_NAMED) names.push("And " + (masks.length - MOST_NAMED) + " more, of no fewer fixes.");
    return { masks, names };
  }

  function repairsNote(a, b, titles) {
    if (a.masks === null || b.masks === null) return "";
    if (a.masks.join() === b.masks.join()) return "The same on both sides.";
    const common = a.masks.filter((mask) => b.masks.includes(mask));
    if (common.length === 0) return "The two sides have none in common.";
    const names = common.slice(0, MOST_NAMED).map((mask) => wording.coalitionName(mask, titles));
    const more = common.length > MOST_NAMED ? " and " + (common.length - MOST_NAMED) + " more" : "";
    return "On both sides: " + names.join("; ") + more + ".";
  }

  // The places of the coalitions that both games list.
  function shared(a, b) {
    const masks = a.game.coalitions === null ? a.table.worth.map((worth, mask) => mask) : a.game.coalitions;
    const places = b.game.coalitions === null ? null : new Map(b.game.coalitions.map((mask, place) => [mask, place]));
    const placeInB = (mask) => (places === null ? mask : places.get(mask));
    return masks
      .map((mask, place) => ({ mask, places: [place, placeInB(mask)] }))
      .filter(({ places: [, other] }) => other !== undefined && other < b.table.worth.length);
  }

  function outcomesOf(a, b) {
    const both = shared(a, b).map(({ mask, places }) => ({ mask, outcomes: [a.outcomeAt(places[0]), b.outcomeAt(places[1])] }));
    for (const one of both) one.edited = [a, b].map((now) => now.edits.has(one.mask));
    const apart = both.filter(({ outcomes: [one, other] }) => one.state !== other.state);
    const uneven = both.filter(({ outcomes: [one, other] }) => one.state === other.state && one.number !== other.number);
    const listed = a.game.coalitions !== null || b.game.coalitions !== null;
    return { rows: apart.slice(0, MOST_NAMED), note: outcomesNote(both.length, apart.length, uneven.length, listed) };
  }

  function outcomesNote(both, apart, uneven, listed) {
    const of = both + (both === 1 ? " combination" : " combinations") + (listed ? " listed on both sides" : "");
    const told = [apart === 0 ? "None of " + of + " passes on one side only." : apart + " of " + of + (apart === 1 ? " ends" : " end") + " differently."];
    if (apart > MOST_NAMED) told.push("The first " + MOST_NAMED + " are listed.");
    if (uneven > 0) told.push((apart === 0 ? uneven : uneven + " more") + (uneven === 1 ? " has" : " have") + " the same end, but another number.");
    return told.join(" ");
  }

  // Inputs as one text, so that they can be held against each other.
  function inputsText(now) {
    return now.game.inputs.map(([name, text]) => name + ": " + now.case.texts[text]).join("\n\n");
  }

  function compared(a, b) {
    const repairs = [repairsOf(a), repairsOf(b)];
    return {
      values: valuesOf(a, b),
      repairs: { names: repairs.map(({ names }) => names), note: repairsNote(...repairs, a.titles) },
      outcomes: outcomesOf(a, b),
    };
  }

  AgentBlame.comparison = { compared, inputsText };
})(globalThis.AgentBlame);
