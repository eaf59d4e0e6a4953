"""Whether a number of a filing is of the kind that a question asks for: a count of things, an amount per share.

Dollars are no count, and what counts shares is no count of employees; an amount of millions is none per share.
"""

import re
from dataclasses import dataclass

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.questions.question import Question
from quaestor.questions.stems import stem, stems, without_owner
from quaestor.retrieval.everyday import in_words_of_reports, spelled_out
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
_DUE = re.compile(
    r"\b(?:due|matur\w+|payable|expir\w+|future (?:\w+ )?(?:lease )?payments(?: \w+)?|amortization expected)\s+"
    r"(?:in|during|by|for)\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?P<year>20\d\d)\b"
)
_WITHIN = re.compile(
    r"\b(?:due|matur\w+|payable|expir\w+)\s+(?:with)?in (?:the )?(?:next |coming )?(?:\d|two|three|four|five) years\b"
)
_THROUGH = re.compile(
    r"\b(?:due|matur\w+|payable|expir\w+)\b[^?]{0,30}\b(?:through|until|till|by the end of|before)\s+"
    r"(?:the end of\s+)?(?:fiscal\s+)?(?:year\s+)?20\d\d\b"
)
_PREFERRED = re.compile(r"\bpreferred\b|\bpreference\b", re.IGNORECASE)
_COMMON = re.compile(r"\bcommon\b|\bordinary\b", re.IGNORECASE)
_PAR = re.compile(r"\b(?:par|stated) value\b", re.IGNORECASE)
_YEARS = re.compile(r"\b20\d\d\s?[-\u2013\u2014]\s?(?:20)?\d\d\b")
_SEVERAL_YEARS = re.compile(
    r"\b(?:within|next|through|less than) (?:the )?(?:next )?(?:(?!one\b|1\b)\w+ )?years\b", re.IGNORECASE
)
_LEASES = re.compile(r"\bleas(?:e|es|ed|ing)\b", re.IGNORECASE)
_SHARES = re.compile(r"\bshares\b")
_PLACE_NAMED = re.compile(r"\baccording to\b|\bas (?:shown|stated|reported) in\b")
_NEAR = 6
"""How many words a number of a sentence is away from what it counts."""
_OF_WHOM = re.compile(r"\b(?:of (?:whom|which|these|those|them)|including) (?:about |approximately )?$", re.IGNORECASE)
"""Before a number that counts some of what was counted before."""
_OF_ALL = re.compile(r"\s*of (?:our|the|its|their|these|those|all)\b", re.IGNORECASE)
"""Behind a number that counts some of all: "13,000 of our employees"."""
_SOME = re.compile(
    r"^(?:[\w-]+ ){0,3}?(?:employees|people|workers|persons|associates|staff|team members|colleagues)\b"
    r"(?! (?:\w+ ){0,2}?(?:employed|worldwide|globally))"
    r"(?: (?:around|across|in|at|from|of|throughout) (?:the |our )?[\w ]{2,30}?)? (?:who |that |have |has |had |also )*"
    r"(?!employed|located|based|combined|related|united|skilled)(?:[a-z]+ed|took|chose|left|held|bought)\b",
    re.IGNORECASE,
)
"""Behind a number of employees who did something: those who did not are employees too."""
_PEOPLE = re.compile(
    r"^(?:[\w,/-]+ ){0,6}?(?:employees|people|workers|persons|associates|staff|team members|colleagues)\b",
    re.IGNORECASE,
)
_PEOPLE_WERE = re.compile(
    r"\b(?:employees|headcount|workforce|associates|staff|personnel|people)\b[^.;]{0,60}?"
    r"\b(?:was|were|is|are|of|totaled|totalled|to|at|reached)(?: [a-z]+){0,2} ?$",
    re.IGNORECASE,
)
_ALSO_PEOPLE = re.compile(
    r"^(?:,|and|or|,\s*and)\s+\d[\d,.]*(?: million)? (?:\w+ ){0,3}?(?:employees|people|associates)\b", re.IGNORECASE
)
_SOME_BEFORE = re.compile(
    r"\b(?:team|teams|group|network|class|by|behalf) (?:of )?(?:over |about |approximately |more than |nearly )?$",
    re.IGNORECASE,
)
_OF_ALL_PEOPLE = frozenset(
    stems("employee full-time part-time employ total work worldwide globally current company year")
)
"""What a question may say of employees and still ask for all of them."""
_FORMER = re.compile(r"\s*(?:\w+ ){0,3}(?:former|retired)\b")
_AMOUNT_BESIDE = re.compile(r"\([^()\d]*+\d[^()]*+\)")
_TIMES = re.compile(r"\bhow many times\b")


