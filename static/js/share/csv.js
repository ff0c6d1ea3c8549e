// Turns rows of cells into CSV text (RFC 4180) that spreadsheets and programs read alike.
(function (AgentBlame) {
  "use strict";

  // Without it spreadsheets take UTF-8 for the code page of the machine; programs that do not expect it have the JSON.
  const BOM = "\ufeff";
  // A spreadsheet would run a text that begins so as a formula; the wide forms count as the plain ones do.
  const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

  // What sets a direction is kept, as a program that reads it back wants it, but never stands bare.
  const NEEDS_QUOTES = /[",\r\n\u202a-\u202e\u2066-\u2069]|^\s|\s$/;

  // A number in its shortest form that reads back as the same double; nothing for null.
  function cell(value) {
    if (value === null) return "";
    if (typeof value === "number") {
      if (!Number.isFinite(value)) throw AgentBlame.rules.worth.named("NotFinite", "only finite numbers can be written");
      return String(value + 0);
    }
    const text = AgentBlame.dom.visible(value);
    const safe = FORMULA.test(text) ? "'" + text : text;
    return NEEDS_QUOTES.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
  }

  // `rows` hold numbers, texts and nulls, the first of them the names of the columns.
  function text(rows) {
    return BOM + rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
  }

  AgentBlame.csv = { text };
})(globalThis.AgentBlame);
