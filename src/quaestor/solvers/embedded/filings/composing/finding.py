"""Finding the series of a concept, the parts that add up to a total, and schedules of payments in future years."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.core.terms import terms as terms_of
from quaestor.documents.table import TableRole
from quaestor.facts.lines import FactLine, Moment, fits_role
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import MEASURE, Concept, read_lexicon
from quaestor.questions.understanding import QuestionOperand
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, pick_cell
from quaestor.solvers.embedded.filings.composing.question import BoundOperand, BoundQuestion, softmax

# ---- Parts that add up to a total: lines, columns or headings of a table.
#
# Sums reveal groups of parts and their totals even if labels and indentation do not.


Groups = Iterator[tuple[Series, ...]]

_MOST_PARTS = 24
_FAR = 40
"""Number of lines to consider on either side of a number."""
_LEAST_DIGITS = 100
"""Smaller totals, in printed units, may match by chance."""


def find_parts(total: Series, moment: Moment, table: FactTable) -> Groups:
    """Yield groups of parts that add up to a number, in its own table and in others that print the same number."""
    amount = _find_amount(total, moment)
    if amount is None or abs(amount) < _LEAST_DIGITS * float(total.first.scale.factor):
        return
    seen: set[tuple[int, ...]] = set()
    for one in table.by_amount.get(f"{abs(amount):.9g}", ()):
        is_percent = one.first.scale is Scale.PERCENT
        if one.line.sentence or is_percent or abs(_find_amount(one, moment) or 0.0) != abs(amount):
            continue
        for row in _list_rows(one, moment, table):
            amounts = [_find_amount(series, moment) or 0.0 for series in row]
            place = row.index(one)
            for step in (-1, 1):
                for parts in _list_levels(amounts, place, step, float(one.first.scale.factor)):
                    found = [row[part] for part in sorted(parts)]
                    key = tuple(series.place for series in found)
                    if key not in seen:
                        seen.add(key)
                        yield tuple(found)


def find_totals(part: Series, moment: Moment, table: FactTable) -> Iterator[Series]:
    """Yield the totals that include a number, nearest first."""
    for row in _list_rows(part, moment, table):
        amounts = [_find_amount(series, moment) or 0.0 for series in row]
        place = row.index(part)
        others = sorted((at for at in range(len(row)) if at != place), key=lambda at: (abs(at - place), -at))
        for other in others:
            step = -1 if other > place else 1
            if abs(amounts[other]) > abs(amounts[place]) and any(
                place in parts for parts in _list_levels(amounts, other, step, float(part.first.scale.factor))
            ):
                yield row[other]


def _find_amount(series: Series, moment: Moment) -> float | None:
    """Return the amount at a time; that of a balance may be dated by the period that it ends, and vice versa."""
    cell = series.cells.get(moment)
    if cell is None:
        same_end = (at for at in series.cells if at and at.end == moment.end and 0 in (at.months, moment.months))
        cell = series.cells.get(next(same_end, moment))
    return None if cell is None else cell.amount


def _list_rows(series: Series, moment: Moment, table: FactTable) -> Iterator[list[Series]]:
    """Yield rows of numbers that may be summed with a number: in its column, under its label, and in its line."""
    line = series.line
    lines = [
        place
        for place in range(max(0, line.place - _FAR), min(len(table.lines), line.place + _FAR))
        if table.lines[place].table == line.table
    ]
    by_label = [place for place in lines if table.lines[place].label_terms == line.label_terms]
    for places in (lines, by_label):
        if len(places) > 1:
            yield [
                next((one for one in found if one is series), found[0])
                for place in places
                if (found := [one for one in _find_alike(place, moment, series, table) if one.column == series.column])
            ]
    across = [one for one in _find_alike(line.place, moment, series, table) if not one.first.change]
    if series in across and len(across) > 2:
        yield across


def _find_alike(place: int, moment: Moment, like: Series, table: FactTable) -> list[Series]:
    return [
        one
        for one in table.series_of_line.get(place, ())
        if _find_amount(one, moment) is not None and one.first.scale == like.first.scale
    ]


def _list_levels(amounts: Sequence[float], at: int, step: int, unit: float) -> Iterator[tuple[int, ...]]:
    """Yield the parts of a total: first with subtotals, then with each subtotal replaced by its parts."""
    nested: dict[int, tuple[int, ...]] = {}
    top = _add_up(amounts, at, step, unit, nested)
    if not top:
        return
    yield top
    flat = tuple(deep for part in top for deep in (nested.get(part) or (part,)))
    if flat != top:
        yield flat


def _add_up(
    amounts: Sequence[float], at: int, step: int, unit: float, known: dict[int, tuple[int, ...]]
) -> tuple[int, ...]:
    """Return the indexes on one side of a total whose amounts add up to it; empty if there are none."""
    if at in known:
        return known[at]
    known[at] = ()
    if amounts[at]:
        for jumps in (True, False):
            found: list[int] = []
            rest, place = amounts[at], at + step
            while 0 <= place < len(amounts) and len(found) < _MOST_PARTS:
                inner = _add_up(amounts, place, step, unit, known) if jumps else ()
                if abs(amounts[place]) == abs(amounts[at]):
                    break
                if amounts[place]:
                    found.append(place)
                    rest -= amounts[place]
                if len(found) > 1 and abs(rest) <= unit * (0.01 + 0.5 * (unit > 1) * (len(found) > 2)):
                    known[at] = tuple(found)
                    return known[at]
                place = (inner[-1] if inner else place) + step
    return known[at]


LIKELY = 0.3
"""Minimum probability of a series for an untagged concept."""
ALIKE = 0.6
"""Minimum similarity of a line's label and a name of a concept."""
_SAME_NAME = 0.8
"""Minimum similarity of a member's label and its name."""
_OTHER_CONCEPT, _IN_NOTE = 0.75, 0.65
"""Weights of a line that has another concept, and of a line outside the statements."""
_EMPLOYEES = f"{MEASURE}employees"
_EMPLOYS = lazy_regex(
    r"\bemploy(?:s|ed)?\b|\b(?:had|has|have)\b.{0,60}\b(?:employees|associates|team members|colleagues)\b"
)
_WE = frozenset(terms_of("we company corporation registrant"))
_COUNTED = 0.6
"""Probability that the number of employees in a sentence is the company's total."""
_RATE = lazy_regex("Rate|Percent|Yield")
_IN_BRACKETS = lazy_regex(r"\([^()]*\)")
_AFTER_NAME = lazy_regex(r"[,(:]| less | net of ")
_TOTAL = frozenset(terms_of("total net consolidated"))
DEBTS = f"{MEASURE}balance_sheet_debts"
_DEBT = lazy_regex(
    r"\b(?:debt|borrowings?|(?:notes?|loans?) payable|senior notes|commercial paper|debentures?|line of credit"
    r"|credit facility|term loans?)\b"
)
_NO_DEBT = lazy_regex(r"\b(?:securities|investments?|receivable|accounts|issuance|retirement|held)\b")
MEMBER_WORDS = frozenset(terms_of("segment segments unit units division divisions business businesses"))
"""Words that refer to a member without identifying it."""
_GENERIC = MEMBER_WORDS | frozenset(terms_of("operating reportable reporting"))
"""Words in the tags that all segments share."""
_NAMED = 0.45
"""Minimum similarity of a sibling's name and the words of a question."""
FoundSeries = tuple[Series, float]


