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

  const answers = {
    shapley: ofValues("shapley"),
    fix_alone: ofValues("fixAlone"),
    leave_one_out: ofValues("leaveOneOut"),
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
