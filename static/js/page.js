// Turns the address into the scenario it names, and what a reader did there into a new address.
//
// For consoles and tests: AgentBlame.page.state() is what is shown, .table() the worth table with edits, .values() each
// rule's numbers as shown, .batch() the table over all cases as shown, .settled() a promise that the last change is on
// screen; AgentBlame.load(scenario, case) gives a case's data.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden } = AgentBlame.dom;
  const { address } = AgentBlame;
  const TITLE = document.title;
  const DAMAGED = "The link to this view is damaged or belongs to other data, so the page shows its first case.";

  const index = document.querySelector('[data-part="index"]');
  const sections = Array.from(document.querySelectorAll("[data-scenario]"));
  const scenarios = new Map(sections.map((section) => [section.dataset.scenario, { section, started: null }]));
  let current = null;
  let settled = Promise.resolve();

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

  // In a report the overview and each scenario are pages of their own: with a title, read from the top.
  let place = null;
  function turnTo(name) {
    const heading = (name === undefined ? index : scenarios.get(name).section).querySelector("h1");
    document.title = name === undefined ? TITLE : heading.textContent + " · " + document.querySelector(".brand").textContent.trim();
    if (place !== null && place.name !== name) {
      window.scrollTo(0, 0);
      heading.focus({ preventScroll: true });
    }
    place = { name };
  }

  let written = null;
  function write(text, replace) {
    if (("#" + text) === location.hash) return;
    written = "#" + text;
    if (replace) location.replace(written);
    else location.hash = text;
  }

  // What a scenario may ask of the page around it.
  const host = {
    settling(promise) {
      settled = promise;
      return promise;
    },
    settled: () => settled,
    // Writes a state to the address, unless another scenario is shown by now.
    write(state, replace) {
      if (current !== null && current.state === state) write(address.format(current.described()), replace);
    },
  };

  // Shows what the address says; a damaged one is ignored, with a notice.
  function follow() {
    if (location.hash === written) return settled;
    written = null;
    const wanted = address.parse(location.hash);
    const only = index === null ? sections[0].dataset.scenario : undefined;
    const asked = wanted === null || (wanted.scenario !== undefined && !scenarios.has(wanted.scenario)) ? null : wanted;
    const name = asked === null ? only : asked.scenario || only;
    if (index !== null) {
      setHidden(index, name !== undefined);
      const box = part(index, "index-notice");
      setHidden(box, asked !== null);
      setText(box, asked === null ? "The link is damaged or belongs to other data, so here is the overview." : "");
    }
    sections.forEach((section) => setHidden(section, section.dataset.scenario !== name));
    if (index !== null) turnTo(name);
    if (name === undefined) {
      current = null;
      return settled;
    }
    const entry = scenarios.get(name);
    settled = startOnce(entry).then(
      (started) => {
        const known = asked !== null && (only === undefined || asked.scenario === undefined || asked.scenario === only);
        const taken = known && started.take(asked);
        if (!taken) started.take({});
        started.notice(taken ? "" : DAMAGED);
        entry.section.classList.remove("is-dead");
        current = started;
        return started.render();
      },
      (error) => {
        const box = part(entry.section, "notice");
        setText(box, error.message + " What follows is one case as it was analysed.");
        setHidden(box, false);
        entry.section.classList.add("is-dead");
        current = null;
      }
    );
    return settled;
  }

  function listen() {
    const on = (name) => () => current !== null && current.act[name]();
    const dialog = document.querySelector('[data-part="keys"]');
    const openKeys = () => dialog.showModal();
    AgentBlame.keys.listen({
      j: () => current !== null && current.act.moveCase(1),
      k: () => current !== null && current.act.moveCase(-1),
      m: on("nextMode"),
      r: on("resetAll"),
      digit: (number) => current !== null && current.act.toggleFix(number - 1),
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

  AgentBlame.page = {
    state: () => (current === null ? null : current.described()),
    table: () => (current === null ? null : current.now().table),
    values: () => (current === null ? null : current.now().values),
    batch: () => (current === null ? null : current.batch()),
    settled: () => settled,
  };

  listen();
  follow();
})(globalThis.AgentBlame);
