// Turns the address into what the page shows, and what a reader does into a new address.
//
// For consoles and tests: AgentBlame.page.state() is what is shown, .table() the worth table with edits, .values() each
// rule's numbers as shown, .settled() a promise that the last change is on screen; AgentBlame.load(scenario, case) gives
// a case's data.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden } = AgentBlame.dom;
  const { address, hypothetical, wording } = AgentBlame;
  const DAMAGED = "The link to this view is damaged or belongs to other data, so the page shows its first case.";

  const index = document.querySelector('[data-part="index"]');
  const sections = Array.from(document.querySelectorAll("[data-scenario]"));
  const scenarios = new Map(sections.map((section) => [section.dataset.scenario, { section, started: null }]));
  let current = null;
  let settled = Promise.resolve();

  // One scenario's section: its state, and the views that show it.
  function start(section, summary) {
    const edits = new Map();
    const good = new Map();
    const state = { scenario: section.dataset.scenario, caseIndex: 0, mode: null, mask: 0, order: "rank" };
    let now = null;
    const caseSlug = () => summary.cases[state.caseIndex].slug;
    const editKey = () => caseSlug() + " " + state.mode;

    function editsNow() {
      if (!edits.has(editKey())) edits.set(editKey(), new Map());
      return edits.get(editKey());
    }

    function modeFor(caseIndex, wanted) {
      const sentences = summary.cases[caseIndex].sentences;
      const offered = summary.modes.filter((mode) => Object.prototype.hasOwnProperty.call(sentences, mode.id));
      return (offered.find((mode) => mode.id === wanted) || offered[0]).id;
    }

    function described() {
      return { scenario: state.scenario, case: caseSlug(), mode: state.mode, mask: state.mask, order: state.order, edits: editsNow() };
    }

    // Takes over what an address says; false, and nothing taken, if this scenario has no such view.
    function take(wanted) {
      const caseIndex = wanted.case === undefined ? 0 : summary.cases.findIndex((one) => one.slug === wanted.case);
      if (caseIndex < 0) return false;
      const mode = modeFor(caseIndex, wanted.mode);
      if (wanted.mode !== undefined && wanted.mode !== mode) return false;
      const size = 2 ** summary.players.length;
      const masks = [wanted.mask || 0, ...(wanted.edits || new Map()).keys()];
      if (masks.some((mask) => mask >= size)) return false;
      Object.assign(state, { caseIndex, mode, mask: wanted.mask || 0, order: wanted.order || "rank" });
      edits.set(editKey(), new Map(wanted.edits));
      return true;
    }

    // Loads the case if need be, computes everything from table and edits, and shows it.
    function render() {
      const asked = described();
      const key = editKey();
      settled = AgentBlame.load(state.scenario, asked.case).then(
        (data) => {
          if (key === editKey()) compute(data);
        },
        (error) => notice(error.message)
      );
      return settled;
    }

    // Edits too large to compute with are dropped, with the reason.
    function compute(data) {
      try {
        showCase(data);
      } catch (error) {
        if (editsNow().size === 0) throw error;
        edits.set(editKey(), new Map(good.get(editKey())));
        showCase(data);
        notice("That outcome was not taken: " + error.message + ".");
      }
      good.set(editKey(), new Map(editsNow()));
    }

    function showCase(data) {
      const game = data.modes[state.mode];
      dropIdle(game);
      const table = hypothetical.apply(game, editsNow());
      // What counts as passed is a matter of the case as it was run: an edit that turns the table real changes no bar.
      const level = AgentBlame.rules.repairLevel(summary.threshold, game.denominator);
      const values = hypothetical.values(game, table, summary.players);
      now = {
        case: data,
        caseIndex: state.caseIndex,
        mode: summary.modes.find((mode) => mode.id === state.mode),
        titles: summary.titles,
        scoreThreshold: summary.threshold,
        mask: state.mask,
        order: state.order,
        edits: editsNow(),
        game,
        table,
        values,
        verdict: hypothetical.verdict(summary.titles, table, level, values.last_touch),
        outcome: (mask) => wording.outcome(table.worth[mask], table.denominator, level),
      };
      for (const view of views) view.show(now);
    }

    // An edit that says what was measured is no edit.
    function dropIdle(game) {
      for (const [mask, value] of editsNow()) {
        if (hypothetical.share(game, mask) === value) editsNow().delete(mask);
      }
    }

    // After an action: show the new state, then write it to the address; `replace` makes no step back.
    function changed(replace) {
      notice("");
      return render().then(() => {
        if (current !== null && current.state === state) write(address.format(described()), replace === true);
      });
    }

    function notice(text) {
      const box = part(section, "notice");
      setText(box, text);
      setHidden(box, text === "");
    }

    const act = {
      setMask(mask) {
        state.mask = mask;
        return changed();
      },
      toggleFix(player) {
        return player < summary.players.length ? act.setMask(state.mask ^ (1 << player)) : settled;
      },
      setOutcome(mask, value, replace) {
        if (value === null) editsNow().delete(mask);
        else editsNow().set(mask, value);
        return changed(replace);
      },
      resetEdits() {
        editsNow().clear();
        return changed();
      },
      resetAll() {
        state.mask = 0;
        return act.resetEdits();
      },
      setOrder(order) {
        state.order = order;
        return changed();
      },
      setMode(mode) {
        state.mode = modeFor(state.caseIndex, mode);
        return changed();
      },
      nextMode() {
        const offered = summary.modes.filter((mode) => modeFor(state.caseIndex, mode.id) === mode.id);
        const at = offered.findIndex((mode) => mode.id === state.mode);
        return act.setMode(offered[(at + 1) % offered.length].id);
      },
      setCase(caseIndex) {
        state.caseIndex = caseIndex;
        state.mode = modeFor(caseIndex, state.mode);
        return changed();
      },
      moveCase(by) {
        const to = state.caseIndex + by;
        return to < 0 || to >= summary.cases.length ? settled : act.setCase(to);
      },
    };

    const views = [
      AgentBlame.views.chooser(section, act, summary),
      AgentBlame.views.verdict(section, act),
      AgentBlame.views.ranking(section, act),
      AgentBlame.views.steps(section, act),
      AgentBlame.views.outcomes(section, act, 2 ** summary.players.length),
      AgentBlame.views.cases(section, act, summary),
    ];
    return { act, state, described, take, render, notice, now: () => now };
  }

  function startOnce(entry) {
    if (entry.started === null) {
      entry.started = AgentBlame.load(entry.section.dataset.scenario).then((summary) => start(entry.section, summary));
    }
    return entry.started;
  }

  let written = null;
  function write(text, replace) {
    if (("#" + text) === location.hash) return;
    written = "#" + text;
    if (replace) location.replace(written);
    else location.hash = text;
  }

  // Shows what the address says; a damaged one is ignored, with a notice.
  function follow() {
    if (location.hash === written) return settled;
    written = null;
    const wanted = address.parse(location.hash);
    const only = index === null ? sections[0].dataset.scenario : undefined;
    const asked = wanted === null || (wanted.scenario !== undefined && !scenarios.has(wanted.scenario)) ? null : wanted;
    const name = asked === null ? only : asked.scenario || only;
    if (index !== null) {
      setHidden(index, name !== undefined);
      const box = part(index, "index-notice");
      setHidden(box, asked !== null);
      setText(box, asked === null ? "The link is damaged or belongs to other data, so here is the overview." : "");
    }
    sections.forEach((section) => setHidden(section, section.dataset.scenario !== name));
    if (name === undefined) {
      current = null;
      return settled;
    }
    const entry = scenarios.get(name);
    settled = startOnce(entry).then(
      (started) => {
        const known = asked !== null && (only === undefined || asked.scenario === undefined || asked.scenario === only);
        const taken = known && started.take(asked);
        if (!taken) started.take({});
        started.notice(taken ? "" : DAMAGED);
        current = started;
        return started.render();
      },
      (error) => {
        const box = part(entry.section, "notice");
        setText(box, error.message);
        setHidden(box, false);
      }
    );
    return settled;
  }

  function listen() {
    const on = (name) => () => current !== null && current.act[name]();
    const dialog = document.querySelector('[data-part="keys"]');
    const openKeys = () => dialog.showModal();
    AgentBlame.keys.listen({
      j: () => current !== null && current.act.moveCase(1),
      k: () => current !== null && current.act.moveCase(-1),
      m: on("nextMode"),
      r: on("resetAll"),
      digit: (number) => current !== null && current.act.toggleFix(number - 1),
      "?": openKeys,
    });
    document.querySelector('[data-part="keys-open"]').addEventListener("click", openKeys);
    document.querySelector('[data-part="keys-close"]').addEventListener("click", () => dialog.close());
    // The skip link must not overwrite the view in the address.
    document.querySelector('[data-part="skip"]').addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById("main").focus();
    });
    window.addEventListener("hashchange", follow);
    printOpen();
  }

  // On paper nothing can be opened, so all is.
  function printOpen() {
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = Array.from(document.querySelectorAll("details:not([open])"));
      opened.forEach((details) => {
        details.open = true;
      });
    });
    window.addEventListener("afterprint", () => {
      opened.forEach((details) => {
        details.open = false;
      });
    });
  }

  AgentBlame.page = {
    state: () => (current === null ? null : current.described()),
    table: () => (current === null ? null : current.now().table),
    values: () => (current === null ? null : current.now().values),
    settled: () => settled,
  };

  listen();
  follow();
})(globalThis.AgentBlame);
