// Optional enhancements: every page also works without this script.
"use strict";

// Clear the error line when the next request starts.
document.addEventListener("htmx:before:request", () => {
  document.getElementById("notice")?.replaceChildren();
});
