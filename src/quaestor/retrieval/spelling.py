"""Corrects misspelled words of questions by the spelling in the document: "operting income"."""

from collections.abc import Callable, Iterator
from functools import lru_cache

from quaestor.core.patterns import lazy_regex
from quaestor.core.words import FUNCTION_WORDS, STOP_WORDS
from quaestor.documents.document import Document
from quaestor.ontology.lexicon import read_lexicon
from quaestor.ontology.line_matching import read_core_lines
from quaestor.questions.stems import stem
from quaestor.retrieval.colloquial_words import in_words_of_reports

_WORD = lazy_regex(r"(?<![\w.&'\u2019-])[a-z]{7,}(?![\w&'\u2019-])")
"""Words in lower case, because names may have any spelling. Shorter words are too often one letter away from others:
"planes" and "plans".
"""
_FIRST = lazy_regex(r"^[A-Z][a-z]{6,}(?![\w&'\u2019-])")
_LONG = 8
_LABEL_WORD = lazy_regex(r"[a-z]{5,}")
_OF_QUESTIONS = frozenset(
    "quarter percentage percent average increase decrease difference compared between highest lowest largest smallest "
    "change changed years months employees number shares million billion thousand dividend auditor margin amount "
    "company total biggest ratio growth rose decline declined higher lower versus during reported repurchases "
    "buyback buybacks stock spent segment region calculate compare previous fiscal annual quarterly outstanding "
    "maturity trailing geography weighed".split()
)


def respelled(text: str, document: Document, is_known: Callable[[str], bool]) -> str:
    """Return a question with its misspelled words corrected by the document's labels, or those of other statements.

    Args:
        is_known: Returns whether a lower-case word occurs in the document, in any form.
    """
    words = [found for form in (_FIRST, _WORD) for found in form.finditer(text)]
    mended: dict[str, str] = {}
    for word in {found[0] for found in words}:
        lowered = word.lower()
        # Most words are known, so that the stems of `_may_be_wrong` are seldom needed.
        if not is_known(lowered) and _may_be_wrong(lowered) and (right := _nearest(lowered, document)):
            mended[word] = right
    for found in sorted(words, key=lambda one: -one.start()):
        if found[0] in mended:
            text = f"{text[: found.start()]}{mended[found[0]]}{text[found.end() :]}"
    return text


def _may_be_wrong(word: str) -> bool:
    known = word in FUNCTION_WORDS or word in STOP_WORDS or stem(word) in _known_stems()
    return not known and in_words_of_reports(word) == word


@lru_cache(maxsize=1)
def _known_words() -> frozenset[str]:
    captions = (caption for line in read_core_lines().lines.values() for caption in line.captions)
    labels = (name.replace("_", " ") for name in read_lexicon().measures)
    known = {word for text in (*captions, *labels) for word in _LABEL_WORD.findall(text.lower())}
    return frozenset(known | _OF_QUESTIONS)


@lru_cache(maxsize=1)
def _known_stems() -> frozenset[str]:
    return frozenset(map(stem, _known_words()))


def _nearest(word: str, document: Document) -> str | None:
    """Return the single word within a slip: in the document's labels, else in captions of statements in general."""
    for words in (frozenset(_label_words(document)), _known_words()):
        near = {right for right in words if _is_slip(word, right)}
        if len({stem(right) for right in near}) == 1:
            return min(near, key=lambda right: (abs(len(right) - len(word)), right))
        if near:
            return None
    return None


def _label_words(document: Document) -> Iterator[str]:
    for table in document.tables:
        for head in (*table.rows, *table.columns):
            yield from _LABEL_WORD.findall(head.label.lower())


def _is_slip(wrong: str, right: str) -> bool:
    """Whether a word is a misspelling of another: a letter added, missing, or swapped with its neighbour.

    In a long word also a wrong letter or two slips; "plants" is not a misspelling of "planes".

    >>> _is_slip("operting", "operating"), _is_slip("planes", "plants")
    (True, False)
    """
    if wrong[0] != right[0] or wrong == right:
        return False
    if _is_one_slip(wrong, right):
        return len(wrong) != len(right) or sorted(wrong) == sorted(right) or len(right) >= _LONG
    if min(len(wrong), len(right)) < _LONG or abs(len(wrong) - len(right)) > 2:
        return False
    return any(_is_one_slip(one, right) for one in _drop_letters(wrong)) or any(
        _is_one_slip(wrong, one) or wrong == one for one in _drop_letters(right)
    )


def _drop_letters(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(1, len(word)))


def _is_one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one inserted, deleted, replaced or transposed letter."""
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other, score_cutoff=1) <= 1
