"""Locate quoted words on the page, letter by letter.

White space, case and the forms of dashes and quotation marks may differ from the page, nothing else. Words not on the
page are refused with the most similar text. A number alone is not a quotation: it has to be taken as a number.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from textwrap import shorten

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import SentenceRef, Source
from quaestor.core.words import search_words
from quaestor.documents.document import Document, Sentence
from quaestor.documents.table import Cell
from quaestor.errors import SolverError
from quaestor.plan.steps import Extract

LONGEST_QUOTE = 2_000
"""Limit in characters for a quotation."""

_LONGEST_LABEL = 60
_LONGEST_SHOWN = 200
_NEAREST = 2
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    }
)
_QUOTATION_MARKS = " \"'\u201c\u201d\u2018\u2019"
_FOOTNOTE = lazy_regex(r"[0-9*]{1,2}\s*")
"""A footnote mark right after the last word of a label."""


class QuoteFailure(SolverError):
    """Error for words that are not on the page; the message names similar text."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of the page."""

    text: str
    source: Source
    label: str

    def step(self, number: int, query: str | None = None) -> Extract:
        """Return the plan step that extracts the quotation."""
        return Extract(number, self.source, self.label, None, query=query, text=self.text)


_QuoteMatch = tuple[Quotation, tuple[bool, bool, int]]
"""A match with its quality: whether it is a whole line or cell, whether every letter is the same, and the number of
words that its line shares with the question."""


def quote(document: Document, words: str, question: str = "") -> Quotation:
    """Find words on the page and return them as printed, with their place.

    Of several matches, a cell or label with just these words comes first, then the row or sentence that shares the
    most words with the question, then the first in the document.
    """
    wanted = " ".join(words.split())
    if not any(character.isalnum() for character in wanted):
        raise QuoteFailure(f"{words[:40]!r} are not words; quote words of the page")
    if len(wanted) > LONGEST_QUOTE:
        raise QuoteFailure(f"{len(wanted)} characters are too many to quote; the limit is {LONGEST_QUOTE}")
    question_words = frozenset(search_words(question))
    for form in dict.fromkeys((wanted, wanted.strip(_QUOTATION_MARKS), wanted.strip(_QUOTATION_MARKS + ".,;:"))):
        found = list(_places(document, form, question_words)) if form else []
        if found:
            return max(found, key=itemgetter(1))[0]
    raise QuoteFailure(_explain_missing_quote(document, wanted))


def quote_sentence(document: Document, sentence: Sentence) -> Quotation:
    """Quote a whole sentence."""
    span = (0, len(sentence.text))
    return _in_sentence(document, sentence, span, sentence.text, frozenset())[0]


def number_in_place(document: Document, quotation: Quotation) -> bool:
    """Return whether a quotation is nothing but a number of the page, which has to be taken as a number."""
    source = quotation.source
    if isinstance(source, SentenceRef):
        sentence = document.sentence(source)
        return any(_differ_only_in_signs(sentence.text, source, mention.ref) for mention in sentence.mentions)
    table, cell = document.table(source.table), document.cell(source)
    return source.row >= table.header_rows and bool(cell.quantities) and not any(map(str.isalpha, quotation.text))


def _differ_only_in_signs(text: str, one: SentenceRef, other: SentenceRef) -> bool:
    """Return whether two spans of a text overlap and differ only in characters other than letters and digits."""
    if one.end <= other.start or other.end <= one.start:
        return False
    before = text[min(one.start, other.start) : max(one.start, other.start)]
    after = text[min(one.end, other.end) : max(one.end, other.end)]
    return not any(map(str.isalnum, before + after))


def _places(document: Document, words: str, question_words: frozenset[str]) -> Iterator[_QuoteMatch]:
    wanted = _fold(words)[0]
    for table in document.tables:
        for row in table.cells:
            for cell in row:
                if not cell.repair and (spans := _spans(wanted, cell.text, in_label=not cell.quantities)):
                    yield _in_cell(document, cell, spans[0], words, question_words)
    for sentence in document.sentences:
        for start, end in _spans(wanted, sentence.text):
            yield _in_sentence(document, sentence, (start, end), words, question_words)


def _in_cell(
    document: Document, cell: Cell, span: tuple[int, int], words: str, question_words: frozenset[str]
) -> _QuoteMatch:
    start, end = span
    text, table = " ".join(cell.text[start:end].split()), document.table(cell.ref.table)
    row, column = table.rows[cell.ref.row].label, table.columns[cell.ref.column].label
    own = cell.ref.column == 0 or cell.ref.row < table.header_rows
    label = text if own else ", ".join(part for part in (row, column) if part) or text
    rest = cell.text[:start] + cell.text[end:]
    whole = not any(map(str.isalpha, rest)) or text in (row, column)
    shared = len(question_words & set(search_words(f"{row} {column} {table.title}")))
    quotation = Quotation(text, cell.ref, shorten(label, _LONGEST_LABEL, placeholder="..."))
    return quotation, (whole, text == words, shared)


def _in_sentence(
    document: Document, sentence: Sentence, span: tuple[int, int], words: str, question_words: frozenset[str]
) -> _QuoteMatch:
    start, end = span
    text = " ".join(sentence.text[start:end].split())
    source = SentenceRef(document.id, sentence.section, sentence.index, start, end)
    shared = len(question_words & set(search_words(sentence.text)))
    label = shorten(text, _LONGEST_LABEL, placeholder="...")
    return Quotation(text, source, label), (False, text == words, shared)


def _spans(wanted: str, text: str, in_label: bool = False) -> list[tuple[int, int]]:
    """Return the spans of words in a text, as whole words; in a label a footnote mark may follow directly."""
    folded, places = _fold(text)
    spans, start = [], folded.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        marked = in_label and not wanted[-1].isdigit() and _FOOTNOTE.fullmatch(folded[end:]) is not None
        if not _is_in_word(folded, start) and (marked or not _is_in_word(folded, end)):
            spans.append((places[start], places[end - 1] + 1))
        start = folded.find(wanted, start + 1)
    return spans


def _is_in_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


@lru_cache(maxsize=4096)
def _fold(text: str) -> tuple[str, tuple[int, ...]]:
    """Normalize a text for comparison; return it with the original position of each character."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                places.append(place)
            continue
        for part in unicodedata.normalize("NFKC", character).translate(_SIGNS).casefold():
            characters.append(part)
            places.append(place)
    while characters and characters[-1] == " ":
        characters.pop()
        places.pop()
    return "".join(characters), tuple(places)


def _explain_missing_quote(document: Document, words: str) -> str:
    wanted = set(search_words(words))
    labels = (cell.text for table in document.tables for row in table.cells for cell in row if not cell.quantities)
    texts = dict.fromkeys((*labels, *(sentence.text for sentence in document.sentences)))
    shares = {text: len(own & wanted) / (1 + len(own) ** 0.5) for text in texts if (own := set(search_words(text)))}
    near = sorted((text for text in shares if shares[text]), key=lambda text: -shares[text])[:_NEAREST]
    listed = "; ".join(repr(shorten(text, _LONGEST_SHOWN, placeholder="...")) for text in near)
    shown = repr(shorten(words, _LONGEST_LABEL, placeholder="..."))
    return f"{shown} is not on the page; quote its words exactly as printed" + (
        f"; similar words: {listed}" if near else ""
    )
