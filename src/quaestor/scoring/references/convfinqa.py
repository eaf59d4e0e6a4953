"""Reference answers of ConvFinQA: programs and their results, in the original and the cleaned format."""

import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number, YesNo
from quaestor.errors import DatasetError
from quaestor.scoring.gold import ByRecord, GoldFile, GoldTurn

_PLACEHOLDER = re.compile(r"[A#]\d+")


class OriginalReferences(ByRecord):
    """Format with a list of records: answers under `annotation`, or a program beside a single question."""

    name = "original"

    def recognises(self, content: object) -> bool:
        """Return whether a file is a list; records are validated when they are read."""
        return isinstance(content, list)

    def read_each(self, file: GoldFile) -> Iterator[tuple[str, tuple[GoldTurn, ...] | None]]:
        """Yield the id and the answers of each record, or None for a record without answers."""
        for name, place, record in file.named("id", "the record"):
            yield name, _conversation(record, place)


class CleanedReferences(OriginalReferences):
    """Format with records by split and answers under `dialogue`."""

    name = "cleaned"

    def recognises(self, content: object) -> bool:
        """Return whether a file is an object."""
        return isinstance(content, Mapping)


def _conversation(record: Mapping[str, object], place: str) -> tuple[GoldTurn, ...] | None:
    if "question" in record and "program" in record:  # a record of FinQA, which has one question
        return _turns({"turn_program": [record["program"]], "exe_ans_list": [record.get("exe_ans")]}, place)
    answers = record.get("annotation", record.get("dialogue"))
    if not isinstance(answers, dict):
        raise DatasetError(f"{place}: the record has neither 'annotation' nor 'dialogue'")
    return _turns(answers, place) if "turn_program" in answers else None


def _turns(answers: Mapping[str, object], where: str) -> tuple[GoldTurn, ...]:
    programs = _list(answers, ("turn_program",), where)
    executed = _list(answers, ("exe_ans_list", "executed_answers"), where)
    if len(executed) != len(programs) or not programs:
        raise DatasetError(f"{where}: {len(programs)} programs, but {len(executed)} executed answers")
    parts = answers.get("qa_split")
    if not isinstance(parts, list) or len(parts) != len(programs):
        parts = [0] * len(programs)
    displays = _displays(answers, len(programs))
    turns: list[GoldTurn] = []
    for turn, (program, result, display, part) in enumerate(zip(programs, executed, displays, parts, strict=True)):
        if not isinstance(program, str) or not program.strip():
            raise DatasetError(f"{where}, turn {turn}: the program is not a string")
        if part not in (0, 1):
            raise DatasetError(f"{where}, turn {turn}: 'qa_split' must be 0 or 1")
        turns.append(GoldTurn(program.strip(), _read_executed(result, f"{where}, turn {turn}"), display, int(part)))
    return tuple(turns)


def _read_executed(result: object, where: str) -> AnswerValue:
    match result:
        case "yes" | "no":
            return YesNo(result == "yes")
        case int() | float() if type(result) is not bool:
            try:
                number = float(result)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return Number(Decimal(repr(number)))
    raise DatasetError(f"{where}: the executed answer must be a number, yes or no")


def _displays(answers: Mapping[str, object], turns: int) -> list[str | None]:
    """Return the display answers, or all None if they are unreliable.

    Source: dataset rule. In the raw train file `answer_list` holds the annotators' steps instead, with placeholders
    (`A0`, `#0`) and a different length.
    """
    listed = answers.get("answer_list", answers.get("conv_answers"))
    if not isinstance(listed, list) or len(listed) != turns:
        return [None] * turns
    shown = [str(entry).strip() for entry in listed]
    trusted = not any(_PLACEHOLDER.fullmatch(entry) for entry in shown)
    return [entry if trusted and entry else None for entry in shown]


def _list(answers: Mapping[str, object], names: tuple[str, ...], where: str) -> list[object]:
    for name in names:
        if isinstance(found := answers.get(name), list):
            return found
    raise DatasetError(f"{where}: expected a list {' or '.join(map(repr, names))}")
