"""Two runs of the same questions: every turn once, where it belongs."""

from dataclasses import replace

import pytest

import quaestor
from quaestor.application.comparison import pair_turns, report_pair
from quaestor.application.judged_turns import ComparedTurn, JudgedTurns
from quaestor.errors import InputError


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> quaestor.ScoredRun:
    return quaestor.evaluate("sample", limit=3, store=str(tmp_path_factory.mktemp("runs") / "runs.db"))


def with_verdicts(run: quaestor.ScoredRun, verdicts: list[bool | None]) -> quaestor.ScoredRun:
    """The run with other verdicts on its first turns."""
    turns = list(run.report.turns)
    for place, verdict in enumerate(verdicts):
        turns[place] = replace(turns[place], verdicts={**turns[place].verdicts, "execution": verdict})
    return replace(run, report=replace(run.report, turns=tuple(turns)))


def test_each_turn_is_in_one_of_five_groups(scored: quaestor.ScoredRun) -> None:
    first = with_verdicts(scored, [True, True, False, False, None])
    second = with_verdicts(scored, [True, False, True, False, True])
    found = pair_turns(first.report.turns, second.report.turns, "execution")
    keys = [(turn.conversation, turn.turn) for turn in scored.report.turns]
    places = {
        name: [keys.index((pair.first.conversation, pair.first.turn)) for pair in getattr(found, name)]
        for name in ("both", "only_first", "only_second", "neither", "unjudged")
    }
    assert {name: [place for place in at if place < 5] for name, at in places.items()} == {
        "both": [0], "only_first": [1], "only_second": [2], "neither": [3], "unjudged": [4],
    }  # fmt: skip
    assert sorted(place for at in places.values() for place in at) == list(range(len(keys)))
    assert all(pair.first.turn == pair.second.turn for pair in found.both)


def test_a_run_beside_itself_differs_nowhere(scored: quaestor.ScoredRun) -> None:
    found = pair_turns(scored.report.turns, scored.report.turns, "program")
    assert (found.only_first, found.only_second) == ((), ())
    assert len(found.both) == sum(turn.program_correct for turn in scored.report.turns)


def test_an_unknown_scorer_is_refused(scored: quaestor.ScoredRun) -> None:
    with pytest.raises(InputError):
        pair_turns(scored.report.turns, scored.report.turns, "luck")


def turn(place: int, right: bool | None, answer: str | None, **classes: str) -> ComparedTurn:
    return ComparedTurn(f"c{place // 2}", place % 2, f"page {place // 2}", "X", classes, answer, {"execution": right})


def test_a_pair_is_reported_with_agreement_groups_and_differences() -> None:
    first = [
        turn(0, True, "0.37743", turn="turn 1", operation="divide"),
        turn(1, True, "12", turn="turn 2", operation="lookup"),
        turn(2, False, None, turn="turn 1", operation="divide"),
        turn(3, True, "5", turn="turn 2", operation="divide"),
        turn(4, False, "7", turn="turn 1", operation="divide"),
        turn(5, None, "7", turn="turn 2", operation="divide"),
    ]
    second = [
        turn(0, False, "0.3774"), turn(1, True, "12.0"), turn(2, True, "3"), turn(3, False, "6"), turn(4, False, "7"),
        turn(5, True, "7"),
    ]  # fmt: skip
    found = report_pair(("a", "b"), JudgedTurns.of(first), JudgedTurns.of(second[::-1]), "execution")
    figures, agreement = found.figures, found.agreement
    assert (figures.both, figures.wins, figures.losses, figures.neither, found.unjudged) == (1, 2, 1, 1, 1)
    assert (agreement.same, agreement.first_right, agreement.second_right) == (3, 2, 1)
    assert (agreement.different, agreement.first_right_apart, agreement.second_right_apart) == (2, 1, 1)
    assert [(pair.first.conversation, pair.first.turn) for pair in found.differences] == [
        ("c0", 0),
        ("c1", 1),
        ("c1", 0),
    ]
    groups = {part.by: [(group.name, group.figures.turns) for group in part.groups] for part in found.breakdowns}
    assert groups == {"turn": [("turn 1", 3), ("turn 2", 2)], "operation": [("divide", 4), ("lookup", 1)]}


def test_runs_of_other_turns_are_not_paired() -> None:
    with pytest.raises(InputError):
        pair_turns([turn(0, True, "1")], [turn(1, True, "1")], "execution")
