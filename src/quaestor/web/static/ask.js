// The conversation beside its document: jumping to the source of a number, sending with Enter. Without this script,
// the same links and forms go through the server.
"use strict";

(() => {
  const sheet = document.getElementById("sheet");
  const talk = document.getElementById("talk");
  const form = document.getElementById("ask");
  const box = document.getElementById("question");
  const back = document.getElementById("back-to");
  const wide = matchMedia("(min-width: 60rem)");
  if (!sheet || !form || !box) return;

  // --- the document ---------------------------------------------------------------------------------------------

  let here = [];
  let going = 0;

  // Fetch a missing part of the document, once even if it is requested several times.
  const coming = new Map();

  function partThere(number) {
    const part = document.getElementById(`part-${number}`);
    if (!part?.classList.contains("later")) return Promise.resolve(part);
    if (!coming.has(number)) {
      coming.set(number, fetchPart(part).finally(() => coming.delete(number)));
    }
    return coming.get(number);
  }

  async function fetchPart(part) {
    seen.unobserve(part);
    const answer = await fetch(part.dataset.from, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return null; // the placeholder remains as a link to the part
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    const fetched = template.content.firstElementChild;
    part.replaceWith(fetched);
    htmx.process(fetched);
    return fetched;
  }

  const seen = new IntersectionObserver(
    (entries) => entries.forEach((entry) => entry.isIntersecting && partThere(entry.target.dataset.part)),
    { root: wide.matches ? sheet : null, rootMargin: "50%" },
  );
  for (const part of sheet.querySelectorAll(".part.later")) seen.observe(part);

  // Count code points as the server does, not UTF-16 units.
  function unitsOf(text, characters) {
    let units = 0;
    for (const character of text) {
      if (characters-- <= 0) break;
      units += character.length;
    }
    return units;
  }

  function rangeOf(sentence, start, end) {
    const whole = sentence.textContent;
    const range = document.createRange();
    const from = unitsOf(whole, start), to = unitsOf(whole, end);
    const walker = document.createTreeWalker(sentence, NodeFilter.SHOW_TEXT);
    let at = 0, begun = false;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!begun && from < at + node.length) {
        range.setStart(node, from - at);
        begun = true;
      }
      if (begun && to <= at + node.length) {
        range.setEnd(node, to - at);
        return range;
      }
      at += node.length;
    }
    return null;
  }

  // Return the element of a place: a cell, or a span of text, which is marked if necessary.
  function elementOf(key) {
    const found = document.getElementById(key);
    if (found) return found;
    const span = /^(s-[a-z0-9_]+-\d+)-(\d+)-(\d+)$/.exec(key);
    const sentence = span && document.getElementById(span[1]);
    if (!sentence) return null;
    const range = rangeOf(sentence, Number(span[2]), Number(span[3]));
    if (!range) return sentence;
    const mark = document.createElement("mark");
    mark.id = key;
    mark.className = "used";
    mark.append(range.extractContents());
    range.insertNode(mark);
    return mark;
  }

  function unmark() {
    for (const element of here) element.removeAttribute("aria-current");
    for (const link of document.querySelectorAll('a[data-key][aria-current="true"]')) link.removeAttribute("aria-current");
    for (const element of document.querySelectorAll('[aria-current="location"]')) element.removeAttribute("aria-current");
    here = [];
  }

  async function goTo(link, { focus = true } = {}) {
    const { key, part } = link.dataset;
    const mine = ++going;
    await partThere(part);
    if (mine !== going) return;
    const element = elementOf(key);
    if (!element) return;
    unmark();
    if (/^[ts]/.test(key)) {
      element.setAttribute("aria-current", "location");
      element.classList.add("used");
      link.setAttribute("aria-current", "true");
      here = [element];
    }
    const isHeading = key.startsWith("b");
    element.scrollIntoView({ block: isHeading ? "start" : "center", inline: "nearest" });
    if (focus) {
      element.setAttribute("tabindex", "-1");
      element.focus({ preventScroll: true });
    }
    if (back) {
      back.hidden = isHeading || wide.matches;
      back.onclick = (event) => {
        event.preventDefault();
        back.hidden = true;
        link.scrollIntoView({ block: "center" });
        link.focus({ preventScroll: true });
      };
    }
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-key]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    link.closest("details.contents")?.removeAttribute("open");
    goTo(link);
  });

  // Show the place named in the address.
  if (location.hash.length > 1) {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named && sheet.contains(named)) named.scrollIntoView({ block: "center" });
  }

  // Prefetch the rest of a short document when idle, so that the browser's search finds all of it.
  const MOST = 300;
  function fetchRest() {
    const later = sheet.querySelectorAll(".part.later");
    if (!later.length || sheet.querySelectorAll(".part").length > MOST) return;
    (window.requestIdleCallback ?? ((work) => setTimeout(work, 50)))(async () => {
      const top = sheet.scrollTop;
      const before = [...later].find((part) => part.offsetTop > top) ?? later[0];
      await partThere(before.dataset.part);
      fetchRest();
    });
  }
  if (document.readyState === "complete") setTimeout(fetchRest, 300);
  else addEventListener("load", () => setTimeout(fetchRest, 300));

  // --- the conversation -----------------------------------------------------------------------------------------

  function grow() {
    box.rows = Math.min(6, Math.max(1, box.value.split("\n").length, Math.ceil(box.value.length / 60)));
  }

  function toEnd() {
    talk.scrollTop = talk.scrollHeight;
    if (!wide.matches) form.scrollIntoView({ block: "end" });
  }

  box.addEventListener("input", grow);
  // Send a question once even if Enter is pressed repeatedly; the next one must wait for its answer.
  let asked = "";
  let underWay = false;
  let waiting = false;
  function ask() {
    if (!box.value.trim()) return;
    if (!underWay) form.requestSubmit();
    else waiting = box.value !== asked;
  }

  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      ask();
    }
  });

  form.addEventListener("htmx:before:request", () => {
    asked = box.value;
    underWay = true;
    document.getElementById("first")?.remove();
  });
  form.addEventListener("htmx:finally:request", () => {
    // The form accepts another request only after this event.
    setTimeout(() => {
      underWay = false;
      if (waiting) ask();
      waiting = false;
    });
  });
  form.addEventListener("htmx:sse:after:message", toEnd);

  // Named events of the stream: the question was answered, or it was refused and can be edited.
  form.addEventListener("answered", () => {
    if (box.value === asked) box.value = "";
    grow();
    box.focus();
    const undo = document.getElementById("undo-button");
    if (undo) undo.hidden = false;
    const links = document.querySelectorAll("#turns > .turn:last-of-type a.place");
    for (const link of links) document.getElementById(link.dataset.key)?.classList.add("used");
    if (links.length && wide.matches) goTo(links[0], { focus: false });
    toEnd();
    // Reload if another window has changed the conversation meanwhile.
    const turns = document.querySelectorAll("#turns > .turn[data-turn]");
    if ([...turns].some((turn, index) => Number(turn.dataset.turn) !== index + 1)) location.reload();
  });
  form.addEventListener("refused", () => box.focus());

  const answerer = document.getElementById("answerer");
  answerer?.addEventListener("change", () => answerer.form.requestSubmit());
  document.documentElement.classList.add("scripted");

  // If Enter was pressed before this script was loaded, it only inserted a line break.
  if (box.value !== box.defaultValue && box.value.endsWith("\n")) {
    box.value = box.value.trimEnd();
    ask();
  }

  const last = document.querySelector("#turns > .turn:last-of-type");
  if (last && !location.hash && wide.matches) talk.scrollTop = talk.scrollHeight;
})();
