// Turns what a reader edited into one book of hypothetical outcomes, by game, in which each change can be taken back.
//
// A game is named "case.mode"; its edits map a coalition's mask to the outcome set for it.
(function (AgentBlame) {
  "use strict";

  const MOST_STEPS = 200;
  const NONE = new Map();

  function copyOf(book) {
    return new Map(Array.from(book, ([key, made]) => [key, new Map(made)]));
  }

  function textOf(book) {
    const games = Array.from(book, ([key, made]) => key + "=" + Array.from(made, (edit) => edit.join("_")).sort().join("~"));
    return games.sort().join("&");
  }

  AgentBlame.editBook = function () {
    let games = new Map();
    let past = [];

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

    // The last step that differs from what is in force.
    function lastStep() {
      const now = textOf(inForce());
      let at = past.length - 1;
      while (at >= 0 && textOf(past[at]) === now) at -= 1;
      return at;
    }

    // The games whose edits that changes.
    function undo() {
      const at = lastStep();
      if (at < 0) return [];
      const before = inForce();
      games = copyOf(past[at]);
      past = past.slice(0, at);
      const editsOf = (book, key) => textOf(new Map([["", book.get(key) || []]]));
      return Array.from(new Set([...before.keys(), ...games.keys()])).filter((key) => editsOf(before, key) !== editsOf(games, key));
    }

    return { of, made, inForce, replace, change, undo, canUndo: () => lastStep() >= 0 };
  };
})(globalThis.AgentBlame);
