"""Reference answers of all benchmarks: data classes, and the registry of file formats.

The answer fields of files are named only in `scoring.references`, one module per benchmark, none of which reads a
document or a question. No layer below this package may import these modules, so that no solver can use them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from quaestor.core.answer_value import AnswerValue
from quaestor.core.caching import BoundedCache
from quaestor.datasets.dataset import numbered_lines
from quaestor.errors import DatasetError, UnlabelledError
from quaestor.plugins import Registry, named_object
from quaestor.readers.content import read_content
from quaestor.readers.json_records import JsonOutline, JsonRecords
from quaestor.scoring.filing_answers import FilingReference

_FEW = 64
"""Number of conversations of a large file whose answers are cached."""


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """Answer as stated: spans as printed, and their scale (`thousand`, `million`, `billion`, `percent` or "")."""

    spans: tuple[str, ...]
    scale: str = ""


@dataclass(frozen=True, slots=True)
class StatedReference:
    """Reference of a benchmark of stated answers.

    Attributes:
        source: Origin of the answer: `table`, `text` or `table-text`.
        derivation: The arithmetic as annotators wrote it; "" for all kinds but `arithmetic`.
        form: Form of the answer: `number`, `count`, `words`, `numbers` or `several words`.
    """

    answer: StatedAnswer
    kind: str
    source: str
    derivation: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """Reference answer of one turn.

    Attributes:
        program: Self-contained program text; "" if the dataset gives none.
        executed: The program's result: a number rounded to five decimals, with percentages as fractions, or yes or no.
            For a stated answer, its number in units of its scale, its words, or a list of these.
        display: The answer as the annotators show it; None if the file has no reliable one.
        question_part: 1 in the second half of a conversation joined from two questions, else 0.
    """

    program: str
    executed: AnswerValue
    display: str | None
    question_part: int
    stated: StatedReference | None = None
    filing: FilingReference | None = None


Answers = Mapping[str, tuple[GoldTurn, ...] | None]
"""The answers of each conversation by its id; None for a conversation without answers."""

Verdicts = Mapping[tuple[str, int], Mapping[str, bool]]
"""Verdicts of judges on answers in prose, by conversation and turn, then by the displayed answer."""


@dataclass(frozen=True, slots=True)
class GoldFile:
    """Parsed file.

    Attributes:
        content: The parsed JSON; for JSON Lines the list of records; for a large file records that are parsed lazily.
        first: Number of the first record, for messages.
    """

    name: str
    content: object
    line: bool = False
    first: int = 0

    def records(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield the location (for messages) and the content of each record of a list, or of the lists of an object."""
        content = self.content
        if isinstance(content, dict):
            content = [record for split in content.values() if isinstance(split, list) for record in split]
        if not isinstance(content, list | JsonRecords) or not content:
            raise DatasetError(f"{self.name} has no records")
        for number, record in enumerate(content, self.first):
            where = f"{self.name}, {f'line {number + 1}' if self.line else f'record {number}'}"
            if not isinstance(record, dict):
                raise DatasetError(f"{where}: expected an object")
            yield where, record

    def named(self, key: str, what: str, within: str | None = None) -> Iterator[tuple[str, str, Mapping[str, object]]]:
        """Yield the id, location and content of each record; `within` names the object of a record that has its id."""
        seen: set[str] = set()
        for where, record in self.records():
            holder = record if within is None else record.get(within)
            name = holder.get(key) if isinstance(holder, Mapping) else None
            if not isinstance(name, str) or not name:
                raise DatasetError(f"{where}: {what} has no {key}")
            if name in seen:
                raise DatasetError(f"{where}: duplicate {key} {name!r}")
            seen.add(name)
            yield name, f"{where} ({name})", record


class GoldFormat(Protocol):
    """Reader of reference answers in one file format.

    Other packages add formats through the entry point group `quaestor.references`, named after the format.
    """

    @property
    def name(self) -> str:
        """Name of the dataset format whose files have such answers."""

    def recognises(self, content: object) -> bool:
        """Return whether parsed JSON is in this format. Must not raise.

        Args:
            content: The whole content; for large files, an outline with the first element of each list and None for any
                other value.
        """

    def read(self, file: GoldFile) -> Answers:
        """Return the answers of a file, one per question, in the order of the questions.

        Raises:
            DatasetError: A record is invalid; the message says which.
        """


