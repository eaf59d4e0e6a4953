"""Meanings of an operand: a series, a measure by its formula, or what an earlier turn measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod

from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.facts.lines import FactLine, Moment
from quaestor.facts.table import Series
from quaestor.ontology.lexicon import PER_SHARE, Formula, LexiconMatch, NamedMeasure, read_lexicon
from quaestor.questions.answer_units import UNKNOWN
from quaestor.questions.understanding import QuestionOperand, relate_operands
from quaestor.solvers.embedded.filings.composing.finding import (
    ALIKE,
    MEMBER_WORDS,
    Sibling,
    asks_what_is_due,
    find_concept,
    find_for_member,
    find_named_member,
    find_siblings,
    list_member_names,
    list_series_terms,
    measure_likeness,
    read_schedules,
)
from quaestor.solvers.embedded.filings.composing.formulas import VARIABLE, FormulaTerms, pick_cell, spell_at
from quaestor.solvers.embedded.filings.composing.measures import FindSeries, Measure
from quaestor.solvers.embedded.filings.composing.question import BoundOperand, BoundQuestion
from quaestor.solvers.embedded.filings.composing.references import find_referred
from quaestor.solvers.embedded.filings.past import AGAIN, Node, asks_for_same, find_anchor, spell_node

_MOST = 6
_OF_COMPOUNDS = frozenset({"ratio", "versus", "difference"})
"""Relations whose operands may be sums or differences."""
_COMPOUND_SIGNS = {"sum": "+", "difference": "-"}
_MOST_PARTS, _MOST_OF_PART = 4, 2
_COMPOUND, _JOINED = 0.9, 0.5
"""Probabilities that an operand is a sum or difference: with a word for it or if its parts are concepts, and other ones
with "and".
"""
_ADDS = lazy_regex(r"\+|\b(?:plus|together|combined|altogether|sum|both|added|as well as)\b")
_COMPUTED = 0.85
"""Probability of a measure's formula if no line is named after the measure."""
_COMPUTED_WITH_PRINTED = 0.35
"""The same if a line is named after the measure."""
_COMPUTED_WITH_EXACT = 0.15
"""The same if a line with exactly that name has a number at the requested time."""
_PRINTED = 0.15
"""Minimum probability of lines that are named after a measure."""
_WITH_OTHER_CONCEPT = 0.2
"""Factor for a measure if other words of the operand name a concept."""
_OTHER_LINE = 0.2
"""Factor for other lines if the named member has a line below a heading that is named like the measure."""
_REPEATED = 0.7
"""Probability that a question without an operand refers to the last answer as a whole."""
_TOGETHER = 0.3
"""Probability that it refers to the sum of the last list."""
_NARROWED = 0.6
"""Probability that a measure refers to the member of the last answer."""

_REFERRED_TO = 0.98
"""The same if the question names the kind of member: "of that segment"."""
_SAME_AGAIN, _GOES_ON, _MAYBE_AGAIN = 0.8, 0.4, 0.1
"""Probabilities that a question repeats the last measurement for what it names: if it says so, if it refers back, and
otherwise.
"""
_MOST_AGAIN = 2
_SCHEDULED = 0.8
"""Probability that a payment due in a future year is in a schedule."""

_OF_THAT = lazy_regex(r"\b(?:that|this) (?:business|unit|segment|division|region|country|group|market|line|product)\b")
_OF_MEMBER = lazy_regex(rf"\b(?:its|it|there)\b|{_OF_THAT.pattern}")
_REFERS_BACK = lazy_regex(rf"\b(?:their|those|these|them)\b|{_OF_MEMBER.pattern}")
_NO_AMOUNT = lazy_regex("Rate|Percent|Ratio|Shares|PerShare|Number|Yield|Price")
_HOW_MANY = lazy_regex(r"\bhow many\b")
Spell = Callable[[Moment | None, FormulaTerms, str], str | None]


