// The page of a turn: scroll the document to the first source of the answer.
"use strict";

(() => {
  const sheet = document.querySelector(".sheet");
  const first = sheet?.querySelector(".used");
  if (!sheet || !first) return;
  sheet.scrollTop += first.getBoundingClientRect().top - sheet.getBoundingClientRect().top - sheet.clientHeight / 3;
})();
