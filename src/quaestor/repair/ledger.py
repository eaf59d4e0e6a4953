"""A conversation with its corrections: original and corrected turns, how they are recomputed, possible corrections.

After a correction, plans are validated and executed again, exactly and in order; the solver is not asked again. Stores
nothing: the owner of a ledger writes its records.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from quaestor.conversation.answer import Answer, Corrected, OtherReading
from quaestor.conversation.display import show_number, show_source
from quaestor.conversation.turn import (
    Act,
    ChangedAnswer,
    Choice,
    Correction,
    Memory,
    NumberCorrection,
    OperationChoice,
    ReadingChoice,
    SourceChoice,
    Turn,
    Undo,
    active_corrections,
    apply_corrections,
    missing_answer,
    remaining_corrections,
)
from quaestor.core.provenance import CellRef, Source
from quaestor.core.renaming import renamed_fields
from quaestor.documents.document import Document
from quaestor.errors import InputError, MagnitudeError, PlanError, PlanValidationError
from quaestor.evaluation.recording import named_failure
from quaestor.plan.operations import require_in_range
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.repair.choosing import place_label, plan_of_reading, quantity_at, with_choice
from quaestor.repair.numbers import Numbers, changed_places, corrected_document, require_numbers, with_numbers
from quaestor.solvers.answering import build_answer, verify_answer
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


def recompute(turns: Sequence[Turn], corrections: Sequence[Correction], document: Document) -> tuple[Turn, ...]:
    """Return the turns of a conversation with its corrections applied; the document is the corrected one."""
    recomputation = _Recomputation(turns, corrections, document)
    for place in range(len(turns)):
        recomputation.add(place)
    return tuple(recomputation.turns)


class _Recomputation:
    def __init__(self, turns: Sequence[Turn], corrections: Sequence[Correction], document: Document) -> None:
        self._turns, self._corrections, self._document = turns, corrections, document
        self._active = active_corrections(corrections)
        self._now = Numbers.of(self._active)
        self.turns: list[Turn] = []
        self._causes: list[frozenset[int]] = []

    def add(self, place: int) -> None:
        turn, causes = self._recompute_turn(place)
        self.turns.append(turn)
        self._causes.append(causes)

    def _recompute_turn(self, place: int) -> tuple[Turn, frozenset[int]]:
        turn = self._turns[place]
        # The corrections at the time of the question, with which the solver answered it.
        known = [correction for correction in self._corrections if correction.turns <= place]
        before = Numbers.of(active_corrections(known)) if known else Numbers()
        choices = dict(_choices_for(self._active, place))
        if not choices and turn.answer.value is None and turn.error is None:
            # Withheld, or not about numbers, and therefore independent of them.
            return turn, frozenset()
        plan = self._plan(turn, before, tuple(choices.values()))
        if plan is None:
            return turn, frozenset()
        changed = {*self._numbers(turn.answer.plan, before)}
        earlier = set(_referred_turns(plan, place))
        turns = apply_corrections(self._turns[:place], known)
        earlier_changed = any(_register(turns[index]) != _register(self.turns[index]) for index in earlier)
        if not choices and not changed and not earlier_changed:
            return turn, frozenset()
        causes = frozenset(choices.keys() | changed).union(*(self._causes[i] for i in earlier))
        return self._corrected(turn, plan, before, causes, chosen=bool(choices)), causes

    def _plan(self, turn: Turn, before: Numbers, choices: Sequence[Choice]) -> Plan | None:
        plan = turn.answer.plan and with_numbers(turn.answer.plan, before, self._now)
        for choice in choices:
            if isinstance(choice, ReadingChoice):
                read = plan_of_reading(turn.answer, choice)
                plan = read and with_numbers(read, before, self._now)
            plan = with_choice(plan, choice, self._document)
        return plan

    def _numbers(self, plan: Plan | None, before: Numbers) -> Iterator[int]:
        """Yield the corrections, or the undos of corrections, that changed numbers of a plan."""
        if plan is None:
            return
        for place in changed_places(plan, before, self._now):
            correction_number = self._now.by.get(place)
            undone = before.by.get(place)
            for correction in reversed(self._corrections) if correction_number is None else ():
                if isinstance(correction.act, Undo) and correction.act.of == undone:
                    correction_number = correction.number
            if correction_number is not None:
                yield correction_number

    def _corrected(self, turn: Turn, plan: Plan, before: Numbers, causes: frozenset[int], *, chosen: bool) -> Turn:
        given, memory = turn.answer, Memory(tuple(self.turns))
        error = None
        try:
            require_numbers(plan, before, self._now)
            answer = build_answer(plan, memory, self._document, read_question(turn.question))
            verified, registers = verify_answer(answer, memory, self._document)
        except PlanError as failure:
            if chosen and isinstance(failure, PlanValidationError):
                raise InputError(f"answer {len(self.turns) + 1} cannot be recomputed: {failure}") from failure
            answer, verified, registers = Answer(value=None, plan=plan, reason=str(failure)), False, ()
            error = named_failure(failure)
        answer = replace(
            answer,
            # The confidence belongs to the solver's reading, not to the one that a person chose.
            confidence=None if chosen else given.confidence,
            grounds=None if chosen else given.grounds,
            answerable=given.answerable,
            other_readings=given.other_readings,
            corrected=self._correction_note(given, causes),
        )
        return replace(turn, answer=answer, verified=verified, registers=registers, error=error)

    def _correction_note(self, given: Answer, causes: frozenset[int]) -> Corrected:
        latest = max(causes, default=self._corrections[-1].number)
        correction = next(one for one in self._corrections if one.number == latest)
        return Corrected(show_number(given), correction.author, correction.time, correction.number, correction.reason)


def _choices_for(corrections: Iterable[Correction], place: int) -> Iterator[tuple[int, Choice]]:
    """Yield a person's choices for a turn, each with the number of its correction."""
    for correction in corrections:
        act = correction.act
        if not isinstance(act, NumberCorrection | Undo) and act.turn == place:
            yield correction.number, act


