"""Labelled conversations, with their pages or without."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quaestor.datasets.convfinqa import company_of, is_joined, page_of, read_convfinqa_page
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.scoring.gold import GoldTurn, read_gold


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
