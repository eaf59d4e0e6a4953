"""The verdicts of a scoring with what was answered, column by column: all that comparisons of whole runs need of a run.

Owns the packed form, which stores keep beside the verdicts: a hundred thousand turns are read in a few hundredths of
a second, where as many rows take seconds. Holds verdicts and answers of the run, never a reference.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, repeat
from typing import Any

from quaestor.scores.listing import VerdictOnAnswer

_FLAGS: Mapping[bool | None, str] = {True: "1", False: "0", None: "-"}
_READ = {sign: flag for flag, sign in _FLAGS.items()}
_LEVEL = 6


class JudgedColumns:
    """The judged turns of a run, by conversation and index. Each column is unpacked when it is first asked for."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        """Takes the columns as `pack_columns` made them, by their names; none where nothing was judged."""
        self._packed = packed

    def __len__(self) -> int:
        return sum(self._list("counts"))

    @property
    def asked(self) -> Sequence[bytes]:
        """Equal in runs of the same turns."""
        return [self._packed.get(name, b"") for name in ("conversations", "counts", "indexes")]

    @cached_property
    def conversations(self) -> Sequence[str]:
        """The conversation's id, of each turn."""
        return self._of_turns("conversations")

    @cached_property
    def documents(self) -> Sequence[str]:
        """What the conversation is about, of each turn."""
        return self._of_turns("documents")

    @cached_property
    def indexes(self) -> Sequence[int]:
        """The place of each turn in its conversation, from 0."""
        return self._list("indexes")

    @cached_property
    def correct(self) -> Sequence[bool]:
        """Whether each is right, as in the VerdictRecord."""
        return [sign == "1" for sign in "".join(self._list("correct"))]

    @cached_property
    def program_correct(self) -> Sequence[bool | None]:
        """Whether the program of each is right, likewise."""
        return [_READ[sign] for sign in "".join(self._list("program_correct"))]

    @cached_property
    def causes(self) -> Sequence[str | None]:
        """Why each is wrong, likewise."""
        names, *codes = self._list("causes") or ([],)
        return [None if code is None else names[code] for code in codes]

    @cached_property
    def numbers(self) -> Sequence[str | None]:
        """What was answered, as in the TurnRecord; None where there is no answer, or the turn was not played."""
        return self._list("numbers")

    @cached_property
    def confidences(self) -> Sequence[float | None]:
        """The solver's probability that each is right."""
        return self._list("confidences")

    def rows(self) -> Iterator[VerdictOnAnswer]:
        """Yields the turns one by one."""
        columns = (self.conversations, self.indexes, self.documents, self.correct, self.program_correct)
        return map(VerdictOnAnswer, *columns, self.causes, self.numbers, self.confidences)

    def _list(self, name: str) -> list[Any]:
        data = self._packed.get(name)
        return json.loads(zlib.decompress(data)) if data is not None else []

    def _of_turns(self, name: str) -> list[str]:
        return list(chain.from_iterable(map(repeat, self._list(name), self._list("counts"))))


def pack_columns(rows: Iterable[VerdictOnAnswer]) -> dict[str, bytes]:
    """Returns judged turns as a store keeps them: each column as JSON, deflated.

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
