"""The verdicts on many turns, column by column: all that the figures of a run are made of.

Owns that a turn that was judged need not be held for its figures: a few dozen bytes of it are.
"""

from array import array
from collections.abc import Iterable
from math import isnan, nan
from sys import intern

from quaestor.scoring.breakdowns import breakdowns_of, classes_of_kind
from quaestor.scoring.cause import Cause
from quaestor.scoring.scorers import PROGRAMS, measures_of
from quaestor.scoring.verdicts import TurnScore

_CAUSES = tuple(Cause)


class TurnColumns:
    """Judged turns, all of one kind of reference; each attribute has the value of every turn, in one order.

    Attributes:
        measures: What was measured.
        conversations: The ids of their conversations.
        pages: The ids of their documents.
        places: A turn's place in its conversation, from 0.
        verdicts: By the name of each scorer; what is not a number where it cannot judge.
        answered: Whether there is an answer, 1 or 0.
        confidences: The solver's probability that it is right; what is not a number where there is none.
        classes: By the breakdown's property.
    """

    def __init__(self, turns: Iterable[TurnScore] = ()) -> None:
        self.measures = PROGRAMS
        self.conversations: list[str] = []
        self.pages: list[str] = []
        self.places = array("I")
        self.verdicts: dict[str, array[float]] = {}
        self.answered, self.confidences = array("B"), array("d")
        self.classes: dict[str, list[str]] = {by: [] for by in breakdowns_of(PROGRAMS)}
        self._causes = array("B")
        for turn in turns:
            self.add(turn)

    def add(self, turn: TurnScore) -> None:
        """Adds the next turn."""
        if not len(self):
            self.measures = measures_of(turn.verdicts)
            self.verdicts = {name: array("d") for name in turn.verdicts}
            self.classes = {by: [] for by in breakdowns_of(self.measures)}
        self.conversations.append(intern(turn.conversation))
        self.pages.append(intern(turn.page))
        self.places.append(turn.turn)
        for name, column in self.verdicts.items():
            verdict = turn.verdicts[name]
            column.append(nan if verdict is None else verdict)
        self.answered.append(turn.predicted is not None)
        self.confidences.append(nan if turn.confidence is None else turn.confidence)
        for by, name in classes_of_kind(turn.kind, self.measures).items():
            self.classes[by].append(intern(name))
        self._causes.append(0 if turn.cause is None else 1 + _CAUSES.index(turn.cause))

    def __len__(self) -> int:
        return len(self.places)

    def correct(self, at: int) -> bool:
        """Returns whether a turn is right by the benchmark."""
        return self.verdicts[self.measures.right][at] == 1

    def program_correct(self, at: int) -> bool | None:
        """Returns whether it is right by official program accuracy; None where that is not known."""
        verdict = self.verdicts["program"][at] if "program" in self.verdicts else nan
        return None if isnan(verdict) else bool(verdict)

    def cause(self, at: int) -> Cause | None:
        """Returns why it is wrong; None where it is right."""
        code = self._causes[at]
        return _CAUSES[code - 1] if code else None

    def by_conversation(self) -> list[list[int]]:
        """Return the turns of each conversation."""
        found: dict[str, list[int]] = {}
        for at, conversation in enumerate(self.conversations):
            found.setdefault(conversation, []).append(at)
        return list(found.values())
