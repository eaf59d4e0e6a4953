"""Stores runs whose turns are already complete: answers of another program, and cross-validations.

Imported answers have no plan, so they cannot be executed again and are never verified.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from quaestor.application.files import named_in_errors
from quaestor.application.run_service import CROSS_VALIDATION
from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList, YesNo
from quaestor.core.computing import compute
from quaestor.core.quantity import LARGE_SCALES, Scale
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import BadLinesError, InputError, QuaestorError, unknown_name
from quaestor.evaluation.recording import TurnPlace, stored_counts, turn_records
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.usage import Usage
from quaestor.store.base import RunStore, time_of_new_run
from quaestor.store.records import ConversationRecord, RunKind, RunRecord, TurnRecord, now

if TYPE_CHECKING:
    from quaestor.application.training import CrossValidationRequest, HeldOutReport


_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\$?\s?(?P<digits>\d[\d,]*(?:\.\d*)?(?:[eE][+-]?\d{1,4})?|\.\d+)\s?(?P<percent>%?)", re.ASCII
)
_PERCENT = frozenset({"percent", "percentage", "pct", "%"})
_PLAIN = frozenset({"", "raw", "ratio", "fraction", "decimal", "number", "none", "one", "ones", "yes_no"})
_SCALES: Mapping[str, Scale] = {
    name: scale for scale in sorted(LARGE_SCALES) for name in (scale.value, f"{scale.value}s")
}
_LONGEST_NUMBER = 300
"""Maximum number of digits of a number, and maximum power of ten."""
_LONGEST_TEXT = 20_000
_LONGEST_WAIT = 86_400_000
_LARGEST = 2**63 - 1
_MOST_SUGGESTIONS = 20
"""Number of invalid lines for which the nearest id is suggested; with the wrong dataset more would not help."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

ImportedTurns = Mapping[tuple[str, int], Turn]
"""Turns by conversation and index. Their questions are dated 1970, as the file does not contain times."""


def read_answers(name: str, data: bytes, dataset: Dataset) -> dict[tuple[str, int], Turn]:
    """Return the answers of a file, by conversation and index.

    Each line is an object with `conversation` (an id of the dataset), `turn` (from 0) and `answer`: a number, yes or
    no, text, a list of numbers and texts, or null for no answer. `unit` is the unit of numbers: `percent` is converted
    to a fraction; `thousand`, `million` and `billion` become the scale; `raw`, `ratio`, `none` and the like change
    nothing; any other word is the unit itself. Optional fields are `confidence` (0 to 1), `expression` (the arithmetic
    in words), `doubt`, `latency_ms`, `tokens_in`, `tokens_out` and `cost` (US dollars); other fields are ignored.
    """
    conversations = {conversation.id: conversation for conversation in dataset.conversations}
    found: dict[tuple[str, int], Turn] = {}
    at: dict[tuple[str, int], int] = {}
    bad: list[str] = []
    lines = 0
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        lines += 1
        try:
            key, read = _read_line(line, conversations, dataset.path, near=len(bad) < _MOST_SUGGESTIONS)
            if key in found:
                raise InputError(f"turn {key[1]} of {key[0]} was already answered in line {at[key]}")
            found[key], at[key] = read, number
        except InputError as error:
            bad.append(f"{name}:{number}: {error}")
    if bad:
        raise BadLinesError(name, tuple(bad), lines)
    if not found:
        raise InputError(f"{name} is empty: expected one JSON object per turn, with conversation, turn and answer")
    return found


def imported_turns(conversation: Conversation, answers: ImportedTurns, started: datetime) -> Iterator[Turn]:
    """Yield every turn of a conversation; turns missing in the file have no answer."""
    for index, question in enumerate(conversation.questions):
        none = Answer(None, reason="the file has no answer for this turn")
        given = answers.get((conversation.id, index), Turn(question, none, False, _EPOCH, _EPOCH))
        yield replace(given, started=started, finished=started + (given.finished - given.started))


def _read_line(
    line: bytes, conversations: Mapping[str, Conversation], dataset: str, *, near: bool
) -> tuple[tuple[str, int], Turn]:
    fields = _parse(line)
    name, turn = fields.get("conversation"), fields.get("turn")
    if not isinstance(name, str):
        raise InputError(f"'conversation' must be an id, not {_show(name)}")
    if name not in conversations:
        # Comparing with every id is slow, so only some lines get a suggestion.
        raise InputError(unknown_name("conversation", name, conversations if near else (), where=f"in {dataset}"))
    questions = conversations[name].questions
    if not isinstance(turn, int) or isinstance(turn, bool) or not 0 <= turn < len(questions):
        raise InputError(f"{name} has turns 0 to {len(questions) - 1}, not {_show(turn)}")
    if "answer" not in fields:
        raise InputError("'answer' is missing: use null for no answer")
    seconds, usage = _usage(fields)
    ended = _EPOCH + timedelta(milliseconds=round(seconds * 1000))
    return (name, turn), Turn(questions[turn], _answer(fields), False, _EPOCH, ended, usage=usage)


