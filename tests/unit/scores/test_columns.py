"""Judged turns packed column by column."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quaestor.scores.columns import pack_rows, unpack_frame
from quaestor.scoring.turn_frame import TurnFrame

SCORERS = ("execution", "program")
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "conversation": st.sampled_from(["a", "b", "Zürich/2009-1"]),
            "index": st.integers(0, 30),
            "document": st.just("Zürich/2009"),
            "correct": st.booleans(),
            "program_correct": st.none() | st.booleans(),
            "cause": st.none() | st.sampled_from(["sign", "wrong line", "no answer"]),
            "number": st.none() | st.sampled_from(["1.5", "yes", '{"text": "\u20ac 5\\n"}']),
            "confidence": st.none() | st.floats(0, 1),
        }
    ),
    unique_by=lambda row: (row["conversation"], row["index"]),
)


def frame_of(rows: list[dict[str, Any]]) -> TurnFrame:
    return unpack_frame(pack_rows(rows), SCORERS)


@given(ROWS)
def test_what_is_packed_comes_back_turn_by_turn(rows: list[dict[str, Any]]) -> None:
    rows.sort(key=lambda row: (row["conversation"], row["index"]))
    frame = frame_of(rows)
    assert len(frame) == len(rows)
    assert frame.verdicts == [{"execution": row["correct"], "program": row["program_correct"]} for row in rows]
    for column, name in (
        ("conversations", "conversation"), ("places", "index"), ("pages", "document"), ("answers", "number"),
        ("causes", "cause"), ("confidences", "confidence"),
    ):  # fmt: skip
        assert getattr(frame, column) == [row[name] for row in rows]


def test_runs_of_other_turns_were_not_asked_the_same() -> None:
    one, other = ({"conversation": "a", "index": place, "document": "p", "correct": True} for place in (0, 1))
    asked = [frame_of(rows).asked for rows in ([one], [other], [one, other], [])]
    assert all(asked.count(found) == 1 for found in asked)


def test_nothing_judged_has_no_turns() -> None:
    assert not len(frame_of([]))
