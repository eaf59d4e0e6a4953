// What pages do beyond plain HTML: everything here is a convenience, and works without.
"use strict";

// A line of something that went wrong goes away once something else is asked for.
document.addEventListener("htmx:before:request", () => {
  document.getElementById("notice")?.replaceChildren();
});
