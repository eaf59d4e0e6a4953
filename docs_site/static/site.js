// Wide tables scroll within themselves: who uses the keyboard has to reach them. The theme wraps them as a page is shown.
window.addEventListener("load", () => {
  requestAnimationFrame(() => {
    for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
  });
});
