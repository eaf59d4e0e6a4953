"""Labelled conversations: with their pages or without, what they teach, and second questions made of them."""

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


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled conversation.

    Attributes:
        id: As in the file; never measured.
        questions: In order.
        document: The page; None if only the dialogue is known.
        company: Whose report it is about, by which folds are split; if a file does not name it, the page.
        joined: Whether it was made of two conversations about one page.
        chained: Whether a question may build on the ones before it; if not, each is independent.
        second: The place of the first question of the second of two joined conversations; 0 if unknown.
        weight: How much the numbers that a turn takes count in training, against those of a conversation.
        alone: Whether it is one of several independent questions, each of which asks for a whole calculation.
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
    """Return the labelled conversations of datasets, with their pages; of repeated ids the first.

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

    Dialogues have no page, single questions one or none.

    A dialogue has its questions in `annotation.dialogue_break`, a single question is in `question`. A record
    whose `table` is an empty or missing value has no page.

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
    """Return the dialogues without a page that are about a page which another record has, each with that page.

    Args:
        dialogues: Labelled, with pages or without.
        examples: Labelled, with pages; those that are among them already are left out.
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
    """The place of the first turn of the second question; 0 if the question is one."""
    return next((place for place, turn in enumerate(turns) if turn.question_part == 1), 0)


def company_folds(examples: Sequence[Example], count: int, seed: int) -> dict[str, int]:
    """Return the fold of each company, the companies with most turns spread first, so that folds are of like size.

    Args:
        count: How many folds, numbered from 0.
        seed: Decides the order of companies with equally many turns.
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


def rejoin_conversations(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield conversations of two parts each, whose `second` is the place of the question that begins the second.

    The parts of each joined conversation the other way round, and single questions about one page behind each other.

    Args:
        examples: Labelled; those with an unknown second part stay as they are.
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