def _parse(line: bytes) -> dict[str, object]:
    try:
        fields = json.loads(line.decode("utf-8"), parse_float=Decimal, parse_int=_whole, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise InputError("not valid UTF-8") from error
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON: {error.msg} at column {error.colno}") from error
    except (RecursionError, ArithmeticError) as error:
        raise InputError("nested too deeply, or contains a number that is too long") from error
    if not isinstance(fields, dict):
        raise InputError("expected a JSON object with conversation, turn and answer")
    return fields


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise InputError(f"a number with {len(digits)} digits is too long")
    return int(digits)


def _no_number(word: str) -> None:
    raise InputError(f"{word} is not a number: use null for no answer")


def _answer(fields: Mapping[str, object]) -> Answer:
    unit = fields.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise InputError(f"'unit' must be a string, not {_show(unit)}")
    named = (unit or "").strip()
    value, signed = _value(fields["answer"])
    confidence = _amount(fields, "confidence", 1)
    percent = isinstance(value, Number | ValueList) and (signed or named.casefold() in _PERCENT)
    scale = _SCALES.get(named.casefold(), Scale.ONE)
    known = percent or scale is not Scale.ONE or named.casefold() in _PLAIN | _PERCENT
    return Answer(
        value=_fraction(value) if percent else value,
        scale=Scale.ONE if percent else scale,
        unit=None if known else named[:40],
        metric_type="percentage" if percent else "value",
        formula=_text(fields, "expression"),
        confidence=None if confidence is None else float(confidence),
        reason=_text(fields, "doubt") or None,
    )


def _value(given: object) -> tuple[AnswerValue | None, bool]:
    """Parse an answer; return its value and whether it has a percent sign."""
    match given:
        case None:
            return None, False
        case bool():
            return YesNo(given), False
        case int() | Decimal():
            return Number(_bound(Decimal(given))), False
        case str():
            return _read_text(given)
        case list() if given and len(given) <= _LONGEST_NUMBER:
            items = [_value(item)[0] for item in given]
            return ValueList(tuple(_item(item) for item in items)), False
    raise InputError(f"'answer' must be a number, text, yes or no, or a list of these, not {_show(given)}")


def _read_text(given: str) -> tuple[AnswerValue, bool]:
    text = given.strip()
    if not text or len(text) > _LONGEST_TEXT:
        raise InputError(f"'answer' has {len(text)} characters: use null for no answer")
    if text.casefold() in ("yes", "no"):
        return YesNo(text.casefold() == "yes"), False
    if (number := _NUMBER.fullmatch(text)) is None:
        return Text(text), False
    exact = _bound(Decimal(number["digits"].replace(",", "")))
    return Number(-exact if number["sign"] == "-" else exact), bool(number["percent"])


def _item(value: AnswerValue | None) -> ListItem:
    match value:
        case Number(value=exact):
            return ListItem(number=exact)
        case Text(value=text):
            return ListItem(label=text)
    raise InputError("every entry of a list must be a number or a text")


def _fraction(value: AnswerValue | None) -> AnswerValue | None:
    if isinstance(value, Number):
        return Number(value.value.scaleb(-2))
    if isinstance(value, ValueList):
        parts = (replace(one, number=None if one.number is None else one.number.scaleb(-2)) for one in value.items)
        return ValueList(tuple(parts))
    return value


def _bound(number: Decimal) -> Decimal:
    digits = number.as_tuple()
    if not number.is_finite() or len(digits.digits) > _LONGEST_NUMBER or abs(number.adjusted()) > _LONGEST_NUMBER:
        raise InputError(f"a number has more than {_LONGEST_NUMBER} digits")
    return number


def _text(fields: Mapping[str, object], name: str) -> str:
    given = fields.get(name)
    if given is None:
        return ""
    if not isinstance(given, str) or len(given) > _LONGEST_TEXT:
        raise InputError(f"{name!r} must be a text of at most {_LONGEST_TEXT} characters, not {_show(given)}")
    return " ".join(given.split())


def _usage(fields: Mapping[str, object]) -> tuple[float, Usage]:
    read, written = (_amount(fields, name, _LARGEST) for name in ("tokens_in", "tokens_out"))
    cost = _amount(fields, "cost", 10**9)
    requests = int(any(given is not None for given in (read, written, cost)))
    seconds = float(_amount(fields, "latency_ms", _LONGEST_WAIT) or 0) / 1000
    return seconds, Usage(requests, int(read or 0), int(written or 0), cost=None if cost is None else Decimal(cost))


def _amount(fields: Mapping[str, object], name: str, most: int) -> int | Decimal | None:
    """Return a field that must be a number from 0 to `most`, or None if it is missing."""
    given = fields.get(name)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | Decimal) or not 0 <= given <= most:
        raise InputError(f"{name!r} must be a number from 0 to {most}, not {_show(given)}")
    return given