@dataclass(frozen=True, slots=True)
class KindAsked:
    """The kind of number that a question asks for.

    Attributes:
        counted: The stem of the things whose number is asked for; "" where none is.
        per_share: Whether an amount per share is asked for.
        said: The numbers that the question says itself: "how many 737 deliveries".
        due: The year in which something is due that is asked for; None if none is.
        within: Whether what is due within several years is asked for.
        everybody: Whether all who work there are asked for, and not those who did something.
        preferred: Whether preferred stock is spoken of; if it is not, an amount per share is of common stock.
        par: Whether the par value of a share is asked for.
        of_leases: Whether what is due is of leases.
    """

    counted: str = ""
    per_share: bool = False
    said: frozenset[float] = frozenset()
    due: int | None = None
    within: bool = False
    everybody: bool = False
    preferred: bool = False
    par: bool = False
    of_leases: bool = False

    def __bool__(self) -> bool:
        """Return whether any kind is asked for."""
        return bool(self.counted) or self.per_share or self.within or self.par or self.due is not None

    @property
    def lacking(self) -> str:
        """What a document lacks that has no number of this kind, in words."""
        if self.counted:
            return "no number counts what the question asks for"
        if self.par:
            return "the document has no par value of a share"
        when = "within those years" if self.due is None else f"in {self.due}"
        return "the document has no amount per share" if self.per_share else f"the document has no amount due {when}"

    def is_met(self, leaf: CandidateNumber, document: Document) -> bool:
        """Return whether a number may be of that kind."""
        if self.per_share and not (
            _is_per_share(leaf, document) and (self.preferred or not _is_preferred(leaf, document))
        ):
            return False
        if self.par and not self.preferred and _is_preferred(leaf, document):
            return False
        if self.par and (leaf.power > 0 or not leaf.quantity.unit or not leaf.quantity.unit.isupper()):
            return False
        if (self.due or self.within) and not _is_due(leaf, self.due, document):
            return False
        if (self.due or self.within) and self.of_leases and not _is_of_leases(leaf, document):
            return False
        return not self.counted or (float(leaf.quantity.value) not in self.said and self._is_counted(leaf, document))

    def _is_counted(self, leaf: CandidateNumber, document: Document) -> bool:
        if leaf.counts.scale is Scale.PERCENT or "$" in leaf.quantity.text:
            return False
        if (leaf.counts.unit or "").isupper():
            # A caption says dollars of all lines of a table: "customer transactions" are none, "employee taxes" are.
            return leaf.row[-1:] == (self.counted,)
        if not isinstance(leaf.source, CellRef) and self._counts_some(leaf.source, document.sentence(leaf.source).text):
            return False
        if isinstance(leaf.source, CellRef) or _OF_WHOM.search(_before(leaf.source, document)):
            # What leads to a table of millions counts none of them.
            said = {*leaf.row, *leaf.column, *leaf.around, *(() if leaf.power > 0 else leaf.caption)}
        else:
            said = {each for each, distance in leaf.distances if abs(distance) <= _NEAR}
            said |= {self.counted} if self.everybody else set()
        unit = {_SAME.get(each, each) for each in stems(leaf.counts.unit or "")}
        return self.counted in {_SAME.get(each, each) for each in said} and (not unit or self.counted in unit)

    def _counts_some(self, source: SentenceRef, text: str) -> bool:
        """Whether a number of a sentence counts some of what is asked for."""
        if _OF_ALL.match(text, source.end) or _FORMER.match(text, source.end):
            return True
        if not self.everybody:
            return False
        behind, before = text[source.end :].lstrip(), text[: source.start]
        if _SOME.match(behind) or _SOME_BEFORE.search(before):
            return True
        # "Employee benefit plans, page 69" counts nobody.
        return not (_PEOPLE.match(behind) or _PEOPLE_WERE.search(before) or _ALSO_PEOPLE.match(behind))


