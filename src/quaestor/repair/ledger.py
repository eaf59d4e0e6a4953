"""A conversation with its corrections: the original reading and answers, the records, and the corrected turns.

Stores nothing: the owner of a ledger writes its records.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from quaestor.conversation.display import show_number
from quaestor.conversation.turn import (
    Act,
    ChangedAnswer,
    Choice,
    Correction,
    NumberCorrection,
    SourceChoice,
    Turn,
    Undo,
    active_corrections,
    apply_corrections,
    remaining_corrections,
)
from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.errors import InputError, MagnitudeError
from quaestor.plan.operations import require_in_range
from quaestor.plan.steps import Extract
from quaestor.repair.choosing import place_label, quantity_at
from quaestor.repair.documents import corrected_document
from quaestor.repair.numbers import Numbers
from quaestor.repair.recompute import recompute
from quaestor.store.records import now

_LONGEST_AUTHOR, _LONGEST_REASON = 80, 400
MOST_CORRECTIONS = 1_000
"""The maximum number of corrections in a conversation, including undone ones."""


class Ledger:
    """The corrections of one conversation. Not thread-safe."""

    def __init__(self, read: Document, answered: Sequence[Turn] = (), corrections: Sequence[Correction] = ()) -> None:
        """Restore a conversation; its corrected answers are taken from the records."""
        self.read: Document = read
        self.answered: tuple[Turn, ...] = tuple(answered)
        self.corrections: tuple[Correction, ...] = tuple(corrections)
        self._turns = apply_corrections(self.answered, self.corrections)
        self._document: tuple[Numbers, Document] = (Numbers(), read)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns with all corrections applied."""
        return self._turns

    @property
    def document(self) -> Document:
        """The document with the corrected numbers."""
        self._document = self._with(self.corrections)
        return self._document[1]

    def _with(self, corrections: Sequence[Correction]) -> tuple[Numbers, Document]:
        """Return the document with the numbers of some corrections, reusing the last one if they are the same."""
        numbers = Numbers.of(active_corrections(corrections))
        same = numbers.now == self._document[0].now
        return numbers, self._document[1] if same else corrected_document(self.read, numbers)

    def add(self, turn: Turn) -> None:
        """Add the next turn, which was answered with the corrected numbers."""
        self.answered, self._turns = (*self.answered, turn), (*self._turns, turn)

    def take_back(self, turns: int) -> None:
        """Keep only the first turns, and the corrections that do not depend on the others."""
        self.answered = self.answered[:turns]
        self.corrections = remaining_corrections(self.corrections, turns)
        self._turns = apply_corrections(self.answered, self.corrections)

    def correct(self, act: Act, author: str, reason: str = "", moment: datetime | None = None) -> Correction:
        """Apply and record a correction."""
        correction, turns, document = self._apply(act, author, reason, moment or now())
        self.corrections, self._turns, self._document = (*self.corrections, correction), turns, document
        return correction

    def undo(self, author: str, number: int | None = None, moment: datetime | None = None) -> Correction:
        """Undo a correction, by default the last one, and return the record of the undo."""
        active = [correction.number for correction in active_corrections(self.corrections)]
        if not active:
            raise InputError("no correction to undo")
        return self.correct(Undo(active[-1] if number is None else number), author, moment=moment)

    def would_be(self, act: Act) -> tuple[Turn, ...]:
        """Return the turns that an act would result in, without recording it."""
        return self._apply(act, "-", "", now())[1]

    def _apply(
        self, act: Act, author: str, reason: str, moment: datetime
    ) -> tuple[Correction, tuple[Turn, ...], tuple[Numbers, Document]]:
        if len(self.corrections) >= MOST_CORRECTIONS:
            raise InputError(f"too many corrections (at most {MOST_CORRECTIONS:,} per conversation): start a new one")
        self._require(act)
        number = max((correction.number for correction in self.corrections), default=0) + 1
        name = _plain_line(author, _LONGEST_AUTHOR) or "you"
        correction = Correction(number, act, len(self.answered), name, moment, _plain_line(reason, _LONGEST_REASON))
        corrections = (*self.corrections, correction)
        document = self._with(corrections)
        try:
            turns = recompute(self.answered, corrections, document[1])
        except InputError as error:
            if isinstance(act, Undo):
                raise InputError(
                    f"later corrections depend on correction {act.of}: undo those first ({error})"
                ) from error
            raise
        pairs = enumerate(zip(self._turns, turns, strict=True))
        changes = [
            ChangedAnswer(place, show_number(was.answer), turn.answer, turn.verified, turn.registers, turn.error)
            for place, (was, turn) in pairs
            if was != turn
        ]
        if not isinstance(act, NumberCorrection | Undo) and _already_chosen(
            self._turns[act.turn], turns[act.turn], act
        ):
            raise InputError(f"answer {act.turn + 1} is already computed this way")
        return replace(correction, changes=tuple(changes)), turns, document

    def _require(self, act: Act) -> None:
        if isinstance(act, Undo):
            active = [correction.number for correction in active_corrections(self.corrections)]
            if act.of not in active:
                known = (
                    f"active corrections: {', '.join(map(str, active))}"
                    if active
                    else "there are no active corrections"
                )
                raise InputError(f"no correction {act.of} to undo: {known}")
        elif isinstance(act, NumberCorrection):
            self._require_number(act)
        elif not 0 <= act.turn < len(self.answered):
            count = len(self.answered)
            count_words = (
                f"there {'is' if count == 1 else 'are'} {count} answer{'s' * (count != 1)}"
                if count
                else "there are no answers"
            )
            raise InputError(f"no answer {act.turn + 1}: {count_words}")
        elif isinstance(act, SourceChoice):
            place_label(self.document, act.source)

    def _require_number(self, act: NumberCorrection) -> None:
        label = place_label(self.read, act.source)
        table = self.read.table(act.source.table) if isinstance(act.source, CellRef) else None
        if table is not None and isinstance(act.source, CellRef) and act.source.row < table.header_rows:
            raise InputError(f"{label} is a heading: only numbers can be corrected")
        if act.was != quantity_at(self.read, act.source):
            raise InputError(f"{label} was not read as {act.was.text if act.was else 'nothing'}")
        if act.was is None and not isinstance(act.source, CellRef):
            raise InputError(f"no number at {label}")
        try:
            require_in_range(act.now.value)
        except MagnitudeError as error:
            raise InputError(f"invalid number for {label}: {error}") from error
        if quantity_at(self.document, act.source) == act.now:
            raise InputError(f"{label} is already {act.now.text}")


def _already_chosen(now: Turn, then: Turn, act: Choice) -> bool:
    """Return whether a turn is already computed as the person chose; the label of a cell may differ."""
    plan = now.answer.plan
    if isinstance(act, SourceChoice) and plan is not None:
        step = plan.steps[act.step - 1]
        return isinstance(step, Extract) and step.source == act.source
    return plan == then.answer.plan


def _plain_line(text: str, most: int) -> str:
    """Return text on one line, without control characters that could affect a terminal, for a record."""
    plain = "".join(sign if unicodedata.category(sign)[0] != "C" else " " for sign in text)
    return " ".join(plain.split())[:most]
