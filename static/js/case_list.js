// Turns what a reader wants of the list of cases into the cases that are left and their order, and into the address.
//
// A list is { sort, reversed, tags, failures, kinds }: `sort` is "case", "kind" or the number of a fix, counted from 1;
// tags and failures are numbers in the summary's lists, kinds names of verdicts. A case is left that has any of the tags
// chosen, any of the kinds of failure, and any of the kinds of verdict; of what nothing is chosen, anything will do.
(function (AgentBlame) {
  "use strict";

  const { batchWords } = AgentBlame;
  const SORT = /^(case|kind|[1-9][0-9]?)(-reversed)?$/;
  const NUMBERS = /^[1-9][0-9]*(\.[1-9][0-9]*)*$/;
  const NAMES = /^[a-z_]+(\.[a-z_]+)*$/;
  const KINDS = Object.keys(batchWords.KINDS);

  function everything() {
    return { sort: "case", reversed: false, tags: [], failures: [], kinds: [] };
  }

  function isFiltered(list) {
    return list.tags.length + list.failures.length + list.kinds.length > 0;
  }

  // The fields of an address that say what differs from everything in case order; numbers count from 1.
  function fields(list) {
    const found = [];
    const numbers = (chosen) => chosen.map((number) => number + 1).join(".");
    if (list.sort !== "case" || list.reversed) found.push("sort=" + list.sort + (list.reversed ? "-reversed" : ""));
    if (list.tags.length > 0) found.push("tags=" + numbers(list.tags));
    if (list.failures.length > 0) found.push("failures=" + numbers(list.failures));
    if (list.kinds.length > 0) found.push("kinds=" + list.kinds.join("."));
    return found;
  }

  // Takes one field of an address into a list: true if it is one of the above, null if it is a damaged one.
  function take(list, name, value) {
    if (name === "sort") {
      const match = SORT.exec(value);
      if (match === null) return null;
      list.sort = match[1];
      list.reversed = match[2] !== undefined;
      return true;
    }
    if (name === "tags" || name === "failures") {
      if (!NUMBERS.test(value)) return null;
      list[name] = value.split(".").map((number) => Number(number) - 1);
    } else if (name === "kinds") {
      if (!NAMES.test(value)) return null;
      list.kinds = value.split(".");
    } else {
      return false;
    }
    return new Set(list[name]).size === list[name].length ? true : null;
  }

  // Whether a scenario has what a list speaks of.
  function suits(list, summary) {
    const has = (names) => (number) => number < names.length;
    const sorts = list.sort === "case" || list.sort === "kind" || Number(list.sort) <= summary.titles.length;
    return (
      sorts &&
      list.tags.every(has(summary.tags)) &&
      list.failures.every(has(summary.failures)) &&
      list.kinds.every((kind) => KINDS.includes(kind))
    );
  }

  // The places of the cases that are left, in case order; `kinds` names each case's kind of verdict.
  function chosen(list, summary, kinds) {
    const any = (wanted, found) => wanted.length === 0 || wanted.some((one) => found.includes(one));
    return Array.from(summary.cases.keys()).filter((place) => {
      const one = summary.cases[place];
      return any(list.tags, one.tags) && any(list.failures, [one.failure]) && any(list.kinds, [kinds[place]]);
    });
  }

  // Places in the order asked for: what ties stays in case order, what has no value comes last.
  function ordered(places, list, kinds, figures) {
    const turn = list.reversed ? -1 : 1;
    if (list.sort === "case") return list.reversed ? places.slice().reverse() : places;
    const rank = list.sort === "kind" ? (place) => turn * KINDS.indexOf(kinds[place]) : valueRank;
    function valueRank(place) {
      const one = figures[place];
      return one === undefined || one === null ? Infinity : 0 - turn * one.shapley[Number(list.sort) - 1];
    }
    const ranks = new Map(places.map((place) => [place, rank(place)]));
    return places.slice().sort((a, b) => {
      const [x, y] = [ranks.get(a), ranks.get(b)];
      return (x > y) - (x < y) || a - b;
    });
  }

  AgentBlame.caseList = { everything, isFiltered, fields, take, suits, chosen, ordered };
})(globalThis.AgentBlame);
