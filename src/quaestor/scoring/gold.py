"""The only reader of reference answers.

Owns the answer fields of the benchmark's files: original, cleaned, and, one record a line (`.jsonl`), dialogues
without documents and FinQA's single questions. Reads
no document and no question. Nothing below this package may import it, so that no solver can.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from quaestor.core.answer_value import AnswerValue, Number, YesNo
from quaestor.errors import DatasetError, UnlabelledError

_PLACEHOLDER = re.compile(r"[A#]\d+")


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """The reference answer of one turn.

    Attributes:
        program: Self-contained program text; "" where the dataset gives none.
        executed: Its result: a number rounded to five decimals, percentages as fractions; or yes or no.
        display: The answer as the annotators show it, or None where the file has none that can be trusted.
        question_part: 0, or 1 for the second question of a conversation that was joined from two.
    """

    program: str
    executed: AnswerValue
    display: str | None
    question_part: int


def read_gold(path: Path) -> dict[str, tuple[GoldTurn, ...]]:
    """Returns the reference answers of every conversation in a file, by the conversation's id.

    Raises:
        DatasetError: The file cannot be read, or a record is not what it should be.
        UnlabelledError: There are no answers.
    """
    gold: dict[str, tuple[GoldTurn, ...]] = {}
    unlabelled: list[str] = []
    for where, record in _records(path):
        identity = record.get("id")
        if not isinstance(identity, str) or not identity:
            raise DatasetError(f"{where}: the record has no id")
        if identity in gold:
            raise DatasetError(f"{where}: the id {identity!r} occurs twice")
        place = f"{where} ({identity})"
        if "question" in record and "program" in record:
            gold[identity] = _single(record, place)
            continue
        answers = record.get("annotation", record.get("dialogue"))
        if not isinstance(answers, dict):
            raise DatasetError(f"{place}: the record has neither 'annotation' nor 'dialogue'")
        if "turn_program" in answers:
            gold[identity] = _turns(answers, place)
        else:
            unlabelled.append(place)
    if not gold:
        raise UnlabelledError(f"{path.name} has no answers: it can be run, but not scored")
    if unlabelled:
        raise DatasetError(f"{unlabelled[0]}: the record has no answers ('turn_program'), though others have")
    return gold


def _records(path: Path) -> Iterable[tuple[str, Mapping[str, object]]]:
    """Yields where each record stands, for messages, and the record."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DatasetError(f"cannot read {path}: {reason}") from error
    if path.suffix == ".jsonl":
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        records = [
            (f"{path.name}, line {number}", _parsed(line, f"{path.name}, line {number}")) for number, line in lines
        ]
    else:
        content = _parsed(text, path.name)
        if isinstance(content, dict):
            content = [record for split in content.values() if isinstance(split, list) for record in split]
        if not isinstance(content, list):
            raise DatasetError(f"{path.name} is no ConvFinQA file: expected a list of records")
        records = [(f"{path.name}, record {number}", record) for number, record in enumerate(content)]
    if not records:
        raise DatasetError(f"{path.name} has no records")
    for where, record in records:
        if not isinstance(record, dict):
            raise DatasetError(f"{where}: expected an object")
        yield where, record


def _parsed(text: str, where: str) -> object:
    try:
        parsed: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{where} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        raise DatasetError(f"{where} holds a number too long to read") from error
    except RecursionError as error:
        raise DatasetError(f"{where} is nested too deeply") from error
    return parsed


def _single(record: Mapping[str, object], where: str) -> tuple[GoldTurn, ...]:
    """Returns the answer of a record with one question, as FinQA has them."""
    return _turns({"turn_program": [record["program"]], "exe_ans_list": [record.get("exe_ans")]}, where)


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
            raise DatasetError(f"{where}, turn {turn}: the program is no text")
        if part not in (0, 1):
            raise DatasetError(f"{where}, turn {turn}: 'qa_split' is neither 0 nor 1")
        turns.append(GoldTurn(program.strip(), _executed(result, f"{where}, turn {turn}"), display, int(part)))
    return tuple(turns)


def _executed(result: object, where: str) -> AnswerValue:
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
    raise DatasetError(f"{where}: the executed answer is neither a number nor yes or no")


def _displays(answers: Mapping[str, object], turns: int) -> list[str | None]:
    """Returns the display answers, all or none.

    Source: dataset rule. In the raw train file `answer_list` holds the annotators' steps instead, with placeholders
    (`A0`, `#0`) and of another length.
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
    raise DatasetError(f"{where}: no list {' or '.join(map(repr, names))}")