def find_concept(concept: str, moment: Moment, question: BoundQuestion) -> FoundSeries | None:
    """Return a concept's series for the whole company with a number at a time, and its probability."""
    table = question.table
    found: list[tuple[float, Series]] = []
    for line in table.by_concept.get(concept, ()):
        for series in table.series_of_line[line.place]:
            sure = line.tagged or line.concept_share * (1.0 if line.role.is_statement else _IN_NOTE) > ALIKE
            sure = sure and (line.tagged or _fits_scale(series, concept))
            if series.concept != concept or series.members or not sure:
                continue
            if pick_cell(series, (moment,), table, strict=True) is not None:
                # Without tags, the lines of a statement that add up to a total may have its concept.
                is_total = not line.tagged and "total" in line.label_terms
                worth = 2.0 * line.role.is_statement + line.tagged - 0.3 * len(series.column) + 0.01 / (1 + line.place)
                worth += 0.2 * is_total
                found.append((worth, series))
    if found:
        return max(found, key=lambda one: one[0])[1], 0.9
    if concept.startswith(MEASURE):
        return _find_measure(concept, question)
    known = read_lexicon().concepts.get(concept)
    return _find_by_name(known, moment, table) if known is not None else None


CHANGES = frozenset(terms_of("change increase decrease movement"))
"""Terms in labels of changes."""


