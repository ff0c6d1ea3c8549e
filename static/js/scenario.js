// Turns one scenario's data and what a reader does with them into what its section shows: its state, loaded and shown.
//
// There are two views of a scenario: of all its failing cases, and of one case. With a single case there is that one only.
(function (AgentBlame) {
  "use strict";

  const { part, parts, setText, setHidden } = AgentBlame.dom;
  const { address, gameKey, hypothetical } = AgentBlame;

  // `section` is the scenario's element, `summary` its data; `host` is the page around it (see page.js).
  AgentBlame.startScenario = function (section, summary, host) {
    const book = AgentBlame.editBook();
    const view = AgentBlame.viewState(section.dataset.scenario, summary, book);
    const search = AgentBlame.caseSearch(section.dataset.scenario, summary);
    const { state } = view;
    // The cases whose data could not be had.
    const lost = new Set();
    let now = null;
    // The state, the edits and the data of what was shown last.
    let lastShown = null;
    let allShown = null;
    let turn = 0;
    let tidied = true;
    let searchable = true;
    // Whether what is shown next is a step that can be gone back to, and whether it is other than what was asked for.
    let isStep = false;
    let isOther = false;

    function take(wanted) {
      const taken = view.take(wanted);
      if (taken) tidied = false;
      return taken;
    }

    // After an action: shows the new state, then writes it to the address; `joined` makes no step back.
    function changed(joined) {
      notice("");
      isStep = isStep || joined !== true;
      return render().then((shown) => {
        if (!shown) return;
        host.write(state, !isStep);
        isStep = false;
      });
    }

    // Loads what the view takes, computes everything from tables and edits, and shows it; a promise of whether this did.
    function render() {
      turn += 1;
      const mine = turn;
      const still = () => mine === turn;
      section.dataset.view = state.view;
      setBusy(isPending());
      const shown = Promise.all([loadCase(), loadOther(), searched(), dropIdleOthers()]).then(
        ([data, other, found]) => {
          if (!still()) return false;
          showAll(data, other, found);
          if (isOther) host.write(state, true);
          isOther = false;
          return true;
        },
        (error) => (still() ? goBack(error) : false)
      );
      host.settling(shown.then(() => allShown));
      return shown;
    }

    // Whether what is asked for is still on its way: what is done until then would be done to what is on the screen.
    function isPending() {
      if (now === null || now.view !== state.view || now.mode.id !== state.mode) return true;
      return now.view === "case" && now.caseIndex !== state.caseIndex;
    }

    function loadCase() {
      return state.view === "case" ? AgentBlame.load(state.scenario, view.slugOf(state.caseIndex)) : null;
    }

    // Where what the case is compared with cannot be had, it stands alone.
    function loadOther() {
      if (state.view !== "case" || state.other === null) return null;
      return AgentBlame.load(state.scenario, gameKey.parts(state.other)[0]).catch((error) => {
        state.other = null;
        isOther = true;
        notice(error.message + " So nothing is compared.");
        return null;
      });
    }

    // The cases that a search found. Where its texts cannot be had there is no search.
    function searched() {
      return search.find(state.list.find).catch((error) => {
        searchable = false;
        isOther = true;
        state.list = Object.assign({}, state.list, { find: "" });
        notice(error.message + " So the cases cannot be searched.");
        return null;
      });
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
        const [slug, mode] = gameKey.parts(key);
        return AgentBlame.load(state.scenario, slug).then((data) => dropIdle(data.modes[mode], made), () => {});
      });
      return Promise.all(dropped);
    }

    // A view whose data are missing: the one shown before stays, with its edits and its address, or the first one comes.
    function goBack(error) {
      lost.add(state.caseIndex);
      isStep = false;
      if (lastShown !== null) {
        Object.assign(state, lastShown.state);
        book.restore(lastShown.book);
        section.dataset.view = state.view;
        showAll(...lastShown.loaded);
        host.write(state, true);
      } else if (state.caseIndex > 0 || (view.many && state.view === "case")) {
        take({});
        render();
      } else {
        setBusy(false);
        setStill(true);
      }
      notice(error.message);
      return false;
    }

    function setBusy(busy) {
      section.setAttribute("aria-busy", String(busy));
    }

    // While no data can be had, the page is what it is without scripts; another case can still be chosen.
    function setStill(still) {
      section.classList.toggle("is-still", still);
    }

    function notice(text) {
      const box = part(section, "notice");
      setText(box, text);
      setHidden(box, text === "");
    }

    function showAll(data, other, found) {
      const key = view.own();
      if (data !== null) {
        dropIdle(data.modes[state.mode], book.of(key));
        lost.delete(state.caseIndex);
      }
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
        edited: editedModes(allEdits),
        canUndo: book.canUndo(),
        // Of this view, whatever is asked for meanwhile.
        address: "#" + address.format(view.described({})),
        addressOf: (changes) => "#" + address.format(view.described(changes)),
        resets: book.resets(),
      };
      lastShown = { state: Object.assign({}, state), book: book.kept(), loaded: [data, other, found] };
      setBusy(false);
      setStill(false);
      show();
    }

    // The game that the case is compared with, with its own edits.
    function otherCase(data) {
      const mode = gameKey.parts(state.other)[1];
      return AgentBlame.shownCase(summary, data, Object.assign({}, state, { mode }), book.of(state.other));
    }

    // The modes in which a case has edits, by case.
    function editedModes(edits) {
      const found = new Map();
      for (const key of edits.keys()) {
        const [slug, mode] = gameKey.parts(key);
        found.set(slug, [...(found.get(slug) || []), mode]);
      }
      return found;
    }

    // What one case is shown with starts when a case is first shown.
    let views = null;
    function viewsOfCase() {
      if (views === null) views = Object.values(AgentBlame.caseViews).map((start) => start(section, act, summary));
      return views;
    }

    function show() {
      if (now.view === "case") for (const one of viewsOfCase()) one.show(now);
      showPlaces();
      host.entitle(section, AgentBlame.shareWords.titleOf(now, summary));
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

    // The next case of the list that is not known to be lost.
    function neighbour(caseIndex, by) {
      let to = overAll.neighbour(caseIndex, by);
      while (by !== 0 && to !== null && lost.has(to)) to = overAll.neighbour(to, by);
      return to;
    }

    // Brings the case that is marked in the list into sight.
    function reveal() {
      if (state.view === "all") overAll.reveal();
    }

    // Runs an action on what is asked for: at once, or when it is shown, if nobody asked for something else meanwhile.
    function whenShown(run) {
      if (!isPending()) return run();
      const asked = turn;
      return host.drawn().then(() => (turn === asked && !isPending() ? run() : undefined));
    }

    const act = AgentBlame.scenarioActions(view, book, summary, { section, changed, isPending, neighbour, reveal, notice }, host);

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
    const { described } = view;
    return { act, state, described, take, render, notice, whenShown, now: () => now, batch: overAll.table, focusSearch: overAll.focusSearch };
  };
})(globalThis.AgentBlame);
