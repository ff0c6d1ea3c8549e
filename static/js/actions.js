// Turns what a reader does in one scenario into its next state, which is then shown and written to the address.
(function (AgentBlame) {
  "use strict";

  const { coalitions, gameKey } = AgentBlame;

  // `view` is its state (see view_state.js), `book` its edits; `scenario` has what shows them (see scenario.js), `host` is
  // the page around it. What was done to a game that is no longer, or not yet, asked for is done to none. Each action
  // gives a promise of the page that shows it.
  AgentBlame.scenarioActions = function (view, book, summary, scenario, host) {
    const { state } = view;
    const { changed } = scenario;
    const nothing = () => host.settled();

    function edit(change) {
      if (scenario.isPending()) return nothing();
      change();
      return changed();
    }

    // The keys of the games with edits under the mode that is shown.
    function editedUnderMode() {
      return Array.from(gameKey.under(book.inForce(), state.mode).keys(), (slug) => gameKey.of(slug, state.mode));
    }

    // What was taken back out of sight is told.
    function tellUndone(keys) {
      const unseen = keys.filter((key) => state.view === "all" || key !== view.own()).map(view.named);
      const more = unseen.length > 3 ? " and others." : ".";
      if (unseen.length > 0) scenario.notice("The last change of edits was taken back: " + unseen.slice(0, 3).join(", ") + more);
    }

    const act = {
      setMask(mask) {
        return edit(() => {
          state.mask = mask;
        });
      },
      toggleFix(player) {
        const can = state.view === "case" && player < summary.players.length;
        return can ? act.setMask(coalitions.toggled(state.mask, player)) : nothing();
      },
      // `joined`: the change belongs to the one before it, and makes no step back of its own.
      setOutcome(mask, value, joined) {
        if (scenario.isPending()) return nothing();
        book.change(() => {
          if (value === null) book.of(view.own()).delete(mask);
          else book.of(view.own()).set(mask, value);
        }, joined);
        return changed(joined);
      },
      undo() {
        const undone = book.undo();
        return undone.length === 0 ? nothing() : changed().then(() => tellUndone(undone));
      },
      resetEdits() {
        return edit(() => book.clear([view.own()]));
      },
      // Takes back the edits of all cases under this mode.
      resetMode() {
        return edit(() => book.clear(editedUnderMode()));
      },
      resetAll() {
        if (state.view === "all") return act.resetMode();
        return edit(() => {
          state.mask = 0;
          book.clear([view.own()]);
        });
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
      // The key of the game that the case is compared with; null for nothing.
      setOther(key) {
        state.other = key;
        return changed();
      },
      setMode(mode) {
        state.mode = view.modeFor(state.caseIndex, mode);
        return changed();
      },
      // The same for all cases: where the one shown was not analysed so, the first that was comes.
      setModeOfAll(mode) {
        const first = view.caseFor(mode);
        if (first !== undefined) state.caseIndex = first;
        return act.setMode(mode);
      },
      nextMode() {
        const offered = state.view === "all" ? summary.modes : view.modesOf(state.caseIndex);
        const at = offered.findIndex((mode) => mode.id === state.mode);
        const next = offered[(at + 1) % offered.length].id;
        return state.view === "all" ? act.setModeOfAll(next) : act.setMode(next);
      },
      setCase(caseIndex) {
        state.caseIndex = caseIndex;
        state.mode = view.modeFor(caseIndex, state.mode);
        return changed();
      },
      moveCase(by) {
        const to = scenario.neighbour(state.caseIndex, by);
        return to === null ? nothing() : act.setCase(to).then(scenario.reveal);
      },
      // Shows one case, read from the top.
      openCase(caseIndex = state.caseIndex) {
        host.leave(scenario.section);
        state.view = "case";
        return act.setCase(caseIndex).then(() => host.arrive(scenario.section));
      },
      // The case that is marked in the list, or the first one listed.
      openListed() {
        const to = scenario.neighbour(state.caseIndex, 0);
        return to === null ? nothing() : act.openCase(to);
      },
      openAll() {
        if (!view.many || state.view === "all") return nothing();
        host.leave(scenario.section);
        state.view = "all";
        return changed().then(() => host.arrive(scenario.section));
      },
      // `change` gives what becomes of a list (see case_list.js).
      changeList(change, joined) {
        state.list = Object.assign({}, state.list, change(state.list));
        return changed(joined);
      },
    };
    return act;
  };
})(globalThis.AgentBlame);