def names_balance(operand: QuestionOperand, table: FactTable) -> bool:
    """Return whether exactly one balance sheet line has the operand's terms, and its label consists of little else."""
    named = set(operand.terms) - CHANGES
    lines = [line for line in table.lines if line.role is TableRole.BALANCE_SHEET and named.issubset(line.label_terms)]
    return bool(named) and len(lines) == 1 and measure_likeness(named, lines[0]) > _SAME_NAME


def measure_likeness(named: AbstractSet[str], line: FactLine) -> float:
    """Return the similarity of a line's label, without explanations, and a name that it contains; else 0."""
    label = set(line.label_terms)
    if not named <= label:
        return 0.0
    head = set(terms_of(_AFTER_NAME.split(_IN_BRACKETS.sub(" ", line.label), 1)[0]))
    return 2 * len(named) / (2 * len(named) + len((head if named <= head else label) - named - _TOTAL - MEMBER_WORDS))


def _fits_scale(series: Series, concept: str) -> bool:
    return (series.first.scale is Scale.PERCENT) == bool(_RATE.search(concept))


def _find_by_name(known: Concept, moment: Moment, table: FactTable) -> FoundSeries | None:
    """Return the series with the label most similar to a concept; companies may tag it with another concept."""
    best: FoundSeries | None = None
    least = ALIKE
    for phrase in known.phrases:
        named = set(phrase)
        rarest = min(phrase, key=lambda term: len(table.postings.get(term, ())))
        for place in table.postings.get(rarest, ()):
            line = table.lines[place]
            share = measure_likeness(named, line) * fits_role(known.name, line.role)
            share *= 1.0 if line.role.is_statement else _IN_NOTE
            share *= _OTHER_CONCEPT if line.concept and line.concept != known.name else 1.0
            if share <= least:
                continue
            for series in table.series_of_line[place]:
                alone = not series.members and not series.column and not line.members
                if (
                    alone
                    and _fits_scale(series, known.name)
                    and pick_cell(series, (moment,), table, strict=True) is not None
                ):
                    best, least = (series, 0.9 * share), share
                    break
    return best


def spell_debts(moment: Moment, terms: FormulaTerms, label: str) -> str | None:
    """Return the sum of the debts on the first balance sheet with debts, or their total if it is printed."""
    table, sums = terms.table, dict[str, str]()
    first = None
    for line in table.lines:
        debt = _DEBT.search(line.label.lower()) and not _NO_DEBT.search(line.label.lower())
        if line.role is not TableRole.BALANCE_SHEET or not debt or first not in (None, line.table):
            continue
        for series in table.series_of_line[line.place]:
            if not series.column and (found := pick_cell(series, (moment,), table, strict=True)) is not None:
                first = line.table
                name = terms.add(series, *found, label=label)
                if "total" in line.label_terms:
                    return name
                sums.setdefault(name, line.label)
                break
    return f"({' + '.join(sums)})" if sums else None


def _find_measure(name: str, question: BoundQuestion) -> FoundSeries | None:
    """Return the series of a measure without a formula, found by its words."""
    if name == _EMPLOYEES and (series := _find_employees(question.table)) is not None:
        return series, _COUNTED
    known = read_lexicon().measures[name.removeprefix(MEASURE)]
    return next(((bound.series, bound.share) for bound in question.bind(read_phrase(known.phrases[0]))[:1]), None)


def _find_employees(table: FactTable) -> Series | None:
    """Return the company's number of employees: the largest one, because sentences also name parts of it."""
    own = table.company | _WE
    counts = [
        series
        for line in table.sentence_lines
        if not own.isdisjoint(line.label_terms)
        for series in table.series_of_line.get(line.place, ())
        if series.first.scale is Scale.ONE and not (series.first.unit or "").isupper() and series.first.amount >= 1
    ]
    named = [series for series in counts if _EMPLOYS.search(series.line.label.lower())]
    if not named:
        return None
    most = max(named, key=lambda series: series.first.amount)
    in_sentence = [series for series in counts if series.line.sentence == most.line.sentence]
    return max(
        in_sentence,
        key=lambda series: (max((moment.end for moment in series.cells if moment), default=(0, 0)), series is most),
    )


