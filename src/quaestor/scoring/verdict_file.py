"""The verdicts of judges on answers in prose: a file of lines beside the file of questions.

A line is on one answer to one question, by its words, so it holds for every run that gives it. Of several on one answer
the last holds; whoever disagrees with a judge changes `right`, or adds a line.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from quaestor.errors import DatasetError

Verdicts = Mapping[tuple[str, int], Mapping[str, bool]]
"""Whether answers are right: by conversation and turn, and by the answer as people are told it."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A line of the file.

    Attributes:
        turn: The turn's place in its conversation, from 0.
        answer: As people are told it.
        reason: Why, in the judge's words.
        prompt: What it was asked, word for word.
    """

    conversation: str
    turn: int
    answer: str
    right: bool
    reason: str = ""
    judge: str = ""
    prompt: str = ""


def verdict_path(questions: Path) -> Path:
    """Return the file of verdicts of a file of questions."""
    return questions.parent / f"{questions.name.removesuffix('.jsonl').removesuffix('.json')}.verdicts.jsonl"


def read_verdicts(questions: Path) -> Verdicts:
    """Return the verdicts that lie beside a file of questions; none if there is no such file.

    Raises:
        DatasetError: A line of it is none.
    """
    path, found = verdict_path(questions), dict[tuple[str, int], dict[str, bool]]()
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"cannot read {path}: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            turn, answer, right = (record["conversation"], record["turn"]), record["answer"], record["right"]
        except (ValueError, KeyError, TypeError) as error:
            fields = "'conversation', 'turn', 'answer' and 'right'"
            raise DatasetError(f"{path}, line {number}: expected an object with {fields}") from error
        if not isinstance(right, bool):
            raise DatasetError(f"{path}, line {number}: 'right' must be true or false")
        found.setdefault(turn, {})[answer] = right
    return found


def add_verdict(questions: Path, judged: JudgedAnswer) -> None:
    """Add a verdict to the file beside a file of questions.

    Raises:
        DatasetError: It cannot be written.
    """
    path = verdict_path(questions)
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(judged), ensure_ascii=False) + "\n")
    except OSError as error:
        raise DatasetError(f"cannot write {path}: {error.strerror}; copy the questions to another folder") from error
