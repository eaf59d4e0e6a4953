"""Whether a number of a filing is of the kind that a question asks for: a count of things, an amount per share.

Owns how that is told by what stands around a number. Dollars are no count, and what counts shares is no count of
employees; an amount of millions is none per share.
"""

import re
from dataclasses import dataclass

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.questions.question import Question
from quaestor.questions.stems import stem, stems
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.solvers.embedded.page.number import CandidateNumber

OTHER_KIND = 5.0
"""What a number of another kind has less, as log-odds."""
_HOW_MANY = re.compile(
    r"\bhow many (?P<things>(?:(?!(?:do|does|did|is|are|was|were|has|have|had|of|in|at|on|for|will|would|can|per|to"
    r"|from|by|under|remain\w*|left|with|worked?|work|came?|get|got)\b)[\w'&.-]+ ?){1,5})"
)
_OF_AMOUNTS = re.compile(
    r"dollars?|usd|million|billion|thousand|percent\w*|points?|times|basis|years?|months?|days?|quarters?|weeks?|cents?|hours?"
)
_SAME = {stem(word): stem("employee") for word in ("people", "worker", "workers", "persons", "associates", "staff")}
_PER_SHARE = re.compile(r"\bper (?:\w+ )?(?:share|unit|ads|stock)\b", re.IGNORECASE)
_NEAR = 6
"""How many words a number of a sentence is away from what it counts."""
_OF_WHOM = re.compile(r"\b(?:of (?:whom|which|these|those|them)|including) (?:about |approximately )?$", re.IGNORECASE)
"""Before a number that counts some of what was counted before."""
_TIMES = re.compile(r"\bhow many times\b")


@dataclass(frozen=True, slots=True)
class KindAsked:
    """The kind of number that a question asks for.

    Attributes:
        counted: The stem of the things whose number is asked for; "" where none is.
        per_share: Whether an amount per share is asked for.
        said: The numbers that the question says itself: "how many 737 deliveries".
    """

    counted: str = ""
    per_share: bool = False
    said: frozenset[float] = frozenset()

    def __bool__(self) -> bool:
        """Returns whether any kind is asked for."""
        return bool(self.counted) or self.per_share

    def is_met(self, leaf: CandidateNumber, document: Document) -> bool:
        """Returns whether a number may be of that kind.

        Args:
            leaf: The number.
            document: Where it stands.
        """
        if self.per_share and not _is_per_share(leaf, document):
            return False
        if not self.counted:
            return True
        # Counts of shares are printed with the unit of shares.
        if float(leaf.quantity.value) in self.said or leaf.counts.scale is Scale.PERCENT:
            return False
        if (leaf.counts.unit or "").isupper() or "$" in leaf.quantity.text:
            return False
        if isinstance(leaf.source, CellRef) or _OF_WHOM.search(_before(leaf.source, document)):
            said = {*leaf.row, *leaf.column, *leaf.around, *leaf.caption}
        else:
            said = {each for each, distance in leaf.distances if abs(distance) <= _NEAR}
        unit = {_SAME.get(each, each) for each in stems(leaf.counts.unit or "")}
        return self.counted in {_SAME.get(each, each) for each in said} and (not unit or self.counted in unit)


def _before(source: SentenceRef, document: Document) -> str:
    return document.sentence(source).text[: source.start]


def kind_asked(question: Question) -> KindAsked:
    """Returns the kind of number that a question asks for.

    >>> kind_asked(Question("how many full-time employees did they have?")).counted == stem("employee")
    True

    Args:
        question: As asked.
    """
    text = in_words_of_reports(question.lowered)
    found = None if _TIMES.search(text) else _HOW_MANY.search(text)
    things = [word for word in stems(found["things"]) if not _OF_AMOUNTS.fullmatch(word)] if found else []
    plain = found is not None and not _OF_AMOUNTS.search(found["things"])
    counted = things[-1] if things and plain else ""
    per_share = _PER_SHARE.search(text) is not None
    return KindAsked(_SAME.get(counted, counted), per_share, frozenset(question.numbers))


def _is_per_share(leaf: CandidateNumber, document: Document) -> bool:
    if not isinstance(leaf.source, CellRef):
        text = document.sentence(leaf.source).text
        return _PER_SHARE.search(text) is not None
    table = document.table(leaf.source.table)
    row, column = table.rows[leaf.source.row], table.columns[leaf.source.column]
    heads = (*row.levels, row.label, *column.levels, column.label, table.title)
    return any(map(_PER_SHARE.search, heads))
