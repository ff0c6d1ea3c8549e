// Turns a worth table into what a reader is told in words.
(function (rules) {
  "use strict";

  // Far above the rounding of the largest real game, far below any difference worth telling.
  const ROUNDING = 1 / 2 ** 40;

  function joined(items, word) {
    return items.length === 1 ? items[0] : `${items.slice(0, -1).join(", ")} ${word} ${items[items.length - 1]}`;
  }

  function listed(titles, players, word) {
    return joined(players.map((player) => titles[player]), word);
  }

  function withheld(holes, coalitions) {
    const noun = coalitions === 1 ? "combination" : "combinations";
    const verb = holes === 1 ? "has" : "have";
    return `${holes} of ${coalitions} ${noun} ${verb} no outcome, so the fixes are not ranked.`;
  }

  function passes(worth, outcome, denominator, worlds) {
    if (worlds === 1) {
      return "It passes without any fix: there is nothing to repair.";
    }
    const counted = !rules.worth.isHole(denominator) && denominator > 1;
    const often = counted ? ` in ${worth} of ${denominator} worlds` : howOften(outcome, worlds);
    return `It passes${often} without any fix, so this failure may have been luck.`;
  }

  // How much of the repair, or of the improvement, the leading players carry.
  function carries(titles, leading, values, shares, margin, whole) {
    if (leading.length === 0) {
      return [];
    }
    const text = rules.numberText(values[leading[0]]);
    const each = leading.length > 1 ? " each" : "";
    if (values.some((value) => value < -margin)) {
      // Beside a negative value the positive ones add up to more than the whole: no part of it can be named.
      return [`Fixing ${listed(titles, leading, "or")} helps most (${text}${each}).`];
    }
    const positive = [...values.keys()].filter((player) => values[player] > margin);
    if (leading.length > 1 && leading.length === positive.length) {
      return [`The ${whole} is shared equally by ${listed(titles, leading, "and")} (${text} each).`];
    }
    let total = 0;
    for (const player of positive) {
      total += shares[player];
    }
    let part = "the largest share of the";
    if (positive.length === 1) {
      part = "the whole";
    } else if (2 * shares[leading[0]] > total) {
      part = "most of the";
    }
    return [`Fixing ${listed(titles, leading, "or")} carries ${part} ${whole} (${text}${each}).`];
  }

  // In how many worlds a repair holds; exactly half of them is not most of them.
  function howOften(outcome, worlds) {
    if (worlds === 1) {
      return "";
    }
    if (outcome >= 1) {
      return " in every world";
    }
    return outcome > 0.5 ? " in most worlds" : " in at least half of the worlds";
  }

  // Which fixes repair the case on their own, by "that" or "either" if they were named just before.
  function aloneRepairs(titles, leading, alone, outcomes, worlds) {
    let fix = "Any one of these fixes alone";
    if (alone.join() !== leading.join()) {
      fix = `Fixing ${listed(titles, alone, "or")} alone`;
    } else if (alone.length === 1) {
      fix = "That fix alone";
    } else if (alone.length === 2) {
      fix = "Either fix alone";
    }
    let weakest = Infinity;
    for (const player of alone) {
      weakest = Math.min(weakest, outcomes[2 ** player]);
    }
    return `${fix} repairs this case${howOften(weakest, worlds)}.`;
  }

  // What repairs a case that all fixes together do not: each fix that does alone, or the smallest combination, of equally
  // small ones the first by mask.
  function fewer(titles, alone, outcomes, level, worlds) {
    const tail = ", but all fixes together don\u2019t.";
    if (alone.length > 0) {
      const weakest = alone.reduce((least, player) => Math.min(least, outcomes[2 ** player]), Infinity);
      return `Fixing ${listed(titles, alone, "or")} alone repairs this case${howOften(weakest, worlds)}${tail}`;
    }
    const sizes = rules.worth.coalitionSizes(titles.length);
    let smallest = -1;
    outcomes.forEach((outcome, mask) => {
      if (outcome >= level && (smallest < 0 || sizes[mask] < sizes[smallest])) {
        smallest = mask;
      }
    });
    const named = [...titles.keys()].filter((player) => (smallest >> player) & 1);
    const fixes = `Fixing ${listed(titles, named, "and")} without the rest`;
    return `${fixes} repairs this case${howOften(outcomes[smallest], worlds)}${tail}`;
  }

  // Last-step blame beside ours, where it names a step.
  function lastStep(titles, leading, lastTouch) {
    const named = lastTouch.findIndex((mark) => mark > 0);
    if (named < 0) {
      return [];
    }
    if (leading.length === 1 && leading[0] === named) {
      return ["Last-step blame would have said the same."];
    }
    const among = leading.includes(named) ? ", one of the tied steps" : "";
    return [`Last-step blame would have said ${titles[named]}${among}.`];
  }

  // The players with a negative value.
  function worse(titles, values, margin) {
    const named = [];
    values.forEach((value, player) => {
      if (value < -margin) {
        named.push(`${titles[player]} (${rules.numberText(value)})`);
      }
    });
    return named.length > 0 ? [`Fixing ${joined(named, "or")} makes things worse on balance.`] : [];
  }

  /**
   * { kind, players, alone, sentences }: what a game means.
   *
   * kind is the first that applies of "withheld" (a coalition has no outcome), "passes" (without any fix),
   * "all_fail" (all fixes together do not repair it, though fewer may), "no_single" (no fix does alone), "repairable". players are
   * those with the largest Shapley value if that is positive; alone those whose fix repairs the case on its own.
   * A coalition repairs the case from a worth of `level` on (see repairLevel). worlds is in how many worlds pass or fail
   * was counted when the game was run; an edit that turns a table real leaves it as it is.
   * Sentences are plain text, their titles `isolated`: show them with textContent. lastTouch may be null.
   */
  function verdict(given, worth, denominator, level, worlds, lastTouch) {
    const titles = given.map(rules.isolated);
    const players = rules.worth.playerCount(worth.length);
    const marks = lastTouch === null || lastTouch === undefined ? null : Array.from(lastTouch);
    if (titles.length !== players || (marks !== null && marks.length !== players)) {
      const form = "titles, last touch and worth table are of one game and have one length";
      throw rules.worth.named("BadTable", form);
    }
    const holes = rules.worth.missingCoalitions(worth).length;
    if (holes > 0) {
      return { kind: "withheld", players: [], alone: [], sentences: [withheld(holes, worth.length)] };
    }
    if (!Number.isInteger(worlds) || worlds < 1) {
      throw rules.worth.named("BadTable", "the number of worlds is a positive integer");
    }
    const table = rules.worth.worthTable(worth, denominator);
    const rational = !rules.worth.isHole(denominator);
    const outcomes = Array.from(table, (outcome) => outcome / (rational ? denominator : 1));
    const { numerators: shares, divisor } = rules.shapleyNumerators(worth, denominator);
    const values = shares.map((share) => share / divisor);
    // Real scores leave rounding in their values: what is nearer than that is told as equal. Counts are exact.
    const margin = rational ? 0 : ROUNDING * outcomes.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    const everybody = [...values.keys()];
    const largest = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const leading = everybody.filter((player) => values[player] >= largest - margin && values[player] > margin);
    const alone = everybody.filter((player) => outcomes[2 ** player] >= level);
    const grand = outcomes[outcomes.length - 1] - outcomes[0];

    if (outcomes[0] >= level) {
      const told = [passes(table[0], outcomes[0], denominator, worlds)];
      if (worlds > 1 && grand > 0) {
        told.push(...carries(titles, leading, values, shares, margin, "improvement"));
      }
      return { kind: "passes", players: leading, alone, sentences: told };
    }
    const most = worlds > 1 ? " in most worlds" : "";
    const highest = outcomes.reduce((a, b) => Math.max(a, b), -Infinity);
    let kind;
    let told;
    if (outcomes[outcomes.length - 1] < level) {
      kind = "all_fail";
      told = ["There is no fix to try."];
      if (players > 0) {
        const repaired = highest >= level;
        told = [repaired ? fewer(titles, alone, outcomes, level, worlds) : `All fixes together don\u2019t repair it${most}.`];
      }
      if (players > 0 && grand <= 0) {
        told.push(grand < 0 ? "Together they make it worse." : "Together they bring no improvement.");
      }
      told.push(...carries(titles, leading, values, shares, margin, "improvement"));
    } else {
      kind = alone.length > 0 ? "repairable" : "no_single";
      told = carries(titles, leading, values, shares, margin, "repair");
      if (alone.length > 0) {
        told.push(aloneRepairs(titles, leading, alone, outcomes, worlds));
      } else {
        told.push(`No single fix repairs it${most}; it takes a combination.`);
      }
    }
    told.push(...lastStep(titles, leading, marks || []), ...worse(titles, values, margin));
    return { kind, players: leading, alone, sentences: told };
  }

  rules.verdict = verdict;
})(AgentBlame.rules);
