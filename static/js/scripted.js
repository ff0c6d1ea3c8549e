// Marks the document as one whose scripts run, before anything is painted, so that controls show only where they work.
"use strict";
document.documentElement.classList.add("scripted");
