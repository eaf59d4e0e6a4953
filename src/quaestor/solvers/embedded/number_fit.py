"""Checks whether a number has the line and the kind that a question asks for."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.words import search_words, words
from quaestor.documents.document import Document
from quaestor.documents.roles import look_alikes_named
from quaestor.documents.table import Header, Table, TableRole
from quaestor.ontology.line_matching import core_line_index, read_core_lines
from quaestor.questions.question import Question
from quaestor.questions.stems import stem, stems, without_owner
from quaestor.retrieval.colloquial_words import expand_abbreviations, in_words_of_reports
from quaestor.solvers.embedded.page import Floats
from quaestor.solvers.embedded.page_numbers import CandidateNumber

# The kind of number that a question to a filing asks for: a count of things, an amount per share.
#
# Dollars are not a count, a count of shares is not one of employees, and an amount in millions is not one per share.


OTHER_KIND = 5.0
"""Penalty for a number of another kind, in log-odds."""
_HOW_MANY = lazy_regex(
    r"\bhow many (?P<things>(?:(?!(?:do|does|did|is|are|was|were|has|have|had|of|in|at|on|for|will|would|can|per|to"
    r"|from|by|under|remain\w*|left|with|worked?|work|came?|get|got)\b)[\w'&.-]+ ?){1,5})"
)
_OF_AMOUNTS = lazy_regex(
    r"dollars?|usd|million|billion|thousand|percent\w*|points?|times|basis|years?|months?|days?|quarters?|weeks?|cents?|hours?"
)
_SAME = {stem(word): stem("employee") for word in ("people", "worker", "workers", "persons", "associates", "staff")}
_PER_SHARE = lazy_regex(r"\bper (?:\w+ )?(?:share|unit|ads|stock)\b", re.IGNORECASE)
_DUE = lazy_regex(
    r"\b(?:due|matur\w+|payable|expir\w+|future (?:\w+ )?(?:lease )?payments(?: \w+)?|amortization expected)\s+"
    r"(?:in|during|by|for)\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?P<year>20\d\d)\b"
)
_WITHIN = lazy_regex(
    r"\b(?:due|matur\w+|payable|expir\w+)\s+(?:with)?in (?:the )?(?:next |coming )?(?:\d|two|three|four|five) years\b"
)
_THROUGH = lazy_regex(
    r"\b(?:due|matur\w+|payable|expir\w+)\b[^?]{0,30}\b(?:through|until|till|by the end of|before)\s+"
    r"(?:the end of\s+)?(?:fiscal\s+)?(?:year\s+)?20\d\d\b"
)
_PREFERRED = lazy_regex(r"\bpreferred\b|\bpreference\b", re.IGNORECASE)
_COMMON = lazy_regex(r"\bcommon\b|\bordinary\b", re.IGNORECASE)
_PAR = lazy_regex(r"\b(?:par|stated) value\b", re.IGNORECASE)
_PAR_NAMED = lazy_regex(r"\bpar\b|\b(?:stated|nominal) value\b", re.IGNORECASE)
_RATE = lazy_regex(
    r"\b(?:what|which|what's) (?:(?:is|are|was|were) )?(?:the |its |their )?"
    r"(?:(?:average|weighted|effective|fixed|stated|annual|nominal)[ -])*"
    r"(?:(?:interest|coupon|borrowing|discount|tax) )?(?:rates?|coupon)"
    r" (?:of|on|for|paid on)\b(?! (?:exchange|return|growth))"
)
_DUE_YEAR = lazy_regex(r"\bdue (?P<year>20\d\d)\b")
_YEARS = lazy_regex(r"\b20\d\d\s?[-\u2013\u2014]\s?(?:20)?\d\d\b")
_SEVERAL_YEARS = lazy_regex(
    r"\b(?:within|next|through|less than) (?:the )?(?:next )?(?:(?!one\b|1\b)\w+ )?years\b", re.IGNORECASE
)
_LEASES = lazy_regex(r"\bleas(?:e|es|ed|ing)\b", re.IGNORECASE)
_SHARES = lazy_regex(r"\bshares\b")
_PLACE_NAMED = lazy_regex(r"\baccording to\b|\bas (?:shown|stated|reported) in\b")
_NEAR = 6
"""Largest distance in words between a number in a sentence and what it counts."""
_OF_WHOM = lazy_regex(r"\b(?:of (?:whom|which|these|those|them)|including) (?:about |approximately )?$", re.IGNORECASE)
"""Text before a number that counts some of those counted before."""
_OF_ALL = lazy_regex(r"\s*of (?:our|the|its|their|these|those|all)\b", re.IGNORECASE)
"""Text after a number that counts some of all: "13,000 of our employees"."""
_SOME = lazy_regex(
    r"^(?:[\w-]+ ){0,3}?(?:employees|people|workers|persons|associates|staff|team members|colleagues)\b"
    r"(?! (?:\w+ ){0,2}?(?:employed|worldwide|globally))"
    r"(?: (?:around|across|in|at|from|of|throughout) (?:the |our )?[\w ]{2,30}?)? (?:who |that |have |has |had |also )*"
    r"(?!employed|located|based|combined|related|united|skilled)(?:[a-z]+ed|took|chose|left|held|bought)\b",
    re.IGNORECASE,
)
"""Text after a number of employees who did something, which is not the number of all employees."""
_PEOPLE = lazy_regex(
    r"^(?:[\w,/-]+ ){0,6}?(?:employees|people|workers|persons|associates|staff|team members|colleagues)\b",
    re.IGNORECASE,
)
_PEOPLE_WERE = lazy_regex(
    r"\b(?:employees|headcount|workforce|associates|staff|personnel|people)\b[^.;]{0,60}?"
    r"\b(?:was|were|is|are|of|totaled|totalled|to|at|reached)(?: [a-z]+){0,2} ?$",
    re.IGNORECASE,
)
_ALSO_PEOPLE = lazy_regex(
    r"^(?:,|and|or|,\s*and)\s+\d[\d,.]*(?: million)? (?:\w+ ){0,3}?(?:employees|people|associates)\b", re.IGNORECASE
)
_SOME_BEFORE = lazy_regex(
    r"\b(?:team|teams|group|network|class|by|behalf) (?:of )?(?:over |about |approximately |more than |nearly )?$",
    re.IGNORECASE,
)
_OF_ALL_PEOPLE = frozenset(
    stems("employee full-time part-time employ total work worldwide globally current company year")
)
"""Stems in questions for all employees."""
_FORMER = lazy_regex(r"\s*(?:\w+ ){0,3}(?:former|retired)\b")
_AMOUNT_IN_BRACKETS = lazy_regex(r"\([^()\d]*+\d[^()]*+\)")
_TIMES = lazy_regex(r"\bhow many times\b")


@dataclass(frozen=True, slots=True)
class RequestedKind:
    """Kind of number that a question asks for.

    Attributes:
        counted: Stem of the things to count; "" if the question asks for no count.
        per_share: Whether the question asks for an amount per share.
        numbers: Numbers in the question: "how many 737 deliveries".
        due: The year in which something is due that is asked for; None if none is.
        within: Whether what is due within several years is asked for.
        everybody: Whether all who work there are asked for, and not those who did something.
        preferred: Whether the question names preferred stock; otherwise an amount per share is of common stock.
        par: Whether the par value of a share is asked for.
        of_leases: Whether what is due is of leases.
        rate: Whether a rate of interest or tax is asked for.
    """

    counted: str = ""
    per_share: bool = False
    numbers: frozenset[float] = frozenset()
    due: int | None = None
    within: bool = False
    everybody: bool = False
    preferred: bool = False
    par: bool = False
    of_leases: bool = False
    rate: bool = False

    def __bool__(self) -> bool:
        """Return whether any kind is asked for."""
        return bool(self.counted) or self.per_share or self.within or self.par or self.rate or self.due is not None

    @property
    def lacking(self) -> str:
        """Description of what a document lacks if it has no number of this kind."""
        if self.counted:
            return "no number counts what the question asks for"
        if self.par:
            return "the document has no par value of a share"
        if self.rate:
            return "the document has no rate of this"
        when = "within those years" if self.due is None else f"in {self.due}"
        return "the document has no amount per share" if self.per_share else f"the document has no amount due {when}"

    def is_met(self, leaf: CandidateNumber, document: Document) -> bool:
        """Return whether a number may be of this kind."""
        if self.per_share and not (
            _is_per_share(leaf, document) and (self.preferred or not _is_preferred(leaf, document))
        ):
            return False
        is_money = (leaf.quantity.unit or "").isupper()
        if (self.par and not (is_money and self._is_par(leaf, document))) or (
            self.rate and (is_money or leaf.power > 0)
        ):
            return False
        if (self.due or self.within) and not _is_due(leaf, self.due, document):
            return False
        if (self.due or self.within) and self.of_leases and not _is_of_leases(leaf, document):
            return False
        return not self.counted or (float(leaf.quantity.value) not in self.numbers and self._is_counted(leaf, document))

    def _is_par(self, leaf: CandidateNumber, document: Document) -> bool:
        if leaf.power > 0 or not _is_amount(leaf) or not _PAR_NAMED.search(_read_context(leaf, document)):
            return False
        return self.preferred or not _is_preferred(leaf, document)

    def _is_counted(self, leaf: CandidateNumber, document: Document) -> bool:
        if leaf.counts.scale is Scale.PERCENT or "$" in leaf.quantity.text:
            return False
        if (leaf.counts.unit or "").isupper():
            # A caption in dollars applies to all lines of a table: "customer transactions"
            # are not customers, "employee taxes" are not employees.
            return leaf.row[-1:] == (self.counted,)
        if not isinstance(leaf.source, CellRef) and self._counts_some(leaf.source, document.sentence(leaf.source).text):
            return False
        if isinstance(leaf.source, CellRef) or _OF_WHOM.search(_read_text_before(leaf.source, document)):
            # The text that introduces a table of millions does not name what they count.
            described = {*leaf.row, *leaf.column, *leaf.around, *(() if leaf.power > 0 else leaf.caption)}
        else:
            described = {each for each, distance in leaf.distances if abs(distance) <= _NEAR}
            described |= {self.counted} if self.everybody else set()
        unit = {_SAME.get(each, each) for each in stems(leaf.counts.unit or "")}
        return self.counted in {_SAME.get(each, each) for each in described} and (not unit or self.counted in unit)

    def _counts_some(self, source: SentenceRef, text: str) -> bool:
        """Whether a number in a sentence counts only some of the requested things."""
        if _OF_ALL.match(text, source.end) or _FORMER.match(text, source.end):
            return True
        if not self.everybody:
            return False
        behind, before = text[source.end :].lstrip(), text[: source.start]
        if _SOME.match(behind) or _SOME_BEFORE.search(before):
            return True
        # "Employee benefit plans, page 69" is not a number of employees.
        return not (_PEOPLE.match(behind) or _PEOPLE_WERE.search(before) or _ALSO_PEOPLE.match(behind))


def _is_amount(leaf: CandidateNumber) -> bool:
    return leaf.power > 0 or (leaf.quantity.unit or "").isupper()


def _read_text_before(source: SentenceRef, document: Document) -> str:
    return document.sentence(source).text[: source.start]


def read_asked_kind(question: Question) -> RequestedKind:
    """Return the kind of number that a question asks for.

    >>> read_asked_kind(Question("how many full-time employees did they have?")).counted == stem("employee")
    True
    """
    text = in_words_of_reports(_PLACE_NAMED.split(question.lowered)[0])
    found = None if _TIMES.search(text) else _HOW_MANY.search(text)
    things = [word for word in stems(found["things"]) if not _OF_AMOUNTS.fullmatch(word)] if found else []
    plain = found is not None and not _OF_AMOUNTS.search(found["things"])
    counted = things[-1] if things and plain else ""
    per_share = _PER_SHARE.search(text) is not None and not _SHARES.search(text)
    rate = _RATE.search(text) is not None
    due = _DUE.search(text) or (_DUE_YEAR.search(text) if rate else None)
    year = int(due["year"]) if due is not None else None
    within = year is None and (_WITHIN.search(text) or _THROUGH.search(text)) is not None
    counted = _SAME.get(counted, counted)
    people = {_SAME.get(word, word) for word in stems(without_owner(text))}
    everybody = counted == stem("employee") and people <= _OF_ALL_PEOPLE
    preferred, par = _PREFERRED.search(text) is not None, _PAR.search(text) is not None
    leases = _LEASES.search(text) is not None
    numbers = frozenset(question.numbers)
    return RequestedKind(counted, per_share, numbers, year, within, everybody, preferred, par, leases, rate)


def _is_due(leaf: CandidateNumber, year: int | None, document: Document) -> bool:
    if not isinstance(leaf.source, CellRef):
        text = document.sentence(leaf.source).text
        return _SEVERAL_YEARS.search(text) is not None if year is None else str(year) in text
    heads = " | ".join(document.table(leaf.source.table).heads_at(leaf.source.row, leaf.source.column))
    if year is None:
        return _SEVERAL_YEARS.search(heads) is not None
    # "2026-2027" is a sum over two years.
    return not _YEARS.search(heads) and (year in (leaf.year, leaf.other_year) or str(year) in heads)


def _is_of_leases(leaf: CandidateNumber, document: Document) -> bool:
    block = document.block(leaf.source)
    texts = list(next((each.path for each in document.sections if each.id == block.section), ()))
    texts.append(_read_context(leaf, document))
    if isinstance(leaf.source, CellRef):
        texts += (sentence.text for sentence in document.lead_of(document.table(leaf.source.table))[-1:])
    return any(_LEASES.search(text) for text in texts)


def _read_context(leaf: CandidateNumber, document: Document) -> str:
    """The sentence of a number, or the headings of its cell."""
    if not isinstance(leaf.source, CellRef):
        return document.sentence(leaf.source).text
    table = document.table(leaf.source.table)
    return " | ".join((*table.heads_at(leaf.source.row, leaf.source.column), table.title, table.caption))


def _is_preferred(leaf: CandidateNumber, document: Document) -> bool:
    """Whether a number is of preferred stock only, by its labels or its clause, or else by its headings."""
    if isinstance(leaf.source, CellRef):
        row = document.table(leaf.source.table).rows[leaf.source.row]
        context = " ".join((*row.levels, row.label))
    else:
        block = document.block(leaf.source)
        headings = next((each.path for each in document.sections if each.id == block.section), ())
        text = document.sentence(leaf.source).text
        clause = re.split(r"[;:]|, (?:and|but) ", text[max(0, leaf.source.start - 120) : leaf.source.end + 40])
        number = text[leaf.source.start : leaf.source.end]
        context = next((part for part in clause if number in part), text)
        if not _COMMON.search(context) and not _PREFERRED.search(context):
            context = " ".join(headings)
    return _PREFERRED.search(context) is not None and _COMMON.search(context) is None


def _is_per_share(leaf: CandidateNumber, document: Document) -> bool:
    if leaf.power > 0:
        # "Dividends ($ 0.40 per share)" beside the millions that were paid.
        return False
    if not isinstance(leaf.source, CellRef):
        return _PER_SHARE.search(document.sentence(leaf.source).text) is not None
    table = document.table(leaf.source.table)
    heads = (*table.heads_at(leaf.source.row, leaf.source.column), table.title)
    return any(_PER_SHARE.search(_AMOUNT_IN_BRACKETS.sub(" ", expand_abbreviations(head))) for head in heads)


# The lines of a filing that a question names: by the words of the label, or by another name of the same line.
#
# "Total net sales" and "revenue" mean "net sales", and "R&D" means research and development; but the "net sales" below
# "Europe" are those of a part, which the question has to name.


_WITHOUT_ASIDE = 0.7
_WITHOUT_TOTAL = 0.9
_BY_ANOTHER_NAME = 0.9
_LONGEST_NAME = 7
_BEGINS_A_NAME = frozenset({"total", "net", "gross", "and", "other"})
_EXACT_NAME_RULE = "statement line"
"""Rule of the core index for a label that is exactly the name of a statement line."""
_OF_TIME = frozenset(stems("fiscal financial year"))
"""Words that do not describe a line: "revenue in fiscal 2023"."""
_LABELS_PER_SHARE = lazy_regex(r"\bper (?:\w+ )?(?:share|unit|stock)\b", re.IGNORECASE)
"""Headings for amounts per share: "net income" below one is not the net income of the company."""
_LABELS_SHARES = lazy_regex(r"\bshares?\b|\beps\b|\bunit\b", re.IGNORECASE)
_INCOMES = {"kg:net_loss": "kg:net_income", "kg:operating_loss": "kg:operating_income"}
"""Lines of losses with those of the corresponding incomes, which the same line is called in other years."""
_ASIDE = lazy_regex(r"\([^()]*\)")
_LOSS = lazy_regex(r"(?<=[_:])loss(?=_|$)")
_TOTAL = lazy_regex(r"total (?=[a-z])", re.IGNORECASE)


class LabelMentions:
    """Shares of a question that the labels of tables cover."""

    def __init__(self, question: str, tables: Iterable[Table]) -> None:
        """Prepare the question, without the place that it names, and the tables whose labels are compared."""
        self._words = _read_words(question)
        self._stems = tuple(stem for stem in stems(question) if stem not in _OF_TIME)
        self._lines = find_named_lines(question)
        self._per_share = _LABELS_SHARES.search(question) is not None
        self._of_parts = {table.index: _find_part_labels(table) for table in tables}

    def measure(self, table: Table, source: CellRef) -> tuple[float, bool]:
        """Return the share of the question that a cell's labels cover, and whether one covers all of it."""
        row = table.rows[source.row]
        below_zero = (number := table.cells[source.row][source.column].quantity) is not None and number.value < 0
        below = len(row.levels) > 1 and row.label in self._of_parts[table.index]
        part = below and not set(stems(row.levels[-2])) & set(self._stems)
        counts_of_names = [self._count_label_words(table.columns[source.column].label)]
        if not part and (self._per_share or not _is_line_per_share(row)):
            names = self._count_other_names(row, is_loss=below_zero)
            counts_of_names += [self._count_label_words(row.label), names]
        best, whole = max(counts_of_names)[0], any(has_all for _, has_all in counts_of_names)
        return best / max(1, len(self._words)), whole

    def _count_label_words(self, label: str) -> tuple[float, bool]:
        """Number of the question's words that a label covers, in its best variant, and whether that is all of them."""
        best, whole = 0.0, False
        # "Net income" means the line "Net income (loss)" if no other line has that name.
        for printed, counts in _spell_variants(expand_abbreviations(label), names_total="total" in self._words):
            printed_words = _read_words(printed)
            if any(word[0].isalpha() for word in printed_words) and _is_within(printed_words, self._words):
                best = max(best, counts * len(printed_words))
                whole = whole or stems(printed) == self._stems
        return best, whole

    def _count_other_names(self, row: Header, *, is_loss: bool) -> tuple[float, bool]:
        """The same by other names of the line; a loss below zero counts as an income."""
        if not self._lines:
            return 0.0, False
        line = find_line(f"{row.label} per share" if _is_line_per_share(row) else row.label)
        name = self._lines.get(line) or (self._lines.get(_INCOMES.get(line, "")) if is_loss else None)
        if name is None:
            return 0.0, False
        left = Counter(self._stems)
        left.subtract(stems(name))
        return _BY_ANOTHER_NAME * len(_read_words(name)), len(self._lines) == 1 and not any(left[s] > 0 for s in left)


