// Turns one scenario's data and what a reader does with them into what its section shows: its state, actions and views.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden } = AgentBlame.dom;
  const { caseList, coalitions, hypothetical, wording } = AgentBlame;

  // `section` is the scenario's element, `summary` its data; `host` is the page around it (see page.js).
  AgentBlame.startScenario = function (section, summary, host) {
    const edits = new Map();
    const numberOf = new Map(summary.cases.map((one, k) => [one.slug, k]));
    const state = { scenario: section.dataset.scenario, caseIndex: 0, mode: null, mask: 0, order: "rank", list: caseList.everything() };
    let now = null;
    let lastShown = null;
    let allShown = null;
    let resets = 0;
    let tidied = true;
    const grand = coalitions.grand(summary.players.length);
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

    // Every edit in force: by game ("case.mode"), then by mask.
    function allEdits() {
      return new Map(Array.from(edits).filter(([, made]) => made.size > 0));
    }

    function described() {
      const others = Array.from(allEdits()).filter(([key]) => key !== gameKey());
      const { scenario, mode, mask, order, list } = state;
      const otherEdits = new Map(others.sort());
      return { scenario, case: caseSlug(), mode, mask, order, list, edits: editsNow(), otherEdits };
    }

    // The modes in which a case has edits, by case.
    function editedModes() {
      const found = new Map();
      for (const key of allEdits().keys()) {
        const [slug, mode] = key.split(".");
        found.set(slug, [...(found.get(slug) || []), mode]);
      }
      return found;
    }

    // Whether a game can have these edits; one whose values were sampled can have none, as they could not follow.
    function canHave([key, made]) {
      const [slug, mode] = key.split(".");
      const one = summary.cases[numberOf.get(slug)];
      if (one === undefined || !offeredIn(numberOf.get(slug)).some((offered) => offered.id === mode)) return false;
      if (made.size > 0 && one.sampled.includes(mode)) return false;
      const inRange = ([mask, value]) => mask <= grand && value >= summary.low && value <= summary.high;
      return Array.from(made).every(inRange);
    }

    // Takes over what an address says; false, and nothing taken, if this scenario has no such view.
    function take(wanted) {
      const caseIndex = wanted.case === undefined ? 0 : numberOf.get(wanted.case);
      if (caseIndex === undefined) return false;
      const mode = modeFor(caseIndex, wanted.mode);
      if (wanted.mode !== undefined && wanted.mode !== mode) return false;
      const list = wanted.list || caseList.everything();
      if ((wanted.mask || 0) > grand || !caseList.suits(list, summary)) return false;
      const own = summary.cases[caseIndex].slug + "." + mode;
      const others = wanted.otherEdits || new Map();
      if (others.has(own) || ![[own, wanted.edits || new Map()], ...others].every(canHave)) return false;
      Object.assign(state, { caseIndex, mode, mask: wanted.mask || 0, order: wanted.order || "rank", list });
      edits.clear();
      others.forEach((made, key) => edits.set(key, new Map(made)));
      edits.set(own, new Map(wanted.edits));
      tidied = false;
      return true;
    }

    // Loads the case if need be, computes everything from table and edits, and shows it; a promise of whether it could.
    function render() {
      const key = gameKey();
      const shown = Promise.all([AgentBlame.load(state.scenario, caseSlug()), dropIdleOthers()]).then(
        ([data]) => {
          if (key === gameKey()) showCase(data);
          return true;
        },
        (error) => (key === gameKey() ? goBack(error) : false)
      );
      host.settling(shown.then(() => allShown));
      return shown;
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
      const { sampled } = game;
      dropIdle(game, editsNow());
      const table = hypothetical.apply(game, editsNow());
      // What passes, and how it is counted, is a matter of the case as it was run: no edit changes that.
      const level = AgentBlame.rules.repairLevel(summary.threshold, game.denominator);
      const worlds = game.denominator === null ? 1 : game.denominator;
      const values = hypothetical.values(game, table, summary.players);
      const outcomeAt = (place) => (place < 0 ? wording.NOT_RUN : wording.outcome(hypothetical.share(table, place), worlds, level));
      const { otherEdits } = described();
      now = {
        case: data,
        caseIndex: state.caseIndex,
        mode: summary.modes.find((mode) => mode.id === state.mode),
        titles: summary.titles,
        low: summary.low,
        high: summary.high,
        scoreThreshold: summary.threshold,
        graded: summary.graded,
        level,
        worlds,
        grand,
        mask: state.mask,
        place: coalitions.placeOf(game, state.mask),
        order: state.order,
        list: state.list,
        edits: editsNow(),
        otherEdits: Array.from(otherEdits.values()).reduce((count, made) => count + made.size, 0),
        allEdits: allEdits(),
        edited: editedModes(),
        resets,
        game,
        table,
        values,
        withheld: sampled === null ? wording.withheldReason(table.worth, summary.titles, game.errors) : sampled.withheld,
        verdict:
          sampled === null ? hypothetical.verdict(summary.titles, table, level, worlds, values.last_touch) : sampled.verdict,
        outcomeAt,
        outcome: (mask) => outcomeAt(coalitions.placeOf(game, mask)),
      };
      lastShown = Object.assign({}, state);
      setStill(false);
      for (const view of views) view.show(now);
      // All cases may take longer than one; what is said on this one does not wait for them.
      allShown = overAll.show(now).catch((error) => notice(error.message));
    }

    // An edit that says what was measured is no edit.
    function dropIdle(game, made) {
      for (const [mask, value] of made) {
        if (hypothetical.share(game, mask) === value) made.delete(mask);
      }
    }

    // The same for the games of an address that are not shown; what was measured in one that is missing is not known.
    function dropIdleOthers() {
      if (tidied) return null;
      tidied = true;
      const others = Array.from(allEdits()).filter(([key]) => key !== gameKey());
      const dropped = others.map(([key, made]) => {
        const [slug, mode] = key.split(".");
        return AgentBlame.load(state.scenario, slug).then((data) => dropIdle(data.modes[mode], made), () => {});
      });
      return Promise.all(dropped);
    }

    // After an action: show the new state, then write it to the address; `replace` makes no step back.
    function changed(replace) {
      notice("");
      return render().then((shown) => {
        if (shown) host.write(state, replace === true);
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
        return player < summary.players.length ? act.setMask(coalitions.toggled(state.mask, player)) : host.settled();
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
      // The same for all cases: where the one shown was not analysed so, the first that was comes.
      setModeOfAll(mode) {
        const offers = (caseIndex) => offeredIn(caseIndex).some((offered) => offered.id === mode);
        const first = Array.from(summary.cases.keys()).find(offers);
        if (!offers(state.caseIndex) && first !== undefined) state.caseIndex = first;
        return act.setMode(mode);
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
        const to = overAll.neighbour(state.caseIndex, by);
        return to === null ? host.settled() : act.setCase(to);
      },
      setList(list) {
        state.list = list;
        return changed();
      },
      // Takes back the edits of all cases under this mode.
      resetMode() {
        for (const [key, made] of edits) if (key.endsWith("." + state.mode)) made.clear();
        return act.resetEdits();
      },
    };

    const views = [
      AgentBlame.views.chooser(section, act, summary),
      AgentBlame.views.verdict(section, act),
      AgentBlame.views.ranking(section, act),
      AgentBlame.views.interplay(section, act),
      AgentBlame.views.steps(section, act),
      AgentBlame.views.outcomes(section, act),
    ];
    const overAll = AgentBlame.views.overAll(section, act, summary);
    return { act, state, described, take, render, notice, now: () => now, batch: overAll.table };
  };
})(globalThis.AgentBlame);
