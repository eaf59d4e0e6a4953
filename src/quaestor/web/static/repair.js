// Select a number by clicking it in the document. Without this script, its row and column are typed, or one of the
// suggested numbers is chosen.
"use strict";

(() => {
  const sheet = document.getElementById("sheet");
  const place = document.getElementById("place");
  if (!sheet || !place) return;
  sheet.classList.add("choosing");

  const cells = () => sheet.querySelectorAll("td.n[id]");

  function choose(cell) {
    for (const other of sheet.querySelectorAll('[aria-current="location"]')) other.removeAttribute("aria-current");
    cell.setAttribute("aria-current", "location");
    place.value = cell.id;
    place.form.scrollIntoView({ block: "nearest" });
    const take = place.form.querySelector("button.primary");
    take.focus({ preventScroll: true });
  }

  // The arrow keys and Enter work like the mouse; one cell at a time can be reached with Tab.
  const first = sheet.querySelector('td.n[aria-current="location"]') ?? cells()[0];
  if (first) first.tabIndex = 0;

  sheet.addEventListener("click", (event) => {
    const cell = event.target.closest("td.n[id]");
    if (cell) choose(cell);
  });

  sheet.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td.n[id]");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(cell);
      return;
    }
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    const [table, row, column] = cell.id.slice(1).split("-").map(Number);
    for (let far = 1; far < 200; far++) {
      const next = document.getElementById(`t${table}-${row + far * step[0]}-${column + far * step[1]}`);
      if (!next) return;
      if (next.matches("td.n")) {
        event.preventDefault();
        cell.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
        return;
      }
    }
  });
})();
