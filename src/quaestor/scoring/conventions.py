"""Common conventions for right answers, side by side: each rule, its accuracy, and the turns it changes.

Accuracies are comparable only under the same rule: one run of rounded answers is 60 % right by the official rule and
80 % by another.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from quaestor.core.answer_value import Number, number_of
from quaestor.datasets.dataset import Conversation
from quaestor.plan.expressions import TableRows
from quaestor.plan.operations import rounds_to
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal, is_countable, rounded_for_display
from quaestor.scoring.pages import benchmark_rows_of
from quaestor.scoring.scorers import FILINGS, PROGRAMS, SCORERS, STATED, Judge, Prediction, measures_for
from quaestor.scoring.statistics import Proportion, group_places, proportion


@dataclass(frozen=True, slots=True)
class Convention:
    """Rule that decides whether an answer is right."""

    name: str
    rule: str
    judge: Judge


@dataclass(frozen=True, slots=True)
class ConventionFigure:
    """Accuracy of a run by one rule, with the turns gained and lost against the benchmark's own."""

    name: str
    rule: str
    right: Proportion
    gained: int
    lost: int


def convention_figures(
    predictions: Iterable[Prediction], gold: Mapping[str, Sequence[GoldTurn]], conversations: Iterable[Conversation]
) -> tuple[ConventionFigure, ...]:
    """Return the accuracy of a run by each rule, the benchmark's own first; a turn without a prediction is wrong."""
    given = {(one.conversation, one.turn): one for one in predictions}
    turns = [
        (
            given.get((conversation.id, index)) or Prediction(conversation.id, index, None),
            reference,
            tables,
            conversation.document.id,
        )
        for conversation in conversations
        for tables in [benchmark_rows_of(conversation.document)]
        for index, reference in enumerate(gold[conversation.id])
    ]
    if not turns:
        return ()
    conventions = CONVENTIONS[measures_for(turns[0][1]).right]
    verdicts = np.array(
        [[rule.judge(found, reference, tables) for found, reference, tables, _ in turns] for rule in conventions],
        dtype=float,
    )
    pages, right = group_places([page for *_, page in turns]), verdicts == 1
    figures = []
    for rule, shares, mine in zip(conventions, verdicts, right, strict=True):
        judged = ~np.isnan(shares)
        gained, lost = (int((judged & one & ~other).sum()) for one, other in ((mine, right[0]), (right[0], mine)))
        figures.append(ConventionFigure(rule.name, rule.rule, proportion(shares[judged], pages[judged]), gained, lost))
    return tuple(figures)


def _numbers(found: Prediction, gold: GoldTurn) -> tuple[Decimal, Decimal] | None:
    """Return answer and reference, if both are numbers and the answer's magnitude is plausible."""
    answer, reference = number_of(found.value), number_of(gold.executed)
    if answer is None or reference is None or not is_countable(answer):
        return None
    return answer, reference


def _near(answer: Decimal, reference: Decimal) -> bool:
    return _equal(answer, reference) or abs(answer - reference) <= abs(reference) / 100


def _judge_by(right: Callable[[Decimal, Decimal], bool]) -> Judge:
    """Apply a rule to two numbers, and the benchmark's own rule to any other answer."""

    def judge(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool:
        numbers = _numbers(found, gold)
        return executed_equal(found.value, gold.executed) if numbers is None else right(*numbers)

    return judge


def _equal(answer: Decimal, reference: Decimal) -> bool:
    return executed_equal(Number(answer), Number(reference))


def _or_percent(right: Callable[[Decimal, Decimal], bool]) -> Callable[[Decimal, Decimal], bool]:
    """Extend a rule to accept the answer as a percentage or as a fraction."""
    return lambda answer, reference: any(right(answer.scaleb(power), reference) for power in (0, 2, -2))


def _ignore_sign(right: Callable[[Decimal, Decimal], bool]) -> Callable[[Decimal, Decimal], bool]:
    return lambda answer, reference: right(abs(answer), abs(reference))


def _rounded(answer: Decimal, reference: Decimal) -> bool:
    return _equal(answer, reference) or rounds_to(reference, answer)


def _matches_shown(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    """Return whether the answer, rounded to the displayed decimals, equals the annotators' displayed answer."""
    if gold.display is None:
        return None
    shown, numbers = rounded_for_display(gold.display), _numbers(found, gold)
    if shown is None or numbers is None:
        return executed_equal(found.value, gold.executed)
    answer, (number, half_unit) = numbers[0], shown
    # A displayed percentage may mean a fraction or for a number that is printed with a percent sign.
    fraction = gold.display.strip().endswith("%") and _near(numbers[1].scaleb(2), number)
    return abs((answer.scaleb(2) if fraction else answer) - number) <= half_unit


def _scorer(name: str, rule: str) -> Convention:
    judge = SCORERS[name].judge
    assert judge is not None
    return Convention(name, rule, judge)


CONVENTIONS: Mapping[str, tuple[Convention, ...]] = {
    PROGRAMS.right: (
        _scorer("execution", "equals the reference to five decimals (official)"),
        Convention("digits", "equals the reference rounded to the answer's digits", _judge_by(_rounded)),
        Convention("relative", "is within 1 % of the reference", _judge_by(_near)),
        Convention("shown", "equals the annotators' displayed answer, at its precision", _matches_shown),
        Convention("percent", "equals it to five decimals, as percentage or fraction", _judge_by(_or_percent(_equal))),
        Convention("sign_free", "equals it to five decimals, ignoring the sign", _judge_by(_ignore_sign(_equal))),
        _scorer("display", "equals the display or is within 1 %, as percentage or fraction"),
        _scorer("legacy", "older rule: differs by less than 0.1 in the displayed digits"),
        Convention(
            "loosest",
            "is within 1 %, as percentage or fraction, ignoring the sign",
            _judge_by(_ignore_sign(_or_percent(_near))),
        ),
    ),
    STATED.right: (
        _scorer("exact_match", "matches exactly, including its scale (official)"),
        _scorer("f1", "F1 over words, numbers all or nothing"),
        _scorer("scale", "has the right scale"),
    ),
    FILINGS.right: (
        _scorer("right", "is right in value, unit and rounding; prose by a judge, else by its words"),
        _scorer("words", "prose that no judge has seen, by its words (rough)"),
    ),
}
"""The rules for each kind of references, keyed by its main scorer; that scorer comes first."""
