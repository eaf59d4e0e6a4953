"""Comparisons of two numbers or times, with a limit or with zero, and yes-or-no questions."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise, product

from quaestor.core.answer_value import ValueList
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.errors import PlanError
from quaestor.plan.execute import execute
from quaestor.plan.steps import Constant
from quaestor.questions.understanding import DOWNWARD, UPWARD
from quaestor.solvers.embedded.filings.composing.blocks import name_members
from quaestor.solvers.embedded.filings.composing.changes import (
    EITHER,
    GROWTH,
    MOST_READ,
    WHICH,
    asks_for_fall,
    asks_for_rise,
    asks_of_then,
    chooses,
    compares_two,
    find_two_moments,
    measure_growth,
    read_comparable,
    read_pairs,
    read_two_growths,
)
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, asks_for_loss
from quaestor.solvers.embedded.filings.composing.meanings import (
    OperandMeaning,
    read_meanings,
)
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, Proposal, log_share
from quaestor.solvers.embedded.filings.composing.rankings import name_time, rank_by_growth
from quaestor.solvers.embedded.filings.composing.ratios import REVENUE
from quaestor.solvers.embedded.filings.composing.several import (
    Entry,
    asks_for_lowest,
    choose_moments,
    propose_items,
    write_moment,
)
from quaestor.solvers.embedded.filings.composing.values import (
    is_change,
    list_moments,
    propose_value,
)

_EVERY_YEAR = lazy_regex(
    r"^(?:and |so |but )?(?:did|do|does|has|have|was|were|is|are)\b.*\b(?:every|each) (?:single )?(?:fiscal )?year\b"
)
_DIRECTIONS = lazy_regex(
    rf"\b(?:(?P<up>(?!better){UPWARD}) or (?P<down>{DOWNWARD})|(?P<down2>(?!worse){DOWNWARD}) or (?P<up2>{UPWARD}))\b"
)
"""The words of such phrases; what is better depends on the thing."""
_COMPUTED = lazy_regex(r"\b(?:outgr[eo]w|outpaced?|(?:fast|slow|quick)er|enough to)\b")
"""Words that compare growth, or a number with a need for it."""
_DIRECTION = lazy_regex(
    rf"{GROWTH.pattern}|\b(?:more|less|fewer|than|up|down|high\w*|low\w*|larg\w*|big\w*|small\w*|better|worse|improv\w*"
    r"|worsen\w*|beat\w*|chang\w*|compar\w*|expand\w*|contract\w*|widen\w*|narrow\w*|rais\w*|cut|doubl\w*|tripl\w*"
    r"|reduc\w*|ahead|behind|exceed\w*|surpass\w*|accelerat\w*|gr[eo]w\w*|since|versus|vs)\b"
)
"""Words that compare one time with another."""
_POSITIVE = lazy_regex(r"\b(?:positive|profitable|in the black|a profit|make money|made money|a surplus)\b")
_NEGATIVE = lazy_regex(r"\b(?:negative|in the red|a loss|lose money|losing money|loss-making|unprofitable|a deficit)\b")
_LIMIT = lazy_regex(
    r"\b(?P<how>more|less|over|under|above|below|exceed\w*|at least|top\w*|fewer|bigger|higher|lower"
    r"|greater|smaller)\s+"
    r"(?:than\s+)?\$?"
    r"(?P<number>\d[\d,]{0,15}(?:\.\d{1,6})?)\s*(?P<scale>%|percent|bn|billion|m|mm|million|thousand|k)?"
)
_SCALES = {
    "bn": Scale.BILLION, "billion": Scale.BILLION, "m": Scale.MILLION, "mm": Scale.MILLION, "million": Scale.MILLION,
    "thousand": Scale.THOUSAND, "k": Scale.THOUSAND,
}  # fmt: skip
_BELOW = ("less", "under", "below", "fewer", "lower", "smaller")


def propose_comparisons(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for which of two is higher, or whether one number is higher than another."""
    low = asks_for_fall(question.text) and not asks_for_rise(question.text)
    if _chooses_time(question):
        yield from _choose_time(question, low=low or asks_for_lowest(question.text))
        return
    yield from _compare_with_limit(question)
    yield from _compare_with_zero(question)
    either = bool(EITHER.search(question.text))
    if either:
        yield from _list_both(question) if compares_two(question) else _list_both_times(question)
        return
    if compares_two(question):
        compared = list(_compare_two(question, low=low))
        yield from compared
        stated = bool(compared) and question.reading.relation == "versus" and len(question.moments) < 2
        if stated or chooses(question) or WHICH.search(question.text):
            return
    if len(question.moments) < 2 and not _DIRECTION.search(question.text) and question.own:
        return  # "do they pay a dividend?" does not compare
    less = low != asks_of_then(question)
    for score, _, old, new, terms in read_pairs(question):
        yield from terms.propose(f"{new} {'<' if less else '>'} {old}", "compare", score)


