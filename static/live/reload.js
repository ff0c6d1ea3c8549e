// Loads the page again once the site behind it was built again, and says so if it could not be. Only `serve` adds this.
(function () {
  "use strict";

  const built = document.currentScript.dataset.built;
  let stream = null;
  let banner = null;

  function tell(problem) {
    if (banner === null) {
      banner = document.createElement("div");
      banner.className = "reload-problem";
      banner.setAttribute("role", "status");
      document.body.append(banner);
    }
    banner.textContent = problem === "" ? "" : "This is the last site that could be built. " + problem;
    banner.hidden = problem === "";
  }

  function listen() {
    stream = new EventSource("/_live/events");
    stream.addEventListener("message", (event) => {
      const state = JSON.parse(event.data);
      if (state.built === built) {
        tell(state.problem);
      } else {
        stream.close();
        location.reload();
      }
    });
  }

  // A browser keeps few connections to one server, so pages that nobody sees hold none.
  function follow() {
    if (stream !== null) stream.close();
    stream = null;
    if (document.visibilityState === "visible") listen();
  }

  document.addEventListener("visibilitychange", follow);
  follow();
})();
