// Turns what a reader wants of the list of cases into the cases that are left and their order, and into the address.
//
// A list is { sort, reversed, find, tags, failures, kinds }: `sort` is "case", "kind" or the number of a fix, counted from
// 1; `find` is what is searched for among the cases that are left; tags and failures are numbers in the summary's lists,
// kinds names of verdicts. A case is left that has any of the tags chosen, any of the kinds of failure, and any of the
// kinds of verdict; of what nothing is chosen, anything will do.
(function (AgentBlame) {
  "use strict";

  const { batchWords } = AgentBlame;
  const SORT = /^(case|kind|[1-9][0-9]?)(-reversed)?$/;
  const NUMBERS = /^[1-9][0-9]*(\.[1-9][0-9]*)*$/;
  const WORDS = /^([A-Za-z0-9._-]|~[0-9A-F]{2})+$/;
  const NAMES = /^[a-z_]+(\.[a-z_]+)*$/;
  const KINDS = Object.keys(batchWords.KINDS);

  function everything() {
    return { sort: "case", reversed: false, find: "", tags: [], failures: [], kinds: [] };
  }

  // A text as it is searched: spelling that makes no difference to a reader makes none.
  function folded(text) {
    return text.normalize("NFKC").toLowerCase();
  }

  function isFiltered(list) {
    return list.tags.length + list.failures.length + list.kinds.length > 0;
  }

  // A text in the characters of an address: a space as "_", other bytes of its UTF-8 as "~" and two digits.
  function wordsText(text) {
    const kept = (code) => /[A-Za-z0-9.-]/.test(String.fromCharCode(code));
    const written = (code) => (kept(code) ? String.fromCharCode(code) : "~" + code.toString(16).toUpperCase().padStart(2, "0"));
    return Array.from(new TextEncoder().encode(text), (code) => (code === 32 ? "_" : written(code))).join("");
  }

  function wordsOf(text) {
    if (!WORDS.test(text)) return null;
    const codes = text.replace(/_/g, "~20").match(/~..|./g).map((one) => (one.length > 1 ? parseInt(one.slice(1), 16) : one.charCodeAt(0)));
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(codes));
    } catch (error) {
      return null;
    }
  }

  // The fields of an address that say what differs from everything in case order; numbers count from 1.
  function fields(list) {
    const found = [];
    const numbers = (chosen) => chosen.map((number) => number + 1).join(".");
    if (list.sort !== "case" || list.reversed) found.push("sort=" + list.sort + (list.reversed ? "-reversed" : ""));
    if (list.find !== "") found.push("find=" + wordsText(list.find));
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
    if (name === "find") {
      list.find = wordsOf(value);
      return list.find === null ? null : true;
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
    const tests = [];
    if (list.tags.length > 0) tests.push((one) => one.tags.some((tag) => list.tags.includes(tag)));
    if (list.failures.length > 0) tests.push((one) => list.failures.includes(one.failure));
    if (list.kinds.length > 0) tests.push((one, place) => list.kinds.includes(kinds[place]));
    const { cases } = summary;
    return Array.from(cases.keys()).filter((place) => tests.every((passes) => passes(cases[place], place)));
  }

  // What places are sorted by, by place; what has no value comes last.
  function ranksOf(places, list, kinds, figures) {
    const turn = list.reversed ? -1 : 1;
    const player = Number(list.sort) - 1;
    const number = new Map(KINDS.map((kind, k) => [kind, k]));
    const valueOf = (one) => (one === undefined || one === null ? Infinity : 0 - turn * one.shapley[player]);
    const ranks = new Float64Array(kinds.length);
    for (const place of places) ranks[place] = list.sort === "kind" ? turn * number.get(kinds[place]) : valueOf(figures[place]);
    return ranks;
  }

  // Places in the order asked for: what ties stays in case order, what has no value comes last. They may be given in any
  // order; it takes least time if it is nearly the one asked for.
  function ordered(places, list, kinds, figures) {
    const order = places.slice();
    if (list.sort === "case") return order.sort((a, b) => (list.reversed ? b - a : a - b));
    const ranks = ranksOf(places, list, kinds, figures);
    return order.sort((a, b) => {
      const [x, y] = [ranks[a], ranks[b]];
      return (x > y) - (x < y) || a - b;
    });
  }

  AgentBlame.caseList = { everything, folded, isFiltered, fields, take, suits, chosen, ordered };
})(globalThis.AgentBlame);
