// Turns two texts into runs of words that stayed, went and came; done by jsdiff (vendor/jsdiff).
//
// What stayed and what went are together the first text, what stayed and what came the second, to the last character.
(function (AgentBlame) {
  "use strict";

  const { diffArrays } = globalThis.Diff;
  // The library leaves a name of its own; from here on it is known to nothing else.
  delete globalThis.Diff;

  // Beyond so many words that went or came, or so many characters, marking would take long and tell little.
  const MOST_EDITS = 500;
  const LONGEST = 400000;
  // Milliseconds; a machine that needs more is spared.
  const AT_MOST = 200;
  // Of texts with this many words, one in four must have stayed, or the marks are confetti.
  const FEW_WORDS = 24;
  const KEPT = 4;

  // Scripts that put no spaces between words, numbers with their separators, words, pictographs, line ends, spaces,
  // then any other character by itself.
  const UNSPACED = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
  const PARTS = new RegExp(
    "(?:(?=[\\p{L}\\p{M}])[" + UNSPACED + "])+|\\p{N}+(?:[.,]\\p{N}+)*[\\p{L}\\p{M}_]*|" +
      "(?:(?![" + UNSPACED + "])[\\p{L}\\p{M}\\p{N}_])+(?:['\u2019](?:(?![" + UNSPACED + "])\\p{L})+)*|" +
      "\\p{Extended_Pictographic}[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u200d\\ufe0f]*|\\r?\\n|[^\\S\\n]+|.",
    "gsu"
  );
  const STARTS_UNSPACED = new RegExp("^[" + UNSPACED + "]", "u");
  const WORD = /[\p{L}\p{N}]/u;

  // Where words have no spaces between them the browser knows them, or each character is one. It takes a while for long
  // texts, so they are cut.
  const segmenter = typeof Intl.Segmenter === "undefined" ? null : new Intl.Segmenter("en", { granularity: "word" });
  const PIECES = /.{1,500}/gsu;
  function unspacedWords(text) {
    if (segmenter === null) return Array.from(text);
    return text.match(PIECES).flatMap((piece) => Array.from(segmenter.segment(piece), (found) => found.segment));
  }

  function words(text) {
    const parts = text.match(PARTS) || [];
    return parts.flatMap((part) => (STARTS_UNSPACED.test(part) && WORD.test(part) ? unspacedWords(part) : part));
  }

  function count(parts) {
    return parts.reduce((sum, part) => sum + (WORD.test(part) ? 1 : 0), 0);
  }

  // A space or comma that stayed between two changes would cut a changed phrase into pieces, so it goes and comes with it.
  function joins(change, before, after) {
    const stayed = !change.added && !change.removed;
    return stayed && before !== undefined && after !== undefined && /^[^\p{L}\p{N}\n]{1,3}$/u.test(change.value.join(""));
  }

  // Neighbouring changes become one that went and one that came.
  function merged(changes) {
    const runs = [];
    let gone = "";
    let came = "";
    const close = () => {
      if (gone !== "") runs.push(["gone", gone]);
      if (came !== "") runs.push(["came", came]);
      gone = "";
      came = "";
    };
    changes.forEach((change, k) => {
      const text = change.value.join("");
      const joined = joins(change, changes[k - 1], changes[k + 1]);
      if (change.removed || joined) gone += text;
      if (change.added || joined) came += text;
      if (change.removed || change.added || joined) return;
      close();
      runs.push(["stayed", text]);
    });
    close();
    return runs;
  }

  // [["stayed" | "gone" | "came", text], …], or null for texts that are too different, or too long, to be told apart so.
  AgentBlame.wordDiff = function (before, after) {
    if (before.length + after.length > LONGEST) return null;
    const [old, now] = [words(before), words(after)];
    const changes = diffArrays(old, now, { maxEditLength: MOST_EDITS, timeout: AT_MOST });
    if (changes === undefined) return null;
    const most = Math.max(count(old), count(now));
    const kept = changes.reduce((sum, one) => sum + (one.added || one.removed ? 0 : count(one.value)), 0);
    return most >= FEW_WORDS && KEPT * kept < most ? null : merged(changes);
  };
})(globalThis.AgentBlame);