def _before(source: SentenceRef, document: Document) -> str:
    return document.sentence(source).text[: source.start]


def kind_asked(question: Question) -> KindAsked:
    """Return the kind of number that a question asks for.

    >>> kind_asked(Question("how many full-time employees did they have?")).counted == stem("employee")
    True
    """
    text = in_words_of_reports(_PLACE_NAMED.split(question.lowered)[0])
    found = None if _TIMES.search(text) else _HOW_MANY.search(text)
    things = [word for word in stems(found["things"]) if not _OF_AMOUNTS.fullmatch(word)] if found else []
    plain = found is not None and not _OF_AMOUNTS.search(found["things"])
    counted = things[-1] if things and plain else ""
    per_share = _PER_SHARE.search(text) is not None and not _SHARES.search(text)
    due = _DUE.search(text)
    year = int(due["year"]) if due is not None else None
    within = year is None and (_WITHIN.search(text) or _THROUGH.search(text)) is not None
    counted = _SAME.get(counted, counted)
    people = {_SAME.get(word, word) for word in stems(without_owner(text))}
    everybody = counted == stem("employee") and people <= _OF_ALL_PEOPLE
    preferred, par = _PREFERRED.search(text) is not None, _PAR.search(text) is not None
    leases = _LEASES.search(text) is not None
    return KindAsked(counted, per_share, frozenset(question.numbers), year, within, everybody, preferred, par, leases)


def _is_due(leaf: CandidateNumber, year: int | None, document: Document) -> bool:
    if not isinstance(leaf.source, CellRef):
        text = document.sentence(leaf.source).text
        return _SEVERAL_YEARS.search(text) is not None if year is None else str(year) in text
    table = document.table(leaf.source.table)
    row, column = table.rows[leaf.source.row], table.columns[leaf.source.column]
    heads = " | ".join((*row.levels, row.label, *column.levels, column.label))
    if year is None:
        return _SEVERAL_YEARS.search(heads) is not None
    # "2026-2027" are two years together.
    return not _YEARS.search(heads) and (year in (leaf.year, leaf.other_year) or str(year) in heads)


def _is_of_leases(leaf: CandidateNumber, document: Document) -> bool:
    block = document.block(leaf.source)
    said = list(next((each.path for each in document.sections if each.id == block.section), ()))
    if isinstance(leaf.source, CellRef):
        table = document.table(leaf.source.table)
        row, column = table.rows[leaf.source.row], table.columns[leaf.source.column]
        said += (*row.levels, row.label, *column.levels, column.label, table.title, table.caption)
        said += (sentence.text for sentence in document.lead_of(table)[-1:])
    else:
        said.append(document.sentence(leaf.source).text)
    return any(_LEASES.search(text) for text in said)


def _is_preferred(leaf: CandidateNumber, document: Document) -> bool:
    """Whether a number of a sentence is of preferred stock: its clause speaks of no other, or only its headings do."""
    if isinstance(leaf.source, CellRef):
        row = document.table(leaf.source.table).rows[leaf.source.row]
        said = " ".join((*row.levels, row.label))
    else:
        block = document.block(leaf.source)
        headings = next((each.path for each in document.sections if each.id == block.section), ())
        text = document.sentence(leaf.source).text
        clause = re.split(r"[;:]|, (?:and|but) ", text[max(0, leaf.source.start - 120) : leaf.source.end + 40])
        number = text[leaf.source.start : leaf.source.end]
        said = next((part for part in clause if number in part), text)
        if not _COMMON.search(said) and not _PREFERRED.search(said):
            said = " ".join(headings)
    return _PREFERRED.search(said) is not None and _COMMON.search(said) is None


def _is_per_share(leaf: CandidateNumber, document: Document) -> bool:
    if leaf.power > 0:
        # "Dividends ($ 0.40 per share)" beside the millions that were paid.
        return False
    if not isinstance(leaf.source, CellRef):
        text = document.sentence(leaf.source).text
        return _PER_SHARE.search(text) is not None
    table = document.table(leaf.source.table)
    row, column = table.rows[leaf.source.row], table.columns[leaf.source.column]
    heads = (*row.levels, row.label, *column.levels, column.label, table.title)
    return any(_PER_SHARE.search(_AMOUNT_BESIDE.sub(" ", spelled_out(head))) for head in heads)
