// Turns what a reader edited into one book of hypothetical outcomes, by game, in which each change can be taken back.
//
// A game goes by its key (see game_key.js); its edits map a coalition's mask to the outcome set for it.
(function (AgentBlame) {
  "use strict";

  const MOST_STEPS = 200;
  const NONE = new Map();

  function copyOf(book) {
    return new Map(Array.from(book, ([key, made]) => [key, new Map(made)]));
  }

  function areSame(made, others) {
    return made.size === others.size && Array.from(made).every(([mask, value]) => others.get(mask) === value);
  }

  // The games that have other edits in one book than in another.
  function differing(book, other) {
    const keys = new Set([...book.keys(), ...other.keys()]);
    return Array.from(keys).filter((key) => !areSame(book.get(key) || NONE, other.get(key) || NONE));
  }

  AgentBlame.editBook = function () {
    let games = new Map();
    let past = [];
    let resets = 0;

    // The games that have edits.
    function inForce() {
      return new Map(Array.from(games).filter(([, made]) => made.size > 0));
    }

    // A game's edits, to be read.
    function made(key) {
      return games.get(key) || NONE;
    }

    // A game's edits, to be changed; they follow later changes.
    function of(key) {
      if (!games.has(key)) games.set(key, new Map());
      return games.get(key);
    }

    // Takes over what an address says. What can be taken back stays: an address changes by Back and Forward, too.
    function replace(found) {
      games = copyOf(found);
    }

    // What `make` changes is one step back; with `joined` it belongs to the step before.
    function change(make, joined) {
      if (joined !== true) past = [...past, copyOf(inForce())].slice(-MOST_STEPS);
      make();
    }

    // Takes the edits of some games out.
    function clear(keys) {
      resets += 1;
      change(() => keys.forEach((key) => of(key).clear()));
    }

    // The last step that differs from what is in force.
    function lastStep() {
      const now = inForce();
      return past.findLastIndex((before) => differing(before, now).length > 0);
    }

    // The games whose edits that changes.
    function undo() {
      const at = lastStep();
      if (at < 0) return [];
      const before = inForce();
      resets += 1;
      games = copyOf(past[at]);
      past = past.slice(0, at);
      return differing(before, games);
    }

    // `resets` counts how often edits were taken back: what a reader began to type is then out of date.
    return { of, made, inForce, replace, change, clear, undo, canUndo: () => lastStep() >= 0, resets: () => resets };
  };
})(globalThis.AgentBlame);