@dataclass(frozen=True, slots=True)
class OperandMeaning:
    """Meaning of an operand.

    Attributes:
        share: Its probability.
        spell: Returns its formula at a time (None for the latest), with a label for its numbers.
        series: The series of its numbers, if known.
        kind: `series`, `measure`, `before`, `part`.
        is_ratio: Whether its formula is a quotient.
    """

    share: float
    spell: Spell
    series: tuple[Series, ...]
    kind: str = "series"
    is_ratio: bool = False

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The times at which its first series has numbers."""
        return tuple(moment for moment in self.series[0].cells if moment is not None) if self.series else ()

    @property
    def percent(self) -> bool:
        """Whether its numbers are printed as percentages."""
        return bool(self.series) and self.kind == "series" and self.series[0].first.scale is Scale.PERCENT


def build_meaning(series: Series, share: float, kind: str = "series") -> OperandMeaning:
    """Return the meaning of a single series."""

    def spell(moment: Moment | None, terms: FormulaTerms, label: str) -> str | None:
        return spell_at(series, moment, terms, label)

    return OperandMeaning(share, spell, (series,), kind)


def read_meanings(question: BoundQuestion, place: int = 0, *, part: bool = False) -> list[OperandMeaning]:
    """Return the meanings of an operand, likeliest first; if it names nothing, those of the previous turn.

    Args:
        part: Whether the numerator of an earlier unnamed ratio is likelier than the ratio.
    """
    operands = question.reading.operands
    if place >= len(operands):
        return []
    if not question.names(place):
        found = list(_read_last_measured(question, place, part=part))
        bound = [build_meaning(bound.series, bound.share) for bound in question.operands[place][:_MOST]]
        if _HOW_MANY.search(question.text) and found and not _is_count(found[0].series):
            # "how many shares was that?" asks for something other than the last amount.
            return [one for one in bound if _is_count(one.series)] or found
        if not found or question.looks_ahead:
            return [*_read_due(question), *found, *bound]
        return [*_read_columns(question, place), *found]
    named = _read_operand_meanings(question, operands[place], question.operands[place])
    if question.reading.relation in _OF_COMPOUNDS and (compounds := list(_read_compounds(question, operands[place]))):
        whole = 1 - max(one.share for one in compounds)
        named = sorted(
            [*compounds, *(replace(one, share=one.share * whole) for one in named)], key=lambda one: -one.share
        )
    if place == 0 and (again := read_repeated(question)):
        rest = 1 - sum(one.share for one in again)
        named = sorted([*again, *(replace(one, share=one.share * rest) for one in named)], key=lambda one: -one.share)
    return [*_read_due(question), *named]


def _read_columns(question: BoundQuestion, place: int) -> list[OperandMeaning]:
    """Return the other numbers in the line of the last answer, if a question has words for one: "at what rate?"."""
    last = question.last.series if question.last is not None else ()
    if not last or last[0].line.sentence or len(question.reading.operands) > 1:
        return []
    known, own = {series.place for series in last}, set(question.reading.operands[place].phrase)
    return [
        build_meaning(one.series, one.share)
        for one in question.operands[place]
        if one.series.line.place == last[0].line.place
        and one.series.place not in known
        and not own.isdisjoint(one.series.column)
    ]


def read_repeated(question: BoundQuestion) -> list[OperandMeaning]:
    """Return the last measurement with the member or the line that a question names instead: "same for Europe"."""
    last, operands = question.last, question.reading.operands
    first = next((leaf.series for leaf in last.measured[0].leaves()), None) if last is not None else None
    if last is None or first is None or first.line.sentence or len(operands) > 1 or not question.names(0):
        return []
    repeats = _SAME_AGAIN if asks_for_same(question.text) else _GOES_ON if question.reading.goes_on else _MAYBE_AGAIN
    own = set(operands[0].terms) - AGAIN - question.table.company
    node = last.measured[0]
    swaps = [
        (sibling.sure, swapped)
        for sibling in find_siblings(first, question, own)[:_MOST_AGAIN]
        if _is_printed(question, sibling.series) and (swapped := _swap_series(node, sibling, question, own)) is not None
    ]
    total = sum(sure for sure, _ in swaps)
    return [
        replace(
            repeat_node(node, repeats * swaps[0][0] * sure / total, partial(_replace_series, swapped)),
            is_ratio=node.kind == "divide",
        )
        for sure, swapped in swaps
    ]


def _replace_series(swapped: Mapping[int, Series], series: Series) -> Series:
    return swapped.get(series.place, series)


def _swap_series(
    node: Node, sibling: Sibling, question: BoundQuestion, own: AbstractSet[str]
) -> Mapping[int, Series] | None:
    """Return the replacements of the series of a formula, by place, if its first one is replaced by a sibling.

    Series of the same member change with it; totals stay.
    """
    table, (first, *others) = question.table, [leaf.series for leaf in node.leaves() if leaf.series is not None]
    names = list_member_names(first, table) | ({frozenset(first.line.label_terms)} - {frozenset()})
    swapped = {first.place: sibling.series}
    for other in others:
        if other.place in swapped:
            continue
        shared = names & (list_member_names(other, table) | {frozenset(other.line.label_terms)})
        whole = sibling.of_member and not has_member(first)
        if not shared and not whole:
            continue
        like = list_member_names(sibling.series, table) | {frozenset(sibling.series.line.label_terms)}
        found = [
            one.series
            for one in find_siblings(other, question, own)
            if like & (list_member_names(one.series, table) | {frozenset(one.series.line.label_terms)})
        ]
        if not found:
            return None
        swapped[other.place] = found[0]
    return swapped if len({one.place for one in swapped.values()}) == len(swapped) else None


def _read_compounds(question: BoundQuestion, operand: QuestionOperand) -> Iterator[OperandMeaning]:
    """Yield the sums, or differences, that one operand of a question names: "more than R&D and G&A together"."""
    relation, parts = relate_operands(operand.text)
    if relation not in _COMPOUND_SIGNS or not 1 < len(parts) <= _MOST_PARTS:
        return
    stated = relation == "difference" or _ADDS.search(operand.text) is not None
    likely = _COMPOUND if stated or all(part.is_concept for part in parts) else _JOINED
    meanings = [
        _read_operand_meanings(question, part, question.bind(part))[:_MOST_OF_PART]
        if part.terms
        else list(_read_last_measured(question, part=False))[:1]
        for part in parts
    ]
    for chosen in product(*meanings):
        yield OperandMeaning(
            likely * prod(one.share for one in chosen),
            partial(_spell_compound, chosen, _COMPOUND_SIGNS[relation]),
            tuple(series for one in chosen for series in one.series),
            "measure",
        )


def _spell_compound(
    parts: Sequence[OperandMeaning], sign: str, moment: Moment | None, terms: FormulaTerms, label: str
) -> str | None:
    """Return the formula of the sum or difference of some meanings, or None if they are not distinct."""
    texts = [part.spell(moment, terms, label) for part in parts]
    names = [name for text in texts if text is not None for name in VARIABLE.findall(text)]
    if None in texts or len(set(names)) < len(names):
        return None
    return f"({f' {sign} '.join(map(str, texts))})"


def _read_due(question: BoundQuestion) -> list[OperandMeaning]:
    """Return schedules of payments due at future times."""
    if not (question.looks_ahead and asks_what_is_due(question)):
        return []
    return [build_meaning(bound.series, _SCHEDULED * bound.share) for bound in read_schedules(question)]


def _is_count(series: Sequence[Series]) -> bool:
    """Return whether numbers are counts, instead of money or percentages."""
    if not series:
        return False
    kind = series[0].kind
    return kind == "count" or (kind == UNKNOWN and not series[0].line.role.is_statement)


def read_whole_meanings(question: BoundQuestion) -> list[OperandMeaning]:
    """Return the meanings of all words of a question as one name: "sales and marketing expense"."""
    whole = question.reading.whole
    if not question.reading.relation or not whole.terms:
        return read_meanings(question)
    if question.reading.relation == "difference" and not question.names(0) and question.last is not None:
        return []  # "net of cash?" subtracts cash from the last answer; it does not mean net cash
    return [*_read_due(question), *_read_operand_meanings(question, whole, question.bind(whole))]


def _read_operand_meanings(
    question: BoundQuestion, operand: QuestionOperand, bounds: Sequence[BoundOperand]
) -> list[OperandMeaning]:
    """Return the meanings of an operand that names something, likeliest first: series and measures."""
    found = [build_meaning(bound.series, bound.share) for bound in bounds[:_MOST]]
    for match in operand.matches:
        for known in _list_measures(question, match):
            if known.formula is not None:
                found = _add_measure(question, operand, match, known, found)
        if operand.phrase[match.end : match.end + 2] == PER_SHARE:
            whole = replace(match, end=match.end + 2)
            for concept in (one for one in match.concepts[:2] if _is_amount(one)):
                found = _add_measure(question, operand, whole, read_lexicon().concepts[concept].per_share(), found)
    found = [narrowed for one in found for narrowed in _narrow(question, one)]
    return sorted(found, key=lambda one: -one.share)


def _is_amount(concept: str) -> bool:
    """Return whether a concept is an amount, instead of a rate, a count or an amount per share."""
    return concept in read_lexicon().concepts and not _NO_AMOUNT.search(concept)


def _list_measures(question: BoundQuestion, match: LexiconMatch) -> Iterator[NamedMeasure]:
    """Yield the measures that a phrase names, and those that compute concepts missing from the filing."""
    lexicon, moment = read_lexicon(), question.first_wanted
    yield from (lexicon.measures[name] for name in match.measures[:2])
    for concept in match.concepts:
        if concept in lexicon.computed and find_concept(concept, moment, question) is None:
            yield lexicon.measures[lexicon.computed[concept]]


def _narrow(question: BoundQuestion, meaning: OperandMeaning) -> Iterator[OperandMeaning]:
    """Yield a meaning and, if the question is about a member ("its sales", "sales there"), that of the member."""
    member = _find_member_before(question) if _OF_MEMBER.search(question.text) else None
    concept = meaning.series[0].concept if meaning.kind == "series" else ""
    moment = question.first_wanted
    found = find_for_member(concept, moment, question, member) if member is not None and concept else None
    if found is None or found[0].place == meaning.series[0].place:
        yield meaning
        return
    narrowed = _REFERRED_TO if _OF_THAT.search(question.text) else _NARROWED
    yield build_meaning(found[0], meaning.share * narrowed)
    yield replace(meaning, share=meaning.share * (1 - narrowed))


def _add_measure(
    question: BoundQuestion,
    operand: QuestionOperand,
    match: LexiconMatch,
    known: NamedMeasure,
    found: Sequence[OperandMeaning],
) -> list[OperandMeaning]:
    """Add a named measure to the meanings of an operand, and lower those of lines with other names."""
    formula = known.formula
    assert formula is not None
    within = set(formula.concepts())
    # "operating margin on net sales" names an input of the formula, not a member.
    parts_named = [one for one in operand.matches if one is match or not within.isdisjoint(one.concepts)]
    named_terms = {term for one in parts_named for term in operand.phrase[one.start : one.end]}
    phrase = set(operand.phrase[match.start : match.end])
    others = tuple(
        term for term in operand.terms if term not in named_terms | MEMBER_WORDS and term not in question.table.company
    )
    # If the operand has more words, a line with another name may measure something narrower.
    names = [phrase] if others else [phrase, *map(set, known.phrases)]
    member = None if others else _find_member_before(question)
    is_ratio, is_amount = formula.kind == "/", "/" not in formula.kinds()
    parts = FormulaTerms(question.table)
    if not is_ratio:
        Measure(question, formula, partial(find_concept, question=question)).spell(None, parts, "")
    summed = {series.place for series in parts.series} if len(parts.series) > 1 else set[int]()
    named: list[OperandMeaning] = []
    rest: list[OperandMeaning] = []
    exact = False
    lines = {one.series[0].line.place: one.series[0].line for one in found if one.kind == "series"}
    below = {place for place, line in lines.items() if _is_below(phrase, others, line)}
    for one in found:
        if one.kind != "series":
            rest.append(one)
            continue
        line = one.series[0].line
        column = set(one.series[0].column)
        alike = max((measure_likeness(name - column, line) for name in names if name - column), default=0.0)
        if below:
            alike = float(line.place in below)
        elif line.sentence and phrase <= {*line.label_terms}:
            alike = 1.0
        # A percentage is not an amount, and one addend is not the sum.
        fits = alike > ALIKE and one.series[0].place not in summed
        fits = fits and not (is_amount and one.series[0].first.scale is Scale.PERCENT)
        if fits and _may_belong_to(one.series[0], others, member):
            # Extra words in a label suggest something narrower.
            named.append(replace(one, share=one.share * alike**2))
            exact |= alike == 1 and not line.sentence and _is_printed(question, one.series[0])
        else:
            rest.append(one)
    printed = sum(one.share for one in named)
    computed = _COMPUTED_WITH_PRINTED if printed > _PRINTED else _COMPUTED
    if exact and (below or printed > _PRINTED):
        computed = _COMPUTED_WITH_EXACT
    if any(other is not match and other.concepts and within.isdisjoint(other.concepts) for other in operand.matches):
        computed *= _WITH_OTHER_CONCEPT
    elif printed:
        named = [replace(one, share=one.share / printed * (1 - computed)) for one in named]
    return [
        *named,
        *(replace(one, share=one.share * (_OTHER_LINE if below else 1 - computed)) for one in rest),
        *(replace(one, is_ratio=is_ratio) for one in _build_measures(question, formula, others, computed)),
    ]


def _is_below(phrase: AbstractSet[str], member: Sequence[str], line: FactLine) -> bool:
    """Return whether a line is named like the named member, below a heading that is named like a measure."""
    heading = replace(line, label=line.path[-1]) if line.path and member else None
    return heading is not None and min(measure_likeness({*member}, line), measure_likeness(phrase, heading)) > ALIKE


def _is_printed(question: BoundQuestion, series: Series) -> bool:
    """Return whether a series has a number at the requested time."""
    return pick_cell(series, question.moments[:1], question.table, strict=bool(question.moments)) is not None


def _find_member_before(question: BoundQuestion) -> Series | None:
    """Return the series of the last answer if it belongs to a member and the question builds on it."""
    last = question.last.series[0] if question.last is not None and question.last.series else None
    goes_on = question.reading.goes_on or not question.names(0)
    return last if last is not None and goes_on and has_member(last) else None


def refers_back(question: BoundQuestion) -> bool:
    """Return whether a question refers to something before it: "its", "of those"."""
    return _REFERS_BACK.search(question.text) is not None


def read_member_meant(question: BoundQuestion) -> AbstractSet[frozenset[str]]:
    """Return the names, as terms, of the member that a question refers to ("that segment"); empty if there is none."""
    member = _find_member_before(question) if _OF_THAT.search(question.text) else None
    return list_member_names(member, question.table) if member is not None else frozenset()


def has_member(series: Series) -> bool:
    """Return whether a series measures a part of the company."""
    # A line without a concept may be named after its member; headings of statements are not members.
    headed = series.line.path and not series.line.role.is_statement
    return bool(series.members or series.column or headed or not series.concept) and not series.line.sentence


def _may_belong_to(series: Series, others: Sequence[str], member: Series | None) -> bool:
    """Return whether a series may belong to the member named by terms, or to that of another series."""
    if member is not None and member.members:
        return series.members == member.members
    return not others or not list_series_terms(series).isdisjoint(others)


def repeat_for_member(question: BoundQuestion, node: Node, member: Series) -> OperandMeaning:
    """Return an earlier measurement, repeated for the member of a series."""
    moment = question.first_wanted

    def find_own(series: Series) -> Series | None:
        if series.place == member.place:
            return series
        found = find_for_member(series.concept, moment, question, member) if series.concept else None
        return None if found is None else found[0]

    return repeat_node(node, 1.0, find_own)


def read_ratio(operand: QuestionOperand) -> Formula | None:
    """Return the formula of the measure that an operand names if it is a ratio, else None."""
    formulas = [read_lexicon().measures[name].formula for name in operand.measures[:1]]
    return formulas[0] if formulas and formulas[0] is not None and formulas[0].kind == "/" else None


def measure_for_member(question: BoundQuestion, formula: Formula, member: Series) -> OperandMeaning:
    """Return a measure for the member of a series."""
    find = partial(find_for_member, question=question, member=member)
    return OperandMeaning(1.0, Measure(question, formula, find).spell, (), "measure", is_ratio=True)


def divide_for_member(question: BoundQuestion, node: Node, wholes: Sequence[str], member: Series) -> OperandMeaning:
    """Return an earlier measurement for a member, divided by the first of `wholes` that the member has."""
    own = question.last is not None and any(series.place == member.place for series in question.last.series)
    one = build_meaning(member, 1.0) if own else repeat_for_member(question, node, member)

    def spell(moment: Moment | None, terms: FormulaTerms, label: str) -> str | None:
        at = moment or question.first_wanted
        whole = next((found[0] for name in wholes if (found := find_for_member(name, at, question, member))), None)
        if whole is None or whole.place == member.place:
            return None
        first, second = one.spell(moment, terms, label), spell_at(whole, at, terms, label)
        return f"({first} / {second})" if first and second else None

    return OperandMeaning(1.0, spell, (), "measure", is_ratio=True)


def _build_measures(
    question: BoundQuestion, formula: Formula, others: Sequence[str], share: float
) -> Iterator[OperandMeaning]:
    """Yield a measure for the whole company, for the named member, or for that of the last answer."""

    def build(share: float, find: FindSeries, *, narrowed: bool = False) -> OperandMeaning:
        return OperandMeaning(share, Measure(question, formula, find, narrowed).spell, (), "measure")

    whole = partial(find_concept, question=question)
    last = question.last.series if question.last is not None else ()
    if others:
        yield build(share * 0.8, partial(find_named_member, question=question, others=others), narrowed=True)
        yield build(share * 0.25 / len(others), whole)
        return
    if (member := _find_member_before(question)) is not None:
        of_member = _REFERRED_TO if _OF_THAT.search(question.text) else _NARROWED
    elif last and last[0].members:
        member, of_member = last[0], 0.5
    else:
        yield build(share, whole)
        return
    yield build(share * of_member, partial(find_for_member, question=question, member=member))
    yield build(share * (1 - of_member), whole)


def _read_last_measured(question: BoundQuestion, place: int = 0, *, part: bool) -> Iterator[OperandMeaning]:
    """Yield the earlier measurement that an operand refers to, else the last one, as a whole and in parts."""
    last = question.last
    if last is None:
        return
    referred = find_referred(question, place)
    node = referred or last.measured[0]
    if referred is not None and node.kind != "divide":
        yield repeat_node(referred, _REPEATED)
    elif node.series is None:
        if part and node.kind == "divide" and not last.is_measure:
            yield repeat_node(node.parts[0], _REPEATED)
            yield repeat_node(node, 1 - _REPEATED)
            return
        yield repeat_node(node, _REPEATED)
        for rank, series in enumerate(last.series[:3]):
            yield build_meaning(series, (1 - _REPEATED) / (rank + 1.5), "part")
    else:
        for rank, series in enumerate(last.series[:3]):
            yield build_meaning(series, _REPEATED / (rank + 1), "before")
        if last.form == "members" and len(last.measured) > 1:
            yield repeat_node(Node("sum", parts=last.measured), _TOGETHER)


def repeat_node(node: Node, share: float, series_of: Callable[[Series], Series | None] | None = None) -> OperandMeaning:
    """Return the meaning that repeats an earlier measurement, at another time or with other series.

    Args:
        share: Its probability.
        series_of: Returns the replacement of a series.
    """
    anchor = find_anchor(node)
    leaves = list(node.leaves())
    swapped: Mapping[int, Series | None] = {
        id(leaf): leaf.series if series_of is None or leaf.series is None else series_of(leaf.series) for leaf in leaves
    }

    def spell(moment: Moment | None, terms: FormulaTerms, label: str) -> str | None:
        names: dict[int, str] = {}
        for leaf in leaves:
            series = swapped[id(leaf)]
            at = leaf.moment if moment is None else _shift_moment(leaf.moment, anchor, moment)
            name = None if series is None else spell_at(series, at, terms, label)
            if name is None:
                return None
            names[id(leaf)] = name
        return spell_node(node, names)

    return OperandMeaning(share, spell, tuple(series for series in swapped.values() if series is not None), "before")


def _shift_moment(moment: Moment | None, anchor: Moment | None, wanted: Moment) -> Moment:
    """Return the time of a number if the anchor moves, keeping its distance from the anchor."""
    if moment is None or anchor is None:
        return wanted
    back = 4 * (anchor.year - moment.year) + anchor.quarter - moment.quarter
    return replace(wanted.before(quarters=back), months=moment.months and (wanted.months or anchor.months))


def find_bounds(question: BoundQuestion, place: int = 0) -> Sequence[BoundOperand]:
    """Return the series that an operand may mean; if it names nothing, those of the last answer."""
    if question.names(place):
        return question.operands[place]
    if question.last is not None:
        return [BoundOperand(series, _REPEATED / (rank + 1)) for rank, series in enumerate(question.last.series[:2])]
    return question.operands[place] if place < len(question.operands) else ()
