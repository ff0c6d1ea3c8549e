// Turns a strip into something to choose a place in, by mouse or with the arrow keys.
(function (AgentBlame) {
  "use strict";

  const { part, setText } = AgentBlame.dom;
  const WIDTH = 1000;

  // `row` is the fix's row; `pick(bin)` is called with the number of the bin chosen.
  AgentBlame.stripPicker = function (row, pick) {
    const box = part(row, "strip");
    const caption = part(row, "strip-text");
    let strip = { bins: [], text: "" };
    let at = -1;

    const wording = (bin) => bin.cases + (bin.cases === 1 ? " case" : " cases") + ", " + bin.text;

    function mark(index) {
      at = index;
      box.querySelectorAll(".strip-bin").forEach((rect, k) => rect.classList.toggle("is-picked", k === index));
      const bin = strip.bins[index];
      setText(caption, bin === undefined ? strip.text : wording(bin));
      caption.parentElement.classList.toggle("is-picked", bin !== undefined);
      box.setAttribute("aria-valuenow", String(Math.max(0, index)));
      box.setAttribute("aria-valuetext", bin === undefined ? strip.text : wording(bin));
    }

    // The bin under a pointer, or the one nearest to it.
    function nearest(event) {
      const { left, width } = box.getBoundingClientRect();
      const x = ((event.clientX - left) / width) * WIDTH;
      const away = strip.bins.map((bin) => Math.max(bin.x - x, x - bin.x - bin.width, 0));
      return away.indexOf(Math.min(...away));
    }

    function choose(index) {
      if (strip.bins[index] !== undefined) pick(strip.bins[index].number);
    }

    box.addEventListener("pointermove", (event) => mark(nearest(event)));
    box.addEventListener("pointerleave", () => mark(document.activeElement === box ? at : -1));
    box.addEventListener("blur", () => mark(-1));
    box.addEventListener("click", (event) => choose(nearest(event)));
    box.addEventListener("keydown", (event) => {
      const last = strip.bins.length - 1;
      const moves = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last };
      if (event.key === "Enter" || event.key === " ") choose(Math.max(0, at));
      else if (Object.prototype.hasOwnProperty.call(moves, event.key)) mark(Math.min(last, Math.max(0, moves[event.key])));
      else return;
      event.preventDefault();
    });

    function show(drawn, title) {
      strip = drawn;
      const slider = { tabindex: "0", role: "slider", "aria-label": "Values of " + title + ", Enter shows a case" };
      for (const name of Object.keys(slider)) box.setAttribute(name, slider[name]);
      box.setAttribute("aria-valuemin", "0");
      box.setAttribute("aria-valuemax", String(Math.max(0, drawn.bins.length - 1)));
      mark(-1);
    }

    return { show };
  };
})(globalThis.AgentBlame);