def _is_line_per_share(row: Header) -> bool:
    return any(map(_LABELS_PER_SHARE.search, row.levels[:-1]))


@lru_cache(maxsize=1024)
def find_named_lines(text: str) -> Mapping[str, str]:
    """Return the statement lines that a text names, each with its words; longer names have priority.

    >>> find_named_lines("was R&D above SG&A?")
    {'kg:research_and_development': 'r&d', 'kg:selling_general_and_administrative_expenses': 'sg&a'}
    """
    tokens = search_words(text.lower())
    spans = ((start, start + size) for size in range(_LONGEST_NAME, 0, -1) for start in range(len(tokens) - size + 1))
    found: dict[str, str] = {}
    used_places: set[int] = set()
    for start, end in spans:
        name = " ".join(tokens[start:end])
        if tokens[end - 1] in _BEGINS_A_NAME or _OF_TIME.issuperset(stems(name)):
            # "Net income and total assets" are two lines.
            continue
        if used_places.isdisjoint(range(start, end)) and (line := find_line(name)):
            used_places |= set(range(start, end))
            # A margin is an amount on some statements but usually means a ratio: the label has to match.
            if "margin" not in name:
                found.setdefault(line, name)
    return found


@lru_cache(maxsize=8192)
def find_line(label: str) -> str:
    """Return the statement line whose name is exactly this label; "" if there is none."""
    found = core_line_index().find_named(expand_abbreviations(label))
    return normalize_loss(found.property) if found is not None and found.rule == _EXACT_NAME_RULE else ""