def _referred_turns(plan: Plan, place: int) -> Iterator[int]:
    for step in plan.steps:
        for operand in step.operands if isinstance(step, Compute) else ():
            if isinstance(operand, Ref) and -place <= operand.step < 0:
                yield place + operand.step


def _register(turn: Turn) -> object:
    """Return the result of a turn as later plans use it."""
    return Memory((turn,)).registers[0]


_CELLS = 6
"""The maximum number of other cells offered for a step."""
_ROWS_AWAY = 3
_OPERATIONS = ("subtract", "percentage_change", "divide", "percentage", "add", "multiply", "average")


@renamed_fields(says="description", gives="result")
@dataclass(frozen=True, slots=True)
class Offer:
    """A possible correction, with its description and the resulting answer."""

    act: Act
    description: str
    result: str


def possible_corrections(ledger: Ledger, turn: int) -> tuple[Offer, ...]:
    """Return the possible corrections of an answer: readings, then cells by step, then operations."""
    if not 0 <= turn < len(ledger.turns):
        raise InputError(missing_answer(turn + 1, ledger.turns))
    found: list[Offer] = []
    for choice, words in _choices(ledger, turn):
        try:
            would_be = ledger.would_be(choice)[turn]
        except InputError:
            continue
        offer = Offer(choice, words, show_number(would_be.answer))
        if would_be.error is None and not _is_redundant(offer, found, show_number(ledger.turns[turn].answer)):
            found.append(offer)
    return tuple(found)


def _is_redundant(offer: Offer, found: Sequence[Offer], now: str) -> bool:
    """Return whether an operation gives the current answer, or the same as another operation offered."""
    if not isinstance(offer.act, OperationChoice):
        return False
    return offer.result in (now, *(one.result for one in found if isinstance(one.act, OperationChoice)))


def _choices(ledger: Ledger, turn: int) -> Iterator[tuple[Choice, str]]:
    given, now = ledger.answered[turn].answer, ledger.turns[turn].answer
    acts = (correction.act for correction in active_corrections(ledger.corrections))
    if given.plan is not None and any(
        not isinstance(act, NumberCorrection | Undo) and act.turn == turn for act in acts
    ):
        yield ReadingChoice(turn, 0), "original reading"
    for number, reading in enumerate(given.other_readings, start=1):
        yield ReadingChoice(turn, number), f"read as: {reading.description or reading.shown}"
    if now.plan is None:
        return
    for step in now.plan.steps:
        if isinstance(step, Extract):
            if step.quantity is not None:
                for source in _other_sources(step, ledger.document, given.other_readings):
                    yield SourceChoice(turn, step.id, source), f"step {step.id}: {_words(source, ledger.document)}"
        elif len(step.operands) == 2:
            yield from _operations(step, turn)


def _operations(step: Compute, turn: int) -> Iterator[tuple[Choice, str]]:
    if step.operation in _OPERATIONS:
        for operation in _OPERATIONS:
            if operation != step.operation:
                words = operation.replace("_", " ")
                yield OperationChoice(turn, step.id, operation), f"step {step.id}: {words}"
    yield OperationChoice(turn, step.id, step.operation, swapped=True), f"step {step.id}: swap the operands"


def _other_sources(step: Extract, document: Document, readings: tuple[OtherReading, ...]) -> list[Source]:
    """Return the numbers closest to the one of a step: those of other readings, of its row, of its column."""
    read = [other.source for reading in readings for other in reading.plan.extracts if other.quantity is not None]
    near = (
        _near_in_table(step.source, document)
        if isinstance(step.source, CellRef)
        else [mention.ref for mention in document.sentence(step.source).mentions]
    )
    found = [source for source in dict.fromkeys((*read, *near)) if source != step.source]
    return found[:_CELLS]


def _near_in_table(cell: CellRef, document: Document) -> list[Source]:
    body = [one.ref for one in document.table(cell.table).body() if one.quantity is not None]
    row = [ref for ref in body if ref.row == cell.row]
    column = [ref for ref in body if ref.column == cell.column and 0 < abs(ref.row - cell.row) <= _ROWS_AWAY]
    row.sort(key=lambda ref: (abs(ref.column - cell.column), ref.column))
    column.sort(key=lambda ref: (abs(ref.row - cell.row), ref.row))
    # Even a long row leaves room for cells of the column.
    return [*row[: _CELLS - 1], *column]


def _words(source: Source, document: Document) -> str:
    shown = show_source(source, document)
    return f"{shown.place} | {shown.span}"