def _show(given: object) -> str:
    if given is None:
        return "missing"
    text = json.dumps(given, default=str, ensure_ascii=True)
    return text if len(text) <= 60 else text[:57] + "..."


SOLVER = "import"
"""The name of the solver in the spec of an imported run."""


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """An imported run, with its numbers of answered and unanswered turns."""

    run: RunRecord
    answered: int
    unanswered: int


async def import_run(store: RunStore, file: Path, dataset: Dataset, name: str | None = None) -> ImportedRun:
    """Store the answers in a file as a run; all of them, or nothing."""
    with named_in_errors(file, "read"):
        data = file.read_bytes()
    normalized = run_name(file.stem if name is None else name)
    answers = await compute(read_answers, str(file), data, dataset)
    origin = {"name": normalized, "file": file.name, "digest": hashlib.sha256(data).hexdigest()}
    spec = RunSpec(SOLVER, dataset.path, dataset.digest, dict(origin))

    def records_of(run: RunRecord, conversation: Conversation) -> Sequence[TurnRecord]:
        turns = tuple(imported_turns(conversation, answers, run.started))
        return turn_records(TurnPlace(run.id, conversation.id), turns, chained=conversation.chained)

    run = await keep_whole_run(store, dataset, spec, normalized, "import", records_of)
    asked = sum(len(conversation.questions) for conversation in dataset.conversations)
    return ImportedRun(run, len(answers), asked - len(answers))


def run_name(words: str) -> str:
    """Return a name in the form used in run ids.

    >>> run_name("Big model, May 2026")
    'big-model-may-2026'
    """
    name = re.sub(r"[^a-z0-9_]+", "-", words.casefold()).strip("-")[:40].strip("-")
    if not name:
        raise InputError(f"invalid run name {words[:40]!r}: it needs at least one letter a to z or digit")
    return name


async def keep_whole_run(
    store: RunStore,
    dataset: Dataset,
    spec: RunSpec,
    normalized: str,
    kind: RunKind,
    records_of: Callable[[RunRecord, Conversation], Sequence[TurnRecord]],
) -> RunRecord:
    """Store a run with all its turns, or nothing, and return its record."""
    started = await time_of_new_run(store)
    run = replace(
        spec.new_run(started, len(dataset.conversations), kind), id=replace(spec, solver=normalized).new_run_id(started)
    )
    await store.create_run(run)
    try:
        for conversation in dataset.conversations:
            await _keep(store, run, conversation, await compute(records_of, run, conversation))
        await store.finish_run(run.id, "complete", now())
    except BaseException:
        with suppress(QuaestorError):  # the original error is raised instead
            await store.delete_run(run.id)
        raise
    return await store.run(run.id)


async def _keep(store: RunStore, run: RunRecord, conversation: Conversation, turns: Sequence[TurnRecord]) -> None:
    example = ConversationRecord(
        run=run.id,
        conversation=conversation.id,
        document=conversation.document.id,
        started=run.started,
        usage=stored_counts(sum((Usage.of_counts(turn.usage) for turn in turns), Usage())),
    )
    attempt = await store.begin_example(example)
    ended = max((turn.finished or run.started for turn in turns), default=run.started)
    done = replace(example, status="complete", turns=len(turns), finished=ended, attempt=attempt)
    await store.complete_example(done, turns)


async def save_held_out_runs(
    store: RunStore, request: "CrossValidationRequest", found: "Sequence[HeldOutReport]"
) -> tuple[RunRecord, ...]:
    """Store the held-out turns of each dataset as a run, each completely or not at all, and return the records."""
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in request.files}
    made_with: dict[str, JsonValue] = {"folds": request.folds, "seed": request.seed, "files": dict(files)}
    return tuple([await _keep_held_out(store, one, made_with) for one in found])


async def _keep_held_out(store: RunStore, found: "HeldOutReport", made_with: dict[str, JsonValue]) -> RunRecord:
    answered: dict[str, list[TurnRecord]] = {}
    for turn in found.turns:
        answered.setdefault(turn.record.conversation, []).append(turn.record)

    def records_of(run: RunRecord, conversation: Conversation) -> list[TurnRecord]:
        return [replace(record, run=run.id) for record in answered.get(conversation.id, ())]

    spec = RunSpec(CROSS_VALIDATION, found.dataset.path, found.dataset.digest, made_with)
    return await keep_whole_run(store, found.dataset, spec, CROSS_VALIDATION, "run", records_of)