def asks_of_every_year(question: BoundQuestion) -> bool:
    """Return whether a question asks if something rose, or fell, in every year."""
    return bool(_EVERY_YEAR.search(question.text)) and asks_for_rise(question.text) != asks_for_fall(question.text)


def compare_every_year(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for whether each number is higher, or lower, than the one before."""
    for meaning in read_meanings(question)[:MOST_READ]:
        moments = choose_moments(question, meaning)
        terms = FormulaTerms(question.table)
        names = [name for moment in moments if (name := meaning.spell(moment, terms, "")) is not None]
        if len(names) < len(moments) or len(names) < 3:
            continue
        steps = ", ".join(f"{new} - {old}" for old, new in pairwise(names))
        formula = f"max({steps}) < 0" if asks_for_fall(question.text) else f"min({steps}) > 0"
        yield from terms.propose(formula, "compare", log_share(meaning.share))


def _chooses_time(question: BoundQuestion) -> bool:
    """Return whether a question asks to choose between times: "was it higher in 2022 or 2023?"."""
    return question.reading.times_relation == "choice" and len(question.moments) > 1


def _choose_time(question: BoundQuestion, *, low: bool) -> Iterator[Proposal]:
    """Yield plans for the time at which something was highest, or lowest, or grew most."""
    for meaning in read_meanings(question)[:MOST_READ]:
        is_growth = meaning.percent or bool(
            meaning.kind == "series" and meaning.series and is_change(meaning.series[0])
        )
        grows = GROWTH.search(question.text) is not None and not is_growth
        entries: list[Entry] = []
        for moment in question.moments:
            grown = measure_growth(question, [meaning], moment.before(years=1), moment) if grows else [meaning]
            entries.append((name_time(question, meaning, moment), grown[0], moment))
        numbers = _compute_entries(question, entries)
        if len(set(numbers)) < len(entries):
            continue
        least = low != (not grows and asks_for_loss(question.text) and max(numbers) < 0)
        chosen = "argmin" if least else "argmax"
        yield from propose_items(question, entries, "compare", log_share(meaning.share), chosen)


def _compute_entries(question: BoundQuestion, entries: Sequence[Entry]) -> list[Decimal]:
    """Return the numbers of entries; an empty list if one has none."""
    try:
        values = [execute(proposal.plan, ()).result.value for proposal in propose_items(question, entries, "list", 0.0)]
    except PlanError:
        return []
    lists = (value for value in values if isinstance(value, ValueList))
    numbers = [item.number for listed in lists for item in listed.items if item.number is not None]
    return numbers if len(numbers) == len(entries) else []


def _list_both_times(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans that list the later and the earlier number: "higher or lower than last year"."""
    for meaning in read_meanings(question)[:4]:
        pair = find_two_moments(question, meaning)
        if pair is None:
            continue
        entries = [(write_moment(moment), meaning, moment) for moment in reversed(pair)]
        yield from _list_with_direction(question, entries, log_share(meaning.share))


def _list_both(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans that list two things, or their growth: "did sales grow faster or slower than costs"."""
    for one, other in product(read_meanings(question, 0)[:3], read_meanings(question, 1)[:3]):
        pair = find_two_moments(question, one) if GROWTH.search(question.text) else None
        two = measure_growth(question, [one, other], *pair) if pair else [one, other]
        moment = list_moments(question)[0]
        names = _name_two(question, one, other)
        entries = [(name, meaning, moment) for name, meaning in zip(names, two, strict=True)]
        yield from _list_with_direction(question, entries, log_share(one.share) + log_share(other.share))


def _list_with_direction(question: BoundQuestion, entries: Sequence[Entry], score: float) -> Iterator[Proposal]:
    """Yield a plan that lists two numbers; the label of the first one says how it compares with the second one."""
    words, numbers = _DIRECTIONS.search(question.text), _compute_entries(question, entries)
    if words is None or len(set(numbers)) < len(entries):
        return propose_items(question, entries, "compare", score)
    ups, downs = (words["up"], words["down"]) if words["up"] else (words["up2"], words["down2"])
    word = ups if numbers[0] > numbers[1] else downs
    (name, meaning, moment), *others = entries
    return propose_items(question, [(f"{name} ({word})", meaning, moment), *others], "compare", score)


def _compare_two(question: BoundQuestion, *, low: bool) -> Iterator[Proposal]:
    """Yield plans for which of two operands is higher, or whether the first one is."""
    sign = "<" if low or re.search(r"\b(?:below|under)\b", question.text) else ">"
    if chooses(question) or WHICH.search(question.text):
        for one in read_meanings(question, 0)[:3]:
            for other in read_meanings(question, 1)[:3]:
                moment = list_moments(question)[0]
                entries = [
                    (name, meaning, moment)
                    for name, meaning in zip(_name_two(question, one, other), (one, other), strict=True)
                ]
                chosen = "argmin" if sign == "<" else "argmax"
                score = log_share(one.share) + log_share(other.share)
                if GROWTH.search(question.text):
                    named = [(label, meaning) for label, meaning, _ in entries]
                    yield from rank_by_growth(question, named, score, "compare")
                    continue
                yield from propose_items(question, entries, "compare", score, chosen)
        return
    if GROWTH.search(question.text):
        yield from _compare_growths(question, sign)
        return
    for score, first, second, terms in read_comparable(question):
        yield from terms.propose(f"{first} {sign} {second}", "compare", score)


def _compare_growths(question: BoundQuestion, sign: str) -> Iterator[Proposal]:
    """Yield plans for whether one thing grew more than another: "did sales grow faster than costs?"."""
    for score, first, second, terms in read_two_growths(question):
        yield from terms.propose(f"({first}) {sign} ({second})", "compare", score)


def _compare_with_limit(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for whether a number is above, or below, a limit in the question."""
    found = _LIMIT.search(question.text)
    if found is None:
        return
    printed, scale = found["number"].replace(",", ""), found["scale"] or ""
    if scale in ("%", "percent"):
        limit = Constant(Decimal(printed) / 100, f"{printed}%")
    else:
        limit = Constant(Decimal(printed), printed, _SCALES.get(scale, Scale.ONE))
    sign = "<" if found["how"].startswith(_BELOW) else ">"
    for meaning in read_meanings(question)[:4]:
        score = log_share(meaning.share) + 0.5
        yield from propose_value(question, meaning, score, "compare", f"{{}} {sign} limit", limit=limit)


def _compare_with_zero(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for whether a number is positive, or negative."""
    negative = bool(_NEGATIVE.search(question.text))
    if not negative and not _POSITIVE.search(question.text):
        return
    for meaning in read_meanings(question)[:4]:
        if meaning.series and meaning.series[0].concept in REVENUE:
            continue  # revenue is never negative
        sign = "<" if negative else ">"
        yield from propose_value(question, meaning, log_share(meaning.share) + 1.0, "compare", f"{{}} {sign} 0")


def compares_numbers(question: BoundQuestion) -> bool:
    """Return whether the numbers of what a question compares answer it, and no sentence that affirms it."""
    if chooses(question) or _chooses_time(question):
        return True
    return compares_two(question) and bool(_COMPUTED.search(question.text))


def _name_two(question: BoundQuestion, one: OperandMeaning, other: OperandMeaning) -> Sequence[str]:
    """Name two meanings by their lines, or by the words of the question if their names are equal or unknown."""
    if one.series and other.series:
        names = name_members(question.table, (one.series[0], other.series[0]))
        if names[0] and names[0] != names[1]:
            return names
    return [operand.text.strip() for operand in question.reading.operands[:2]]
