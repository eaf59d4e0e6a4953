"""Judged turns by column: the table from which scores, comparisons, audits and reports are computed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern
from typing import Any

import numpy as np

from quaestor.scoring.scorers import FILINGS, PROGRAMS, STATED, Measures, Verdict, measures_of
from quaestor.scoring.statistics import Numbers, group_members, group_places
from quaestor.scoring.taxonomy import TurnKind
from quaestor.scoring.verdicts import TurnScore

_BREAKDOWNS: Mapping[str, Mapping[str, Callable[[TurnKind], str]]] = {
    PROGRAMS.right: {
        "turn": lambda kind: f"turn {kind.index + 1}",
        "operation": lambda kind: kind.operation,
        "origin": lambda kind: kind.origin.value,
        "conversation": lambda kind: "Double" if kind.joined else "Single",
    },
    STATED.right: {
        "answer": lambda kind: kind.stated.kind if kind.stated else "",
        "source": lambda kind: kind.stated.source if kind.stated else "",
        "form": lambda kind: kind.stated.form if kind.stated else "",
        "answer and source": lambda kind: f"{kind.stated.kind}, {kind.stated.source}" if kind.stated else "",
    },
    FILINGS.right: {
        "turn": lambda kind: f"turn {kind.index + 1}",
        "answer": lambda kind: kind.filing.kind if kind.filing else "",
        "form": lambda kind: kind.filing.wanted.form if kind.filing else "",
    },
}
"""The properties that turns are split by, keyed by the main scorer."""
_TITLES = {
    "origin": "origin of the operands",
    "conversation": "kind of conversation",
    "answer": "kind of answer",
    "source": "source of the answer",
    "form": "target",
    "answer and source": "kind and source",
}


def breakdown_title(by: str) -> str:
    """Return the heading of a breakdown's table: `by kind of answer`."""
    return f"by {_TITLES.get(by, by)}"


COLUMNS = (
    "conversations", "places", "pages", "companies", "answers", "confidences", "causes", "verdicts", "classes",
)  # fmt: skip


@dataclass(eq=False)
class TurnFrame:
    """Judged turns of a run; each list has one value per turn, in the same order.

    Attributes:
        answers: Written as by `quaestor.core.answer_value.value_to_text`; None without an answer.
        verdicts: By scorer; turns with equal verdicts share one mapping, as a large run has few distinct ones.
        classes: The class of each of `breakdowns`, also shared.
    """

    measures: Measures = PROGRAMS
    breakdowns: tuple[str, ...] = tuple(_BREAKDOWNS[PROGRAMS.right])
    conversations: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    companies: list[str] = field(default_factory=list)
    answers: list[str | None] = field(default_factory=list)
    confidences: list[float | None] = field(default_factory=list)
    causes: list[str | None] = field(default_factory=list)
    verdicts: list[Mapping[str, Verdict]] = field(default_factory=list)
    classes: list[tuple[str, ...]] = field(default_factory=list)
    _shared: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    _columns: dict[str, Numbers] = field(default_factory=dict)

    @classmethod
    def of(cls, turns: Iterable[TurnScore], companies: Mapping[str, str] | None = None) -> "TurnFrame":
        """Build a frame from scored turns; `companies` is by conversation and defaults to the page."""
        frame = cls()
        for turn in turns:
            frame.add(turn, (companies or {}).get(turn.conversation, ""))
        return frame

    def add(self, turn: TurnScore, company: str = "") -> None:
        """Append a scored turn; `company` defaults to the page."""
        if not len(self):
            self.measures = measures_of(turn.verdicts)
            self.breakdowns = tuple(_BREAKDOWNS[self.measures.right])
        classes = tuple(intern(name(turn.kind)) for name in _BREAKDOWNS[self.measures.right].values())
        self.conversations.append(intern(turn.conversation))
        self.places.append(turn.turn)
        self.pages.append(intern(turn.page))
        self.companies.append(intern(company or turn.page))
        self.answers.append(turn.predicted)
        self.confidences.append(turn.confidence)
        self.causes.append(turn.cause)
        self.verdicts.append(self._shared.setdefault(tuple(turn.verdicts.items()), turn.verdicts))
        self.classes.append(self._shared.setdefault(classes, classes))

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def page_groups(self) -> Numbers:
        """The index of each turn's page among all pages."""
        return group_places(self.pages)

    @cached_property
    def company_groups(self) -> Numbers:
        """The index of each turn's company among all companies."""
        return group_places(self.companies)

    def verdicts_of(self, scorer: str) -> Numbers:
        """Return the verdicts of a scorer as floats, NaN if it cannot judge; add no turns after the first call."""
        if scorer not in self._columns:
            self._columns[scorer] = np.array([verdicts.get(scorer) for verdicts in self.verdicts], dtype=float)
        return self._columns[scorer]

    def correct(self, at: int) -> bool:
        """Return whether a turn is right by the benchmark."""
        return self.verdicts[at][self.measures.right] == 1

    def groups(self, by: str, among: Numbers | None = None) -> list[tuple[str, Numbers]]:
        """Return the classes of a breakdown with the indexes of their turns: turns in order, other classes by size.

        `among` restricts the turns to these indexes; the returned indexes then refer to `among`.
        """
        breakdown = self.breakdowns.index(by)
        names = [classes[breakdown] for classes in self.classes]
        among = np.arange(len(self)) if among is None else among
        found = [(names[among[members[0]]], members) for members in group_members(group_places(names)[among])]

        def order(one: tuple[str, Numbers]) -> tuple[int, str]:
            name, members = one
            return self.places[among[members[0]]] if by == "turn" else -len(members), name

        return sorted(found, key=order)

    def aligned_with(self, other: "TurnFrame") -> "TurnFrame | None":
        """Return these turns in the order of another frame; None if the frames have different turns."""
        mine, theirs = ([*zip(one.conversations, one.places, strict=True)] for one in (self, other))
        if mine == theirs:
            return self
        places = {key: place for place, key in enumerate(mine)}
        if places.keys() != set(theirs):
            return None
        order = [places[key] for key in theirs]
        columns: dict[str, Any] = {name: [getattr(self, name)[at] for at in order] for name in COLUMNS}
        return TurnFrame(self.measures, self.breakdowns, **columns)