@lru_cache(maxsize=256)
def normalize_loss(line: str) -> str:
    """Return the income line for a loss line; statements print either for the same line.

    >>> normalize_loss("kg:net_loss")
    'kg:net_income'
    """
    income = _LOSS.sub("income", line)
    return income if income in read_core_lines().lines else line


def _find_part_labels(table: Table) -> frozenset[str]:
    """Labels that several lines of a table have, below different headings."""
    below = Counter(row.label for row in {row for row in table.rows if len(row.levels) > 1})
    return frozenset(label for label, lines in below.items() if lines > 1)


def _spell_variants(label: str, *, names_total: bool) -> Iterator[tuple[str, float]]:
    """Variants of a label in questions with their weights: in full, without parentheses, without "total"."""
    yield label, 1.0
    yield _ASIDE.sub(" ", label), _WITHOUT_ASIDE
    if not names_total and (total := _TOTAL.match(label)) is not None:
        yield label[total.end() :], _WITHOUT_TOTAL


def _read_words(text: str) -> tuple[str, ...]:
    return tuple(words(text.lower()))


def _is_within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


# Lines with the same name: the line of the primary statement, for the group and as reported, is preferred.
#
# A filing prints net income in its statements, in notes, for the parent alone, for guarantors, adjusted, and in
# percent of sales. Questions for other lines than the first name them.