def first_record(content: object) -> Mapping[str, object]:
    """Return the first record of a list; empty if the content is something else."""
    first = content[0] if isinstance(content, list) and content else None
    return first if isinstance(first, Mapping) else {}


def all_or_none(turns: Sequence[GoldTurn | None], where: str) -> tuple[GoldTurn, ...] | None:
    """Return the answers of a conversation, or None if it has none; raise DatasetError if only some are missing."""
    labelled = tuple(turn for turn in turns if turn is not None)
    if labelled and len(labelled) < len(turns):
        raise DatasetError(f"{where}: {len(labelled)} of {len(turns)} questions have an answer")
    return labelled or None


@runtime_checkable
class ByRecord(Protocol):
    """GoldFormat that can read records one by one, so that a large file need not fit into memory."""

    def read(self, file: GoldFile) -> Answers:
        """Return the answers of a file, as `GoldFormat.read`."""
        return dict(self.read_each(file))

    def read_each(self, file: GoldFile) -> Iterator[tuple[str, tuple[GoldTurn, ...] | None]]:
        """Yield the conversation id and the answers of each record, in order, as `read` returns them."""


class FileGold(Mapping[str, tuple[GoldTurn, ...]]):
    """Reference answers of a large file, which reads the answers of a conversation again on access.

    It is pickled as a plain dict.
    """

    def __init__(self, name: str, records: JsonRecords, format: ByRecord, verdicts: Verdicts | None = None) -> None:
        """Validate all records once."""
        self._name, self._records, self._format, self._verdicts = name, records, format, verdicts or {}
        self._read = BoundedCache[str, tuple[GoldTurn, ...]](_FEW)
        self._places: dict[str, int] = {}
        labelled, bare = 0, None
        for conversation, turns in format.read_each(GoldFile(name, records)):
            self._places.setdefault(conversation, len(self._places))
            labelled += turns is not None
            bare = bare or (conversation if turns is None else None)
        _require_answers(name, labelled, bare)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> tuple[GoldTurn, ...]:
        """Return the answers of a conversation."""
        if (place := self._places.get(name)) is None:
            raise KeyError(name)
        return self._read.get(name, lambda: self._again(place))

    def _again(self, place: int) -> tuple[GoldTurn, ...]:
        file = GoldFile(self._name, [self._records[place]], first=place)
        name, turns = next(iter(self._format.read_each(file)))
        return judged_turns(name, turns or (), self._verdicts)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return self._records.digest()

    def __reduce__(self) -> tuple[type[dict[str, tuple[GoldTurn, ...]]], tuple[dict[str, tuple[GoldTurn, ...]]]]:
        return dict, (dict(self),)


def _format_of(name: str, found: object) -> GoldFormat:
    return cast(GoldFormat, named_object(name, found, ("name", "recognises", "read")))


# The original format accepts any list, so it is tried last.
_FORMATS: Registry[GoldFormat] = Registry(
    "quaestor.references",
    "format of reference answers",
    {
        "original": "quaestor.scoring.references.convfinqa:OriginalReferences",
        "cleaned": "quaestor.scoring.references.convfinqa:CleanedReferences",
        "tatqa": "quaestor.scoring.references.tatqa:TatqaReferences",
        "docfinqa": "quaestor.scoring.references.filings:DocFinqaReferences",
        "financebench": "quaestor.scoring.references.filings:FinanceBenchReferences",
        "filings": "quaestor.scoring.references.filings:FilingReferences",
    },
    _format_of,
)


def read_gold(path: Path) -> Mapping[str, tuple[GoldTurn, ...]]:
    """Read the reference answers of a file, by conversation id.

    Judges' verdicts on answers in prose are included (`read_verdicts`).
    """
    verdicts, content = read_verdicts(path), read_content(path)
    outline = None if content.suffix == ".jsonl" else content.outline
    if outline is not None and (records := content.records(part for part in outline.parts.values() if part.listed)):
        format = _format_for(_beginning(outline, records), path.name)
        if isinstance(format, ByRecord):
            return FileGold(path.name, records, format, verdicts)
    file = GoldFile(path.name, content.json) if content.suffix != ".jsonl" else _lines_of(path)
    answers = _format_for(file.content, path.name).read(file)
    gold = {name: judged_turns(name, turns, verdicts) for name, turns in answers.items() if turns is not None}
    _require_answers(path.name, len(gold), next((name for name, turns in answers.items() if turns is None), None))
    return gold


