// Turns what a reader edited into one book of hypothetical outcomes, by game, in which each change can be taken back: one
// made on the page, and one by an address that says something else.
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
    let begun = false;

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

    function step() {
      past = [...past, copyOf(inForce())].slice(-MOST_STEPS);
    }

    // Takes over what an address says, which can be taken back, too; but there is nothing before what a page begins with.
    function replace(found) {
      if (begun && differing(inForce(), found).length > 0) step();
      begun = true;
      resets += 1;
      games = copyOf(found);
    }

    // What `make` changes is one step back; with `joined` it belongs to the step before.
    function change(make, joined) {
      if (joined !== true) step();
      make();
    }

    // The book as it is, to be restored.
    function kept() {
      return { games: copyOf(inForce()), past };
    }

    function restore(before) {
      games = copyOf(before.games);
      past = before.past;
      resets += 1;
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

    // `resets` counts how often edits were changed elsewhere than where one types: what one began to type is out of date.
    return { of, made, inForce, replace, kept, restore, change, clear, undo, canUndo: () => lastStep() >= 0, resets: () => resets };
  };
})(globalThis.AgentBlame);
