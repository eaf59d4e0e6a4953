"""Running text around a table, cut into sentences with the numbers and periods that they name.

Sentences that come cut are kept as they are, but for those that were cut at the full stop of an abbreviation.
"""

import re
from collections.abc import Sequence

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
    """Return the sentences of a text whose punctuation is between spaces ("sales rose . costs fell .").

    A full stop after a common abbreviation or a single letter ends none; a stop that stands alone joins the
    sentence before it.
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
    """Return sentences that came cut, those put together again that an abbreviation's full stop has torn apart.

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
    """Whether a text ends at the full stop of an abbreviation or of a single letter."""
    return _ABBREVIATION.search(text[-12:]) is not None


def _is_company(text: str) -> bool:
    """Whether a text is the name of a company and no more, as a page's first line may be."""
    return _COMPANY.search(text) is not None and len(text.split()) <= _WORDS_OF_A_NAME


def read_sentences(
    document: str, section: str, texts: Sequence[str], start: int = 0, convention: NumberConvention = ENGLISH
) -> tuple[Sentence, ...]:
    """Return sentences of one section, in order, with the numbers and periods in them.

    Args:
        start: The place of the first of them in the section.
    """
    return tuple(_read_sentence(document, section, index, text, convention) for index, text in enumerate(texts, start))


def _read_sentence(document: str, section: str, index: int, text: str, convention: NumberConvention) -> Sentence:
    mentions = tuple(
        Mention(span.quantity, SentenceRef(document, section, index, span.start, span.end))
        for span in find_quantities(text, convention)
    )
    periods = tuple((mention.period, mention.start, mention.end) for mention in find_periods(text))
    return Sentence(section, index, text, mentions, periods)


# Prose as people print it ("Net sales rose 5%. Costs fell in the U.S. and in Europe."), cut into sentences.
#
# The text of the benchmarks, whose punctuation is between spaces, is `sentences`'. Takes time linear in the text.

LONGEST_SENTENCE = 5_000
"""Characters; what goes on without an end, as no sentence does, is cut at the space before them."""

_END_OF_PROSE = re.compile(r"(?<=[.?!])[\"'\u201d\u2019)\]]{0,3}\s+(?=[\"'\u201c\u2018(\[$€£]{0,3}[A-Z0-9$€£•])")
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
    for gap in _END_OF_PROSE.finditer(text):
        end = gap.start() + len(gap[0].rstrip())
        if not _goes_on(text, begin, gap.start(), gap.end()):
            spans += _bound_pieces(text, begin, end)
            begin = gap.end()
    return (*spans, *_bound_pieces(text, begin, len(text)))


def bounded(sentence: str) -> tuple[str, ...]:
    """Return a sentence that came cut, in pieces where it is longer than `LONGEST_SENTENCE` characters."""
    if len(sentence) <= LONGEST_SENTENCE:
        return (sentence,)
    return tuple(sentence[start:end] for start, end in _bound_pieces(sentence, 0, len(sentence)))


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


def _bound_pieces(text: str, begin: int, end: int) -> list[tuple[int, int]]:
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
