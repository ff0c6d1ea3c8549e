// Turns four logits and fixed noise into a race: the option with the largest sum of the two is chosen.
(function (AgentBlame) {
  "use strict";

  const { frame, rules, seeded } = AgentBlame;
  const CAPTION =
    "A model chooses among four answers. Each has a logit, which says how much the prompt favours it, and luck; the " +
    "largest sum wins. Move the logits while the luck stays as it is.";
  const OPTIONS = ["refund", "replace", "ask back", "decline"];
  const RECORDED = [0.5, 1, 0, 0.8];
  const BETTER = [2, 1, 0, -1];
  const RANGE = [-3, 3, 0.1];
  const SPAN = { low: -5, high: 9 };

  function noiseOf(luck) {
    return OPTIONS.map((option) => seeded.gumbel(seeded.unit("world " + luck, option)));
  }

  // The first of equals wins, as in the analyzer.
  function winner(logits, noise) {
    return rules.rank(logits.map((logit, k) => logit + noise[k]))[0];
  }

  AgentBlame.widgets["gumbel-race"] = function (box) {
    let luck = 1;
    let logits = RECORDED.slice();
    const { controls, picture, say } = frame.open(box, "A race between logits plus luck", CAPTION, () => {
      luck = 1;
      logits = RECORDED.slice();
      show();
    });
    const put = (values) => () => {
      logits = values.slice();
      show();
    };
    const another = () => {
      luck += 1;
      show();
    };
    controls.append(
      frame.button("Better prompt", put(BETTER)),
      frame.button("Recorded logits", put(RECORDED)),
      frame.button("New luck", another)
    );
    const table = frame.bars(["Option", "Sum", "Choice"], OPTIONS, SPAN);
    const sliders = OPTIONS.map((option, k) => {
      const slider = frame.slider("Logit of " + option, RANGE, (value) => {
        logits[k] = value;
        show();
      });
      table.rows[k].head.append(slider.element);
      return slider;
    });
    table.element.classList.add("is-plain"); // below 0 is not worse
    picture.append(table.element);

    function sentence(noise, now) {
      const recorded = winner(RECORDED, noise);
      const run = "Luck " + luck + ": the recorded run chose " + OPTIONS[recorded] + ". ";
      if (logits.every((logit, k) => logit === RECORDED[k])) {
        return run + "With the recorded logits that very choice comes back.";
      }
      if (now === recorded) return run + "With these logits and the same luck the choice stays.";
      return run + "With these logits and the same luck it would have chosen " + OPTIONS[now] + ".";
    }

    function show() {
      const noise = noiseOf(luck);
      const now = winner(logits, noise);
      OPTIONS.forEach((option, k) => {
        const logit = rules.numberText(logits[k]);
        const sum = logits[k] + noise[k];
        sliders[k].set(logits[k], logit);
        table.show(k, sum, [rules.numberText(sum), k === now ? "✓ wins" : ""]);
        table.note(k, "logit " + logit + ", luck " + rules.numberText(noise[k]));
        table.rows[k].row.classList.toggle("is-first", k === now);
      });
      say(sentence(noise, now));
    }

    show();
  };
})(globalThis.AgentBlame);
