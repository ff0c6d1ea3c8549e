// Turns every box that names a widget into that widget, once.
(function (AgentBlame) {
  "use strict";

  document.querySelectorAll("[data-widget]").forEach((box) => {
    if (box.childElementCount === 0) AgentBlame.widgets[box.dataset.widget](box);
  });
})(globalThis.AgentBlame);