def judged_turns(conversation: str, turns: tuple[GoldTurn, ...], verdicts: Verdicts) -> tuple[GoldTurn, ...]:
    """Return the references of a conversation with the judges' verdicts added."""
    return tuple(
        replace(turn, filing=replace(turn.filing, judged=verdicts[conversation, index]))
        if turn.filing is not None and (conversation, index) in verdicts
        else turn
        for index, turn in enumerate(turns)
    )


def _format_for(content: object, name: str) -> GoldFormat:
    formats = [format for _, format in reversed(tuple(_FORMATS.usable()))]
    format = next((format for format in formats if format.recognises(content)), None)
    if format is None:
        raise DatasetError(f"{name} is not a benchmark file: expected a list of records")
    return format


def _require_answers(name: str, labelled: int, bare: str | None) -> None:
    """Raise an error unless all conversations have answers; `bare` is one without."""
    if not labelled:
        raise UnlabelledError(f"{name} has no reference answers: it can be run, but not scored")
    if bare is not None:
        raise DatasetError(f"{name} ({bare}): the record has no answers, unlike the others")


def _beginning(outline: JsonOutline, records: JsonRecords) -> object:
    """Return the JSON of an outlined file with only the first element of each list, and None for any other value."""
    firsts, place = dict[str, object](), 0
    for key, part in outline.parts.items():
        if part.listed:
            firsts[key] = [records[place]] if part.starts else []
            place += len(part.starts)
    return firsts[""] if outline.kind == "list" else dict.fromkeys(outline.parts) | firsts


def read_text(path: Path) -> str:
    """Read a text file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not valid UTF-8"
        raise DatasetError(f"cannot read {path}: {reason}") from error


def _lines_of(path: Path) -> GoldFile:
    records: list[object] = []
    for number, line in numbered_lines(read_text(path)):
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path.name}, line {number} is not valid JSON: {error}") from error
    return GoldFile(path.name, records, line=True)


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A judge's verdict on one answer in prose: a line of the verdict file beside the file of questions.

    A verdict is keyed by the answer's words, so it applies to every run that gives this answer; the last of several
    verdicts on the same answer wins. To overrule a judge, change `right` or append a line.

    Attributes:
        prompt: The judge's prompt, word for word.
    """

    conversation: str
    turn: int
    answer: str
    right: bool
    reason: str = ""
    judge: str = ""
    prompt: str = ""


def verdict_path(questions: Path) -> Path:
    """Return the path of the verdict file that belongs to a file of questions."""
    return questions.parent / f"{questions.name.removesuffix('.jsonl').removesuffix('.json')}.verdicts.jsonl"


def read_verdicts(questions: Path) -> Verdicts:
    """Read the verdict file beside a file of questions; empty if there is none."""
    path, found = verdict_path(questions), dict[tuple[str, int], dict[str, bool]]()
    for number, line in numbered_lines(read_text(path) if path.is_file() else ""):
        try:
            record = json.loads(line)
            turn, answer, right = (record["conversation"], record["turn"]), record["answer"], record["right"]
        except (ValueError, KeyError, TypeError) as error:
            fields = "'conversation', 'turn', 'answer' and 'right'"
            raise DatasetError(f"{path}, line {number}: expected an object with {fields}") from error
        if not isinstance(right, bool):
            raise DatasetError(f"{path}, line {number}: 'right' must be true or false")
        found.setdefault(turn, {})[answer] = right
    return found


def add_verdict(questions: Path, judged: JudgedAnswer) -> None:
    """Append a verdict to the file beside a file of questions."""
    path = verdict_path(questions)
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(judged), ensure_ascii=False) + "\n")
    except OSError as error:
        raise DatasetError(f"cannot write {path}: {error.strerror}; copy the questions to another folder") from error
