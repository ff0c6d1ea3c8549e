// Turns coalitions, outcomes and places into the words shown for them; the builder's wording.py says the same.
(function (AgentBlame) {
  "use strict";

  const { coalitions } = AgentBlame;
  const { isolated } = AgentBlame.rules;
  // More fixes than this are named by those that are off, where these are few.
  const MOST_NAMED = 8;
  const LEFT_TO_RIGHT_MARK = "\u200e";
  const NOT_COMPUTED = "\u2013";
  const NOT_RUN = { state: "unrun", word: "Not run", number: "" };

  // `share` is in the unit of the score; `worlds` counts those of the game as it was run, 1 for graded scores. A whole
  // number of them is shown as a count, whatever other rows hold.
  function outcome(share, worlds, level) {
    if (share === null) return { state: "missing", word: "No outcome", number: "" };
    const passed = Math.floor(share * worlds + 0.5);
    const counted = worlds > 1 && passed / worlds === share;
    const passes = share >= level;
    return {
      state: passes ? "pass" : "fail",
      word: passes ? "Pass" : "Fail",
      number: counted ? passed + "/" + worlds : AgentBlame.rules.numberText(share),
    };
  }

  function noOutput(reason) {
    return "No output. " + reason;
  }

  // What may be typed as an outcome.
  function askOutcome(low, high, worlds) {
    const { numberText } = AgentBlame.rules;
    return "Enter a number from " + numberText(low) + " to " + numberText(high) + (worlds > 1 ? ", such as 1/" + worlds : "") + ".";
  }

  function coalitionName(mask, titles) {
    if (mask === 0) return "No fix";
    if (titles.length > 1 && mask === coalitions.grand(titles.length)) return "All fixes";
    const on = titles.filter((title, player) => coalitions.has(mask, player));
    const off = titles.filter((title, player) => !coalitions.has(mask, player));
    return on.length > MOST_NAMED && off.length <= 2 ? "All but " + off.map(isolated).join(" and ") : joined(on);
  }

  // Names with plus signs between them, the first to the left whichever way each of them runs.
  function joined(names) {
    const found = names.map(isolated).join(" + ");
    // A text whose first letters run from right to left is set so as a whole.
    const turns = names.length > 1 && isolated(names[0]) !== names[0];
    return turns ? LEFT_TO_RIGHT_MARK + found : found;
  }

  // A coalition's name for a place with little room.
  function shortName(mask, titles) {
    const on = titles.filter((title, player) => coalitions.has(mask, player));
    const off = titles.filter((title, player) => !coalitions.has(mask, player));
    if (on.length <= 3 || off.length === 0) return coalitionName(mask, titles);
    const rest = off.length <= 2 ? "all but " + off.map(isolated).join(" and ") : joined(on.slice(0, 2)) + " + " + (on.length - 2) + " more";
    return on.length + " of " + titles.length + ": " + rest;
  }

  function withheldReason(worth, titles, errors) {
    const first = worth.indexOf(null);
    if (first < 0) return "";
    const holes = worth.filter((value) => value === null).length;
    const what = holes === 1 ? "combination has" : "combinations have";
    return "Values are withheld: " + holes + " " + what + " no outcome. " + coalitionName(first, titles) + ": " + errors[first];
  }

  function intervalText(low, high) {
    return AgentBlame.rules.numberText(low) + " to " + AgentBlame.rules.numberText(high);
  }

  function worldSentence(world, state) {
    if (world === "" || state === "missing") return world;
    if (state === "unrun") return "";
    return world + ", which " + (state === "pass" ? "passes" : "fails");
  }

  // A place in the ranking; what ties exactly shares it.
  function place(player, numbers) {
    let ahead = 0;
    let tied = 0;
    for (const number of numbers) {
      if (number > numbers[player]) ahead += 1;
      if (number === numbers[player]) tied += 1;
    }
    return (tied > 1 ? "=" : "") + (ahead + 1);
  }

  // Some in words, the last after "and" or "or".
  function listed(items, word) {
    return items.length === 1 ? items[0] : items.slice(0, -1).join(", ") + " " + word + " " + items[items.length - 1];
  }

  AgentBlame.wording = {
    NOT_COMPUTED, NOT_RUN, outcome, noOutput, askOutcome, coalitionName, joined, shortName, withheldReason, intervalText,
    worldSentence, place, listed,
  };
})(globalThis.AgentBlame);
