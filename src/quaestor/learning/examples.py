"""Labelled conversations as training examples, with or without their pages."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from quaestor.core.answer_value import Number
from quaestor.core.parsing import parse_cell
from quaestor.core.quantity import Scale
from quaestor.datasets.convfinqa import company_of, is_joined, page_of, read_convfinqa_page
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import DatasetError, ExecutionError, ProgramError
from quaestor.plan.execute import execute
from quaestor.plan.program import parse_program
from quaestor.plan.scales import shift_decimal
from quaestor.scoring.gold import GoldTurn, StatedReference, read_gold

INDEPENDENT = 0.5
"""Training weight of the numbers of a benchmark's independent questions: they are phrased differently from those of
conversations, and there are as many of them."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_AS_STATED = Decimal("0.02")
"""Largest difference between the result of a derivation and the stated answer."""


@dataclass(frozen=True, slots=True)
class Example:
    """Labelled conversation.

    Attributes:
        id: Id in the file; never a feature.
        questions: In order.
        document: The page; None if only the dialogue is known.
        company: Company of the report, by which folds are split; the page if the file names no company.
        joined: Whether it consists of two conversations about one page.
        chained: Whether questions may refer to earlier ones, or each is independent.
        second: Index of the first question of the second of two joined conversations; 0 if unknown.
        weight: Weight of its numbers in training, relative to those of a conversation.
        alone: Whether it is an independent question that asks for a whole calculation.
    """

    id: str
    questions: tuple[str, ...]
    gold: tuple[GoldTurn, ...]
    document: Document | None
    company: str = ""
    joined: bool = False
    chained: bool = True
    second: int = 0
    weight: float = 1.0
    alone: bool = False


def read_examples(paths: Iterable[Path]) -> tuple[Example, ...]:
    """Return the labelled conversations of datasets with their pages; the first one for a repeated id.

    Raises:
        DatasetError: A file cannot be read or has no answers.
    """
    found: dict[str, Example] = {}
    for path in paths:
        gold = read_gold(path)
        for listed in read_dataset(path).conversations:
            if listed.id in gold:
                group = listed.company or listed.document.id
                answers = gold[listed.id]
                second = _second(answers) if listed.chained else 0
                example = Example(
                    listed.id, listed.questions, answers, listed.document, group, listed.joined, listed.chained, second
                )
                found.setdefault(listed.id, example)
    return tuple(found.values())


def read_lines(paths: Iterable[Path]) -> tuple[Example, ...]:
    """Return the labelled records of ConvFinQA's JSON-lines files.

    Dialogues have their questions in `annotation.dialogue_break` and no page. Single questions are in `question`;
    without a `table`, or with an empty one, they have no page.

    Raises:
        DatasetError: A file cannot be read or a line has no question.
    """
    found: dict[str, Example] = {}
    for path in paths:
        gold = read_gold(path)
        for where, record in _records(path):
            identity, questions = str(record.get("id")), _questions(record, where)
            if len(gold[identity]) == len(questions):
                document = read_convfinqa_page(record, where) if record.get("table") else None
                company, joined = company_of(identity), is_joined(identity)
                example = Example(
                    identity, questions, gold[identity], document, company, joined, second=_second(gold[identity])
                )
                found.setdefault(identity, example)
    return tuple(found.values())


def with_known_pages(dialogues: Sequence[Example], examples: Sequence[Example]) -> tuple[Example, ...]:
    """Return the dialogues whose page is missing but known from another record, with that page.

    Args:
        dialogues: Labelled dialogues, with or without pages.
        examples: Labelled conversations with pages; dialogues that are among them are left out.
    """
    known = {example.id for example in examples}
    pages = {e.document.id: e.document for e in (*dialogues, *examples) if e.document is not None}
    missing = (d for d in dialogues if d.document is None and d.id not in known)
    return tuple(replace(d, document=page) for d in missing if (page := pages.get(page_of(d.id))) is not None)


def _records(path: Path) -> Iterable[tuple[str, dict[str, object]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.strip():
            yield f"{path.name}, line {number}", json.loads(line)


def _questions(record: dict[str, object], where: str) -> tuple[str, ...]:
    match record:
        case {"annotation": {"dialogue_break": [*questions]}}:
            return tuple(map(str, questions))
        case {"question": str(question)}:
            return (question,)
    raise DatasetError(f"{where}: the record has no question")


def _second(turns: Sequence[GoldTurn]) -> int:
    """Index of the first turn of the second question; 0 for a single question."""
    return next((place for place, turn in enumerate(turns) if turn.question_part == 1), 0)


def company_folds(examples: Sequence[Example], count: int, seed: int) -> dict[str, int]:
    """Return the fold of each company; the largest companies are distributed first to balance the folds.

    Args:
        count: Number of folds, counted from 0.
        seed: Seed of the order of companies with equally many turns.
    """
    import numpy as np

    turns: dict[str, int] = {}
    for example in examples:
        turns[example.company] = turns.get(example.company, 0) + len(example.questions)
    order = sorted(turns)
    np.random.default_rng(seed).shuffle(order)
    order.sort(key=lambda company: -turns[company])
    load = [0] * count
    folds = {}
    for company in order:
        fold = load.index(min(load))
        folds[company] = fold
        load[fold] += turns[company]
    return folds


def select_training_examples(examples: Iterable[Example]) -> tuple[Example, ...]:
    """Return the examples to learn from: conversations unchanged, and independent questions that have a program.

    Each independent question becomes a separate conversation with the page and the company (the page) of its example.
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
    """Return a reference answer with the program that computes it; None if it is not a number or has none.

    A number that was read off the page has a program with one literal. A derivation with another result than the stated
    answer is rejected.
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
    """The printed number as a literal of a program, with its percent sign; None for a year, which is a label."""
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


def rejoin_conversations(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield conversations of two parts with the index of the second part in `second`.

    These are joined conversations with their parts swapped, and pairs of single questions about one page.

    Args:
        examples: Labelled conversations; those whose second part is unknown are not swapped.
    """
    pages = defaultdict[str, list[Example]](list)
    for example in examples:
        if example.second:
            yield _join(example, slice(example.second, None), example, slice(example.second))
        elif len(example.questions) == 1 and example.document is not None:
            pages[example.document.id].append(example)
    for alone in pages.values():
        for before, after in zip(alone, (*alone[1:], *alone[:1]), strict=True):
            if before.questions != after.questions:
                yield _join(before, slice(None), after, slice(None))


def _join(before: Example, first: slice, after: Example, second: slice) -> Example:
    questions, gold = before.questions[first], before.gold[first]
    return replace(
        after,
        questions=(*questions, *after.questions[second]),
        gold=(*gold, *after.gold[second]),
        joined=True,
        second=len(questions),
    )
