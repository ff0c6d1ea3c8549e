// Turns a text, and the one it is held against, into an element that shows it with what changed marked, or whole.
//
// Which of both is wanted is one choice for the whole page, remembered while it is open.
(function (AgentBlame) {
  "use strict";

  const { parts, setText, setOutput, setHidden, make, visible, keepFocus } = AgentBlame.dom;

  // Milliseconds of marking after which the rest waits: a flip shows its numbers first.
  const AT_ONCE = 4;
  const TOO_DIFFERENT = "Too different to mark word by word, so it is shown whole.";

  const followers = [];
  let marked = true;

  // Marks are made in the order they are asked for, as many as fit in the time there is, the rest in the tasks after this
  // one.
  const waiting = [];
  let left = AT_ONCE;
  let planned = false;
  function work() {
    while (waiting.length > 0 && left > 0) {
      const since = performance.now();
      waiting.shift().run();
      left -= performance.now() - since;
    }
    if (planned || (waiting.length === 0 && left === AT_ONCE)) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      left = AT_ONCE;
      work();
    });
  }

  function doneNow(job) {
    waiting.push(job);
    work();
    return !waiting.includes(job);
  }

  function giveUp(job) {
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
  }

  // Starts a section's switches; `redraw` is called when somebody chooses otherwise.
  function follow(root, redraw) {
    const inputs = parts(root, "texts");
    const show = () => {
      inputs.forEach((input) => {
        input.checked = (input.value === "changes") === marked;
      });
      redraw();
    };
    followers.push(show);
    for (const input of inputs) {
      input.addEventListener("change", () => {
        marked = input.value === "changes";
        followers.forEach((one) => one());
      });
    }
  }

  // Prose takes its own direction; what looks like data or code runs from left to right.
  function setWhole(element, text) {
    setOutput(element, text);
    const direction = element.classList.contains("is-data") ? "ltr" : "auto";
    if (element.getAttribute("dir") !== direction) element.setAttribute("dir", direction);
  }

  // White space that came or went alone would not be seen.
  function change(tag, text) {
    const element = make(tag, {}, text);
    if (text.trim() === "") element.dataset.blank = text.includes("\n") ? "\u00b6" : "\u2423";
    return element;
  }

  const TAGS = { gone: "del", came: "ins" };
  function nodes(runs) {
    return runs.map(([kind, text]) => (kind === "stayed" ? document.createTextNode(visible(text)) : change(TAGS[kind], text)));
  }

  // Puts beside `whole`, an element for one text, another one for the same text with its changes marked, and a line of
  // explanation. `show(before, after)` shows the second; without a first one nothing is marked.
  function attach(whole) {
    const name = whole.getAttribute("aria-label") + ", changes marked";
    const changes = make("div", { class: "output changes", tabindex: 0, role: "group", "aria-label": name, "data-part": "changes", hidden: "" });
    const note = make("p", { class: "quiet change-note", "data-part": "change-note", hidden: "" });
    whole.after(changes, note);
    const job = { run: () => mark(shown.before, shown.after) };
    let shown = null;

    function reveal(runs) {
      if (runs !== null) {
        changes.replaceChildren(...nodes(runs));
        changes.className = "output changes" + (whole.classList.contains("is-data") ? " is-data" : "");
        changes.setAttribute("dir", whole.getAttribute("dir"));
      }
      keepFocus([whole, changes], () => {
        setHidden(whole, runs !== null);
        setHidden(changes, runs === null);
      });
      if (runs === null) changes.replaceChildren();
    }

    function mark(before, after) {
      const runs = AgentBlame.wordDiff(before, after);
      reveal(runs);
      setText(note, runs === null ? TOO_DIFFERENT : "");
      setHidden(note, runs !== null);
    }

    function show(before, after) {
      if (shown !== null && shown.before === before && shown.after === after && shown.marked === marked) return;
      shown = { before, after, marked };
      giveUp(job);
      setWhole(whole, after);
      if (marked && before !== null && before !== after && doneNow(job)) return;
      reveal(null);
      setHidden(note, true);
    }

    return { show };
  }

  // A box of its own for a text, with a name for those who cannot see where it stands.
  function box(label) {
    const element = make("div", { class: "changed" });
    const whole = make("div", { class: "output", tabindex: 0, role: "group", "aria-label": label });
    element.append(whole);
    return { element, ...attach(whole) };
  }

  AgentBlame.changedText = { follow, setWhole, attach, box };
})(globalThis.AgentBlame);
