// Turns the outcomes of every combination of fixes into what is shown and said of each (the shade of one, what one fix more
// gives), and into what a flip makes of it; the builder's lattice_outcomes.py says the same of the shades.
//
// `found` is { titles, shares, level, worlds, graded }; shares are outcomes by mask, null where there is none.
(function (AgentBlame) {
  "use strict";

  const { coalitions, wording } = AgentBlame;
  const SHADES = 5;

  function shadesText(found) {
    const { numberText } = AgentBlame.rules;
    const [low, high] = endsOf(found);
    if (found.graded) {
      const ends = "Shades run from " + numberText(low) + " to " + numberText(high);
      return ends + ": the deeper the green or the red, the farther from what passes just so.";
    }
    if (found.worlds === 1) return "";
    return "Shades: the deeper the green, the more of the " + found.worlds + " worlds pass; the deeper the red, the fewer.";
  }

  // The outcomes that have the outermost shades.
  function endsOf(found) {
    if (!found.graded) return [0, 1];
    const known = found.shares.filter((share) => share !== null);
    return known.length === 0 ? [0, 0] : known.reduce(([low, high], share) => [Math.min(low, share), Math.max(high, share)], [known[0], known[0]]);
  }

  function shade(share, low, high) {
    const largest = Math.max(Math.abs(low), Math.abs(high));
    if (!(low < high)) return Math.floor(SHADES / 2);
    const fromLow = share / largest - low / largest;
    return Math.floor((fromLow / (high / largest - low / largest)) * (SHADES - 1) + 0.5);
  }

  function kindOf(share, found, ends) {
    if (share === null) return "is-missing";
    return "is-" + (share >= found.level ? "pass" : "fail") + " shade-" + shade(share, ends[0], ends[1]);
  }

  const isPlain = (said, found) => found.worlds === 1 && !found.graded && ["0", "1"].includes(said.number);

  // What a combination gives, and what one fix more or less would.
  function explained(found, mask, edited) {
    const { titles } = found;
    const said = (each) => wording.outcome(found.shares[each], found.worlds, found.level);
    const text = (each) => {
      const { word, number } = said(each);
      const outcome = number === "" || isPlain(said(each), found) ? word : word + " (" + number + ")";
      return outcome + (edited.has(each) ? ", edited" : "");
    };
    const steps = (adding) => {
      const groups = new Map();
      titles.forEach((title, player) => {
        if (coalitions.has(mask, player) === adding) return;
        const gives = text(coalitions.toggled(mask, player));
        groups.set(gives, [...(groups.get(gives) || []), AgentBlame.rules.isolated(title)]);
      });
      const verb = adding ? "adding " : "removing ";
      return Array.from(groups, ([gives, names]) => verb + wording.listed(names, "or") + " \u2192 " + gives);
    };
    const own = wording.coalitionName(mask, titles) + ": " + text(mask);
    return [own, ...steps(true), ...steps(false)].join("; ") + ".";
  }

  // The outcome that a flip gives a combination, null for the one measured: `measured` and `share` are what it was and is,
  // `empty` the outcome without any fix. What fails is lifted to where it passes; what passes falls to nothing, on a scale
  // to where no fix is. A flip of what was flipped takes that back.
  function flipped(found, { measured, share, edited, low, empty }) {
    const passes = share !== null && share >= found.level;
    const passed = measured !== null && measured >= found.level;
    if (edited && (measured === null ? share !== null && !passes : passes !== passed)) return null;
    if (!passes) return found.graded ? found.level : 1;
    if (!found.graded) return 0;
    return empty !== null && empty < found.level ? empty : low;
  }

  AgentBlame.latticeOutcomes = { endsOf, kindOf, shadesText, isPlain, explained, flipped };
})(globalThis.AgentBlame);
