// Turns the address into what the page shows, and what a reader does into a new address.
//
// For consoles and tests: AgentBlame.page.state() is what is shown, .table() the worth table with edits, .values() each
// rule's numbers as shown, .settled() a promise that the last change is on screen; AgentBlame.load(scenario, case) gives
// a case's data.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden } = AgentBlame.dom;
  const { address, hypothetical, wording } = AgentBlame;
  const TITLE = document.title;
  const DAMAGED = "The link to this view is damaged or belongs to other data, so the page shows its first case.";

  const index = document.querySelector('[data-part="index"]');
  const sections = Array.from(document.querySelectorAll("[data-scenario]"));
  const scenarios = new Map(sections.map((section) => [section.dataset.scenario, { section, started: null }]));
  let current = null;
  let settled = Promise.resolve();

  // One scenario's section: its state, and the views that show it.
  function start(section, summary) {
    const edits = new Map();
    const numberOf = new Map(summary.cases.map((one, k) => [one.slug, k]));
    const state = { scenario: section.dataset.scenario, caseIndex: 0, mode: null, mask: 0, order: "rank" };
    let now = null;
    let lastShown = null;
    let resets = 0;
    const caseSlug = () => summary.cases[state.caseIndex].slug;
    const gameKey = () => caseSlug() + "." + state.mode;

    function editsNow() {
      if (!edits.has(gameKey())) edits.set(gameKey(), new Map());
      return edits.get(gameKey());
    }

    function offeredIn(caseIndex) {
      const sentences = summary.cases[caseIndex].sentences;
      return summary.modes.filter((mode) => Object.prototype.hasOwnProperty.call(sentences, mode.id));
    }

    function modeFor(caseIndex, wanted) {
      const offered = offeredIn(caseIndex);
      return (offered.find((mode) => mode.id === wanted) || offered[0]).id;
    }

    function described() {
      const others = Array.from(edits).filter(([key, made]) => key !== gameKey() && made.size > 0);
      const { scenario, mode, mask, order } = state;
      return { scenario, case: caseSlug(), mode, mask, order, edits: editsNow(), otherEdits: new Map(others.sort()) };
    }

    // The modes in which a case has edits, by case.
    function editedModes() {
      const found = new Map();
      for (const [key, made] of edits) {
        const [slug, mode] = key.split(".");
        if (made.size > 0) found.set(slug, [...(found.get(slug) || []), mode]);
      }
      return found;
    }

    function areOutcomes(made) {
      const size = 2 ** summary.players.length;
      return Array.from(made).every(([mask, value]) => mask < size && value >= summary.low && value <= summary.high);
    }

    function isGame(key) {
      const [slug, mode] = key.split(".");
      return numberOf.has(slug) && offeredIn(numberOf.get(slug)).some((one) => one.id === mode);
    }

    // Takes over what an address says; false, and nothing taken, if this scenario has no such view.
    function take(wanted) {
      const caseIndex = wanted.case === undefined ? 0 : numberOf.get(wanted.case);
      if (caseIndex === undefined) return false;
      const mode = modeFor(caseIndex, wanted.mode);
      if (wanted.mode !== undefined && wanted.mode !== mode) return false;
      if ((wanted.mask || 0) >= 2 ** summary.players.length) return false;
      const own = summary.cases[caseIndex].slug + "." + mode;
      const others = wanted.otherEdits || new Map();
      if (others.has(own) || !Array.from(others.keys()).every(isGame)) return false;
      if (![wanted.edits || new Map(), ...others.values()].every(areOutcomes)) return false;
      Object.assign(state, { caseIndex, mode, mask: wanted.mask || 0, order: wanted.order || "rank" });
      edits.clear();
      others.forEach((made, key) => edits.set(key, new Map(made)));
      edits.set(own, new Map(wanted.edits));
      return true;
    }

    // Loads the case if need be, computes everything from table and edits, and shows it; a promise of whether it could.
    function render() {
      const key = gameKey();
      settled = AgentBlame.load(state.scenario, caseSlug()).then(
        (data) => {
          if (key === gameKey()) showCase(data);
          return true;
        },
        (error) => (key === gameKey() ? goBack(error) : false)
      );
      return settled;
    }

    // A case whose data are missing: the one shown before stays, or the first one comes.
    function goBack(error) {
      if (lastShown !== null) {
        Object.assign(state, lastShown);
        for (const view of views) view.show(now);
      } else if (state.caseIndex > 0) {
        take({});
        render();
      } else {
        setStill(true);
      }
      notice(error.message);
      return false;
    }

    // While no data can be had, the page is what it is without scripts; another case can still be chosen.
    function setStill(still) {
      section.classList.toggle("is-still", still);
    }

    function showCase(data) {
      const game = data.modes[state.mode];
      dropIdle(game);
      const table = hypothetical.apply(game, editsNow());
      // What passes, and how it is counted, is a matter of the case as it was run: no edit changes that.
      const level = AgentBlame.rules.repairLevel(summary.threshold, game.denominator);
      const worlds = game.denominator === null ? 1 : game.denominator;
      const values = hypothetical.values(game, table, summary.players);
      const { otherEdits } = described();
      now = {
        case: data,
        caseIndex: state.caseIndex,
        mode: summary.modes.find((mode) => mode.id === state.mode),
        titles: summary.titles,
        low: summary.low,
        high: summary.high,
        scoreThreshold: summary.threshold,
        worlds,
        mask: state.mask,
        order: state.order,
        edits: editsNow(),
        otherEdits: Array.from(otherEdits.values()).reduce((count, made) => count + made.size, 0),
        edited: editedModes(),
        resets,
        game,
        table,
        values,
        verdict: hypothetical.verdict(summary.titles, table, level, worlds, values.last_touch),
        outcome: (mask) => wording.outcome(hypothetical.share(table, mask), worlds, level),
      };
      lastShown = Object.assign({}, state);
      setStill(false);
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
      return render().then((shown) => {
        if (shown && current !== null && current.state === state) write(address.format(described()), replace === true);
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
        resets += 1;
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
        const offered = offeredIn(state.caseIndex);
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
      entry.started.catch(() => {
        entry.started = null;
      });
    }
    return entry.started;
  }

  // In a report the overview and each scenario are pages of their own: with a title, read from the top.
  let place = null;
  function turnTo(name) {
    const heading = (name === undefined ? index : scenarios.get(name).section).querySelector("h1");
    document.title = name === undefined ? TITLE : heading.textContent + " · " + document.querySelector(".brand").textContent.trim();
    if (place !== null && place.name !== name) {
      window.scrollTo(0, 0);
      heading.focus({ preventScroll: true });
    }
    place = { name };
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
    if (index !== null) turnTo(name);
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
        entry.section.classList.remove("is-dead");
        current = started;
        return started.render();
      },
      (error) => {
        const box = part(entry.section, "notice");
        setText(box, error.message + " What follows is one case as it was analysed.");
        setHidden(box, false);
        entry.section.classList.add("is-dead");
        current = null;
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