_OTHER_ROLE = 2.0
"""Penalty for a number that is adjusted, of another company or in percent of sales, in log-odds."""
_UNLIKE_STATEMENT = 1.5
"""Penalty for a number of another table if a primary statement has a line with that name, in log-odds."""
_NEARLY = 0.9
_OTHERS = frozenset(
    {
        TableRole.COMMON_SIZE,
        TableRole.NON_GAAP,
        TableRole.PRO_FORMA,
        TableRole.PARENT_ONLY,
        TableRole.SUBSIDIARIES,
    }
)
_ADJUSTED = lazy_regex(r"\b(?:adjusted|non-?gaap|pro[ -]?forma|underlying)\b", re.IGNORECASE)
_SHARE = lazy_regex(r"percent|%|\bshare of\b|\bmargin\b|\bratio\b|\brate\b|\bportion\b", re.IGNORECASE)


def weigh_look_alikes(
    question: Question, leaves: Sequence[CandidateNumber], shares: Floats, document: Document
) -> NDArray[np.float32]:
    """Return the penalty for numbers whose line has the same name as a likelier one, in log-odds.

    Args:
        shares: The share of the question that each number's label covers.
    """
    named = {*look_alikes_named(question.text), *((TableRole.COMMON_SIZE,) if _SHARE.search(question.text) else ())}
    asks_adjusted = _ADJUSTED.search(question.text) is not None
    penalty = np.zeros(len(leaves), np.float32)
    reported = np.zeros(len(leaves), bool)
    labels = [""] * len(leaves)
    of_table: dict[int, TableRole] = {}
    for place, leaf in enumerate(leaves):
        if not isinstance(leaf.source, CellRef):
            continue
        table = document.table(leaf.source.table)
        role = of_table.setdefault(table.index, table.role)
        row = table.rows[leaf.source.row]
        labels[place] = " ".join(words(row.label))
        adjusted = not asks_adjusted and any(map(_ADJUSTED.search, (*row.levels, row.label)))
        penalty[place] = _OTHER_ROLE * (adjusted or (role in _OTHERS and role not in named))
        reported[place] = role.is_statement and not adjusted
    statement = shares[reported]
    if not named and len(statement) and statement.max() > 0 and statement.max() >= _NEARLY * shares.max():
        named_labels = {labels[place] for place in np.flatnonzero(reported & (shares >= _NEARLY * statement.max()))} - {
            ""
        }
        alike = np.array([label in named_labels for label in labels], bool) & ~reported
        penalty += (_UNLIKE_STATEMENT * alike).astype(np.float32)
    return penalty
