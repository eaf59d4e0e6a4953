"""The verdicts of a scoring with what was answered, column by column: all that comparisons of whole runs need of a run.

Holds verdicts and answers of the run, never a reference: of classes there is the place of a turn alone.
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from quaestor.scoring.scorers import PROGRAMS, Measures, Verdict, measures_of
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.tables import Row

_SIGNS: Mapping[Verdict, str] = {True: "1", False: "0", None: "-"}
_READ: Mapping[str, Verdict] = {sign: flag for flag, sign in _SIGNS.items()}
_LEVEL = 6


def frame_of_rows(rows: Sequence[Row], scorers: Iterable[str]) -> TurnFrame:
    """Return judged turns as a frame, given a row each: verdict, page, answer and confidence.

    Args:
        rows: By conversation and index.
        scorers: The names of the score's figures.
    """
    names = ("conversation", "index", "document", "correct", "program_correct", "cause", "number", "confidence")
    columns: list[list[Any]] = [[row.get(name) for row in rows] for name in names]
    return _frame(_measures(scorers), *columns)


def pack_frame(frame: TurnFrame) -> dict[str, bytes]:
    """Return judged turns, by conversation and index, as a store keeps them: each column as JSON, deflated."""
    pages, counts = dict(zip(frame.conversations, frame.pages, strict=True)), Counter(frame.conversations)
    causes = {cause: place for place, cause in enumerate(dict.fromkeys(filter(None, frame.causes)))}

    def signs(scorer: str) -> str:
        return "".join(_SIGNS[verdicts[scorer]] for verdicts in frame.verdicts)

    columns: dict[str, list[Any]] = {
        "indexes": frame.places,
        "correct": [signs(frame.measures.right)],
        "program_correct": [signs(frame.measures.second)],
        "causes": [list(causes), *(causes[cause] if cause else None for cause in frame.causes)],
        "numbers": frame.answers,
        "confidences": frame.confidences,
        "conversations": list(pages),
        "documents": list(pages.values()),
        "counts": list(counts.values()),
    }
    return {name: _pack(column) for name, column in columns.items()}


def unpack_frame(packed: Mapping[str, bytes], scorers: Iterable[str]) -> TurnFrame:
    """Return the turns that `pack_frame` packed; none if nothing was judged.

    Args:
        scorers: The names of the score's figures.
    """
    lists: dict[str, list[Any]] = {name: json.loads(zlib.decompress(data)) for name, data in packed.items()}
    counts = lists.get("counts", [])

    def of_turns(name: str) -> list[str]:
        return list(chain.from_iterable(map(repeat, lists.get(name, []), counts)))

    def flags(name: str) -> list[Verdict]:
        return [_READ[sign] for sign in "".join(lists.get(name, []))]

    causes, *codes = lists.get("causes") or ([],)
    frame = _frame(
        _measures(scorers),
        of_turns("conversations"),
        lists.get("indexes", []),
        of_turns("documents"),
        flags("correct"),
        flags("program_correct"),
        [None if code is None else causes[code] for code in codes],
        lists.get("numbers", []),
        lists.get("confidences", []),
    )
    frame.asked = tuple(packed.get(name, b"") for name in ("conversations", "counts", "indexes"))
    return frame


def _frame(
    measures: Measures,
    conversations: list[str],
    indexes: list[int],
    pages: list[str],
    right: list[Verdict],
    others: list[Verdict],
    causes: list[str | None],
    answers: list[str | None],
    confidences: list[float | None],
) -> TurnFrame:
    companies = {page: page.partition("/")[0] for page in dict.fromkeys(pages)}
    classes = [(f"turn {place + 1}",) for place in range(max(indexes, default=-1) + 1)]
    verdicts: dict[tuple[Verdict, Verdict], Mapping[str, Verdict]] = {
        both: {measures.right: both[0], measures.second: both[1]} for both in set(zip(right, others, strict=True))
    }
    return TurnFrame(
        measures,
        ("turn",),
        conversations,
        indexes,
        pages,
        [companies[page] for page in pages],
        answers,
        confidences,
        causes,
        [verdicts[both] for both in zip(right, others, strict=True)],
        [classes[place] for place in indexes],
    )


def _measures(scorers: Iterable[str]) -> Measures:
    try:
        return measures_of(scorers)
    except ValueError:  # of a score that another version kept
        return PROGRAMS


def _pack(column: Sequence[Any]) -> bytes:
    return zlib.compress(json.dumps(column, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)
