// Turns the inputs of a vector into what the page's rule says, in the form vectors are written in. answers.py does
// the same with the Python rules. Defines one global: runVectors(vectors), a list of what differs.
(function () {
  "use strict";

  const view = new DataView(new ArrayBuffer(8));

  function fromHex(digits) {
    view.setUint32(0, parseInt(digits.slice(0, 8), 16));
    view.setUint32(4, parseInt(digits.slice(8), 16));
    return view.getFloat64(0);
  }

  function toHex(number) {
    view.setFloat64(0, number);
    return [view.getUint32(0), view.getUint32(4)].map((half) => half.toString(16).padStart(8, "0")).join("");
  }

  const number = (encoded) => (typeof encoded === "string" ? fromHex(encoded) : encoded);
  const numbers = (encoded) => encoded.map(number);
  const rules = () => AgentBlame.rules;
  const ofValues = (name) => (inputs) => ({
    values: rules()[name](numbers(inputs.worth), inputs.denominator).map(toHex),
  });

  const ofBounds = (name) => (inputs) => {
    const bounds = rules()[name](numbers(inputs.worth), inputs.denominator);
    return { bounds: bounds === null ? null : bounds.map((pair) => pair.map(toHex)) };
  };

  function ranged(inputs) {
    const values = numbers(inputs.values);
    const repeated = Array.from({ length: inputs.times }, () => values).flat();
    return [repeated, fromHex(inputs.low), fromHex(inputs.high)];
  }

  const answers = {
    shapley: ofValues("shapley"),
    fix_alone: ofValues("fixAlone"),
    leave_one_out: ofValues("leaveOneOut"),
    banzhaf: ofValues("banzhaf"),
    harsanyi_dividends: ofValues("harsanyiDividends"),
    shapley_interaction: (inputs) => ({
      matrix: rules().shapleyInteraction(numbers(inputs.worth), inputs.denominator).map((row) => row.map(toHex)),
    }),
    minimal_repairs: (inputs) => ({
      masks: rules().minimalRepairs(numbers(inputs.worth), inputs.denominator, fromHex(inputs.level)),
    }),
    necessity: ofBounds("necessity"),
    sufficiency: ofBounds("sufficiency"),
    mean_and_deviation: (inputs) => {
      const { means, deviations } = rules().meanAndDeviation(inputs.rows.map(numbers));
      return { means: means.map(toHex), deviations: deviations === null ? null : deviations.map(toHex) };
    },
    betting_interval: (inputs) => ({
      interval: rules().bettingInterval(...ranged(inputs), fromHex(inputs.threshold)).map(toHex),
    }),
    capital: (inputs) => ({ capital: toHex(rules().capital(...ranged(inputs), fromHex(inputs.mean))) }),
    separation: (inputs) => ({
      leader: rules().separation(inputs.rows.map(numbers), fromHex(inputs.spread), fromHex(inputs.threshold)),
    }),
    share_of_repair: (inputs) => {
      const shares = rules().shareOfRepair(numbers(inputs.means));
      return { shares: shares === null ? null : shares.map(toHex) };
    },
    best_fix_sets: (inputs) => ({
      sets: rules().bestFixSets(numbers(inputs.repaired), inputs.players)
        .map((best) => [best.coalition, best.repaired, best.tied]),
    }),
    last_touch: (inputs) => ({ values: rules().lastTouch(inputs.outputs).map(toHex) }),
    set_outcome: (inputs) => {
      const edit = rules().setOutcome(
        numbers(inputs.worth), inputs.denominator, inputs.mask, fromHex(inputs.value)
      );
      const encode = edit.denominator === null ? toHex : (outcome) => (Object.is(outcome, -0) ? "-0" : outcome);
      const worth = edit.worth.map((outcome) => (outcome === null ? null : encode(outcome)));
      return { worth, denominator: edit.denominator };
    },
    rank: (inputs) => ({ order: rules().rank(numbers(inputs.values)) }),
    number_text: (inputs) => ({ text: rules().numberText(fromHex(inputs.number)) }),
    isolated: (inputs) => ({ text: rules().isolated(inputs.name) }),
    repair_level: (inputs) => ({ level: toHex(rules().repairLevel(fromHex(inputs.threshold), inputs.denominator)) }),
    verdict: (inputs) => rules().verdict(
      inputs.titles,
      numbers(inputs.worth),
      inputs.denominator,
      fromHex(inputs.level),
      inputs.worlds,
      inputs.last_touch === null ? null : numbers(inputs.last_touch)
    ),
  };

  const knownErrors = ["MissingWorth", "TableTooLarge", "BadTable", "NotFinite"];

  function answer(rule, inputs) {
    try {
      return answers[rule](inputs);
    } catch (error) {
      if (!knownErrors.includes(error.name)) {
        return { crashed: String(error) };
      }
      return { error: error.name, message: error.message };
    }
  }

  // One text for equal answers, in ASCII so that no shell's output encoding can blur a difference.
  function canonical(value) {
    const sorted = (key, part) =>
      part !== null && typeof part === "object" && !Array.isArray(part)
        ? Object.keys(part).sort().reduce((copy, name) => Object.assign(copy, { [name]: part[name] }), {})
        : part;
    const escaped = (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
    return JSON.stringify(value, sorted).replace(/[\u007f-\uffff]/g, escaped);
  }

  globalThis.runVectors = function (vectors) {
    const report = { compared: 0, differing: [] };
    Object.keys(vectors).forEach((rule) => {
      vectors[rule].forEach((vector) => {
        const got = canonical(answer(rule, vector.inputs));
        const expected = canonical(vector.expected);
        report.compared += 1;
        if (got !== expected) {
          report.differing.push({ rule, id: vector.id, got, expected });
        }
      });
    });
    return canonical(report);
  };
})();
