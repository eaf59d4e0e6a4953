"""Corrections in words: `2 cell "Net sales" 2014 = 5,400`, `2 step 1 -> "Net sales" | 2013`, and their effects."""

import getpass
import re
from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.conversation.answer import sources_of
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import (
    Act,
    ChangedAnswer,
    Correction,
    NumberCorrection,
    OperationChoice,
    ReadingChoice,
    SourceChoice,
    Undo,
    active_corrections,
    missing_answer,
)
from quaestor.core.provenance import Source
from quaestor.errors import InputError
from quaestor.plan.steps import Compute
from quaestor.repair.choosing import find_cell, place_label, quantity_at, read_corrected
from quaestor.repair.ledger import Ledger, possible_corrections
from quaestor.settings import Settings

FORMS = {
    "[N]": "list the possible corrections of answer N (default: the last one), numbered",
    "N K": "apply the K-th of these",
    '[N] cell "ROW" COLUMN = NUMBER': "correct a misread number (`cell 1`: the first source of the answer)",
    '[N] step S -> "ROW" | COLUMN': "read a different cell in step S",
    "[N] reading K": "use the K-th reading of the question; 1 is the original one",
    "[N] operation NAME [step S]": "change the operation; `operation swap` exchanges the two operands",
    "undo [C]": "undo the last correction, or correction C",
    "log": "list the corrections made so far",
}
"""The arguments of `/fix` and their meanings. Any of them may be followed by `because WHY`."""

