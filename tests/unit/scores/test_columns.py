"""Judged turns packed column by column."""

from hypothesis import given
from hypothesis import strategies as st

from quaestor.scores.columns import pack_columns, unpack_columns
from quaestor.scores.listing import VerdictOnAnswer

ROWS = st.lists(
    st.builds(
        VerdictOnAnswer,
        conversation=st.sampled_from(["a", "b", "Zürich/2009-1"]),
        index=st.integers(0, 30),
        document=st.just(""),
        correct=st.booleans(),
        program_correct=st.none() | st.booleans(),
        cause=st.none() | st.sampled_from(["sign", "wrong line", "no answer"]),
        number=st.none() | st.sampled_from(["1.5", "yes", '{"text": "\u20ac 5\\n"}']),
        confidence=st.none() | st.floats(0, 1),
    ),
    unique_by=lambda row: (row.conversation, row.index),
)


@given(ROWS)
def test_what_is_packed_comes_back_turn_by_turn(rows: list[VerdictOnAnswer]) -> None:
    rows.sort(key=lambda row: (row.conversation, row.index))
    columns = unpack_columns(pack_columns(rows))
    assert len(columns) == len(rows)
    assert [*columns.rows()] == rows
    assert columns.asked == unpack_columns(pack_columns(rows)).asked


def test_runs_of_other_turns_were_not_asked_the_same() -> None:
    one, other = (VerdictOnAnswer("a", place, "p", True, None, None, "1", None) for place in (0, 1))
    asked = [unpack_columns(pack_columns(rows)).asked for rows in ([one], [other], [one, other], [])]
    assert all(asked.count(found) == 1 for found in asked)


def test_nothing_judged_has_no_turns() -> None:
    assert [*unpack_columns({}).rows()] == []
