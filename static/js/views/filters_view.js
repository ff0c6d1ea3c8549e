// Turns what cases can be filtered by into rows of chips.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, make, keepFocus } = AgentBlame.dom;
  const { batchWords, caseList } = AgentBlame;
  // Chips of a row that are seen at once; the rest opens.
  const AT_ONCE = 12;

  AgentBlame.views.filters = function (root, act, summary) {
    const box = part(root, "filters");
    const kinds = Object.keys(batchWords.KINDS);
    const rows = [
      row("What it takes", "kinds", kinds.map((kind) => ({ key: kind, text: batchWords.KINDS[kind] }))),
      row("Kind of failure", "failures", summary.failures.map((text, key) => ({ key, text }))),
      row("Tag", "tags", summary.tags.map((text, key) => ({ key, text }))),
    ];
    const clear = make("button", { type: "button", class: "button" }, "Show all cases");
    clear.addEventListener("click", () => {
      act.changeList(() => ({ tags: [], failures: [], kinds: [] }));
      heading.focus();
    });
    box.append(...rows.map((one) => one.element), clear);
    const heading = box.querySelector("summary");
    // How many cases there are of each kind changes with edits; how many have a tag or a failure does not.
    const counted = { failures: tally(summary.cases.map((one) => one.failure)), tags: tally(summary.cases.flatMap((one) => one.tags)) };
    const focusable = [...rows.flatMap((one) => one.chips.map(({ chip }) => chip)), heading];
    let shown = caseList.everything();

    function row(title, field, offered) {
      const element = make("div", { class: "chips", role: "group", "aria-label": title });
      element.append(make("span", { class: "control-name" }, title));
      const chips = offered.map(({ key, text }) => {
        const chip = make("button", { type: "button", class: "chip", "aria-pressed": "false", "data-filter": field + "-" + key });
        const count = make("span", { class: "chip-count" });
        chip.append(make("bdi", {}, text), " ", count);
        chip.addEventListener("click", () => toggle(field, key));
        return { key, text, chip, count };
      });
      const list = make("div", { class: "chip-list" });
      list.append(...chips.slice(0, AT_ONCE).map((one) => one.chip));
      if (chips.length > AT_ONCE) {
        const more = make("details", {});
        more.append(make("summary", {}, chips.length - AT_ONCE + " more"), ...chips.slice(AT_ONCE).map((one) => one.chip));
        list.append(more);
      }
      element.append(list);
      setHidden(element, offered.length === 0);
      return { element, field, chips };
    }

    function toggle(field, key) {
      const toggled = (had) => (had.includes(key) ? had.filter((one) => one !== key) : [...had, key]);
      act.changeList((list) => ({ [field]: toggled(list[field]) }));
    }

    // What is chosen, in words.
    function chosenText() {
      const texts = rows.map(({ field, chips }) => {
        const found = chips.filter((one) => shown[field].includes(one.key)).map((one) => one.text);
        return found.join(" or ");
      });
      return texts.filter((text) => text !== "").join("; ");
    }

    function tally(keys) {
      const found = new Map();
      for (const key of keys) found.set(key, (found.get(key) || 0) + 1);
      return found;
    }

    // `kinds` has the number of cases of each kind of verdict, `left` is how many cases the filters leave.
    function show(list, kinds, left) {
      // What an address chose is seen at once.
      if (caseList.isFiltered(list) && !caseList.isFiltered(shown)) box.open = true;
      shown = list;
      keepFocus(focusable, () => showChips(list, { ...counted, kinds }));
      const total = summary.cases.length;
      const filtered = caseList.isFiltered(list);
      setText(part(root, "filters-text"), filtered ? left + " of " + total + ": " + chosenText() : "all " + total);
      setHidden(clear, !filtered);
      box.classList.toggle("is-filtered", filtered);
    }

    function showChips(list, counts) {
      for (const { field, chips } of rows) {
        for (const one of chips) {
          const cases = counts[field].get(one.key) || 0;
          const pressed = list[field].includes(one.key);
          one.chip.setAttribute("aria-pressed", String(pressed));
          setText(one.count, "(" + cases + ")");
          if (field === "kinds") setHidden(one.chip, cases === 0 && !pressed);
        }
      }
    }

    return { show };
  };
})(globalThis.AgentBlame);
