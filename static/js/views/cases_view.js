// Turns the list of cases into rows to pick from, a page at a time, in the order and with the filters asked for.
(function (AgentBlame) {
  "use strict";

  const { part, setText, setHidden, make, visible, isLong, pager, keepFocus } = AgentBlame.dom;
  const { batchWords, caseList, rules } = AgentBlame;

  AgentBlame.views.cases = function (root, act, summary) {
    const body = part(root, "cases");
    const rows = Array.from(body.children);
    const nav = part(root, "cases-pager");
    const { first, turnTo, setCount } = pager(nav, summary.cases.length, rows.length, fill);
    const headers = Array.from(body.closest("table").querySelectorAll("[data-sort]"));
    const columns = headers.filter((header) => !Number.isNaN(Number(header.dataset.sort)));
    const select = part(root, "value-of");
    const searchBox = AgentBlame.views.search(root, (find) => {
      act.changeList(() => ({ find }), true);
    });
    const drawn = new Map();
    let shown = null;
    let listed = null;
    let order = Array.from(summary.cases.keys());
    let sortedAs = null;

    rows.forEach((row, k) => {
      part(row, "pick").closest("a").addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        act.openCase(order[first() + k]);
      });
    });
    const sorts = headers.map((header) => {
      const button = make("button", { type: "button", class: "link sort" });
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sortBy(header.dataset.sort));
      return button;
    });
    if (select !== null) {
      select.replaceChildren(...summary.titles.map((title, player) => make("option", { value: player + 1 }, title)));
      select.addEventListener("change", () => act.changeList(() => ({ sort: select.value, reversed: false })));
    }

    // Without the data of all cases their order cannot change.
    function setStill(still) {
      for (const control of select === null ? sorts : [...sorts, select]) control.disabled = still;
    }

    function sortBy(sort) {
      if (shown !== null) act.changeList((list) => ({ sort, reversed: list.sort === sort && !list.reversed }));
    }

    // Where one column stands for all fixes, it is the one sorted by, or else the first by rank.
    function playerOf(header) {
      if (select === null) return Number(header.dataset.sort) - 1;
      const sorted = Number(shown.list.sort);
      return Number.isNaN(sorted) ? shown.leading() : sorted - 1;
    }

    // Most rows stay as they are when one case changes; those are left alone.
    function fillRow(row, place) {
      const one = summary.cases[place];
      const figures = shown.figures[place];
      const kind = shown.kinds[place];
      const sentence = shown.headlines.get(place) || one.sentences[shown.mode.id] || "";
      const values = columns.map((header) =>
        figures === undefined || figures === null ? "\u2013" : rules.numberText(figures.shapley[playerOf(header)])
      );
      const isEdited = (shown.edited.get(one.slug) || []).includes(shown.mode.id);
      part(row, "pick").closest("a").setAttribute("href", shown.addressOf({ view: "case", caseIndex: place }));
      const content = [place, kind, sentence, isEdited, ...values].join("|");
      if (drawn.get(row) === content) return;
      drawn.set(row, content);
      row.dataset.case = one.slug;
      setText(part(row, "pick"), one.id);
      cutLong(part(row, "pick"), one.id);
      setText(row.querySelector(".without-script"), one.id);
      setText(part(row, "sentence"), sentence);
      setText(part(row, "takes"), batchWords.KINDS[kind]);
      part(row, "takes").dataset.kind = kind;
      row.querySelectorAll('[data-part="value"]').forEach((cell, k) => setText(cell, values[k]));
      fillMarks(part(row, "case-marks"), one);
      tag(part(row, "takes"), isEdited);
    }

    // A name that would fill the list is cut off.
    function cutLong(pick, id) {
      const long = isLong(id);
      pick.classList.toggle("is-cut", long);
      if (long) pick.setAttribute("title", visible(id));
      else pick.removeAttribute("title");
    }

    function fillMarks(box, one) {
      const texts = one.tags.map((tag) => summary.tags[tag]);
      if (one.failure !== null) texts.unshift(summary.failures[one.failure]);
      const made = texts.flatMap((text) => {
        const mark = make("small", { class: "tag", title: "\u201c" + visible(text) + "\u201d" });
        mark.append(make("bdi", {}, text));
        return [mark, " "];
      });
      box.replaceChildren(...made);
    }

    function tag(cell, wanted) {
      const there = cell.querySelector(".tag");
      if (there !== null) there.remove();
      if (wanted) cell.append(" ", make("span", { class: "tag tag-edited" }, "edited"));
    }

    function mark() {
      rows.forEach((row, k) => {
        const here = order[first() + k] === shown.caseIndex;
        row.classList.toggle("is-current", here);
        if (here) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
      });
    }

    function fill() {
      if (shown === null) return;
      rows.forEach((row, k) => {
        const place = order[first() + k];
        setHidden(row, place === undefined);
        if (place === undefined) {
          delete row.dataset.case;
          drawn.delete(row);
        } else {
          fillRow(row, place);
        }
      });
      mark();
    }

    function showHeaders() {
      for (const header of headers) {
        if (columns.includes(header) && select !== null) {
          header.dataset.sort = String(playerOf(header) + 1);
          setText(header.querySelector("bdi"), summary.titles[playerOf(header)]);
          select.value = header.dataset.sort;
        }
        const { sort, reversed } = shown.list;
        if (header.dataset.sort !== sort) header.removeAttribute("aria-sort");
        else header.setAttribute("aria-sort", (sort === "case" || sort === "kind") === reversed ? "descending" : "ascending");
      }
    }

    // `found` holds figures, kinds and headlines by place, `places` those the filters leave, `leading` gives the first fix. A
    // search chooses among them. While one case is looked at, only its place among the others follows.
    function show(now, found, places, leading) {
      const { caseIndex, mode, list, edited, addressOf } = now;
      shown = { caseIndex, mode, list, edited, addressOf, leading, ...found };
      sort(now, found, places);
      const at = order.indexOf(caseIndex);
      showPosition(at);
      if (now.view !== "case") draw(now, at);
    }

    // The same cases in the same order are nearly sorted even after an edit.
    function sort({ found, list }, { kinds, figures }, places) {
      const same = sortedAs !== null && sortedAs.places === places && sortedAs.found === found;
      const searched = found === null ? places : places.filter((place) => found.has(place));
      const again = same && sortedAs.sort === list.sort && sortedAs.reversed === list.reversed;
      if (!again || list.sort !== "case") order = caseList.ordered(again ? order : searched, list, kinds, figures);
      sortedAs = { places, found, sort: list.sort, reversed: list.reversed };
    }

    // The list goes where the case is when that is another than it was, and to its top when the list is.
    function draw({ caseIndex, list, searchable }, at) {
      const fields = caseList.fields(list).join();
      const moved = listed === null ? caseIndex > 0 : listed.caseIndex !== caseIndex;
      const turned = listed === null || listed.fields !== fields;
      listed = { caseIndex, fields };
      showHeaders();
      setCount(order.length);
      if (moved) turnTo(Math.max(0, at));
      else if (turned) turnTo(0);
      fill();
      if (moved) scrollTo(at);
      else if (turned) part(root, "cases-box").scrollTop = 0;
      const total = summary.cases.length;
      setText(part(root, "cases-text"), order.length === total ? total + " cases" : order.length + " of " + total + " cases");
      searchBox.show(list.find, searchable);
    }

    // The row of the case that is shown, inside the list's own box; the page itself stays where it is.
    function scrollTo(at) {
      const row = rows[at - first()];
      const box = part(root, "cases-box");
      if (at < 0 || row === undefined) return;
      const above = row.offsetTop - body.offsetTop;
      if (above < box.scrollTop || above + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = above;
    }

    function reveal() {
      const row = rows[order.indexOf(shown.caseIndex) - first()];
      if (row !== undefined) row.scrollIntoView({ block: "nearest" });
    }

    function showPosition(at) {
      const [previous, next] = [part(root, "previous"), part(root, "next")];
      keepFocus([previous, next], () => {
        previous.disabled = neighbour(shown.caseIndex, -1) === null;
        next.disabled = neighbour(shown.caseIndex, 1) === null;
      });
      setText(part(root, "position"), (at < 0 ? "not among the " : at + 1 + " of ") + order.length);
    }

    // The case before or after another, as they are listed; null if there is none. One that is not listed has the first.
    function neighbour(caseIndex, by) {
      const at = order.indexOf(caseIndex);
      const place = at < 0 ? order[0] : order[at + by];
      return place === undefined ? null : place;
    }

    return { show, setStill, neighbour, reveal, order: () => order, focusSearch: searchBox.focus };
  };
})(globalThis.AgentBlame);
