"""Labelled conversations, with their pages or without."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.datasets.convfinqa.page import read_document
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.scoring.gold import GoldTurn, read_gold


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled conversation.

    Attributes:
        id: As in the file. Used to split by company, never measured.
        questions: In order.
        gold: One a question.
        document: The page; None where only the dialogue is known.
    """

    id: str
    questions: tuple[str, ...]
    gold: tuple[GoldTurn, ...]
    document: Document | None

    @property
    def company(self) -> str:
        """The ticker, by which folds are split: `Single_MRO/2007/page_134.pdf-1` is MRO."""
        return company_of(self.id)


def company_of(conversation: str) -> str:
    """Returns the ticker in a conversation's id."""
    return conversation.removeprefix("Single_").removeprefix("Double_").partition("/")[0]


def read_examples(paths: Iterable[Path]) -> tuple[Example, ...]:
    """Returns the labelled conversations of ConvFinQA files, with their pages; of repeated ids the first.

    Raises:
        DatasetError: A file cannot be read or has no answers.
    """
    found: dict[str, Example] = {}
    for path in paths:
        gold = read_gold(path)
        for conversation in read_dataset(path).conversations:
            if conversation.id in gold:
                found.setdefault(
                    conversation.id,
                    Example(conversation.id, conversation.questions, gold[conversation.id], conversation.document),
                )
    return tuple(found.values())


def read_lines(paths: Iterable[Path]) -> tuple[Example, ...]:
    """Returns the labelled records of JSON-lines files: dialogues without a page, single questions with one or none.

    A dialogue has its questions in `annotation.dialogue_break`, a single question stands in `question`. A record
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
                document = read_document(record, where) if record.get("table") else None
                found.setdefault(identity, Example(identity, questions, gold[identity], document))
    return tuple(found.values())


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


def company_folds(examples: Sequence[Example], count: int, seed: int) -> dict[str, int]:
    """Returns the fold of each company, the companies with most turns spread first, so that folds are of like size."""
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
