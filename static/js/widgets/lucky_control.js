// Turns the share of failures that pass again by luck, and what a fix truly adds, into what a before and after shows.
(function (AgentBlame) {
  "use strict";

  const { dom, frame, rules } = AgentBlame;
  const CAPTION =
    "One hundred cases failed and are run again with new luck. Some pass without any fix. Set how many, and what " +
    "share of the rest a fix truly repairs; then compare what a before and after says with what the fix did.";
  const CASES = 100;
  const START = { luck: 20, effect: 10 };
  const KINDS = [["luck", "pass again by luck"], ["fix", "repaired by the fix"], ["fail", "still fail"]];

  // One sign per kind: a ring, a filled square, a cross.
  function sign(kind, x, y) {
    if (kind === "luck") return frame.svg("circle", { class: "sign-luck", cx: x, cy: y, r: 6 });
    if (kind === "fix") return frame.svg("rect", { class: "sign-fix", x: x - 6, y: y - 6, width: 12, height: 12 });
    return frame.svg("path", { class: "sign-fail", d: "M" + (x - 4) + " " + (y - 4) + "l8 8m0-8l-8 8" });
  }

  AgentBlame.widgets["lucky-control"] = function (box) {
    let given = { ...START };
    const { controls, picture, say } = frame.open(box, "Luck and a fix", CAPTION, () => {
      given = { ...START };
      show();
    });
    const sliders = [
      ["luck", "Pass again by luck alone", [0, 60, 1]],
      ["effect", "Of the rest, the fix repairs", [0, 100, 1]],
    ].map(([key, name, range]) => {
      const slider = frame.slider(name, range, (value) => {
        given[key] = value;
        show();
      });
      const shown = dom.make("span", { class: "number", "aria-hidden": "true" });
      const label = dom.make("label", { class: "widget-slider" }, name + " ");
      label.append(shown, slider.element);
      controls.append(label);
      return { key, slider, shown };
    });
    const cases = frame.svg("svg", { class: "widget-cases", viewBox: "0 0 400 100", "aria-hidden": "true" });
    const legend = dom.make("ul", { class: "widget-legend" });
    const counts = KINDS.map(([kind, text]) => {
      const item = dom.make("li", {});
      const icon = frame.svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
      const count = dom.make("span", { class: "number" });
      icon.append(sign(kind, 8, 8));
      item.append(icon, count, " " + text);
      legend.append(item);
      return count;
    });
    const titles = ["Before and after says", "Passes without a fix", "The fix adds"];
    const table = frame.bars(["Of 100 failures", "Share"], titles, { low: 0, high: 1 });
    picture.append(cases, legend, table.element);

    function show() {
      const { luck } = given;
      const fixed = Math.floor(((CASES - luck) * given.effect) / 100 + 0.5);
      for (const { key, slider, shown } of sliders) {
        const said = given[key] + " %";
        slider.set(given[key], said);
        dom.setText(shown, said);
      }
      const kindOf = (k) => (k < luck ? "luck" : k < luck + fixed ? "fix" : "fail");
      cases.replaceChildren(
        ...Array.from({ length: CASES }, (_, k) => sign(kindOf(k), 10 + 20 * (k % 20), 10 + 20 * Math.floor(k / 20)))
      );
      [luck, fixed, CASES - luck - fixed].forEach((count, k) => dom.setText(counts[k], String(count)));
      // The control is the outcome without a fix; what was before, that all of them failed, is no control.
      const [naive] = rules.fixAlone([0, luck + fixed], CASES);
      const [adds] = rules.fixAlone([luck, luck + fixed], CASES);
      [naive, luck / CASES, adds].forEach((value, k) => table.show(k, value, [rules.numberText(value)]));
      const before = "A before and after says the fix repairs " + (luck + fixed) + " of 100. ";
      const control = "Without any fix " + luck + " of 100 pass as well, ";
      say(before + control + "so the fix adds " + fixed + ", a share of " + rules.numberText(adds) + ".");
    }

    show();
  };
})(globalThis.AgentBlame);