def find_named_member(
    concept: str, moment: Moment, question: BoundQuestion, others: Sequence[str]
) -> FoundSeries | None:
    """Return a concept's series for the member that the other words of the question name."""
    known = read_lexicon().concepts.get(concept)
    if known is None:
        return None
    table, own = question.table, frozenset(others)
    found: list[tuple[float, Series]] = []
    for series in _list_series(concept, table):
        if (
            own <= {*series.line.label_terms, *series.column, *list_member_terms(series.members)}
            and not series.line.sentence
        ):
            found.append((1.0 - 0.1 * len(series.members) - 0.1 * len(series.column), series))
    places = table.postings.get(min(own, key=lambda term: len(table.postings.get(term, ()))), ())
    lines = (table.lines[place] for place in places)
    alike = {line.label_terms: line for line in lines if measure_likeness(own, line) > _SAME_NAME and not line.concept}
    found += [(sure, series) for line in alike.values() for series, sure in _find_like(line, concept, table)]
    dated = [one for one in found if pick_cell(one[1], (moment,), table, strict=True) is not None]
    if dated:
        return max(dated, key=lambda one: one[0])[1], 0.9
    for bound in question.bind(read_phrase((*others, *known.phrases[0])))[:4]:
        names = list_series_terms(bound.series)
        is_called = bound.series.concept == concept or any(set(phrase) <= names for phrase in known.phrases[:4])
        most = sum(term in names for term in others) * 2 >= len(others)
        if is_called and most and pick_cell(bound.series, (moment,), question.table, strict=True) is not None:
            return bound.series, max(LIKELY, bound.share)
    return None


def find_for_member(concept: str, moment: Moment, question: BoundQuestion, member: Series) -> FoundSeries | None:
    """Return a concept's series for the same member as another series."""
    table, line = question.table, member.line
    called = list_member_names(member, table)
    found: list[tuple[float, Series]] = []
    for series in _list_series(concept, table):
        same_table = series.line.table == line.table
        same_column = series.column == member.column
        tagged = bool(member.members) and set(series.members) == set(member.members)
        same = tagged or (
            same_table and same_column and bool(member.column or line.path) and series.line.path == line.path
        )
        same = same or (same_table and same_column and bool(member.column))
        if not same and not series.line.sentence and not called.isdisjoint(list_member_names(series, table)):
            found.append((0.4 + 0.01 / (1 + series.line.place), series))
        if same:
            found.append((2.0 * same_table + (1.0 if tagged else 0.5) + 0.01 / (1 + series.line.place), series))
    for series, sure in _find_like(line, concept, table):
        found.append((sure + 2.0 * (series.line.table == line.table) - 0.1 * len(series.column), series))
    for tried in (found, _find_called(concept, called, line, table)):
        dated = [one for one in tried if pick_cell(one[1], (moment,), table, strict=True) is not None]
        if dated:
            return max(dated, key=lambda one: one[0])[1], 0.9
    return None


def _find_called(
    concept: str, called: AbstractSet[frozenset[str]], line: FactLine, table: FactTable
) -> Iterator[tuple[float, Series]]:
    """Yield the series of a member with labels like a concept, which companies may tag with another concept."""
    known = read_lexicon().concepts.get(concept)
    for phrase in known.phrases if known is not None else ():
        rarest = min(phrase, key=lambda term: len(table.postings.get(term, ())))
        for place in table.postings.get(rarest, ()):
            if (likeness := measure_likeness(set(phrase), table.lines[place])) <= ALIKE:
                continue
            for series in table.series_of_line[place]:
                if _fits_scale(series, concept) and not called.isdisjoint(list_member_names(series, table)):
                    yield likeness + 0.5 * (series.line.table == line.table), series


def list_member_names(series: Series, table: FactTable) -> set[frozenset[str]]:
    """Return the possible names of a series' member, as terms.

    They are its tags, column and headings and, if it is untagged, its label.
    """
    line = series.line
    names = [
        list_member_terms(series.members),
        *(list_member_terms((member,)) - _GENERIC for member in series.members),
        frozenset(series.column),
        frozenset(terms_of(line.path[-1] if line.path else "")),
        table.members_above.get(line.table, frozenset()) if not line.sentence else frozenset(),
    ]
    if not series.concept or series.members:
        names.append(frozenset(line.label_terms))
    return {name for name in names if name}


@dataclass(frozen=True, slots=True)
class Sibling:
    """Series that measures the same as another one, for another member or in another line of its table.

    Attributes:
        sure: Its certainty.
        of_member: Whether it has the concept or the label of the other series.
    """

    series: Series
    sure: float
    of_member: bool


