// The page of a turn: the sheet begins where the answer rests, not at its head.
"use strict";

(() => {
  const sheet = document.querySelector(".sheet");
  const first = sheet?.querySelector(".used");
  if (!sheet || !first) return;
  sheet.scrollTop += first.getBoundingClientRect().top - sheet.getBoundingClientRect().top - sheet.clientHeight / 3;
})();
