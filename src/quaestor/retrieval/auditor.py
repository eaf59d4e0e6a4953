"""Finds the auditor of a company: the firm that signed the audit report, or that a sentence names as auditor."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Document, Sentence

ASKS_AUDITOR = re.compile(r"\bauditors?\b|\baudits?\b|\baudited\b|\baccounting firm\b")
_ASKS_WHO = re.compile(
    r"^\W*(?:and |so )?(?:who\b|whom\b|(?:which|what) (?:\w+ ){0,3}?(?:firm|auditors?|company)\b)|\bby whom\b"
)
_FIRM = r"(?P<firm>[A-Z][\w&.,'\u2019 -]{2,60}?,? (?:LLP|L\.L\.P\.?|P\.C\.?|PLLC|PLC))(?![\w])"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"^\W*/s/\s*{_FIRM}",
        rf"{_FIRM},? (?:an? |the |our |its )?independent (?:registered |certified )?(?:public )?account",
        rf"(?:audited by|auditors?,|accounting firm,|accounting firm \(|firm:) ?{_FIRM}",
        rf"^\W*{_FIRM}\W*$",
    )
)
"""Most reliable first: a signature, a statement in a sentence, a line that is only a name."""
_REPORT = re.compile(r"we have audited|in our opinion|auditor since|accounting firm", re.IGNORECASE)
_NEAR = 40
"""Maximal number of sentences between the words of the report and its signature."""


class NamedFirm(NamedTuple):
    """The name of a firm, from `start` to `end` in the text of a sentence."""

    sentence: Sentence
    start: int
    end: int


_FIRMS = BoundedCache[str, NamedFirm | None](16)


def asks_for_auditor(text: str) -> bool:
    """Return whether a question in lower case asks for the name of the auditor.

    >>> asks_for_auditor("who audits the company?"), asks_for_auditor("how much was paid to the auditor?")
    (True, False)
    """
    return _ASKS_WHO.search(text) is not None and ASKS_AUDITOR.search(text) is not None


def auditor_of(document: Document) -> NamedFirm | None:
    """Return where a document names its auditor, or None. For an excerpt the whole document is searched."""
    whole = document.whole or document
    return _FIRMS.get(whole.digest, lambda: _find_auditor(whole))


def _find_auditor(document: Document) -> NamedFirm | None:
    for form in _FORMS:
        found = list(_find_firms(document, form))
        if found:
            # Signatures are below reports and consents of several firms: take the most frequent firm, at its first
            # occurrence.
            most, _ = Counter(_key(one) for one in found).most_common(1)[0]
            return next(one for one in found if _key(one) == most)
    return None


def _key(firm: NamedFirm) -> str:
    return re.sub(r"\W", "", firm.sentence.text[firm.start : firm.end]).upper()


def _find_firms(document: Document, form: "re.Pattern[str]") -> Iterator[NamedFirm]:
    last_report = -_NEAR - 1
    for place, sentence in enumerate(document.sentences):
        if _REPORT.search(sentence.text):
            last_report = place
        if "L" not in sentence.text and "P.C" not in sentence.text:
            continue
        match = form.search(sentence.text)
        if match is not None and place - last_report <= _NEAR:
            yield NamedFirm(sentence, *match.span("firm"))
