"""The verdicts of a scoring with what was answered, column by column: all that comparisons of whole runs need of a run.

Holds verdicts and answers of the run, never a reference.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from quaestor.scores.listing import VerdictOnAnswer

_FLAGS: Mapping[bool | None, str] = {True: "1", False: "0", None: "-"}
_READ = {sign: flag for flag, sign in _FLAGS.items()}
_LEVEL = 6


@dataclass(frozen=True, slots=True)
class JudgedColumns:
    """The judged turns of a run, by conversation and index; each list has one value per turn, as in VerdictOnAnswer.

    Attributes:
        asked: Equal in runs of the same turns.
    """

    conversations: list[str]
    indexes: list[int]
    documents: list[str]
    correct: list[bool]
    program_correct: list[bool | None]
    causes: list[str | None]
    numbers: list[str | None]
    confidences: list[float | None]
    asked: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.indexes)

    def rows(self) -> Iterator[VerdictOnAnswer]:
        """Return the turns one by one."""
        columns = (self.conversations, self.indexes, self.documents, self.correct, self.program_correct)
        return map(VerdictOnAnswer, *columns, self.causes, self.numbers, self.confidences)


def unpack_columns(packed: Mapping[str, bytes]) -> JudgedColumns:
    """Return the columns that `pack_columns` made; empty if nothing was judged."""
    lists: dict[str, list[Any]] = {name: json.loads(zlib.decompress(data)) for name, data in packed.items()}
    counts = lists.get("counts", [])

    def of_turns(name: str) -> list[str]:
        return list(chain.from_iterable(map(repeat, lists.get(name, []), counts)))

    causes, *codes = lists.get("causes") or ([],)
    return JudgedColumns(
        of_turns("conversations"),
        lists.get("indexes", []),
        of_turns("documents"),
        [sign == "1" for sign in "".join(lists.get("correct", []))],
        [_READ[sign] for sign in "".join(lists.get("program_correct", []))],
        [None if code is None else causes[code] for code in codes],
        lists.get("numbers", []),
        lists.get("confidences", []),
        tuple(packed.get(name, b"") for name in ("conversations", "counts", "indexes")),
    )


def pack_columns(rows: Iterable[VerdictOnAnswer]) -> dict[str, bytes]:
    """Return judged turns as a store keeps them: each column as JSON, deflated.

    Args:
        rows: By conversation and index.
    """
    pages, counts, codes = dict[str, str](), dict[str, int](), dict[str, int]()
    columns: dict[str, list[Any]] = {
        name: [] for name in ("indexes", "correct", "program_correct", "causes", "numbers", "confidences")
    }
    for row in rows:  # none of which is held
        pages[row.conversation] = row.document
        counts[row.conversation] = counts.get(row.conversation, 0) + 1
        of_row = {
            "indexes": row.index,
            "correct": _FLAGS[row.correct],
            "program_correct": _FLAGS[row.program_correct],
            "causes": codes.setdefault(row.cause, len(codes)) if row.cause else None,
            "numbers": row.number,
            "confidences": row.confidence,
        }
        for name, value in of_row.items():
            columns[name].append(value)
    columns |= {name: ["".join(columns[name])] for name in ("correct", "program_correct")}
    columns |= {"causes": [list(codes), *columns["causes"]]}
    columns |= {"conversations": list(pages), "documents": list(pages.values()), "counts": list(counts.values())}
    return {name: _packed(column) for name, column in columns.items()}


def _packed(column: list[Any]) -> bytes:
    return zlib.compress(json.dumps(column, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)
