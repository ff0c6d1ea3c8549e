// Turns the menu "Share" into copies and files of what is shown. What cannot be copied is shown to be copied by hand.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, make, visible } = AgentBlame.dom;
  const { batchRows, pictures, shareFiles, sharePrompt, shareText, shareWords } = AgentBlame;
  const PICTURES = {
    ranking: "What each fix is worth",
    graph: "The steps as a graph",
    lattice: "Every combination",
    waterfall: "From no fix to all fixes",
    pairs: "Two fixes at a time",
    "over-all": "Which fix to make first",
  };
  const TYPES = { csv: "text/csv;charset=utf-8", json: "application/json", svg: "image/svg+xml;charset=utf-8", png: "image/png" };
  // What no edit changes.
  const AS_RUN = '.scenario-head, [data-part="steps"] .run, .rivals, .provenance';
  // Long enough for a browser to begin with a download.
  const KEPT = 60000;

  // Whether it is a text of its own in which something is selected.
  function types(target) {
    return target instanceof Element && target.matches("input, textarea");
  }

  // `shown.now()` is what the scenario shows, `shown.over()` what it says over all cases (see over_all_view.js).
  AgentBlame.views.share = function (root, summary, shown) {
    const menu = part(root, "sharing");
    const said = part(menu, "share-said");
    const dialog = part(root, "share-dialog");
    const field = part(dialog, "share-text");
    const opener = menu.querySelector("summary");

    const address = () => location.href.split("#")[0] + shown.now().address;

    // Where it can be seen again; of a page opened from disk, the folders it lies in are nobody's business.
    function about() {
      const place = location.protocol === "file:" ? address().replace(/^[^#]*\//, "") : address();
      return { summary, place };
    }

    // What is computed over all cases, null until it is, and where its data cannot be read.
    function computed() {
      const over = shown.over();
      const follows = over !== null && over.mode === shown.now().mode.id && !root.classList.contains("is-batchless");
      return follows ? over : null;
    }

    // The same, as the page says it.
    function overAll() {
      const over = computed();
      const on = summary.batch[over.mode];
      const again = part(root, "batch-again");
      const told = again === null ? null : ["dt", "dd"].map((tag) => again.querySelector(tag).textContent);
      return {
        ...over,
        view: batchRows.view(over.table, over.basis, summary.titles, on, over.total, over.byOutcome),
        question: on.question,
        confidence: on.confidence,
        again: over.mode === "fresh" ? null : told,
      };
    }

    function markdown() {
      const now = shown.now();
      return now.view === "case" ? shareText.ofCase(now, about()) : shareText.ofAll(now, overAll(), about());
    }

    const texts = {
      link: ["The link", address],
      markdown: ["Markdown", markdown],
      prompt: ["The prompt", () => sharePrompt.ofCase(shown.now(), about())],
    };

    const files = {
      outcomes: ["csv", (now) => shareFiles.outcomes(now)],
      ranking: ["csv", (now) => (now.view === "case" ? shareFiles.ranking(now, about()) : shareFiles.rankingOfAll(now, overAll(), about()))],
      cases: ["csv", (now) => shareFiles.cases(now, overAll(), about())],
      everything: ["json", (now) => (now.view === "case" ? shareFiles.ofCase(now, about()) : shareFiles.ofAll(now, overAll(), about()))],
    };

    function say(text) {
      // The same words twice are two messages.
      setText(said, "");
      setText(said, text);
    }

    async function copy(name) {
      const [what, textOf] = texts[name];
      const text = textOf();
      try {
        await navigator.clipboard.writeText(text);
      } catch (error) {
        byHand(what, text);
        return;
      }
      if (name === "link") say(what + " is copied" + (location.protocol === "file:" ? ": it opens on this machine only." : "."));
      else say(what + " is copied" + (noteOf(shown.now()) === "" ? "." : ", marked as hypothetical."));
    }

    // Without a clipboard, or with one that refuses.
    function byHand(what, text) {
      say(what + " is in the field, to be copied by hand.");
      field.value = text;
      dialog.showModal();
      field.focus();
      field.select();
    }

    function download(now, what, ending, content) {
      const slug = now.view === "case" ? now.case.slug : "all";
      const url = URL.createObjectURL(new Blob([content], { type: TYPES[ending] }));
      const link = make("a", { href: url, download: shareFiles.fileName(now, root.dataset.scenario, slug, what, ending) });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), KEPT);
      say(link.download + " is made.");
    }

    // What is said of edits; where the data of all cases cannot be read, what is shown of them is as run.
    function noteOf(now) {
      return now.view === "case" || computed() !== null ? shareWords.noteOf(now) : "";
    }

    async function picture(source, name, ending) {
      try {
        const now = shown.now();
        const about = shareWords.aboutPicture(now, summary, computed());
        const svg = pictures.svgOf(source, about + ": " + (PICTURES[name] || name), about, noteOf(now));
        download(now, name, ending, ending === "svg" ? svg : await pictures.pngOf(svg));
      } catch (error) {
        say("The picture cannot be made: " + error.message);
      }
    }

    function sources() {
      return Array.from(root.querySelectorAll("[data-picture]"))
        .map((box) => ({ name: box.dataset.picture, source: box.matches("svg, table") ? box : box.querySelector("svg") }))
        .filter(({ source }) => source !== null && source.getClientRects().length > 0);
    }

    function pictureRow({ name, source }) {
      const row = make("li", {});
      const title = PICTURES[name] || name;
      row.append(make("span", {}, title));
      for (const ending of ["svg", "png"]) {
        const button = make("button", { type: "button", class: "button", "data-picture-file": name + "." + ending });
        button.append(make("span", { class: "unseen" }, title + ": "), ending.toUpperCase());
        button.addEventListener("click", () => picture(source, name, ending));
        row.append(button);
      }
      return row;
    }

    // What can be taken along is another thing in each view.
    function fill() {
      const now = shown.now();
      if (now === null) return;
      const inCase = now.view === "case";
      const has = inCase || computed() !== null;
      for (const button of menu.querySelectorAll("[data-copy], [data-file]")) {
        const needs = button.dataset.only;
        const fits = needs === undefined || needs === now.view;
        const empty = button.dataset.file === "ranking" && summary.titles.length === 0;
        setHidden(button, !fits || empty || (!has && button.dataset.copy !== "link"));
      }
      setText(part(menu, "share-asks"), inCase ? sharePrompt.asks(now) : "");
      const found = has ? sources() : [];
      part(menu, "share-pictures").replaceChildren(...found.map(pictureRow));
      setHidden(part(menu, "share-picture-group"), found.length === 0);
      const note = noteOf(now);
      setText(part(menu, "share-note"), note);
      setHidden(part(menu, "share-note"), note === "");
      setText(said, "");
    }

    function close(focus) {
      menu.open = false;
      if (focus) opener.focus();
    }

    menu.addEventListener("toggle", () => menu.open && fill());
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      // Elsewhere this key leaves the case.
      event.preventDefault();
      close(true);
    });
    menu.addEventListener("focusout", (event) => {
      const to = event.relatedTarget;
      if (to !== null && !menu.contains(to) && !dialog.contains(to)) close(false);
    });
    document.addEventListener("pointerdown", (event) => {
      if (menu.open && !menu.contains(event.target) && !dialog.contains(event.target)) close(false);
    });
    for (const button of menu.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button.dataset.copy));
    for (const button of menu.querySelectorAll("[data-file]")) {
      button.addEventListener("click", () => {
        const [ending, content] = files[button.dataset.file];
        download(shown.now(), button.dataset.file, ending, content(shown.now()));
      });
    }
    part(dialog, "share-close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      field.value = "";
      opener.focus();
    });

    // What follows edits says so when it is selected and copied, too.
    function noteAt(now, within) {
      if (Array.from(root.querySelectorAll(AS_RUN)).some((box) => box.contains(within))) return "";
      const { other } = now;
      const compare = part(root, "compare");
      const same = !other || (other.case === now.case && other.mode === now.mode);
      if (now.view !== "case" || same || !compare.contains(within)) return noteOf(now);
      return shareWords.note(now.edits.size + other.edits.size);
    }

    document.addEventListener("copy", (event) => {
      const selection = document.getSelection();
      const now = shown.now();
      if (now === null || root.hidden || selection.isCollapsed || types(event.target)) return;
      const range = selection.getRangeAt(0);
      const note = range.intersectsNode(root) ? noteAt(now, range.commonAncestorContainer) : "";
      if (note === "") return;
      event.clipboardData.setData("text/plain", "[" + note + "]\n" + visible(selection.toString()));
      event.preventDefault();
    });
  };
})(globalThis.AgentBlame);
