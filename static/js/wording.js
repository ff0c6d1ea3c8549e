// Turns coalitions, outcomes and places into the words shown for them; the builder's wording.py says the same.
(function (AgentBlame) {
  "use strict";

  function outcome(worth, denominator, level) {
    if (worth === null) return { state: "missing", word: "No outcome", number: "" };
    const share = worth / (denominator === null ? 1 : denominator);
    const counted = denominator !== null && denominator > 1;
    const passes = share >= level;
    return {
      state: passes ? "pass" : "fail",
      word: passes ? "Pass" : "Fail",
      number: counted ? worth + "/" + denominator : AgentBlame.rules.numberText(share),
    };
  }

  function coalitionName(mask, titles) {
    if (mask === 0) return "No fix";
    if (titles.length > 1 && mask === 2 ** titles.length - 1) return "All fixes";
    return titles.filter((title, player) => (mask >> player) & 1).join(" + ");
  }

  function withheldReason(worth, titles, errors) {
    const first = worth.indexOf(null);
    if (first < 0) return "";
    const holes = worth.filter((value) => value === null).length;
    const what = holes === 1 ? "combination has" : "combinations have";
    const reason = Object.prototype.hasOwnProperty.call(errors, first) ? errors[first] : "no score";
    return "Values are withheld: " + holes + " " + what + " no outcome. " + coalitionName(first, titles) + ": " + reason;
  }

  function worldSentence(world, state) {
    if (world === "" || state === "missing") return world;
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

  AgentBlame.wording = { outcome, coalitionName, withheldReason, worldSentence, place };
})(globalThis.AgentBlame);
