// Turns what is shown into the part of the address after "#", and back.
//
//   #s=support&case=ticket-1&mode=replayed&on=1.3&edits=5_0~7_0.25&edits.ticket-2.fresh=3_1&order=step&sort=2&tags=1.4
//
// Only characters that mail and chat programs leave alone: [A-Za-z0-9._~=&-]. Without a case it is all of them that are
// shown, or with "view=all"; the case is then the one marked among them. "on" lists the fixes that are on, counted from 1; "edits" lists coalitions by mask with their hypothetical outcome,
// "edits.CASE.MODE" those of other games; "path" is the order of switching fixes on, "with" the case and mode it is compared
// with. How cases are sorted and filtered is the matter of case_list.js. "p" names a page of text of a report, or a part of one.
(function (AgentBlame) {
  "use strict";

  const { coalitions, hypothetical } = AgentBlame;
  const MOST_FIXES = 53;
  const NAME = /^[a-z0-9][a-z0-9-]*$/;
  const PAGE = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9_-]+)?$/;
  const MODE = /^[a-z]+$/;
  const ORDER = /^(rank|step)$/;
  const FIXES = /^[1-9][0-9]?(\.[1-9][0-9]?)*$/;
  const GAME = /^[a-z0-9][a-z0-9-]*\.[a-z]+$/;
  const OTHER = /^edits\.([a-z0-9][a-z0-9-]*\.[a-z]+)$/;
  const EDIT = /^(0|[1-9][0-9]{0,6})_(-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?)$/;

  function format(state) {
    const fields = ["s=" + state.scenario];
    if (state.case !== null) fields.push("case=" + state.case);
    if (state.case !== null && state.view === "all") fields.push("view=all");
    fields.push("mode=" + state.mode);
    const on = [];
    for (let player = 0; player < MOST_FIXES; player += 1) {
      if (coalitions.has(state.mask, player)) on.push(player + 1);
    }
    if (on.length > 0) fields.push("on=" + on.join("."));
    if (state.edits.size > 0) fields.push("edits=" + editsText(state.edits));
    for (const [game, edits] of state.otherEdits) fields.push("edits." + game + "=" + editsText(edits));
    if (state.order !== "rank") fields.push("order=" + state.order);
    if (state.path !== null) fields.push("path=" + state.path.map((player) => player + 1).join("."));
    if (state.other !== null) fields.push("with=" + state.other);
    fields.push(...AgentBlame.caseList.fields(state.list));
    return fields.join("&");
  }

  function editsText(edits) {
    // "1e+21" is "1e21": a plus sign is a space to some programs.
    return hypothetical.sorted(edits).map(([mask, value]) => mask + "_" + String(value).replace("+", "")).join("~");
  }

  // Returns the fields that an address holds, null for a damaged one; no edits and the list of everything are always there.
  function parse(hash) {
    const text = hash.replace(/^#/, "");
    const state = { otherEdits: new Map(), list: AgentBlame.caseList.everything() };
    if (text === "") return state;
    const fields = new Map();
    for (const field of text.split("&")) {
      const at = field.indexOf("=");
      const name = field.slice(0, at);
      if (at < 1 || fields.has(name)) return null;
      fields.set(name, field.slice(at + 1));
    }
    for (const [name, value] of fields) {
      if ((name === "s" || name === "case") && NAME.test(value)) state[name === "s" ? "scenario" : "case"] = value;
      else if (name === "p" && PAGE.test(value)) state.page = value.split(".")[0];
      else if (name === "view" && value === "all") state.view = value;
      else if (name === "mode" && MODE.test(value)) state.mode = value;
      else if (name === "order" && ORDER.test(value)) state.order = value;
      else if (name === "on" && FIXES.test(value)) state.mask = maskOf(value);
      else if (name === "path" && FIXES.test(value)) state.path = pathOf(value);
      else if (name === "with" && GAME.test(value)) state.other = value;
      else if (name === "edits") state.edits = editsOf(value);
      else if (OTHER.test(name)) state.otherEdits.set(OTHER.exec(name)[1], editsOf(value));
      else if (AgentBlame.caseList.take(state.list, name, value) !== true) return null;
    }
    const parts = [state.mask, state.path, state.edits, ...state.otherEdits.values()];
    return parts.includes(null) ? null : state;
  }

  // Players counted from 1, each once; null if they are not.
  function playersOf(text) {
    const players = text.split(".").map((number) => Number(number) - 1);
    const known = players.every((player) => player < MOST_FIXES);
    return known && new Set(players).size === players.length ? players : null;
  }

  function maskOf(text) {
    const players = playersOf(text);
    return players === null ? null : coalitions.maskOf(players);
  }

  // An order names every player once.
  function pathOf(text) {
    const players = playersOf(text);
    return players !== null && players.every((player) => player < players.length) ? players : null;
  }

  function editsOf(text) {
    const edits = new Map();
    for (const part of text.split("~")) {
      const match = EDIT.exec(part);
      if (match === null || edits.has(Number(match[1])) || !Number.isFinite(Number(match[2]))) return null;
      edits.set(Number(match[1]), Number(match[2]));
    }
    return edits;
  }

  AgentBlame.address = { format, parse };
})(globalThis.AgentBlame);
