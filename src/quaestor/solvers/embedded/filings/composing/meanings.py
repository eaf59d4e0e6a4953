"""The meanings of an operand: a series, a measure by its formula, or what an earlier turn measured, at any time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.facts.lines import FactLine, Moment
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import MEASURE, PER_SHARE, Formula, LexiconMatch, NamedMeasure, read_lexicon
from quaestor.questions.answer_units import UNKNOWN, kind_of_number
from quaestor.questions.understanding import QuestionOperand
from quaestor.solvers.embedded.filings.composing.finding import (
    ALIKE,
    DEBTS,
    LIKELY,
    MEMBER_WORDS,
    Found,
    find_concept,
    find_for_member,
    find_named_member,
    list_member_names,
    list_series_terms,
    measure_likeness,
    spell_debts,
)
from quaestor.solvers.embedded.filings.composing.question import (
    Bound,
    BoundQuestion,
    FormulaTerms,
    asks_what_is_due,
    log_share,
    pick_cell,
    read_schedules,
    spell_at,
)
from quaestor.solvers.embedded.filings.past import Node, find_anchor, is_printed_twice, spell_node

_MOST = 6
_COMPUTED = 0.85
"""The probability of the formula of a measure that no line of the filing is called after."""
_COMPUTED_WITH_PRINTED = 0.35
"""Likewise if a line is called after it."""
_COMPUTED_WITH_EXACT = 0.15
"""Likewise if that is all it is called and it has a number at the time asked for."""
_PRINTED = 0.15
"""How likely a line has to be that is called after a measure."""
_WITH_OTHER_CONCEPT = 0.2
"""How much less likely a measure is if other words of the operand name a concept."""
_OF_WHOLE = 0.2
"""Likewise another line, if one of the member that is named is printed below a heading called like the measure."""
_AGAIN = 0.7
"""The probability that a question without words of its own goes on from the last answer as a whole."""
_QUARTER = 3
_DAYS, _MONTHS = "365", 12
"""Those of a year; a formula that measures days takes as many as the period has."""
_NARROWED = 0.6
"""The probability that a measure is narrowed to the member that was talked about."""

_NAMED_AGAIN = 0.98
"""Likewise if the question points back to it by what it is: "of that segment"."""
_SCHEDULED = 0.8
"""The probability that what falls due in a year to come is in a schedule."""

_AVERAGED = lazy_regex(r"\b(?:average|avg|mean)\b")
_OF_THAT = lazy_regex(r"\b(?:that|this) (?:business|unit|segment|division|region|country|group|market|line|product)\b")
_OF_MEMBER = lazy_regex(rf"\b(?:its|it|there)\b|{_OF_THAT.pattern}")
_BOTH_TOGETHER = lazy_regex(
    r"\b(?:both|(?:the|those|these) two)(?: of (?:them|these|those))? (?:together|combined|added up|in sum|in total)\b"
)
_NO_AMOUNT = lazy_regex("Rate|Percent|Ratio|Shares|PerShare|Number|Yield|Price")
_HOW_MANY = lazy_regex(r"\bhow many\b")
Spell = Callable[[Moment | None, FormulaTerms, str], str | None]


@dataclass(frozen=True, slots=True)
class OperandMeaning:
    """A meaning of an operand.

    Attributes:
        share: Its probability.
        spell: Returns its formula at a time (None for the latest), with a label for its numbers.
        series: The series of its numbers, if known.
        kind: `series`, `measure`, `before`, `part`.
        is_ratio: Whether it is a quotient by its formula.
    """

    share: float
    spell: Spell
    series: tuple[Series, ...]
    kind: str = "series"
    is_ratio: bool = False

    @property
    def moments(self) -> tuple[Moment, ...]:
        """When its first series has numbers."""
        return tuple(moment for moment in self.series[0].cells if moment is not None) if self.series else ()

    @property
    def percent(self) -> bool:
        """Whether its numbers are printed as percentages."""
        return bool(self.series) and self.kind == "series" and self.series[0].first.scale is Scale.PERCENT


def build_meaning(series: Series, share: float, kind: str = "series") -> OperandMeaning:
    """Return a series as a meaning."""

    def spell(moment: Moment | None, terms: FormulaTerms, label: str) -> str | None:
        return spell_at(series, moment, terms, label)

    return OperandMeaning(share, spell, (series,), kind)


def read_meanings(question: BoundQuestion, place: int = 0, *, part: bool = False) -> list[OperandMeaning]:
    """Return the meanings of an operand, the likeliest first; without words of its own, those of the turn before.

    Args:
        part: Whether the numerator of an earlier ratio without a name is likelier than the ratio.
    """
    operands = question.reading.operands
    if place >= len(operands):
        return []
    if not question.names(place):
        found = list(_read_last_measured(question, part=part))
        bound = [build_meaning(bound.series, bound.share) for bound in question.operands[place][:_MOST]]
        if _HOW_MANY.search(question.text) and found and not _is_count(found[0].series):
            # "how many shares was that?" asks for something beside the amount that was talked about.
            return [one for one in bound if _is_count(one.series)] or found
        return [*_read_due(question), *found, *bound] if not found or question.looks_ahead else found
    return [*_read_due(question), *read_operand_meanings(question, operands[place], question.operands[place])]


def _read_due(question: BoundQuestion) -> list[OperandMeaning]:
    """Return the schedules of what falls due at a time to come."""
    if not (question.looks_ahead and asks_what_is_due(question)):
        return []
    return [build_meaning(bound.series, _SCHEDULED * bound.share) for bound in read_schedules(question)]


def _is_count(series: Sequence[Series]) -> bool:
    """Return whether numbers count things: they are neither money nor percentages."""
    if not series:
        return False
    first, line = series[0].first, series[0].line
    kind = kind_of_number(first.amount, first.scale, first.unit, in_table=not line.sentence)
    return kind == "count" or (kind == UNKNOWN and not line.role.is_statement)


def read_whole_meanings(question: BoundQuestion) -> list[OperandMeaning]:
    """Return the meanings of all words of a question as one name: "sales and marketing expense"."""
    whole = question.reading.whole
    if not question.reading.relation or not whole.terms:
        return read_meanings(question)
    if question.reading.relation == "difference" and not question.names(0) and question.last is not None:
        return []  # "net of cash?" is taken off what was talked about, and no net cash
    return [*_read_due(question), *read_operand_meanings(question, whole, question.bind(whole))]


def read_operand_meanings(
    question: BoundQuestion, operand: QuestionOperand, bounds: Sequence[Bound]
) -> list[OperandMeaning]:
    """Return the meanings of an operand with words of its own, the likeliest first: series and named measures."""
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
    """Return whether a concept is an amount of the company, and no rate, count or amount per share."""
    return concept in read_lexicon().concepts and not _NO_AMOUNT.search(concept)


def _list_measures(question: BoundQuestion, match: LexiconMatch) -> Iterator[NamedMeasure]:
    """Yield the measures that a phrase names, and those by which concepts are computed that the filing has not."""
    lexicon, moment = read_lexicon(), (*question.wanted, question.table.latest)[0]
    yield from (lexicon.measures[name] for name in match.measures[:2])
    for concept in match.concepts:
        if concept in lexicon.computed and find_concept(concept, moment, question) is None:
            yield lexicon.measures[lexicon.computed[concept]]


def _narrow(question: BoundQuestion, meaning: OperandMeaning) -> Iterator[OperandMeaning]:
    """Yield something meant, and if the question is about a member ("its sales", "sales there") that of the member."""
    member = _find_member_before(question) if _OF_MEMBER.search(question.text) else None
    concept = meaning.series[0].concept if meaning.kind == "series" else ""
    moment = (*question.wanted, question.table.latest)[0]
    found = find_for_member(concept, moment, question, member) if member is not None and concept else None
    if found is None or found[0].place == meaning.series[0].place:
        yield meaning
        return
    narrowed = _NAMED_AGAIN if _OF_THAT.search(question.text) else _NARROWED
    yield build_meaning(found[0], meaning.share * narrowed)
    yield replace(meaning, share=meaning.share * (1 - narrowed))


def _add_measure(
    question: BoundQuestion,
    operand: QuestionOperand,
    match: LexiconMatch,
    known: NamedMeasure,
    found: Sequence[OperandMeaning],
) -> list[OperandMeaning]:
    """Return what an operand may mean with a measure that it names: lines that are called otherwise are unlikely."""
    formula = known.formula
    assert formula is not None
    within = set(formula.concepts())
    # "operating margin on net sales" names a part of the formula, and no member.
    parts_named = [one for one in operand.matches if one is match or not within.isdisjoint(one.concepts)]
    named_terms = {term for one in parts_named for term in operand.phrase[one.start : one.end]}
    phrase = set(operand.phrase[match.start : match.end])
    others = tuple(
        term for term in operand.terms if term not in named_terms | MEMBER_WORDS and term not in question.table.company
    )
    # With words beside the measure's, a line that is called otherwise may be of something narrower.
    names = [phrase] if others else [phrase, *map(set, known.phrases)]
    member = None if others else _find_member_before(question)
    is_ratio, is_amount = formula.kind == "/", "/" not in formula.kinds()
    parts = FormulaTerms(question.table)
    if not is_ratio:
        _Measure(question, formula, partial(find_concept, question=question))(None, parts, "")
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
        # A percentage is not an amount, and a part of a sum is not the sum.
        fits = alike > ALIKE and one.series[0].place not in summed
        fits = fits and not (is_amount and one.series[0].first.scale is Scale.PERCENT)
        if fits and _is_of(one.series[0], others, member):
            # A name with more words in it is that of something narrower.
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
        *(replace(one, share=one.share * (_OF_WHOLE if below else 1 - computed)) for one in rest),
        *(replace(one, is_ratio=is_ratio) for one in _build_measures(question, formula, others, computed)),
    ]


def _is_below(phrase: AbstractSet[str], member: Sequence[str], line: FactLine) -> bool:
    """Return whether a line is called like a member that is named, below a heading that is called like a measure."""
    heading = replace(line, label=line.path[-1]) if line.path and member else None
    return heading is not None and min(measure_likeness({*member}, line), measure_likeness(phrase, heading)) > ALIKE


def _is_printed(question: BoundQuestion, series: Series) -> bool:
    """Return whether a series has a number at the time that is asked for."""
    return pick_cell(series, question.moments[:1], question.table, strict=bool(question.moments)) is not None


def _find_member_before(question: BoundQuestion) -> Series | None:
    """Return what the last answer was read from, if it is of a member and the question goes on from it."""
    last = question.last.series[0] if question.last is not None and question.last.series else None
    goes_on = question.reading.goes_on or not question.names(0)
    return last if last is not None and goes_on and has_member(last) else None


def read_member_meant(question: BoundQuestion) -> AbstractSet[frozenset[str]]:
    """Return the names, as terms, of the member that a question points back to ("that segment"); empty if to none."""
    member = _find_member_before(question) if _OF_THAT.search(question.text) else None
    return {name for name in list_member_names(member) if name} if member is not None else frozenset()


def has_member(series: Series) -> bool:
    """Return whether a series is of a part of the company."""
    # A line that is called like no concept may be called after its member; a heading of a statement is none.
    headed = series.line.path and not series.line.role.is_statement
    return bool(series.members or series.column or headed or not series.concept) and not series.line.sentence


def _is_of(series: Series, others: Sequence[str], member: Series | None) -> bool:
    """Return whether a series may be of the member that terms name, or of the one of another series."""
    if member is not None and member.members:
        return series.members == member.members
    return not others or not list_series_terms(series).isdisjoint(others)


def repeat_for_member(question: BoundQuestion, node: Node, member: Series) -> OperandMeaning:
    """Return what was measured before of the member that a series is of."""
    moment = (*question.wanted, question.table.latest)[0]

    def find_own(series: Series) -> Series | None:
        if series.place == member.place:
            return series
        found = find_for_member(series.concept, moment, question, member) if series.concept else None
        return None if found is None else found[0]

    return repeat_node(node, 1.0, find_own)


def read_ratio(operand: QuestionOperand) -> Formula | None:
    """Return the formula of the measure that an operand names, if that is a ratio."""
    formulas = [read_lexicon().measures[name].formula for name in operand.measures[:1]]
    return formulas[0] if formulas and formulas[0] is not None and formulas[0].kind == "/" else None


def measure_for_member(question: BoundQuestion, formula: Formula, member: Series) -> OperandMeaning:
    """Return a measure of the member that a series is of."""
    find = partial(find_for_member, question=question, member=member)
    return OperandMeaning(1.0, _Measure(question, formula, find), (), "measure", is_ratio=True)


def divide_for_member(question: BoundQuestion, node: Node, wholes: Sequence[str], member: Series) -> OperandMeaning:
    """Return what was measured before of the member that a series is of, by the first concept that it has too."""
    own = question.last is not None and any(series.place == member.place for series in question.last.series)
    one = build_meaning(member, 1.0) if own else repeat_for_member(question, node, member)

    def spell(moment: Moment | None, terms: FormulaTerms, label: str) -> str | None:
        at = moment or (*question.wanted, question.table.latest)[0]
        whole = next((found[0] for name in wholes if (found := find_for_member(name, at, question, member))), None)
        if whole is None or whole.place == member.place:
            return None
        first, second = one.spell(moment, terms, label), spell_at(whole, at, terms, label)
        return f"({first} / {second})" if first and second else None

    return OperandMeaning(1.0, spell, (), "measure", is_ratio=True)


def _build_measures(
    question: BoundQuestion, formula: Formula, others: Sequence[str], share: float
) -> Iterator[OperandMeaning]:
    """Yield a measure of the whole company, of the member that is named, or of the one that was talked about."""
    whole = _Measure(question, formula, partial(find_concept, question=question))
    last = question.last.series if question.last is not None else ()
    if others:
        yield OperandMeaning(
            share * 0.8,
            _Measure(question, formula, partial(find_named_member, question=question, others=others), True),
            (),
            "measure",
        )
        yield OperandMeaning(share * 0.25 / len(others), whole, (), "measure")
    elif (member := _find_member_before(question)) is not None:
        find = partial(find_for_member, question=question, member=member)
        narrowed = _NAMED_AGAIN if _OF_THAT.search(question.text) else _NARROWED
        yield OperandMeaning(share * narrowed, _Measure(question, formula, find), (), "measure")
        yield OperandMeaning(share * (1 - narrowed), whole, (), "measure")
    elif last and last[0].members:
        find = partial(find_for_member, question=question, member=last[0])
        yield OperandMeaning(share * 0.5, _Measure(question, formula, find), (), "measure")
        yield OperandMeaning(share * 0.5, whole, (), "measure")
    else:
        yield OperandMeaning(share, whole, (), "measure")


@dataclass(frozen=True, slots=True)
class _Measure:
    """A formula over concepts, each found by a function."""

    question: BoundQuestion
    formula: Formula
    find: Callable[[str, Moment], Found | None]
    narrowed: bool = False

    def __call__(self, moment: Moment | None, terms: FormulaTerms, label: str) -> str | None:
        latest = self.question.table.latest
        if moment is not None or latest.months != _QUARTER:
            return self._spell(self.formula, moment or latest, terms, label)
        # Of cash flows a quarterly report has the year to date only.
        before = terms.copy()
        text = self._spell(self.formula, latest, terms, label)
        if text is None:
            terms.restore(before)
            text = self._spell(self.formula, replace(latest, months=3 * latest.quarter), terms, label)
        return text

    def _spell(self, formula: Formula, moment: Moment, terms: FormulaTerms, label: str) -> str | None:
        parts = formula.parts
        match formula.kind:
            case "number":
                days = formula.name == _DAYS and 0 < moment.months < _MONTHS
                return str(round(int(_DAYS) * moment.months / _MONTHS)) if days else formula.name
            case "concept":
                return self._concept(formula.name, moment, terms, label)
            case "else":
                return next((text for part in parts if (text := self._spell(part, moment, terms, label))), None)
            case "prior":
                return self._spell(parts[0], moment.before(years=1), terms, label)
            case "average":
                # People take the balance at the end, unless they say "average".
                averaged = _AVERAGED.search(self.question.text) is not None
                times = (moment, moment.before(years=1))[: 1 + averaged]
                sides = [self._spell(parts[0], at, terms, label) for at in times]
                return sides[0] if None in sides or not averaged else f"(({sides[0]} + {sides[1]}) / 2)"
        return self._operation(formula, moment, terms, label)

    def _operation(self, formula: Formula, moment: Moment, terms: FormulaTerms, label: str) -> str | None:
        sides = [self._spell(part, moment, terms, label) for part in formula.parts]
        if None not in sides:
            return f"({sides[0]} {formula.kind} {sides[1]})"
        if formula.kind not in "+-" or (sides[1] is None and _needs_second(formula)):
            return None
        # A sum goes without a part that the filing does not have, if hardly without its first, or what is taken off.
        terms.score += log_share(LIKELY) if formula.kind == "-" or not sides[0] else 0.0
        return sides[0] or (sides[1] if formula.kind == "+" else None)

    def _concept(self, concept: str, moment: Moment, terms: FormulaTerms, label: str) -> str | None:
        if concept == DEBTS:
            return None if self.narrowed else spell_debts(moment, terms, label)
        measure = read_lexicon().measures.get(concept.removeprefix(MEASURE))
        if measure is not None and measure.formula is not None:
            return self._spell(measure.formula, moment, terms, label)
        # The first one that is found by its name says which member is meant; the others are found beside it.
        first = terms.series[0] if terms.series and self.narrowed else None
        found = None if first is None else find_for_member(concept, moment, self.question, first)
        found = found or self.find(concept, moment)
        if found is None:
            return None
        score = terms.score
        text = spell_at(found[0], moment, terms, label)
        if text is None and concept.startswith(MEASURE):
            text = spell_at(found[0], None, terms, label)
        terms.score = min(terms.score, score + log_share(found[1]))
        return text


# Inputs of a measure that a filing does not have


def describe_lack(question: BoundQuestion) -> str:
    """Say what the filing lacks to compute a measure that an operand names, and does not print; "" if nothing."""
    for operand in question.reading.operands:
        measures = [read_lexicon().measures[name] for name in operand.measures if operand.is_concept]
        if any(known.formula is None or _is_named(known, question.table) for known in measures):
            continue
        moment = (*question.wanted, question.table.latest)[0]
        lacking = [dict.fromkeys(_list_lacking(known.formula, moment, question)) for known in measures if known.formula]
        if lacking and all(lacking):
            names = '" and "'.join(lacking[0])
            return f'{measures[0].called} requires "{names}", which the document does not have at that time'
    return ""


def _is_named(known: NamedMeasure, table: FactTable) -> bool:
    """Return whether a line or sentence has the words of a name of a measure."""
    return any(
        table.sentences.having(phrase).all(axis=0).any()
        or any(set(phrase) <= {*line.path_terms, *line.label_terms} for line in table.lines)
        for phrase in known.phrases
    )


def _needs_second(formula: Formula) -> bool:
    """Return whether an operation needs its second part: a company may not have what is added, or also taken off."""
    return formula.kind in "*/" or (formula.kind == "-" and formula.parts[0].kind != "-")


def _list_lacking(formula: Formula, moment: Moment, question: BoundQuestion) -> Iterator[str]:
    """Yield the names of the inputs of a formula that a filing does not have."""
    parts = formula.parts
    match formula.kind:
        case "number":
            return
        case "concept":
            yield from _name_lacking(formula.name, moment, question)
        case "else":
            ways = [list(_list_lacking(part, moment, question)) for part in parts]
            yield from ways[0] if all(ways) else ()
        case "prior":
            yield from _list_lacking(parts[0], moment.before(years=1), question)
        case _:
            for part in parts if _needs_second(formula) else parts[:1]:
                yield from _list_lacking(part, moment, question)


def _name_lacking(concept: str, moment: Moment, question: BoundQuestion) -> Iterator[str]:
    lexicon, table = read_lexicon(), question.table
    measure = lexicon.measures.get(concept.removeprefix(MEASURE))
    known = measure or lexicon.concepts[concept]
    if concept == DEBTS:
        found = spell_debts(moment, FormulaTerms(table), "") is not None
    elif measure is not None and measure.formula is not None:
        found = not list(_list_lacking(measure.formula, moment, question))
    else:
        found = find_concept(concept, moment, question) is not None
    if not found and not any(line.label_terms in known.phrases for line in table.lines):
        yield known.called


# What was talked about


def _read_last_measured(question: BoundQuestion, *, part: bool) -> Iterator[OperandMeaning]:
    """Yield what the last answer measured, as a whole and in its parts."""
    last = question.last
    if last is None:
        return
    if (both := read_last_two(question)) is not None:
        yield both
        return
    node = last.measured[0]
    if node.series is None:
        if part and node.kind == "divide" and not last.is_measure:
            yield repeat_node(node.parts[0], _AGAIN)
            yield repeat_node(node, 1 - _AGAIN)
            return
        yield repeat_node(node, _AGAIN)
        for rank, series in enumerate(last.series[:3]):
            yield build_meaning(series, (1 - _AGAIN) / (rank + 1.5), "part")
    else:
        for rank, series in enumerate(last.series[:3]):
            yield build_meaning(series, _AGAIN / (rank + 1), "before")


def read_last_two(question: BoundQuestion) -> OperandMeaning | None:
    """Return the sum of the last two answers if a question is about both together; None if it is not."""
    two = tuple(past.measured[0] for past in reversed(question.before[:2]) if len(past.measured) == 1)
    if len({node.shape() for node in two}) < 2 or not _BOTH_TOGETHER.search(question.text) or is_printed_twice(*two):
        return None
    return repeat_node(Node("sum", parts=two), _AGAIN)


def repeat_node(node: Node, share: float, series_of: Callable[[Series], Series | None] | None = None) -> OperandMeaning:
    """Return what was measured as something meant: the same terms at another time, or of other series.

    Args:
        share: Its probability.
        series_of: Returns the series that takes the place of one.
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
    """Return the time of a number when the measured time moves: at the same distance as before."""
    if moment is None or anchor is None:
        return wanted
    back = 4 * (anchor.year - moment.year) + anchor.quarter - moment.quarter
    return replace(wanted.before(quarters=back), months=moment.months and (wanted.months or anchor.months))


def find_bounds(question: BoundQuestion, place: int = 0) -> Sequence[Bound]:
    """Return the series that an operand may mean; without words of its own, those that were talked about."""
    if question.names(place):
        return question.operands[place]
    if question.last is not None:
        return [Bound(series, _AGAIN / (rank + 1)) for rank, series in enumerate(question.last.series[:2])]
    return question.operands[place] if place < len(question.operands) else ()
