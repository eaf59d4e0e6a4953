"""Prose as people print it ("Net sales rose 5%. Costs fell in the U.S. and in Europe."), cut into sentences.

The text of the benchmarks, whose punctuation is between spaces, is `sentences`'. Takes time linear in the text.
"""

import re

from quaestor.core.words import SENTENCE_STARTS

LONGEST_SENTENCE = 5_000
"""Characters; what goes on without an end, as no sentence does, is cut at the space before them."""

_END = re.compile(r"(?<=[.?!])[\"'\u201d\u2019)\]]{0,3}\s+(?=[\"'\u201c\u2018(\[$€£]{0,3}[A-Z0-9$€£•])")
_WORD_BEFORE = re.compile(r"(?<![A-Za-z.&])((?:[A-Za-z]\.)+[A-Za-z]?|[A-Za-z]+)\.$")
_ALWAYS = frozenset(
    "no nos mr mrs ms dr prof messrs st vs e.g i.e cf approx fig figs sec art par p pp rev gen sen rep gov hon est"
    " jan feb mar apr jun jul aug sept sep oct nov dec al".split()
)
"""Abbreviations after which a sentence goes on, whatever follows."""
_OFTEN = frozenset(
    "u.s u.k u.n e.u u.s.a n.a s.a l.p l.l.c p.l.c n.v a.g b.v d.c a.m p.m p.l inc corp co cos ltd llc plc lp"
    " bros jr sr etc dept div mfg intl assn".split()
)
"""Abbreviations after which one sentence may end: it does where the next word begins sentences."""
_ENUMERATOR = re.compile(
    r"\W*(?:(?:item|note|part|section|article|exhibit|step)\s)?(?:[0-9]{1,3}[A-Za-z]?|[A-Za-z]|[IVXivx]{1,5})\.", re.I
)
_NEXT = re.compile(r"[^A-Za-z0-9]*([A-Za-z]+)?")


def split_prose(text: str) -> tuple[str, ...]:
    """Return the sentences of ordinary prose.

    >>> split_prose("Net sales rose 5%. Costs fell in the U.S. and at Acme Inc. stores; see No. 5. The end.")
    ('Net sales rose 5%.', 'Costs fell in the U.S. and at Acme Inc. stores; see No. 5.', 'The end.')
    """
    return tuple(text[start:end] for start, end in prose_spans(text))


def prose_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the sentences of ordinary prose are in it: the first character and the one after the last.

    No sentence begins or ends with a space; none is longer than `LONGEST_SENTENCE` characters.
    """
    spans: list[tuple[int, int]] = []
    begin = 0
    for gap in _END.finditer(text):
        end = gap.start() + len(gap[0].rstrip())
        if not _goes_on(text, begin, gap.start(), gap.end()):
            spans += _bounded(text, begin, end)
            begin = gap.end()
    return (*spans, *_bounded(text, begin, len(text)))


def bounded(sentence: str) -> tuple[str, ...]:
    """Return a sentence that came cut, in pieces where it is longer than `LONGEST_SENTENCE` characters."""
    if len(sentence) <= LONGEST_SENTENCE:
        return (sentence,)
    return tuple(sentence[start:end] for start, end in _bounded(sentence, 0, len(sentence)))


def _goes_on(text: str, begin: int, stop: int, next_start: int) -> bool:
    """Whether the full stop before `stop` ends no sentence."""
    if text[stop - 1] != ".":
        return False
    if stop - begin < 20 and _ENUMERATOR.fullmatch(text, begin, stop):
        return True
    found = _WORD_BEFORE.search(text, max(begin, stop - 16), stop)
    if found is None:
        return False
    word = found[1].casefold()
    if word in _ALWAYS:
        return word not in ("no", "mar") or text[next_start].isdigit()
    if word not in _OFTEN and len(word) > 1:
        return False
    following = _NEXT.match(text, next_start)
    return not (following and following[1] and following[1].casefold() in SENTENCE_STARTS)


def _bounded(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Return a stretch without the spaces around it, in pieces where it is too long."""
    spans = []
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    while end - begin > LONGEST_SENTENCE:
        cut = text.rfind(" ", begin + 1, begin + LONGEST_SENTENCE)
        cut = cut if cut > begin else begin + LONGEST_SENTENCE
        spans.append((begin, cut))
        begin = cut + 1 if text[cut] == " " else cut
    return [*spans, (begin, end)] if end > begin else spans
