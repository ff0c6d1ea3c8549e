// Turns what an address asks for into the view of one scenario, and that view back into what its address says.
(function (AgentBlame) {
  "use strict";

  const { caseList, coalitions, gameKey } = AgentBlame;

  // `book` has the edits of all its games, and takes over those of an address.
  AgentBlame.viewState = function (scenario, summary, book) {
    const numberOf = new Map(summary.cases.map((one, k) => [one.slug, k]));
    const grand = coalitions.grand(summary.players.length);
    const many = summary.cases.length > 1;
    const state = {
      scenario,
      view: many ? "all" : "case",
      caseIndex: 0,
      mode: null,
      mask: 0,
      order: "rank",
      path: null,
      other: null,
      list: caseList.everything(),
    };
    const slugOf = (caseIndex) => summary.cases[caseIndex].slug;

    // The key of the game that is shown.
    const own = () => gameKey.of(slugOf(state.caseIndex), state.mode);

    function modesOf(caseIndex) {
      const sentences = summary.cases[caseIndex].sentences;
      return summary.modes.filter((mode) => Object.prototype.hasOwnProperty.call(sentences, mode.id));
    }

    function offers(caseIndex, mode) {
      return modesOf(caseIndex).some((offered) => offered.id === mode);
    }

    function modeFor(caseIndex, wanted) {
      const offered = modesOf(caseIndex);
      return (offered.find((mode) => mode.id === wanted) || offered[0]).id;
    }

    // The first case that was analysed in a mode; of no mode, the first of all.
    const firsts = new Map([[undefined, 0]]);
    function firstIn(mode) {
      if (!firsts.has(mode)) firsts.set(mode, Array.from(summary.cases.keys()).find((caseIndex) => offers(caseIndex, mode)));
      return firsts.get(mode);
    }

    // The case that is shown where it was analysed in a mode, else the first that was.
    function caseFor(mode) {
      return offers(state.caseIndex, mode) ? state.caseIndex : firstIn(mode);
    }

    // A game's case and mode in words.
    function named(key) {
      const [slug, mode] = gameKey.parts(key);
      return summary.cases[numberOf.get(slug)].id + " (" + summary.modes.find((one) => one.id === mode).title + ")";
    }

    // Whether there is a game of a case in a mode.
    function hasGame(key) {
      const [slug, mode] = gameKey.parts(key);
      return numberOf.has(slug) && offers(numberOf.get(slug), mode);
    }

    // Whether a game can have these edits; one whose values were sampled can have none, as they could not follow.
    function canHave([key, made]) {
      const [slug, mode] = gameKey.parts(key);
      if (!hasGame(key)) return false;
      if (made.size > 0 && summary.cases[numberOf.get(slug)].sampled.includes(mode)) return false;
      const inRange = ([mask, value]) => mask <= grand && value >= summary.low && value <= summary.high;
      return Array.from(made).every(inRange);
    }

    function canFollow(path) {
      return path === null || path.length === summary.players.length;
    }

    // What an address says of the view, or of the same view with some of it changed. Over all cases it names the one that
    // is marked among them, and how that was looked at, unless it is the first as it is first shown.
    function described(changes) {
      const seen = Object.assign({}, state, changes);
      const { view, caseIndex, mode, mask, order, path, other, list } = seen;
      const inCase = view === "case";
      const key = gameKey.of(slugOf(caseIndex), mode);
      const others = Array.from(book.inForce()).filter(([game]) => !inCase || game !== key);
      const isFirst = caseIndex === firstIn(mode) && mask === 0 && order === "rank" && path === null && other === null;
      return {
        scenario,
        view,
        case: inCase || !isFirst ? slugOf(caseIndex) : null,
        mode,
        mask,
        edits: inCase ? book.made(key) : new Map(),
        otherEdits: new Map(others.sort()),
        order,
        path,
        other,
        list,
      };
    }

    // Takes over what an address says; false, and nothing taken, if this scenario has no such view.
    function take(wanted) {
      const { mask = 0, order = "rank", path = null, other = null } = wanted;
      const ofCase = [wanted.case, wanted.mask, wanted.edits, wanted.path, wanted.other].some((one) => one !== undefined);
      const inCase = !many || (ofCase && wanted.view !== "all");
      const caseIndex = wanted.case === undefined ? firstIn(wanted.mode) : numberOf.get(wanted.case);
      if (caseIndex === undefined) return false;
      const mode = modeFor(caseIndex, wanted.mode);
      if (wanted.mode !== undefined && wanted.mode !== mode) return false;
      const list = wanted.list || caseList.everything();
      if (mask > grand || !canFollow(path) || !caseList.suits(list, summary)) return false;
      if (other !== null && !hasGame(other)) return false;
      const key = gameKey.of(slugOf(caseIndex), mode);
      const others = wanted.otherEdits || new Map();
      if (inCase && others.has(key)) return false;
      const all = new Map(others);
      if (wanted.edits !== undefined) all.set(key, wanted.edits);
      if (!Array.from(all).every(canHave)) return false;
      Object.assign(state, { view: inCase ? "case" : "all", caseIndex, mode, mask, order, path, other, list });
      book.replace(all);
      return true;
    }

    return { state, many, slugOf, own, modesOf, modeFor, caseFor, named, described, take };
  };
})(globalThis.AgentBlame);
