"""Running text around a table, cut into sentences with the numbers and periods that they name.

Sentences that come cut are kept as they are, but for those that were cut at the full stop of an abbreviation.
"""

import re
from collections.abc import Sequence

from quaestor.core.number_conventions import ENGLISH, NumberConvention
from quaestor.core.parsing import find_quantities
from quaestor.core.periods import find_periods
from quaestor.core.provenance import SentenceRef
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
        convention: How the document prints its numbers.
    """
    return tuple(_read_sentence(document, section, index, text, convention) for index, text in enumerate(texts, start))


def _read_sentence(document: str, section: str, index: int, text: str, convention: NumberConvention) -> Sentence:
    mentions = tuple(
        Mention(span.quantity, SentenceRef(document, section, index, span.start, span.end))
        for span in find_quantities(text, convention)
    )
    periods = tuple((mention.period, mention.start, mention.end) for mention in find_periods(text))
    return Sentence(section, index, text, mentions, periods)
