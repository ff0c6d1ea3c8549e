// Turns untrusted texts into Markdown that shows them as they are: escaped, in a code span, or between fences.
(function (AgentBlame) {
  "use strict";

  const NAME_LENGTH = 80;

  function visible(text) {
    return AgentBlame.dom.visible(text);
  }

  function oneLine(text) {
    return visible(text).replace(/[\s\u0085\u2028\u2029]+/g, " ").trim();
  }

  // On one line, with nothing in it that Markdown would read. Not every reader of it knows a backslash before "<".
  function escaped(text) {
    return oneLine(text)
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
    const line = oneLine(text);
    const kept = most || NAME_LENGTH;
    const short = line.length > kept ? whole(line.slice(0, kept - 1)) + "\u2026" : line;
    const ticks = "`".repeat(longestRun(short) + 1);
    return ticks + (/^`|`$/.test(short) || short === "" ? " " + short + " " : short) + ticks;
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
    const shown = shortened(visible(text), most).replace(/\r\n?/g, "\n");
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

  AgentBlame.markdown = { escaped, code, fenced, shortened, table, list };
})(globalThis.AgentBlame);
