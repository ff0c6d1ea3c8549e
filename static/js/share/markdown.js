// Turns untrusted texts into Markdown that shows them as they are: escaped, in a code span, or between fences.
//
// What would set the direction of the text around it is shown by its code, such as \u202E.
(function (AgentBlame) {
  "use strict";

  const { isolated } = AgentBlame.rules;
  const NAME_LENGTH = 80;
  const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
  // As a name is isolated in a sentence of ours, or what sets a direction outside of such a name.
  const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069|[\u202a-\u202e\u2066-\u2069]/g;

  function visible(text) {
    return AgentBlame.dom.visible(text);
  }

  function unturned(text) {
    return text.replace(TURNS, (character) => "\\u" + character.charCodeAt(0).toString(16).toUpperCase());
  }

  // The same for a sentence of ours: the names in it stay isolated.
  function unturnedSentence(text) {
    return text.replace(ISOLATED, (whole, name) => (name === undefined ? unturned(whole) : isolated(unturned(name))));
  }

  function oneLine(text) {
    return visible(text).replace(/[\s\u0085\u2028\u2029]+/g, " ").trim();
  }

  // A text of the pipeline, on one line, with nothing in it that Markdown would read.
  function escaped(text) {
    return isolated(unread(unturned(oneLine(text))));
  }

  // A sentence of ours, or names joined by us.
  function sentence(text) {
    return unread(unturnedSentence(oneLine(text)));
  }

  // Not every reader of Markdown knows a backslash before "<".
  function unread(line) {
    return line
      .replace(/[\\`*_[\]|~$]/g, "\\$&")
      .replace(/&(?=[#A-Za-z])/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/^([0-9]*)([-+.)#>=])/, "$1\\$2");
  }

  function longestRun(text) {
    return (text.match(/`+/g) || []).reduce((most, run) => Math.max(most, run.length), 0);
  }

  // A name in a code span, which ends where we say; `most` is how many characters of it are kept.
  function code(text, most) {
    const line = unturned(oneLine(text));
    const kept = most || NAME_LENGTH;
    const short = line.length > kept ? whole(line.slice(0, kept - 1)) + "\u2026" : line;
    const ticks = "`".repeat(longestRun(short) + 1);
    return isolated(ticks + (/^`|`$/.test(short) || short === "" ? " " + short + " " : short) + ticks);
  }

  // Half of a pair of surrogates at an end is no character.
  function whole(text) {
    return text.replace(/[\ud800-\udbff]$/, "").replace(/^[\udc00-\udfff]/, "");
  }

  function characters(text) {
    let count = 0;
    for (const one of text) count += one.length > 0 ? 1 : 0;
    return count;
  }

  // The beginning and the end of a long text, and how much is left out between them.
  function shortened(text, most) {
    if (text.length <= most) return text;
    const start = whole(text.slice(0, Math.ceil(most * 0.75)));
    const end = whole(text.slice(text.length - Math.floor(most * 0.25)));
    const left = characters(text.slice(start.length, text.length - end.length));
    return start + "\n[\u2026 " + left + " characters left out \u2026]\n" + end;
  }

  // Between fences longer than any in it; `most` is how many characters of it are kept.
  function fenced(text, kind, most) {
    return betweenFences(unturned(visible(text)), kind, most);
  }

  // The same with sentences of ours.
  function fencedSentences(sentences, most) {
    return betweenFences(unturnedSentence(visible(sentences.join("\n"))), "text", most);
  }

  function betweenFences(text, kind, most) {
    const shown = shortened(text, most).replace(/\r\n?/g, "\n");
    const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
    return fence + kind + "\n" + shown + (shown.endsWith("\n") ? "" : "\n") + fence;
  }

  // Cells are Markdown already.
  function table(names, rows) {
    const line = (cells) => "| " + cells.join(" | ") + " |";
    return [line(names), line(names.map(() => "---")), ...rows.map(line)].join("\n");
  }

  function list(items) {
    return items.map((item) => "- " + item).join("\n");
  }

  AgentBlame.markdown = { escaped, sentence, code, fenced, fencedSentences, table, list };
})(globalThis.AgentBlame);
