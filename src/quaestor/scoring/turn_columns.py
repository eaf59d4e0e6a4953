"""The verdicts on many turns, column by column: all that the figures of a run are made of.

Owns that a turn that was judged need not be held for its figures: a few dozen bytes of it are.
"""

from array import array
from collections.abc import Iterable
from math import isnan, nan

from quaestor.core.texts import Texts
from quaestor.scoring.breakdowns import breakdowns_of, classes_of_kind
from quaestor.scoring.cause import Cause
from quaestor.scoring.scorers import PROGRAMS, measures_of
from quaestor.scoring.verdicts import TurnScore

_CAUSES = tuple(Cause)


class Classes:
    """The class of each turn in one breakdown.

    Attributes:
        names: Of the classes that occur.
        codes: Of each turn its class, as a place among the names.
    """

    def __init__(self) -> None:
        self.names, self.codes = Texts(), array("I")


class TurnColumns:
    """Judged turns, all of one kind of reference; each attribute has the value of every turn, in one order.

    Attributes:
        measures: What was measured.
        conversations: The ids of the conversations.
        conversation_of: A turn's, as a place among them.
        pages: The ids of the documents.
        page_of: A turn's, likewise.
        places: A turn's place in its conversation, from 0.
        verdicts: By the name of each scorer; what is not a number where it cannot judge.
        answered: Whether there is an answer, 1 or 0.
        confidences: The solver's probability that it is right; what is not a number where there is none.
        classes: By the breakdown's property.
    """

    def __init__(self, turns: Iterable[TurnScore] = ()) -> None:
        self.measures = PROGRAMS
        self.conversations, self.pages = Texts(), Texts()
        self.conversation_of, self.page_of, self.places = array("I"), array("I"), array("I")
        self.verdicts: dict[str, array[float]] = {}
        self.answered, self.confidences = array("B"), array("d")
        self.classes: dict[str, Classes] = {by: Classes() for by in breakdowns_of(PROGRAMS)}
        self._causes = array("B")
        for turn in turns:
            self.add(turn)

    def add(self, turn: TurnScore) -> None:
        """Adds the next turn."""
        if not len(self):
            self.measures = measures_of(turn.verdicts)
            self.verdicts = {name: array("d") for name in turn.verdicts}
            self.classes = {by: Classes() for by in breakdowns_of(self.measures)}
        self.conversation_of.append(self.conversations.place(turn.conversation))
        self.page_of.append(self.pages.place(turn.page))
        self.places.append(turn.turn)
        for name, column in self.verdicts.items():
            verdict = turn.verdicts[name]
            column.append(nan if verdict is None else verdict)
        self.answered.append(turn.predicted is not None)
        self.confidences.append(nan if turn.confidence is None else turn.confidence)
        for by, name in classes_of_kind(turn.kind, self.measures).items():
            self.classes[by].codes.append(self.classes[by].names.place(name))
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

    def by_conversation(self) -> "tuple[array[int], array[int]]":
        """Returns the turns, those of each conversation together; and where each conversation's begin, and all end."""
        ordered = array("I", sorted(range(len(self)), key=self.conversation_of.__getitem__))
        begins = (
            at
            for at, place in enumerate(ordered)
            if at == 0 or self.conversation_of[place] != self.conversation_of[ordered[at - 1]]
        )
        return ordered, array("I", [*begins, len(ordered)])
