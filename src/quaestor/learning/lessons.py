"""What labelled conversations teach of numbers: reference answers as programs, independent questions one by one.

Words, lists and counts teach nothing here; they are answered, and counted as wrong, when weights are judged.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from quaestor.core.answer_value import Number
from quaestor.core.parsing import parse_cell
from quaestor.core.quantity import Scale
from quaestor.errors import ExecutionError, ProgramError
from quaestor.learning.examples import Example
from quaestor.plan.execute import execute
from quaestor.plan.program import parse_program
from quaestor.plan.scales import shift_decimal
from quaestor.scoring.gold import GoldTurn, StatedReference

INDEPENDENT = 0.5
"""How much a question of a benchmark of independent questions weighs when numbers are scored: it is put otherwise than
in conversations, and there are as many of the ones as of the others."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_AS_STATED = Decimal("0.02")
"""How far a derivation may be from the answer that was stated: more than its second decimal, and it is another one."""


def lessons(examples: Iterable[Example]) -> tuple[Example, ...]:
    """Return what can be learned from: conversations as they are, of independent questions those with a program.

    Each independent question is a conversation of its own, with the page and the company (the page) of the others.
    """
    return tuple(lesson for example in examples for lesson in _lessons(example))


def _lessons(example: Example) -> Iterator[Example]:
    if example.chained:
        yield example
        return
    for place, (question, gold) in enumerate(zip(example.questions, example.gold, strict=True)):
        taught = as_program(gold)
        if taught is not None:
            lesson = replace(example, id=f"{example.id}#{place}", questions=(question,), gold=(taught,))
            yield replace(lesson, chained=True, weight=INDEPENDENT, alone=True)


def as_program(gold: GoldTurn) -> GoldTurn | None:
    """Return a reference answer with the program that computes it; None if it is not a number that has one.

    A number that was read off the page is the program of its one literal. A derivation that does not come to the answer
    that was stated with it is another.
    """
    stated = gold.stated
    if stated is None:
        return gold
    program = _literal(stated) if stated.kind == "span" and stated.form == "number" else gold.program
    if not program:
        return None
    try:
        result = execute(parse_program(program)).result.value
    except (ProgramError, ExecutionError):
        return None
    if not isinstance(result, Number) or (stated.kind == "arithmetic" and not _is_stated(result.value, gold)):
        return None
    return replace(gold, program=program, executed=result)


def _literal(stated: StatedReference) -> str | None:
    """The printed number as a literal of a program, a percentage with its sign; None of a year, which is a label."""
    quantities = parse_cell(stated.answer.spans[0])
    if len(quantities) != 1 or (_YEAR.fullmatch(stated.answer.spans[0].strip()) and not stated.answer.scale):
        return None
    percent = quantities[0].scale is Scale.PERCENT or stated.answer.scale == Scale.PERCENT.value
    return f"{quantities[0].value:f}{'%' if percent else ''}"


def _is_stated(result: Decimal, gold: GoldTurn) -> bool:
    if not isinstance(gold.executed, Number):
        return False
    fraction = gold.stated is not None and gold.stated.answer.scale == Scale.PERCENT.value
    readings = (result, shift_decimal(result, 2)) if fraction else (result,)
    return any(abs(abs(reading) - abs(gold.executed.value)) <= _AS_STATED for reading in readings)