def find_siblings(series: Series, question: BoundQuestion, own: AbstractSet[str]) -> list[Sibling]:
    """Return the siblings of a series that a question names, likeliest first.

    Args:
        own: The terms of the question that name the sibling.
    """
    table, line = question.table, series.line
    bounds = {bound.series.place: bound.share for bound in question.operands[0]}
    label, known = set(line.label_terms), list_member_names(series, table)
    places = {one.place for one in table.by_concept.get(series.concept, ())} if series.concept else set[int]()
    if label:
        places |= set(table.postings.get(min(label, key=lambda term: len(table.postings.get(term, ()))), ()))
    places |= {place for place in _list_near(line, table) if table.lines[place].table == line.table}
    found: list[Sibling] = []
    for other in (one for place in sorted(places) for one in table.series_of_line.get(place, ())):
        if other.place == series.place or other.line.sentence or other.first.change != series.first.change:
            continue
        if (other.first.scale is Scale.PERCENT) != (series.first.scale is Scale.PERCENT):
            continue
        same = set(other.line.label_terms) == label
        of_member = (bool(series.concept) and other.concept == series.concept) or same
        in_table = other.line.table == line.table
        if not of_member and not (in_table and other.column == series.column):
            continue
        names = {frozenset(other.line.label_terms)} if not same else set[frozenset[str]]()
        if of_member:
            names |= list_member_names(other, table) - known
        likeness = max((_measure_overlap(own, name - MEMBER_WORDS - table.company) for name in names), default=0.0)
        sure = max(likeness if likeness > _NAMED else 0.0, bounds.get(other.place, 0.0))
        if sure:
            extra = abs(len(other.members) - len(series.members)) + abs(len(other.column) - len(series.column))
            worth = 0.7 + 0.2 * in_table + 0.1 * (other.line.path == line.path) - 0.05 * min(extra, 4)
            found.append(Sibling(other, sure * worth, of_member))
    return sorted(found, key=lambda one: -one.sure)


def _measure_overlap(own: AbstractSet[str], name: AbstractSet[str]) -> float:
    return 2 * len(own & name) / (len(own) + len(name)) if own and name else 0.0


def _list_near(line: FactLine, table: FactTable) -> range:
    return range(max(0, line.place - _FAR), min(len(table.lines), line.place + _FAR)) if not line.sentence else range(0)


def _list_series(concept: str, table: FactTable) -> Iterator[Series]:
    for line in table.by_concept.get(concept, ()):
        yield from (series for series in table.series_of_line[line.place] if series.concept == concept)


def _find_like(member: FactLine, concept: str, table: FactTable) -> Iterator[tuple[Series, float]]:
    """Yield series of a member under a heading, or in a table, named like a concept, with a certainty."""
    label, known = member.label_terms, read_lexicon().concepts.get(concept)
    if not label or member.concept or known is None:
        return
    rarest = min(label, key=lambda term: len(table.postings.get(term, ())))
    for place in table.postings.get(rarest, ()):
        line = table.lines[place]
        if line.label_terms != label:
            continue
        headed = any(line.path_terms.issuperset(phrase) for phrase in known.phrases)
        titled = not line.path and any(line.title_terms.issuperset(phrase) for phrase in known.phrases)
        for series in table.series_of_line.get(place, ()):
            column = any(set(series.column) == set(phrase) for phrase in known.phrases)
            if column or headed or titled:
                yield series, 1.0 if column or headed else 0.3


def read_phrase(phrase: Sequence[str]) -> QuestionOperand:
    """Return an operand for terms."""
    phrase = tuple(phrase)
    return QuestionOperand(" ".join(phrase), phrase, read_lexicon().find(phrase), phrase)


def list_series_terms(series: Series) -> frozenset[str]:
    """Return the terms of the labels, the members and the table title of a series."""
    members = list_member_terms(series.members)
    line = series.line
    return frozenset((*line.label_terms, *line.path_terms, *series.column, *members, *line.title_terms))


def list_member_terms(members: Sequence[str]) -> frozenset[str]:
    """Return the terms in the names of members."""
    return frozenset(terms_of(" ".join(map(spell_member, members))))


def spell_member(member: str) -> str:
    """Return the name of a member as words: `GreaterChinaSegmentMember` is Greater China."""
    name = member.removesuffix("Member").removesuffix("Segment")
    return "".join(f" {letter}" if letter.isupper() else letter for letter in name).strip()


