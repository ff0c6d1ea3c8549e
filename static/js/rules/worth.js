// Turns a worth table as given into checked numbers, or into an error that says what is wrong with it.
//
// A worth table holds v(S) for every coalition S of n fixes, indexed by mask: fix i takes part in coalition
// `mask` when bit i is set. A rational table holds integers k meaning k / denominator; a real table (denominator
// null) holds any numbers. null marks a coalition whose run raised: it has no outcome.
(function (rules) {
  "use strict";

  const EXACT = 2 ** 53; // every integer below this magnitude is a number exactly
  const MASKS_NAMED = 8;

  function named(name, message) {
    const error = new Error(message);
    error.name = name;
    return error;
  }

  function missingWorth(masks) {
    const more = masks.length - MASKS_NAMED;
    const tail = more > 0 ? ` and ${more} more` : "";
    const noun = masks.length === 1 ? "coalition" : "coalitions";
    const error = named("MissingWorth", `no outcome for ${noun} ${masks.slice(0, MASKS_NAMED).join(", ")}${tail}`);
    error.masks = masks;
    return error;
  }

  function tooLarge() {
    return named(
      "TableTooLarge",
      "scores too large for exact arithmetic: use a smaller denominator, or real scores without one"
    );
  }

  function isHole(outcome) {
    return outcome === null || outcome === undefined;
  }

  /** n for a table of 2**n entries. */
  function playerCount(length) {
    const players = Math.max(0, 31 - Math.clz32(length));
    if (length !== 2 ** players) {
      throw named("BadTable", `a worth table has 2**n entries, one per coalition; this one has ${length}`);
    }
    return players;
  }

  const sizesOf = []; // by number of players

  /** How many fixes each coalition holds, by mask; to be read only. */
  function coalitionSizes(players) {
    if (sizesOf[players] === undefined) {
      const sizes = new Uint8Array(2 ** players);
      for (let mask = 1; mask < sizes.length; mask++) {
        sizes[mask] = sizes[mask >> 1] + (mask & 1);
      }
      sizesOf[players] = sizes;
    }
    return sizesOf[players];
  }

  /** The masks of the coalitions that have no outcome, increasing. */
  function missingCoalitions(worth) {
    const masks = [];
    for (let mask = 0; mask < worth.length; mask++) {
      if (isHole(worth[mask])) {
        masks.push(mask);
      }
    }
    return masks;
  }

  function checkDenominator(denominator) {
    if (isHole(denominator)) {
      return;
    }
    if (!Number.isInteger(denominator) || denominator < 1) {
      throw named("BadTable", "a denominator is a positive integer, or absent for a real table");
    }
    if (denominator >= EXACT) {
      throw tooLarge();
    }
  }

  // What is wrong with a table that holds something other than fit numbers; null if a rule may use it.
  function faultOf(worth, rational) {
    const holes = missingCoalitions(worth);
    if (holes.length > 0) {
      return missingWorth(holes);
    }
    const outcomes = Array.from(worth);
    const first = (wrong) => outcomes.findIndex(wrong);
    let mask = first((outcome) => typeof outcome !== "number");
    if (mask >= 0) {
      return named("BadTable", `the worth of coalition ${mask} is not a number`);
    }
    mask = first((outcome) => !Number.isFinite(outcome));
    if (mask >= 0) {
      return named("NotFinite", `the worth of coalition ${mask} is not a finite number`);
    }
    mask = rational ? first((outcome) => !Number.isInteger(outcome)) : -1;
    if (mask >= 0) {
      const need = "as a table with a denominator needs";
      return named("BadTable", `the worth of coalition ${mask} is not an integer, ${need}`);
    }
    return rational && outcomes.some((outcome) => Math.abs(outcome) >= EXACT) ? tooLarge() : null;
  }

  /**
   * Check a worth table and copy it into a Float64Array: a new one, or the one of that length to be used again.
   * Throws MissingWorth, NotFinite, BadTable, TableTooLarge.
   */
  function worthTable(worth, denominator, reused) {
    checkDenominator(denominator);
    const length = worth.length;
    playerCount(length);
    const rational = !isHole(denominator);
    const table = reused || new Float64Array(length);
    for (let mask = 0; mask < length; mask++) {
      const outcome = worth[mask];
      const fit = typeof outcome === "number" && Math.abs(outcome) < (rational ? EXACT : Infinity);
      if (!fit || (rational && Math.floor(outcome) !== outcome)) {
        throw faultOf(worth, rational);
      }
      table[mask] = outcome;
    }
    return table;
  }

  const held = []; // by number of players

  /** The same into an array that the next call writes to, too: thousands of games leave no garbage. */
  function heldTable(worth, denominator) {
    checkDenominator(denominator);
    const players = playerCount(worth.length);
    if (held[players] === undefined) {
      held[players] = new Float64Array(2 ** players);
    }
    return worthTable(worth, denominator, held[players]);
  }

  /** Refuse a rational table whose sums, multiplied by `scale`, may leave the integers a number can hold. */
  function checkExact(table, denominator, scale) {
    let largest = 0;
    for (let mask = 0; mask < table.length; mask++) {
      largest = Math.max(largest, Math.abs(table[mask]));
    }
    if (2 * scale * largest >= EXACT || scale * denominator >= EXACT) {
      throw tooLarge();
    }
  }

  /** Refuse values that overflowed although every score was finite. */
  function checkOverflow(values) {
    if (!values.every(Number.isFinite)) {
      throw named("TableTooLarge", "scores too large: the values overflow; scale the scores down");
    }
  }

  /** v(more[i]) - v(less[i]) for each i, from a checked table. */
  function differences(table, denominator, more, less) {
    const rational = !isHole(denominator);
    if (rational) {
      checkExact(table, denominator, 1);
    }
    const values = more.map((mask, index) => {
      const gain = table[mask] - table[less[index]] + 0; // -0 - 0 is -0
      return rational ? gain / denominator : gain;
    });
    checkOverflow(values);
    return values;
  }

  rules.worth = {
    EXACT,
    named,
    missingWorth,
    isHole,
    playerCount,
    coalitionSizes,
    missingCoalitions,
    checkDenominator,
    worthTable,
    heldTable,
    checkExact,
    checkOverflow,
    differences,
  };
})(AgentBlame.rules);
