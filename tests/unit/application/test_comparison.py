"""Two runs of the same questions: every turn once, where it belongs."""

from dataclasses import replace

import pytest

import quaestor
from quaestor.application.comparison import compare_runs
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
    found = compare_runs(first, second)
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
    found = compare_runs(scored, scored, "program")
    assert (found.only_first, found.only_second) == ((), ())
    assert len(found.both) == sum(turn.program_correct for turn in scored.report.turns)


def test_runs_of_other_questions_or_scorers_are_refused(scored: quaestor.ScoredRun) -> None:
    other = replace(scored, run=replace(scored.run, dataset_digest="0" * 64))
    with pytest.raises(InputError, match="are not of the same questions"):
        compare_runs(scored, other)
    with pytest.raises(InputError, match=r"no turn has a verdict of the scorer 'luck': there are .*execution"):
        compare_runs(scored, scored, "luck")
