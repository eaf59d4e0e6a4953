"""Verdicts of a scoring with the answers, packed by column for comparisons of whole runs.

The columns have verdicts and answers, but no references; the only class is a turn's position.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from quaestor.scoring.scorers import PROGRAMS, Verdict, measures_of
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.tables import Row

PLACES = "places"
"""Column of the conversations and pages, each with its number of turns."""

_PLACE = ("conversation", "document")
_NAMES = ("index", "correct", "program_correct", "cause", "number", "confidence")
_LEVEL = 6


def pack_rows(rows: Sequence[Row]) -> dict[str, bytes]:
    """Pack judged turns, sorted by conversation and index, as columns of deflated JSON."""
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in _NAMES}
    alike = groupby(rows, key=lambda row: tuple(row[name] for name in _PLACE))
    columns[PLACES] = [(*place, len(list(of))) for place, of in alike]
    return {name: _pack(column) for name, column in columns.items()}


def unpack_frame(packed: Mapping[str, bytes], scorers: Iterable[str]) -> TurnFrame:
    """Return the turns that `pack_rows` packed."""
    columns: dict[str, list[Any]] = {name: json.loads(zlib.decompress(data)) for name, data in packed.items()}
    places, indexes = columns[PLACES], columns["index"]
    conversations, pages = ([place[at] for place in places for _ in range(place[2])] for at in (0, 1))
    try:
        measures = measures_of(scorers)
    except ValueError:  # the score was stored by another version
        measures = PROGRAMS
    both = list(zip(columns["correct"], columns["program_correct"], strict=True))
    verdicts: dict[tuple[Verdict, Verdict], Mapping[str, Verdict]] = {
        one: {measures.right: one[0], measures.second: one[1]} for one in set(both)
    }
    companies = {page: page.partition("/")[0] for page in dict.fromkeys(pages)}
    classes = [(f"turn {place + 1}",) for place in range(max(indexes, default=-1) + 1)]
    frame = TurnFrame(
        measures,
        ("turn",),
        conversations,
        indexes,
        pages,
        [companies[page] for page in pages],
        columns["number"],
        columns["confidence"],
        columns["cause"],
        [verdicts[one] for one in both],
        [classes[place] for place in indexes],
    )
    frame.asked = (packed[PLACES], packed["index"])
    return frame


def _pack(column: Sequence[Any]) -> bytes:
    return zlib.compress(json.dumps(column, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)
