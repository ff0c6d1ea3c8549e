// Turns one scenario's data and what a reader does with them into what its section shows: its state, actions and views.
//
// There are two views of a scenario: of all its failing cases, and of one case. With a single case there is that one only.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;
  const { address, caseList, coalitions, hypothetical } = AgentBlame;

  // `section` is the scenario's element, `summary` its data; `host` is the page around it (see page.js).
  AgentBlame.startScenario = function (section, summary, host) {
    const book = AgentBlame.editBook();
    const search = AgentBlame.caseSearch(section.dataset.scenario, summary);
    const numberOf = new Map(summary.cases.map((one, k) => [one.slug, k]));
    const many = summary.cases.length > 1;
    const state = {
      scenario: section.dataset.scenario,
      view: many ? "all" : "case",
      caseIndex: 0,
      mode: null,
      mask: 0,
      order: "rank",
      path: null,
      other: null,
      list: caseList.everything(),
    };
    let now = null;
    let lastShown = null;
    let allShown = null;
    let resets = 0;
    let turn = 0;
    let tidied = true;
    let searchable = true;
    // The cases whose data could not be had.
    const lost = new Set();
    const grand = coalitions.grand(summary.players.length);
    const slugOf = (caseIndex) => summary.cases[caseIndex].slug;
    const gameKey = () => slugOf(state.caseIndex) + "." + state.mode;

    function offeredIn(caseIndex) {
      const sentences = summary.cases[caseIndex].sentences;
      return summary.modes.filter((mode) => Object.prototype.hasOwnProperty.call(sentences, mode.id));
    }

    function offers(caseIndex, mode) {
      return offeredIn(caseIndex).some((offered) => offered.id === mode);
    }

    function modeFor(caseIndex, wanted) {
      const offered = offeredIn(caseIndex);
      return (offered.find((mode) => mode.id === wanted) || offered[0]).id;
    }

    // The case that is shown, or the first one that was analysed in a mode.
    function caseFor(mode) {
      if (mode === undefined || offers(state.caseIndex, mode)) return state.caseIndex;
      return Array.from(summary.cases.keys()).find((caseIndex) => offers(caseIndex, mode));
    }

    // What an address says of the view, or of the same view with some of it changed.
    function described(changes) {
      const seen = Object.assign({}, state, changes);
      const inCase = seen.view === "case";
      const own = slugOf(seen.caseIndex) + "." + seen.mode;
      const others = Array.from(book.inForce()).filter(([key]) => !inCase || key !== own);
      const { scenario, view, mode, list } = seen;
      const whole = { scenario, view, case: inCase ? slugOf(seen.caseIndex) : null, mode, list, otherEdits: new Map(others.sort()) };
      if (!inCase) return Object.assign(whole, { mask: 0, edits: new Map(), order: "rank", path: null, other: null });
      const { mask, order, path, other } = seen;
      return Object.assign(whole, { mask, edits: book.made(own), order, path, other });
    }

    // The modes in which a case has edits, by case.
    function editedModes() {
      const found = new Map();
      for (const key of book.inForce().keys()) {
        const [slug, mode] = key.split(".");
        found.set(slug, [...(found.get(slug) || []), mode]);
      }
      return found;
    }

    // Whether there is a game of a case in a mode.
    function hasGame(key) {
      const [slug, mode] = key.split(".");
      return numberOf.has(slug) && offers(numberOf.get(slug), mode);
    }

    // Whether a game can have these edits; one whose values were sampled can have none, as they could not follow.
    function canHave([key, made]) {
      const [slug, mode] = key.split(".");
      if (!hasGame(key)) return false;
      if (made.size > 0 && summary.cases[numberOf.get(slug)].sampled.includes(mode)) return false;
      const inRange = ([mask, value]) => mask <= grand && value >= summary.low && value <= summary.high;
      return Array.from(made).every(inRange);
    }

    function canFollow(path) {
      return path === undefined || path === null || path.length === summary.players.length;
    }

    // Takes over what an address says; false, and nothing taken, if this scenario has no such view.
    function take(wanted) {
      const inCase = !many || [wanted.case, wanted.mask, wanted.edits, wanted.path, wanted.other].some((one) => one !== undefined);
      const caseIndex = wanted.case === undefined ? caseFor(wanted.mode) : numberOf.get(wanted.case);
      if (caseIndex === undefined) return false;
      const mode = modeFor(caseIndex, wanted.mode);
      if (wanted.mode !== undefined && wanted.mode !== mode) return false;
      const list = wanted.list || caseList.everything();
      if ((wanted.mask || 0) > grand || !canFollow(wanted.path) || !caseList.suits(list, summary)) return false;
      if (wanted.other && !hasGame(wanted.other)) return false;
      const own = slugOf(caseIndex) + "." + mode;
      const others = wanted.otherEdits || new Map();
      if (inCase && others.has(own)) return false;
      const all = new Map(others);
      if (inCase) all.set(own, wanted.edits || new Map());
      if (!Array.from(all).every(canHave)) return false;
      Object.assign(state, { view: inCase ? "case" : "all", caseIndex, mode, list });
      // What only one case's view shows stays as it was while all cases are looked at.
      if (inCase) {
        const { mask = 0, order = "rank", path = null, other = null } = wanted;
        Object.assign(state, { mask, order, path, other });
      }
      book.replace(all);
      tidied = false;
      return true;
    }

    // Loads what the view takes, computes everything from tables and edits, and shows it; a promise of whether it could.
    function render() {
      turn += 1;
      const mine = turn;
      const still = () => mine === turn;
      section.dataset.view = state.view;
      section.setAttribute("aria-busy", String(isPending()));
      const shown = Promise.all([loadCase(), loadOther(), searched(), dropIdleOthers()]).then(
        ([data, other, found]) => {
          if (still()) showAll(data, other, found);
          return true;
        },
        (error) => (still() ? goBack(error) : false)
      );
      host.settling(shown.then(() => allShown));
      return shown;
    }

    // The cases that a search found. Where its texts cannot be had there is no search.
    function searched() {
      return search.find(state.list.find).catch((error) => {
        searchable = false;
        state.list = Object.assign({}, state.list, { find: "" });
        notice(error.message + " So the cases cannot be searched.");
        return null;
      });
    }

    // Whether what is asked for is still on its way: what is done until then would be done to what is on the screen.
    function isPending() {
      if (now === null || now.view !== state.view) return true;
      return now.view === "case" && (now.caseIndex !== state.caseIndex || now.mode.id !== state.mode);
    }

    function loadCase() {
      return state.view === "case" ? AgentBlame.load(state.scenario, slugOf(state.caseIndex)) : null;
    }

    // Where what the case is compared with cannot be had, it stands alone.
    function loadOther() {
      if (state.view !== "case" || state.other === null) return null;
      return AgentBlame.load(state.scenario, state.other.split(".")[0]).catch((error) => {
        state.other = null;
        notice(error.message + " So nothing is compared.");
        return null;
      });
    }

    // A view whose data are missing: the one shown before stays, or the first one comes.
    function goBack(error) {
      lost.add(state.caseIndex);
      if (lastShown !== null) {
        Object.assign(state, lastShown);
        section.dataset.view = state.view;
        section.setAttribute("aria-busy", "false");
        show();
      } else if (state.caseIndex > 0 || (many && state.view === "case")) {
        take({});
        render();
      } else {
        section.setAttribute("aria-busy", "false");
        setStill(true);
      }
      notice(error.message);
      return false;
    }

    // While no data can be had, the page is what it is without scripts; another case can still be chosen.
    function setStill(still) {
      section.classList.toggle("is-still", still);
    }

    function showAll(data, other, found) {
      const key = gameKey();
      if (data !== null) dropIdle(data.modes[state.mode], book.of(key));
      const edits = book.of(key);
      const allEdits = book.inForce();
      const count = Array.from(allEdits.values()).reduce((all, made) => all + made.size, 0);
      now = {
        mode: summary.modes.find((mode) => mode.id === state.mode),
        titles: summary.titles,
        ...(data === null ? {} : AgentBlame.shownCase(summary, data, state, edits)),
        other: other === null ? null : otherCase(other),
        view: state.view,
        caseIndex: state.caseIndex,
        list: state.list,
        found,
        searchable,
        otherEdits: count - edits.size,
        allEdits,
        edited: editedModes(),
        canUndo: book.canUndo(),
        addressOf: (changes) => "#" + address.format(described(changes)),
        resets,
      };
      lastShown = Object.assign({}, state);
      section.setAttribute("aria-busy", "false");
      setStill(false);
      show();
    }

    // The game that the case is compared with, with its own edits.
    function otherCase(data) {
      const mode = state.other.split(".")[1];
      return AgentBlame.shownCase(summary, data, Object.assign({}, state, { mode }), book.of(state.other));
    }

    // What one case is shown with starts when a case is first shown.
    let views = null;
    function viewsOfCase() {
      if (views === null) views = Object.values(AgentBlame.caseViews).map((view) => view(section, act, summary));
      return views;
    }

    function show() {
      if (now.view === "case") for (const view of viewsOfCase()) view.show(now);
      showPlaces();
      // All cases may take longer than one; what is said on this one does not wait for them.
      allShown = overAll.show(now).catch((error) => notice(error.message));
    }

    // The way from all cases to one and back.
    function showPlaces() {
      for (const link of parts(section, "place-link")) {
        const here = link.dataset.place === state.view;
        link.setAttribute("href", now.addressOf({ view: link.dataset.place }));
        if (here) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      for (const name of parts(section, "place-case")) setText(name, summary.cases[state.caseIndex].id);
      for (const button of parts(section, "undo-edit")) button.disabled = !now.canUndo;
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
      const dropped = Array.from(book.inForce()).map(([key, made]) => {
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

    // What was taken back out of sight is told.
    function tellUndone(keys) {
      const unseen = keys.filter((key) => state.view === "all" || key !== gameKey());
      const named = unseen.map((key) => {
        const [slug, mode] = key.split(".");
        return summary.cases[numberOf.get(slug)].id + " (" + summary.modes.find((one) => one.id === mode).title + ")";
      });
      if (named.length > 0) notice("The last edit was taken back: " + named.slice(0, 3).join(", ") + (named.length > 3 ? " and others." : "."));
    }

    function edit(make, joined) {
      if (isPending()) return host.settled();
      book.change(make, joined);
      return changed(joined);
    }

    function notice(text) {
      const box = part(section, "notice");
      setText(box, text);
      setHidden(box, text === "");
    }

    const act = {
      setMask(mask) {
        if (isPending()) return host.settled();
        state.mask = mask;
        return changed();
      },
      toggleFix(player) {
        const can = state.view === "case" && player < summary.players.length;
        return can ? act.setMask(coalitions.toggled(state.mask, player)) : host.settled();
      },
      setOutcome(mask, value, replace) {
        return edit(() => {
          if (value === null) book.of(gameKey()).delete(mask);
          else book.of(gameKey()).set(mask, value);
        }, replace);
      },
      undo() {
        const undone = book.undo();
        if (undone.length === 0) return host.settled();
        resets += 1;
        return changed().then(() => tellUndone(undone));
      },
      resetEdits() {
        resets += 1;
        return edit(() => book.of(gameKey()).clear());
      },
      // Takes back the edits of all cases under this mode.
      resetMode() {
        resets += 1;
        return edit(() => {
          for (const [key, made] of book.inForce()) if (key.endsWith("." + state.mode)) made.clear();
        });
      },
      resetAll() {
        if (state.view === "all") return act.resetMode();
        state.mask = 0;
        return act.resetEdits();
      },
      setOrder(order) {
        state.order = order;
        return changed();
      },
      // The order in which the fixes are switched on, as players; null for the order of the steps.
      setPath(path) {
        state.path = path;
        return changed();
      },
      // What the case is compared with, as "case.mode"; null for nothing.
      setOther(key) {
        state.other = key;
        return changed();
      },
      setMode(mode) {
        state.mode = modeFor(state.caseIndex, mode);
        return changed();
      },
      // The same for all cases: where the one shown was not analysed so, the first that was comes.
      setModeOfAll(mode) {
        const first = caseFor(mode);
        if (first !== undefined) state.caseIndex = first;
        return act.setMode(mode);
      },
      nextMode() {
        const offered = state.view === "all" ? summary.modes : offeredIn(state.caseIndex);
        const at = offered.findIndex((mode) => mode.id === state.mode);
        const next = offered[(at + 1) % offered.length].id;
        return state.view === "all" ? act.setModeOfAll(next) : act.setMode(next);
      },
      setCase(caseIndex) {
        state.caseIndex = caseIndex;
        state.mode = modeFor(caseIndex, state.mode);
        return changed();
      },
      moveCase(by) {
        let to = overAll.neighbour(state.caseIndex, by);
        while (to !== null && lost.has(to)) to = overAll.neighbour(to, by);
        return to === null ? host.settled() : act.setCase(to);
      },
      // Shows one case, read from the top.
      openCase(caseIndex) {
        host.leave(section);
        state.view = "case";
        return act.setCase(caseIndex === undefined ? state.caseIndex : caseIndex).then(() => host.arrive(section));
      },
      // The case that is marked in the list, or the first one listed.
      openListed() {
        const to = overAll.neighbour(state.caseIndex, 0);
        return to === null ? host.settled() : act.openCase(to);
      },
      openAll() {
        if (!many || state.view === "all") return host.settled();
        host.leave(section);
        state.view = "all";
        return changed().then(() => host.arrive(section));
      },
      setList(list, replace) {
        state.list = list;
        return changed(replace);
      },
    };

    for (const button of parts(section, "undo-edit")) {
      button.addEventListener("click", () => act.undo());
    }
    for (const link of parts(section, "place-link")) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (link.dataset.place === "all") act.openAll();
        else act.openCase();
      });
    }
    const overAll = AgentBlame.views.overAll(section, act, summary);
    AgentBlame.views.share(section, summary, { now: () => now, over: overAll.told });
    return { act, state, described, take, render, notice, now: () => now, batch: overAll.table, focusSearch: overAll.focusSearch };
  };
})(globalThis.AgentBlame);