_DUE = lazy_regex(r"\b(?:due(?! to\b)|matur(?:e|es|ing|ity|ities)|principal|repa(?:y|id|yment)\w*|thereafter)\b")
_DUE_WORDS = frozenset(terms("due mature maturity maturities principal repay repayment come fall payment pay schedule"))
_DEBT_TERMS = frozenset(terms("debt note notes borrowing borrowings principal bond bonds debenture loan loans"))
_OTHER_PAYMENTS = frozenset(
    terms(
        "lease leases rent purchase obligation pension benefit retiree retirement plan amortization intangible "
        "interest tax commitment award compensation"
    )
)
_NOTE = frozenset(terms("note notes"))
(_REST,) = terms("thereafter")
_LEAST_YEARS = 3
_SHARPNESS = 6.0
"""Factor of the softmax that prefers better matching schedules."""
_IN_TITLE = 0.5
"""Weight of a word in the title of a table, relative to one in a line's labels."""
_TOTAL_BONUS = 0.2
"""Bonus for totals."""
_UNMIXED = 0.2
"""Bonus for schedules in tables without leases and the like, because mixed tables include interest in debts."""
_MOST_SCHEDULES, _LINES_AFTER = 3, 4


def asks_what_is_due(question: BoundQuestion) -> bool:
    """Return whether a question asks for payments that fall due in future years."""
    return bool(_DUE.search(question.text))


def read_schedules(question: BoundQuestion) -> list[BoundOperand]:
    """Return the schedules that a question may mean, likeliest first; those of debts if it names no kind of payment."""
    table = question.table
    own = {term for operand in question.reading.operands for term in operand.terms} - table.company
    schedule_terms = own - _DUE_WORDS
    if not schedule_terms and question.last is not None:
        schedule_terms = {term for series in question.last.series[:2] for term in series.line.label_terms}
    wanted = (
        _DEBT_TERMS
        if (schedule_terms | own) & _DEBT_TERMS
        else frozenset(schedule_terms & _OTHER_PAYMENTS) or _DEBT_TERMS
    )
    schedules = [series for series in table.series if len(list_future_years(series, table)) >= _LEAST_YEARS]
    mixed = {series.line.table for series in schedules if not _OTHER_PAYMENTS.isdisjoint(series.line.label_terms)}
    fits = [(_measure_fit(series, wanted, schedule_terms), series) for series in schedules]
    found = [(fit + _UNMIXED * (series.line.table not in mixed), series) for fit, series in fits if fit > 0]
    found = sorted(found, key=lambda one: -one[0])[:_MOST_SCHEDULES]
    shares = softmax([_SHARPNESS * fit for fit, _ in found])
    return [BoundOperand(series, share) for (_, series), share in zip(found, shares, strict=True)]


def list_future_years(series: Series, table: FactTable) -> Sequence[Moment]:
    """Return the years after the latest period for which a series has numbers, in order."""
    return sorted(m for m in series.cells if m is not None and m.end > table.latest.end and m.months in (0, 12))


def find_rest(series: Series, table: FactTable) -> Series | None:
    """Return the series, next to a schedule, for payments after its last year, or None."""
    own = {*series.line.label_terms, *series.line.path_terms, *series.column}
    found = [
        one
        for place in range(series.line.place, series.line.place + _LINES_AFTER)
        for one in table.series_of_line.get(place, ())
        if one.line.table == series.line.table and _REST in {*one.line.label_terms, *one.column}
    ]
    return max(found, key=lambda one: (set(one.column) <= own, len(own & set(one.column))), default=None)


def _measure_fit(series: Series, wanted: frozenset[str], schedule_terms: set[str]) -> float:
    """Return how well the labels of a schedule, and the words around it, match the requested payments."""
    line = series.line
    concept = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", series.concept.partition(":")[2])
    names = {*line.label_terms, *line.path_terms, *series.column, *terms(concept)}
    # A title that also names other payments, or only "Note 7", does not count.
    around = frozenset() if line.title_terms & _OTHER_PAYMENTS - wanted else line.title_terms - _NOTE
    if names & _OTHER_PAYMENTS - wanted or not (names | around) & wanted:
        return 0.0
    fit = sum(1.0 if term in names else _IN_TITLE * (term in line.title_terms) for term in schedule_terms) / max(
        1, len(schedule_terms)
    )
    return (1.0 if names & wanted else _IN_TITLE) + _IN_TITLE * fit + _TOTAL_BONUS * ("total" in names)
