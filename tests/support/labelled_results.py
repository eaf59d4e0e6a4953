"""Hand-labelled turns of the public tune file, compared with what the rules read.

One conversation of each company, drawn with seed 5 from the conversations in order of their ids, with all its turns.
The labels were written from the questions alone, before any rule was run on them. An entity is right if the words
of both, without plurals and joining words, have an F1 of at least 0.5.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quaestor.core.words import singular
from quaestor.datasets.formats import read_dataset
from quaestor.questions.question import entity_asked, read_question

LABELS = Path(__file__).parents[1] / "unit" / "conversation" / "labelled_results.jsonl"
TUNE = "convfinqa_tune.json"
_JOINING = frozenset("of and the to for from in on a".split())
_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A labelled turn with the readings of the rules.

    Attributes:
        labelled: The metric type of the label.
        classified: The most likely metric type by the rules, given their own reading of the earlier turns.
        entity: The entity of the label.
        extracted: The entity by the rules, or None.
    """

    place: str
    labelled: str
    classified: str
    entity: str
    extracted: str | None

    @property
    def metric_right(self) -> bool:
        return self.labelled == self.classified

    @property
    def entity_right(self) -> bool:
        return overlap(self.entity, self.extracted or "") >= _ENOUGH


def read_labelled(data: Path) -> tuple[ReadTurn, ...]:
    """Return every labelled turn with the readings of the rules.

    Args:
        data: The folder of the public data.
    """
    questions = {c.id: c.questions for c in read_dataset(data / TUNE).conversations}
    return tuple(_read(questions))


def _read(questions: dict[str, tuple[str, ...]]) -> Iterator[ReadTurn]:
    previous: str | None = None
    for line in LABELS.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        readings, turn = [*map(read_question, questions[label["conversation"]])], label["turn"]
        previous = readings[turn].metric_types(previous if turn else None)[0].metric_type
        yield ReadTurn(
            f"{label['conversation']} turn {turn}",
            label["metric_type"],
            previous,
            label["entity"],
            entity_asked(readings[turn], readings[:turn]),
        )


def overlap(one: str, other: str) -> float:
    """Return the F1 of the words of two names."""
    first, second = _words(one), _words(other)
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 0.0


def _words(name: str) -> frozenset[str]:
    return frozenset(singular(word) for word in re.findall(r"[a-z0-9&]+", name)) - _JOINING
