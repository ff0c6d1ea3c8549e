// Turns the address into the page it names, and what a reader did there into a new address.
//
// In a report every page of the folder is a section of this one: the overview, the scenarios ("s=NAME"), and the pages of
// text ("p=NAME").
//
// For consoles and tests: AgentBlame.page.state() is what is shown, .table() the worth table with edits, .values() each
// rule's numbers as shown, .batch() the table over all cases, .drawn() a promise that the last change is on the page,
// .settled() that it is in the address, too; AgentBlame.load(scenario, case) gives a case's data.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden } = AgentBlame.dom;
  const { address } = AgentBlame;
  const TITLE = document.title;
  const BRAND = document.querySelector(".brand").textContent.trim();
  const DAMAGED = "The link to this view is damaged or belongs to other data, so the page shows where it begins.";

  const index = document.querySelector('[data-part="index"]');
  const sections = Array.from(document.querySelectorAll("[data-scenario]"));
  const scenarios = new Map(sections.map((section) => [section.dataset.scenario, { section, started: null }]));
  const texts = new Map(Array.from(document.querySelectorAll("[data-page]"), (section) => [section.dataset.page, section]));
  // The scenario that is shown, null until it is; how often an address was followed.
  let current = null;
  let followed = 0;
  let drawn = Promise.resolve();
  let settled = drawn;

  function startOnce(entry) {
    if (entry.started === null) {
      const name = entry.section.dataset.scenario;
      entry.started = AgentBlame.load(name).then((summary) => AgentBlame.startScenario(entry.section, summary, host));
      entry.started.catch(() => {
        entry.started = null;
      });
    }
    return entry.started;
  }

  // In a report each section is a page of its own: with a title, read from the top.
  let place = null;
  function turnTo(section) {
    const heading = section.querySelector("h1");
    if (section === index) document.title = TITLE;
    else entitle(section, heading.textContent);
    if (place !== null && place !== section) {
      window.scrollTo(0, 0);
      heading.focus({ preventScroll: true });
    }
    place = section;
    // An article belongs to the list of them.
    const own = section === index ? "#index" : "#p=" + (section.classList.contains("article") ? "explainers" : section.dataset.page);
    for (const link of document.querySelectorAll(".site-nav a")) {
      if (link.getAttribute("href") === own) link.setAttribute("aria-current", section.classList.contains("article") ? "true" : "page");
      else link.removeAttribute("aria-current");
    }
  }

  function entitle(section, text) {
    if (!section.hidden) document.title = [text, BRAND].filter((one) => one !== "").join(" · ");
  }

  // The address is written after the frame that shows what it says: that takes a browser as long as drawing it. What is
  // still to be written is { hash, replace, over, done }; `over` is the address it is meant to follow.
  let written = null;
  let waiting = null;
  let writing = Promise.resolve();

  function write(text, replace) {
    const hash = "#" + text;
    // Each step that can be gone back to has an address of its own; a change that makes none joins what is waiting.
    if (waiting !== null && !replace) writeNow();
    if (waiting !== null) {
      waiting.hash = hash;
      return;
    }
    if (hash === location.hash) return;
    writing = new Promise((done) => {
      waiting = { hash, replace, over: location.hash, done };
    });
    afterFrame(writeNow);
  }

  function writeNow() {
    if (waiting === null) return;
    const { hash, replace, over, done } = waiting;
    waiting = null;
    // Somebody went elsewhere meanwhile.
    if (location.hash === over && hash !== over) {
      written = hash;
      if (replace) location.replace(hash);
      else location.hash = hash;
    }
    done();
  }

  // A page that is not seen has no frames.
  function afterFrame(run) {
    requestAnimationFrame(() => setTimeout(run));
    setTimeout(run, 200);
  }

  // Where each view was left, so that one comes back to the same place of a list.
  const left = new Map();
  const viewOf = (section) => section.dataset.scenario + " " + section.dataset.view;

  // What a scenario may ask of the page around it.
  const host = {
    // Names what a section shows, in the tab, in bookmarks and at the top of printed sheets.
    entitle,
    settling(promise) {
      drawn = promise;
      settled = promise.then(() => writing);
    },
    drawn: () => drawn,
    settled: () => settled,
    // Writes a state to the address, unless another scenario is shown by now.
    write(state, replace) {
      if (current !== null && current.state === state) write(address.format(current.described()), replace);
    },
    leave(section) {
      left.set(viewOf(section), window.scrollY);
    },
    // One case is read from the top; the list of all is found as it was left.
    arrive(section) {
      const isCase = section.dataset.view === "case";
      window.scrollTo(0, isCase ? 0 : left.get(viewOf(section)) || 0);
      part(section, isCase ? "verdict-name" : "place-all").focus({ preventScroll: true });
    },
  };

  // A part of a page of text has the whole address as its id.
  function turnToPart(text) {
    const part = document.getElementById(location.hash.slice(1));
    if (part !== null && part !== text) part.scrollIntoView();
  }

  // Whether there is such a page: a page of text and nothing else, or a view of a scenario, which a report has to name.
  function isKnown({ page, scenario, otherEdits, list, ...rest }) {
    const isBare = Object.keys(rest).length === 0 && otherEdits.size === 0 && AgentBlame.caseList.fields(list).length === 0;
    if (page !== undefined) return texts.has(page) && scenario === undefined && isBare;
    if (scenario !== undefined) return scenarios.has(scenario);
    return index === null || isBare;
  }

  // The element whose id an address is, as a link within a page has it.
  function elementAt(hash) {
    return hash.includes("=") ? null : document.getElementById(hash.slice(1));
  }

  // Shows what the address says; a damaged one is ignored, with a notice.
  function follow() {
    const element = elementAt(location.hash);
    // Where on the page one is says nothing of its view; but the overview of a report goes by its id.
    const isPlace = followed > 0 && element !== null && element !== index;
    if (location.hash === written || isPlace) return settled;
    followed += 1;
    written = null;
    writeNow();
    current = null;
    const wanted = address.parse(element === null ? location.hash : "");
    const only = index === null ? sections[0].dataset.scenario : undefined;
    const asked = wanted === null || !isKnown(wanted) ? null : wanted;
    const name = asked === null ? only : asked.scenario || only;
    const text = asked === null ? undefined : texts.get(asked.page);
    if (index !== null) {
      setHidden(index, name !== undefined || text !== undefined);
      const box = part(index, "index-notice");
      setHidden(box, asked !== null);
      setText(box, asked === null ? "The link is damaged or belongs to other data, so here is the overview." : "");
    }
    sections.forEach((section) => setHidden(section, section.dataset.scenario !== name));
    texts.forEach((section) => setHidden(section, section !== text));
    if (index !== null) turnTo(text || (name === undefined ? index : scenarios.get(name).section));
    if (text !== undefined) turnToPart(text);
    if (name === undefined) return settled;
    drawn = showScenario(scenarios.get(name), asked, only);
    settled = drawn.then(() => writing);
    return settled;
  }

  function showScenario(entry, asked, only) {
    const before = entry.started === null ? null : viewOf(entry.section);
    if (asked !== null && asked.case !== undefined && asked.view !== "all") entry.section.dataset.view = "case";
    entry.section.setAttribute("aria-busy", "true");
    const mine = followed;
    return startOnce(entry).then(
      (started) => {
        // Somebody went elsewhere while it was loaded.
        if (mine !== followed) return undefined;
        const known = asked !== null && (only === undefined || asked.scenario === undefined || asked.scenario === only);
        const taken = known && started.take(asked);
        if (!taken) started.take({});
        started.notice(taken ? "" : DAMAGED);
        entry.section.classList.remove("is-dead");
        current = started;
        return started.render().then((shown) => {
          if (shown && before !== null && before !== viewOf(entry.section)) host.arrive(entry.section);
        });
      },
      (error) => {
        const box = part(entry.section, "notice");
        setText(box, error.message + " What follows is what was analysed, with one case.");
        setHidden(box, false);
        entry.section.classList.add("is-dead");
        entry.section.setAttribute("aria-busy", "false");
      }
    );
  }

  function listen() {
    const on = (name, ...given) => () => current !== null && current.act[name](...given);
    // What is pressed while a case loads is meant for that case.
    const onShown = (name, ...given) => {
      const { act, whenShown } = current || {};
      return act !== undefined && whenShown(() => act[name](...given));
    };
    const dialog = document.querySelector('[data-part="keys"]');
    const openKeys = () => dialog.showModal();
    AgentBlame.keys.listen({
      j: on("moveCase", 1),
      k: on("moveCase", -1),
      m: on("nextMode"),
      r: () => onShown("resetAll"),
      z: on("undo"),
      Enter: () => current !== null && current.state.view === "all" && current.act.openListed(),
      Escape: on("openAll"),
      "/": () => current !== null && current.act.openAll().then(current.focusSearch),
      digit: (number) => onShown("toggleFix", number - 1),
      "?": openKeys,
    });
    document.querySelector('[data-part="keys-open"]').addEventListener("click", openKeys);
    document.querySelector('[data-part="keys-close"]').addEventListener("click", () => dialog.close());
    // The skip link must not overwrite the view in the address.
    document.querySelector('[data-part="skip"]').addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById("main").focus();
    });
    window.addEventListener("hashchange", follow);
    printOpen();
  }

  // On paper nothing can be opened, so all is.
  function printOpen() {
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = Array.from(document.querySelectorAll("details:not([open])"));
      opened.forEach((details) => {
        details.open = true;
      });
    });
    window.addEventListener("afterprint", () => {
      opened.forEach((details) => {
        details.open = false;
      });
    });
  }

  const ofCase = (name) => (current === null || current.now() === null ? null : current.now()[name] || null);
  AgentBlame.page = {
    state: () => (current === null ? null : current.described()),
    table: () => ofCase("table"),
    values: () => ofCase("values"),
    batch: () => (current === null ? null : current.batch()),
    drawn: () => drawn,
    settled: () => settled,
  };

  listen();
  follow();
})(globalThis.AgentBlame);
