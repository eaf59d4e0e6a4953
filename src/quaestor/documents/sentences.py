"""Splits text into sentences and finds the numbers and periods in them.

Text that is already split is unchanged, except for splits at the full stop of an abbreviation.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from quaestor.core.number_conventions import ENGLISH, NumberConvention
from quaestor.core.parsing import find_quantities
from quaestor.core.periods import find_periods
from quaestor.core.provenance import SentenceRef
from quaestor.core.words import SENTENCE_STARTS
from quaestor.documents.document import Mention, Sentence

_END = re.compile(r"(?<=\s[.?!])\s+")
_ABBREVIATION = re.compile(
    r"(?:^|\s)(?:u\.s|inc|corp|co|ltd|nos?|vs|e\.g|i\.e|mr|ms|dr|st|approx|jr|l\.p|n\.a|s\.a|[a-z])\s\.$", re.IGNORECASE
)

_COMPANY = re.compile(r"\s(?:inc|corp|co|ltd|l\.p|n\.a|s\.a)\s\.$", re.IGNORECASE)
_WORDS_OF_A_NAME = 7


def split_sentences(text: str) -> tuple[str, ...]:
    """Split text whose punctuation is surrounded by spaces ("sales rose . costs fell .").

    A full stop after a common abbreviation or a single letter does not end a sentence; a separate full stop is added to
    the sentence before it.
    """
    sentences: list[str] = []
    pending = ""
    for piece in _END.split(text.strip()):
        pending = f"{pending} {piece}".strip()
        if _is_cut_short(pending):
            continue
        if pending == "." and sentences:
            sentences[-1] += " ."
        elif pending:
            sentences.append(pending)
        pending = ""
    return (*sentences, pending) if pending else tuple(sentences)


def rejoin_sentences(pieces: Sequence[str]) -> tuple[str, ...]:
    """Rejoin sentences that were split at the full stop of an abbreviation.

    >>> rejoin_sentences(["the u.s .", "dollar rose .", "costs fell ."])
    ('the u.s . dollar rose .', 'costs fell .')
    """
    sentences: list[str] = []
    open_ended = False
    for piece in pieces:
        if open_ended:
            sentences[-1] += f" {piece.lstrip()}"
        else:
            sentences.append(piece)
        last = sentences[-1].rstrip()
        open_ended = _is_cut_short(last) and not (len(sentences) == 1 and _is_company(last))
    return tuple(sentences)


def _is_cut_short(text: str) -> bool:
    """Whether a text ends with an abbreviation or a single letter and a full stop."""
    return _ABBREVIATION.search(text[-12:]) is not None


def _is_company(text: str) -> bool:
    """Whether a text is only the name of a company, as in the first line of a page."""
    return _COMPANY.search(text) is not None and len(text.split()) <= _WORDS_OF_A_NAME


def read_sentences(
    document: str, section: str, texts: Sequence[str], start: int = 0, convention: NumberConvention = ENGLISH
) -> tuple[Sentence, ...]:
    """Return the sentences of a section, in order, with their numbers and periods.

    Args:
        start: Index of the first sentence in the section.
    """
    return tuple(_read_sentence(document, section, index, text, convention) for index, text in enumerate(texts, start))


def _read_sentence(document: str, section: str, index: int, text: str, convention: NumberConvention) -> Sentence:
    mentions = tuple(
        Mention(span.quantity, SentenceRef(document, section, index, span.start, span.end))
        for span in find_quantities(text, convention)
    )
    periods = tuple((mention.period, mention.start, mention.end) for mention in find_periods(text))
    return Sentence(section, index, text, mentions, periods)


# Splitting of ordinary prose ("Net sales rose 5%. Costs fell in the U.S. and in Europe.").
#
# Text of the benchmarks, with spaces around punctuation, is split by the functions above. Takes time linear in the
# text.

LONGEST_SENTENCE = 5_000
"""Limit in characters; longer text without a sentence end is split at the last space before it."""

_END_OF_PROSE = re.compile(r"(?<=[.?!])[\"'\u201d\u2019)\]]{0,3}\s+(?=[\"'\u201c\u2018(\[$€£]{0,3}[A-Z0-9$€£•])")
_WORD_BEFORE = re.compile(r"(?<![A-Za-z.&])((?:[A-Za-z]\.)+[A-Za-z]?|[A-Za-z]+)\.$")
_ALWAYS = frozenset(
    "no nos mr mrs ms dr prof messrs st vs e.g i.e cf approx fig figs sec art par p pp rev gen sen rep gov hon est"
    " jan feb mar apr jun jul aug sept sep oct nov dec al".split()
)
"""Abbreviations that never end a sentence."""
_OFTEN = frozenset(
    "u.s u.k u.n e.u u.s.a n.a s.a l.p l.l.c p.l.c n.v a.g b.v d.c a.m p.m p.l inc corp co cos ltd llc plc lp"
    " bros jr sr etc dept div mfg intl assn".split()
)
"""Abbreviations that end a sentence if the next word often begins one."""
_ENUMERATOR = re.compile(
    r"\W*(?:(?:item|note|part|section|article|exhibit|step)\s)?(?:[0-9]{1,3}[A-Za-z]?|[A-Za-z]|[IVXivx]{1,5})\.", re.I
)
_NEXT = re.compile(r"[^A-Za-z0-9]*([A-Za-z]+)?")


def split_prose(text: str) -> tuple[str, ...]:
    """Split ordinary prose into sentences.

    >>> split_prose("Net sales rose 5%. Costs fell in the U.S. and at Acme Inc. stores; see No. 5. The end.")
    ('Net sales rose 5%.', 'Costs fell in the U.S. and at Acme Inc. stores; see No. 5.', 'The end.')
    """
    return tuple(text[start:end] for start, end in prose_spans(text))


def prose_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each sentence of ordinary prose.

    Sentences have no surrounding spaces and at most `LONGEST_SENTENCE` characters.
    """
    spans: list[tuple[int, int]] = []
    begin = 0
    for gap in _END_OF_PROSE.finditer(text):
        end = gap.start() + len(gap[0].rstrip())
        if not _continues(text, begin, gap.start(), gap.end()):
            spans += _bound_pieces(text, begin, end)
            begin = gap.end()
    return (*spans, *_bound_pieces(text, begin, len(text)))


def split_long_sentence(sentence: str) -> tuple[str, ...]:
    """Split a sentence that is longer than `LONGEST_SENTENCE` characters."""
    if len(sentence) <= LONGEST_SENTENCE:
        return (sentence,)
    return tuple(sentence[start:end] for start, end in _bound_pieces(sentence, 0, len(sentence)))


def _continues(text: str, begin: int, stop: int, next_start: int) -> bool:
    """Whether the full stop before `stop` does not end the sentence."""
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


def _bound_pieces(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Return a range without surrounding spaces, split if it is too long."""
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


Place = TypeVar("Place", int, float)


def merge_spans(spans: Iterable[tuple[Place, Place]]) -> list[tuple[Place, Place]]:
    """Return the spans from left to right, with overlapping ones merged into one."""
    merged: list[tuple[Place, Place]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
