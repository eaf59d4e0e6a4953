"""Measures that are computed by a formula over concepts, and the inputs that a filing lacks for them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from quaestor.core.patterns import lazy_regex
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable
from quaestor.ontology.lexicon import MEASURE, Formula, NamedMeasure, read_lexicon
from quaestor.solvers.embedded.filings.composing.finding import (
    DEBTS,
    LIKELY,
    FoundSeries,
    find_concept,
    find_for_member,
    spell_debts,
)
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, spell_at
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, log_share

_DAYS, _MONTHS = "365", 12
"""Days and months of a year; a formula that measures days uses the number of days in the period."""
_COST = lazy_regex("Depreciation|Amortization|Payments(?:To|For|Of)|InterestExpense|CostOf")
"""Concepts of costs and payments, whose sizes a formula takes, although some statements print them negative."""
_AVERAGED = lazy_regex(r"\b(?:average|avg|mean)\b")

FindSeries = Callable[[str, Moment], FoundSeries | None]
"""Returns the series of a concept at a time."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Formula over concepts that a function finds.

    Attributes:
        narrowed: Whether its inputs are those of a member.
    """

    question: BoundQuestion
    formula: Formula
    find: FindSeries
    narrowed: bool = False

    def spell(self, moment: Moment | None, terms: FormulaTerms, label: str) -> str | None:
        """Return the formula at a time (None for the latest), or None if the filing lacks an input."""
        latest = self.question.table.latest
        if moment is not None or latest.months != 3:
            return self._spell_part(self.formula, moment or latest, terms, label)
        # Quarterly reports have cash flows only for the year to date.
        before = terms.copy()
        text = self._spell_part(self.formula, latest, terms, label)
        if text is None:
            terms.restore(before)
            text = self._spell_part(self.formula, replace(latest, months=3 * latest.quarter), terms, label)
        return text

    def _spell_part(self, formula: Formula, moment: Moment, terms: FormulaTerms, label: str) -> str | None:
        parts = formula.parts
        match formula.kind:
            case "number":
                days = formula.name == _DAYS and 0 < moment.months < _MONTHS
                return str(round(int(_DAYS) * moment.months / _MONTHS)) if days else formula.name
            case "concept":
                return self._spell_concept(formula.name, moment, terms, label)
            case "else":
                return next((text for part in parts if (text := self._spell_part(part, moment, terms, label))), None)
            case "prior":
                return self._spell_part(parts[0], moment.before(years=1), terms, label)
            case "average":
                # The balance at the end is used, unless the question asks for an average.
                averaged = _AVERAGED.search(self.question.text) is not None
                times = (moment, moment.before(years=1))[: 1 + averaged]
                sides = [self._spell_part(parts[0], at, terms, label) for at in times]
                return sides[0] if None in sides or not averaged else f"(({sides[0]} + {sides[1]}) / 2)"
        return self._spell_operation(formula, moment, terms, label)

    def _spell_operation(self, formula: Formula, moment: Moment, terms: FormulaTerms, label: str) -> str | None:
        sides = [self._spell_part(part, moment, terms, label) for part in formula.parts]
        if None not in sides:
            same = formula.kind in "/-" and sides[0] == sides[1]  # one number found for two concepts
            return None if same else f"({sides[0]} {formula.kind} {sides[1]})"
        if formula.kind not in "+-" or (sides[1] is None and _needs_second(formula)):
            return None
        # A sum may lack an addend that the filing does not have; a missing first operand or subtrahend is unlikely.
        terms.score += log_share(LIKELY) if formula.kind == "-" or not sides[0] else 0.0
        return sides[0] or (sides[1] if formula.kind == "+" else None)

    def _spell_concept(self, concept: str, moment: Moment, terms: FormulaTerms, label: str) -> str | None:
        if concept == DEBTS:
            return None if self.narrowed else spell_debts(moment, terms, label)
        measure = read_lexicon().measures.get(concept.removeprefix(MEASURE))
        if measure is not None and measure.formula is not None:
            return self._spell_part(measure.formula, moment, terms, label)
        # The first input found by its name determines the member; the others are looked up for the same one.
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
        if text in terms.variables and _COST.search(concept):
            terms.variables[text] = replace(terms.variables[text], reading="magnitude")
        return text


def describe_lack(question: BoundQuestion) -> str:
    """Describe the inputs that the filing lacks for a named measure that it does not print; "" if none."""
    for operand in question.reading.operands:
        measures = [read_lexicon().measures[name] for name in operand.measures if operand.is_concept]
        if any(known.formula is None or _is_named(known, question.table) for known in measures):
            continue
        moment = question.first_wanted
        lacking = [dict.fromkeys(_list_lacking(known.formula, moment, question)) for known in measures if known.formula]
        if lacking and all(lacking):
            names = '" and "'.join(lacking[0])
            return f'{measures[0].called} requires "{names}", which the document does not have at that time'
    return ""


def _is_named(known: NamedMeasure, table: FactTable) -> bool:
    """Return whether a line or sentence has the words of a measure's name."""
    return any(
        table.sentences.having(phrase).all(axis=0).any()
        or any(set(phrase) <= {*line.path_terms, *line.label_terms} for line in table.lines)
        for phrase in known.phrases
    )


def _needs_second(formula: Formula) -> bool:
    """Return whether an operation needs its second operand; addends and second subtrahends may be missing."""
    return formula.kind in "*/" or (formula.kind == "-" and formula.parts[0].kind != "-")


def _list_lacking(formula: Formula, moment: Moment, question: BoundQuestion) -> Iterator[str]:
    """Yield the names of a formula's inputs that a filing lacks."""
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
