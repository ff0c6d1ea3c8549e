// Turns what each of many failing cases adds into one table over those that are chosen, and keeps it as cases change:
// counts are moved from one number to the next, means are summed again, intervals are found from where they were.
//
// The analyzer's batch_table.py computes the same from nothing, to the last bit.
(function (AgentBlame) {
  "use strict";

  const { rules, batchColumn, batchTally } = AgentBlame;

  function size(mask) {
    let bits = 0;
    for (let rest = mask; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
    return bits;
  }

  function step(counts, key, by) {
    counts.set(key, (counts.get(key) || 0) + by);
  }

  /**
   * The totals of up to `cases` cases with so many players each. `spread` is the length of the score's range, `delta` the
   * error probability of the intervals jointly and of the claim who leads. Steps that are not `ordered` have no last one.
   *
   * `put(place, figures)` says what a case adds (see batch_case.js), null if it has no values; `choose(places)` which cases
   * count, of those that were put; `prepare()` does most of the first table's work in steps, which is to be asked for or
   * left away; `table()` gives the fields of analyzer.batch_table.BatchTable over them, and `basis()`
   * what is said besides: { kinds, idle, tallies, capitals }, the number of cases of each kind, and of those that no fix
   * helps; each player's tally of values; and, where claims can be made, what was made by betting that the first player's
   * value is larger than another's, by that other.
   */
  function batchTotals(cases, players, spread, delta, ordered = true) {
    const numbers = Array.from({ length: players }, (_, player) => player);
    const all = new Array(cases);
    const chosen = new Uint8Array(cases);
    const columns = { shapley: [], end: [], necessity: [], sufficiency: [], pair: [] };
    const near = numbers.map(() => undefined);
    let coalitions = 0;
    let repairing = null;
    let known = 0; // cases chosen, with values or without
    let included = []; // the places of those with values
    let counts = nothing();
    let tallies = null;
    let leads = null;
    let basis = null;
    let asked = null;
    let made = null; // the table, until something changes

    function nothing() {
      const each = () => numbers.map(() => 0);
      const counted = { alone: each(), touched: each(), kinds: new Map(), minimal: new Map(), sets: new Float64Array(coalitions) };
      return { passes: 0, repaired: 0, exact: 0, idle: 0, ...counted };
    }

    // `numbers` are what a case has in the columns of a kind, null if it has nothing there.
    function putNumbers(place, kind, numbers) {
      const found = columns[kind];
      if (numbers !== null) while (found.length < numbers.length) found.push(batchColumn(cases));
      for (let k = 0; k < found.length; k += 1) found[k].put(place, numbers === null ? NaN : numbers[k]);
    }

    function putAll(place, figures) {
      putNumbers(place, "shapley", figures === null ? null : figures.shapley);
      putNumbers(place, "end", figures === null ? null : [figures.empty, figures.grand]);
      putNumbers(place, "necessity", figures === null ? null : figures.necessity);
      putNumbers(place, "sufficiency", figures === null ? null : figures.sufficiency);
      putNumbers(place, "pair", figures === null ? null : figures.pairs);
    }

    // Keeps which coalitions repair a case: they are many, so all cases share one array.
    function keepRepairing(place, found) {
      if (coalitions === 0) {
        coalitions = found.length;
        repairing = new Uint8Array(cases * coalitions);
        counts.sets = new Float64Array(coalitions);
      }
      repairing.set(found, place * coalitions);
    }

    // Counts a case in, or out again.
    function count(place, by) {
      const figures = all[place];
      counts.passes += figures.passes ? by : 0;
      counts.repaired += figures.repaired ? by : 0;
      counts.idle += figures.idle ? by : 0;
      step(counts.kinds, figures.kind, by);
      figures.alone.forEach((repairs, player) => {
        counts.alone[player] += repairs ? by : 0;
      });
      if (figures.touched !== null) counts.touched[figures.touched] += by;
      if (figures.minimal === null) return;
      counts.exact += by;
      for (let mask = 0; mask < coalitions; mask += 1) {
        if (repairing[place * coalitions + mask] === 1) counts.sets[mask] += by;
      }
      for (const mask of figures.minimal) step(counts.minimal, mask, by);
    }

    function leadOf(place, first, other) {
      return all[place].shapley[first] - (other === null ? 0 : all[place].shapley[other]);
    }

    function tally(place, by) {
      const change = (kept, value) => (by > 0 ? kept.add(value) : kept.remove(value));
      if (tallies !== null) tallies.forEach((kept, player) => change(kept, all[place].shapley[player]));
      if (leads !== null) leads.kept.forEach((kept, k) => change(kept, leadOf(place, leads.first, leads.others[k])));
    }

    function put(place, figures) {
      const before = all[place];
      const counted = chosen[place] === 1 && before !== undefined;
      if (counted && before !== null) {
        count(place, -1);
        tally(place, -1);
      }
      all[place] = figures;
      putAll(place, figures);
      if (figures !== null && figures.repairing !== null) keepRepairing(place, figures.repairing);
      if (chosen[place] === 0) return;
      if (!counted) known += 1;
      if (figures !== null) {
        count(place, 1);
        tally(place, 1);
      }
      if (!counted || (before === null) !== (figures === null)) listIncluded();
      made = null;
    }

    function listIncluded() {
      included = Array.from(all.keys()).filter((place) => chosen[place] === 1 && all[place]);
    }

    function choose(places) {
      if (places === asked) return;
      asked = places;
      const wanted = new Uint8Array(cases);
      for (const place of places) wanted[place] = 1;
      if (wanted.every((one, place) => one === chosen[place])) return;
      chosen.set(wanted);
      known = places.filter((place) => all[place] !== undefined).length;
      listIncluded();
      counts = nothing();
      for (const place of included) count(place, 1);
      tallies = null;
      leads = null;
      made = null;
    }

    // A single player's rival is to do nothing.
    const othersOf = (first) => (players === 1 ? [null] : numbers.filter((player) => player !== first));
    const leadTally = (first, other) => batchTally(included.map((place) => leadOf(place, first, other)));

    // The first player's values less those of each other one.
    function leadsOf(first) {
      if (leads !== null && leads.first === first) return leads;
      const others = othersOf(first);
      return { first, others, kept: others.map((other) => leadTally(first, other)) };
    }

    function capitalsOf(means) {
      leads = leadsOf(rules.rank(means)[0]);
      return new Map(leads.others.map((other, k) => [other, rules.capitalOfTally(leads.kept[k].now(), -spread, spread, 0)]));
    }

    function bounds(player, mean) {
      // Each side of each interval may be wrong with its part of delta.
      const found = rules.intervalOfTally(tallies[player].now(), mean, -spread, spread, (2 * players) / delta, near[player]);
      near[player] = found.near;
      return found.interval;
    }

    const mean = (kind, number) => columns[kind][number].figures(included).mean;

    // The columns of bounds are a lower and an upper one for each player in turn.
    function meanBounds(kind, player) {
      if (columns[kind].length === 0) return null;
      const low = columns[kind][2 * player].figures(included);
      return low.count === 0 ? null : [low.mean, mean(kind, 2 * player + 1), low.count];
    }

    function interactions() {
      const found = new Array(players * players).fill(0);
      let number = 0;
      for (let one = 0; one < players; one += 1) {
        for (let other = one + 1; other < players; other += 1) {
          found[one * players + other] = found[other * players + one] = mean("pair", number);
          number += 1;
        }
      }
      return found;
    }

    function bestSets() {
      return rules.bestFixSets(counts.sets, players).map((best) => [best.coalition, best.repaired, best.tied]);
    }

    function minimalSets() {
      const found = Array.from(counts.minimal).filter(([, times]) => times > 0);
      return found.sort((a, b) => b[1] - a[1] || size(a[0]) - size(b[0]) || a[0] - b[0]);
    }

    function fixRow(player, means, shares, sure) {
      const [low, high] = sure ? bounds(player, means[player]) : [null, null];
      return {
        mean: means[player],
        low,
        high,
        deviation: columns.shapley[player].deviation(included),
        share: shares === null ? null : shares[player],
        alone: counts.alone[player],
        last_touch: ordered ? counts.touched[player] : null,
        necessity: meanBounds("necessity", player),
        sufficiency: meanBounds("sufficiency", player),
      };
    }

    function table() {
      if (made === null) made = newTable();
      return made;
    }

    const tallyOf = (player) => batchTally(included.map((place) => all[place].shapley[player]));

    // What the first table takes longest for, in steps; nothing may change between them.
    function* prepare() {
      const values = [];
      for (const player of numbers) {
        values.push(tallyOf(player));
        yield;
      }
      tallies = values;
      if (players === 0 || included.length === 0) return;
      for (const column of columns.shapley) {
        column.deviation(included);
        yield;
      }
      if (counts.exact < included.length) return;
      const means = numbers.map((player) => mean("shapley", player));
      const first = rules.rank(means)[0];
      const others = othersOf(first);
      const kept = [];
      for (const other of others) {
        kept.push(leadTally(first, other));
        yield;
      }
      leads = { first, others, kept };
      for (const player of numbers) {
        bounds(player, means[player]);
        yield;
      }
    }

    function newTable() {
      if (tallies === null) tallies = numbers.map(tallyOf);
      basis = { kinds: counts.kinds, idle: counts.idle, tallies: tallies.map((kept) => kept.now()), capitals: null };
      const complete = included.length;
      const nobody = { passes: 0, repaired: 0, fixes: [], leader: null, interactions: null, exact: 0, sets: [], minimal: [] };
      if (complete === 0) return { cases: known, complete, empty: 0, grand: 0, ...nobody };
      const means = numbers.map((player) => mean("shapley", player));
      const shares = rules.shareOfRepair(means);
      // Estimates are no observations of the values: how their errors add up over cases is not known.
      const sure = players > 0 && counts.exact === complete;
      basis.capitals = sure ? capitalsOf(means) : null;
      return {
        cases: known,
        complete,
        empty: mean("end", 0),
        grand: mean("end", 1),
        passes: counts.passes,
        repaired: counts.repaired,
        fixes: numbers.map((player) => fixRow(player, means, shares, sure)),
        leader: sure ? rules.separated(leads.first, Array.from(basis.capitals.values()), players / delta) : null,
        interactions: counts.exact === 0 ? null : interactions(),
        exact: counts.exact,
        sets: counts.exact === 0 ? [] : bestSets(),
        minimal: minimalSets(),
      };
    }

    return { put, choose, prepare, table, basis: () => basis };
  }

  AgentBlame.batchTotals = batchTotals;
})(globalThis.AgentBlame);