_NUMBER = r"[0-9]{1,9}"
_ABOUT = re.compile(rf"(?:(?P<turn>{_NUMBER})\b\s*)?(?P<rest>.*)", re.DOTALL)
_CELL = re.compile(r"cell (?P<where>.+?) ?= ?(?P<value>[^=]+)", re.DOTALL)
_STEP = re.compile(rf"step\s+(?P<step>{_NUMBER})\s*->\s*(?P<where>.+)", re.DOTALL)
_READING = re.compile(rf"reading(?:\s+(?P<reading>{_NUMBER}))?")
_OPERATION = re.compile(rf"operation\s+(?P<name>\w+)(?:\s+step\s+(?P<step>{_NUMBER}))?")
_UNDO = re.compile(rf"undo(?:\s+(?P<number>{_NUMBER}))?")
_BECAUSE = re.compile(r" because (?P<why>.+)$", re.DOTALL)
_TABLE = re.compile(rf"table\s+(?P<table>{_NUMBER})\s+(?P<rest>.+)", re.DOTALL)
_QUOTED = re.compile(r"\"(?P<row>[^\"]+)\"\s*\|?\s*(?P<column>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fix:
    """A parsed `/fix` command; `act` is None if it asks for the list of possible corrections."""

    act: Act | None
    turn: int
    reason: str = ""


def read_fix(text: str, ledger: Ledger) -> Fix:
    """Parse the arguments of `/fix`."""
    if not ledger.turns:
        raise InputError("no answers yet: ask a question first")
    text = " ".join(text.split())
    because = _BECAUSE.search(text)
    words, reason = (text[: because.start()], because["why"].strip()) if because else (text, "")
    if (undone := _UNDO.fullmatch(words.strip())) is not None:
        return Fix(_undo(undone["number"], ledger), len(ledger.turns) - 1, reason)
    about = _ABOUT.fullmatch(words.strip())
    assert about is not None  # the pattern matches every text
    turn = int(about["turn"]) - 1 if about["turn"] else len(ledger.turns) - 1
    if not 0 <= turn < len(ledger.turns):
        raise InputError(missing_answer(turn + 1, ledger.turns))
    rest = about["rest"].strip()
    return Fix(_act(rest, ledger, turn) if rest else None, turn, reason)


def _act(text: str, ledger: Ledger, turn: int) -> Act:
    if (cell := _CELL.fullmatch(text)) is not None:
        return correct_number(ledger, find_place(cell["where"], ledger, turn), cell["value"])
    if (step := _STEP.fullmatch(text)) is not None:
        return SourceChoice(turn, int(step["step"]), find_place(step["where"], ledger, turn))
    if (reading := _READING.fullmatch(text)) is not None:
        return ReadingChoice(turn, int(reading["reading"] or 2) - 1)
    if (operation := _OPERATION.fullmatch(text)) is not None:
        return _operation(operation["name"], operation["step"], ledger, turn)
    if text.isascii() and text.isdigit():
        offered = possible_corrections(ledger, turn)
        if not 1 <= int(text[:9]) <= len(offered):
            raise InputError(f"answer {turn + 1} has {len(offered)} possible corrections, but not {text[:9]}")
        return offered[int(text) - 1].act
    raise InputError(f"cannot parse /fix {text[:60]!r}: use one of {'; '.join(FORMS)}")


def correct_number(ledger: Ledger, source: Source, printed: str) -> NumberCorrection:
    """Return a correction that replaces the number at a place of the document."""
    was = quantity_at(ledger.read, source)
    return NumberCorrection(source, was, read_corrected(printed, was))


def _operation(name: str, step: str | None, ledger: Ledger, turn: int) -> OperationChoice:
    plan = ledger.turns[turn].answer.plan
    steps = [one for one in plan.steps if isinstance(one, Compute)] if plan is not None else []
    if not steps:
        raise InputError(f"answer {turn + 1} is a number from the document and has no operation")
    at = int(step) if step else steps[-1].id
    if name != "swap":
        return OperationChoice(turn, at, name)
    now = next((one.operation for one in steps if one.id == at), steps[-1].operation)
    return OperationChoice(turn, at, now, swapped=True)


def _undo(number: str | None, ledger: Ledger) -> Undo:
    active = active_corrections(ledger.corrections)
    if not active:
        raise InputError("no correction to undo")
    return Undo(int(number) if number else active[-1].number)


def find_place(text: str, ledger: Ledger, turn: int) -> Source:
    """Return the place that a text names: the number of a source of the answer, or labels of row and column."""
    words, table = text.strip(), None
    sources = sources_of(ledger.turns[turn].answer)
    if words.isascii() and words.isdigit() and len(words) < 3 and 1 <= int(words) <= len(sources):
        return sources[int(words) - 1]
    if (named := _TABLE.fullmatch(words)) is not None:
        words, table = named["rest"], int(named["table"])
    if (quoted := _QUOTED.fullmatch(words)) is not None:
        row, column = quoted["row"], quoted["column"]
    elif "|" in words:
        row, _, column = words.partition("|")
    else:
        row, _, column = words.rpartition(" ")
        row, column = (row, column) if row else (column, "")
    return find_cell(ledger.document, row.strip(), column.strip().strip('"'), sources, table)


def correction_line(correction: Correction, ledger: Ledger) -> str:
    """Describe a correction in one line, with its author and time."""
    why = f" ({correction.reason})" if correction.reason else ""
    active = {one.number for one in active_corrections(ledger.corrections)}
    undone = "" if isinstance(correction.act, Undo) or correction.number in active else ", undone"
    when = f"{correction.time:%Y-%m-%d %H:%M} UTC"
    return f"{correction.number}  {act_words(correction.act, ledger)}{why}: {correction.author}, {when}{undone}"


def act_words(act: Act, ledger: Ledger) -> str:
    """Describe an act: `net revenue, 2008 is 5,400, not 5,363`."""
    match act:
        case NumberCorrection(source=source, was=was, now=now):
            return f"{place_label(ledger.read, source)} is {now.text}, not {was.text if was else 'empty'}"
        case SourceChoice(turn=turn, step=step, source=source):
            return f"answer {turn + 1}, step {step} takes {place_label(ledger.read, source)}"
        case ReadingChoice(turn=turn, reading=0):
            return f"answer {turn + 1} uses the original reading"
        case ReadingChoice(turn=turn, reading=reading):
            return f"answer {turn + 1} uses reading {reading + 1}"
        case OperationChoice(turn=turn, step=step, operation=operation, swapped=swapped):
            swap_words = ", with swapped operands" if swapped else ""
            return f"answer {turn + 1}, step {step} is {operation}{swap_words}"
        case Undo(of=number):
            return f"undo of correction {number}"


def change_lines(correction: Correction, ledger: Ledger) -> Iterator[str]:
    """Yield a line for each answer that a correction changed: `answer 4: 14.1 % -> 12.5 %`."""
    if not correction.changes:
        yield "no answers changed"
    for change in correction.changes:
        yield f"answer {change.turn + 1}: {change_words(change)}   {ledger.turns[change.turn].question}"


def change_words(change: ChangedAnswer) -> str:
    """Return the old and the new value of an answer, its new formula if they look alike, and why a value is missing."""
    now = show_number(change.answer)
    if now == change.was and change.answer.value is not None:
        return f"{now} unchanged, but from {change.answer.formula or 'other numbers'}"
    why = f" ({change.answer.reason})" if change.answer.value is None and change.answer.reason else ""
    return f"{change.was} -> {now}{why}"


def author_name(settings: Settings) -> str:
    """Return the author of corrections on this machine: from the settings, else the user's name."""
    if settings.author:
        return settings.author
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name, as in some containers
        return "you"
