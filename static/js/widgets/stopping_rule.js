// Turns failing cases that arrive one at a time into two intervals, and into what is claimed by looking at each.
(function (AgentBlame) {
  "use strict";

  const { dom, frame, rules, seeded, wording } = AgentBlame;
  const CAPTION =
    "Failing cases arrive one at a time; each is repaired by fix A, by fix B, by both or by neither. Whoever looks " +
    "after every case claims a difference once an interval leaves out 0. You set the truth, which no interval " +
    "knows.";
  const TRUTHS = { equal: [0.4, 0.4], little: [0.45, 0.35], clear: [0.6, 0.25] };
  const OPTIONS = [["equal", "Equally good"], ["little", "A a little better"], ["clear", "A clearly better"]];
  const ERROR = 0.05;
  const NORMAL = 1.96; // standard errors to each side, for one look of large samples
  const FIRST_LOOK = 10; // a standard error from fewer cases is no use to anybody
  const CASES = 100;
  const STREAMS = 200;
  const WIDTH = 600;
  const HEIGHT = 200;

  // How much more A repairs than B, case by case: 1, 0 or -1.
  function leadsOf(truth, stream) {
    const next = seeded.stream(truth + " " + stream);
    const [a, b] = TRUTHS[truth];
    return Array.from({ length: CASES }, () => Number(next() < a) - Number(next() < b));
  }

  function validAt(leads) {
    return rules.bettingInterval(leads, -1, 1, 2 / ERROR);
  }

  function naiveAt(leads) {
    if (leads.length < FIRST_LOOK) return [-1, 1];
    const { means, deviations } = rules.meanAndDeviation(leads.map((lead) => [lead]));
    const radius = (NORMAL * deviations[0]) / Math.sqrt(leads.length);
    return [Math.max(means[0] - radius, -1), Math.min(means[0] + radius, 1)];
  }

  // The valid interval ends at the last mean given up, the usual one at the last mean kept.
  const CLAIMS = { valid: ([low, high]) => low >= 0 || high <= 0, naive: ([low, high]) => low > 0 || high < 0 };

  // Whether each interval would ever have left out 0. The valid one does once a capital at 0 reaches the threshold, and
  // only who bets on the side that is ahead can have gained.
  function everClaims(leads) {
    const claims = { naive: false, valid: false };
    const mirrored = leads.map((lead) => 0 - lead);
    let ahead = 0;
    for (let count = 1; count <= CASES && !(claims.naive && claims.valid); count += 1) {
      ahead += leads[count - 1];
      const won = (ahead > 0 ? leads : mirrored).slice(0, count);
      claims.naive = claims.naive || CLAIMS.naive(naiveAt(won));
      claims.valid = claims.valid || rules.capital(won, -1, 1, 0) >= 2 / ERROR;
    }
    return claims;
  }

  function counted() {
    const all = Array.from({ length: STREAMS }, (_, k) => everClaims(leadsOf("equal", k + 1)));
    return ["naive", "valid"].map((rule) => all.filter((claims) => claims[rule]).length);
  }

  AgentBlame.widgets["stopping-rule"] = function (box) {
    let truth = "equal";
    let stream = 1;
    let seen = 0;
    const looks = { naive: [], valid: [] };
    const { controls, picture, say } = frame.open(box, "Two rules for stopping", CAPTION, () => {
      truth = "equal";
      begin(1);
    });
    const choice = frame.choices("The truth", OPTIONS, (value) => {
      truth = value;
      begin(stream);
    });
    const steps = [["Next case", 1], ["10 more", 10], ["To case " + CASES, CASES]];
    const buttons = steps.map(([text, count]) => frame.button(text, () => take(count)));
    const another = frame.button("Another stream", () => begin(stream + 1));
    const count = frame.button("Count over " + STREAMS + " streams", () => {
      const [naive, valid] = counted();
      const streams = "Over " + STREAMS + " streams of " + CASES + " cases with equally good fixes, ";
      const usual = "the usual interval would have claimed a difference in " + naive;
      dom.setText(total, streams + usual + ", the one for every look in " + valid + ". Every such claim is wrong.");
    });
    controls.append(choice.element, ...buttons, another, count);
    const chart = frame.svg("svg", {
      class: "widget-chart", viewBox: "0 0 " + WIDTH + " " + HEIGHT, preserveAspectRatio: "none", "aria-hidden": "true",
    });
    const lines = { zero: "M0 100H600", naive: "", valid: "", mean: "" };
    for (const name of Object.keys(lines)) {
      lines[name] = frame.svg("path", { class: "line-" + name, d: lines[name] });
      chart.append(lines[name]);
    }
    const names = ["Valid at every look (solid)", "Usual, 1.96 standard errors (dashed)"];
    const table = frame.bars(["A minus B", "First claim"], names, { low: -1, high: 1 });
    const total = dom.make("p", { class: "widget-total", "data-part": "total", "aria-live": "polite" });
    const legend =
      "How much more A repairs than B, from −1 to 1, over " + CASES + " cases: the mean, and both intervals around it.";
    picture.append(chart, dom.make("p", { class: "widget-note" }, legend), table.element, total);

    function begin(wanted) {
      stream = wanted;
      seen = 0;
      looks.naive = [];
      looks.valid = [];
      dom.setText(total, "");
      show();
    }

    function take(more) {
      const leads = leadsOf(truth, stream);
      for (let k = 0; k < more && seen < CASES; k += 1) {
        seen += 1;
        looks.naive.push(naiveAt(leads.slice(0, seen)));
        looks.valid.push(validAt(leads.slice(0, seen)));
      }
      dom.keepFocus([...buttons, another], show);
    }

    function claimOf(name) {
      return looks[name].findIndex(CLAIMS[name]) + 1;
    }

    function path(values) {
      const at = (value, k) => ((k + 1) * WIDTH) / CASES + " " + (HEIGHT / 2 - (value * HEIGHT) / 2);
      return values.length === 0 ? "" : "M" + values.map(at).join("L");
    }

    function show() {
      choice.set(truth);
      const leads = leadsOf(truth, stream).slice(0, seen);
      const mean = (upTo) => rules.cases.orderedSum(leads.slice(0, upTo)) / upTo;
      const now = seen === 0 ? 0 : mean(seen);
      lines.mean.setAttribute("d", path(leads.map((_, k) => mean(k + 1))));
      const claims = ["valid", "naive"].map((name, row) => {
        const ends = looks[name];
        lines[name].setAttribute("d", path(ends.map(([low]) => low)) + path(ends.map(([, high]) => high)));
        const interval = seen === 0 ? [-1, 1] : ends[seen - 1];
        const claim = claimOf(name);
        table.show(row, now, [claim === 0 ? "none" : "case " + claim], interval);
        table.note(row, wording.intervalText(...interval));
        return claim;
      });
      buttons.forEach((button) => { button.disabled = seen === CASES; });
      say(seen === 0 ? "No case has arrived yet." : sentence(claims));
    }

    function sentence([valid, naive]) {
      const wrong = truth === "equal" ? ", wrongly" : "";
      const told = (claim) => (claim === 0 ? "has claimed nothing" : "claimed a difference at case " + claim + wrong);
      const cases = "Stream " + stream + ", after " + seen + (seen === 1 ? " case: " : " cases: ");
      if (valid === 0 && naive === 0) return cases + "neither interval has claimed a difference.";
      return cases + "the interval for every look " + told(valid) + "; the usual one " + told(naive) + ".";
    }

    begin(1);
  };
})(globalThis.AgentBlame);
