"""Two runs of the same questions are compared turn by turn, and as the stages of a cascade."""

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from quaestor.application.comparison import RunsCompared, compare_pair, compare_stored
from quaestor.application.run_import import import_run
from quaestor.application.simulated_cascade import StageTurn, cascade_curve
from quaestor.datasets.formats import read_dataset
from quaestor.errors import InputError
from quaestor.llm.usage import Usage
from quaestor.scoring.turn_frame import COLUMNS, TurnFrame
from quaestor.store.base import open_store

Turn = tuple[int, bool | None, str | None, tuple[str, str]]


def frame(*turns: Turn) -> TurnFrame:
    turn_frame = TurnFrame(breakdowns=("turn", "operation"))
    for place, right, answer, classes in turns:
        conversation, page = f"c{place // 2}", f"page {place // 2}"
        columns = (conversation, place % 2, page, "X", answer, None, None, {"execution": right}, classes)
        for column, value in zip(COLUMNS, columns, strict=True):
            getattr(turn_frame, column).append(value)
    return turn_frame


NO = ("", "")
FIRST: tuple[Turn, ...] = (
    (0, True, "0.37743", ("turn 1", "divide")),
    (1, True, "12", ("turn 2", "lookup")),
    (2, False, None, ("turn 1", "divide")),
    (3, True, "5", ("turn 2", "divide")),
    (4, False, "7", ("turn 1", "divide")),
    (5, None, "7", ("turn 2", "divide")),
)
SECOND: tuple[Turn, ...] = (
    (0, False, "0.3774", NO), (1, True, "12.0", NO), (2, True, "3", NO), (3, False, "6", NO), (4, False, "7", NO),
    (5, True, "7", NO),
)  # fmt: skip


def test_a_pair_is_reported_with_agreement_groups_and_differences() -> None:
    found = compare_pair(("a", "b"), frame(*FIRST), frame(*SECOND[::-1]), "execution")
    figures, agreement = found.figures, found.agreement
    assert (figures.both, figures.wins, figures.losses, figures.neither, found.unjudged) == (1, 2, 1, 1, 1)
    assert (agreement.same, agreement.first_right, agreement.second_right) == (3, 2, 1)
    assert (agreement.different, agreement.first_right_apart, agreement.second_right_apart) == (2, 1, 1)
    assert found.differences == (0, 3, 2)
    groups = {by: [(name, one.turns) for name, one in part.items()] for by, part in found.breakdowns.items()}
    assert groups == {"turn": [("turn 1", 3), ("turn 2", 2)], "operation": [("divide", 4), ("lookup", 1)]}


def test_run_compared_with_itself_has_no_differences() -> None:
    found = compare_pair(("a", "a"), frame(*FIRST), frame(*FIRST), "execution")
    assert (found.figures.wins, found.figures.losses, found.differences, found.figures.p) == (0, 0, (), 1.0)


def test_runs_with_different_turns_or_scorers_are_refused() -> None:
    with pytest.raises(InputError):
        compare_pair(("a", "b"), frame(FIRST[0]), frame(FIRST[1]), "execution")
    with pytest.raises(InputError):
        compare_pair(("a", "b"), frame(*FIRST), frame(*FIRST), "luck")


@pytest.mark.very_slow
def test_a_careful_reading_is_compared_with_a_hosted_model(shared_data: Path, tmp_path: Path) -> None:
    uri, path = str(tmp_path / "runs.db"), shared_data / "convfinqa_tune.json"

    async def scenario() -> RunsCompared:
        dataset = read_dataset(path)
        async with open_store(uri) as store:
            files = [shared_data / f"{name}_tune.jsonl" for name in ("careful_reading", "hosted_model_answers")]
            names = [(await import_run(store, file, dataset)).run.id for file in files]
            return await compare_stored(store, names, uri)

    found = asyncio.run(scenario())
    assert [(right.correct, right.total) for right in found.right] == [(729, 841), (501, 841)]
    (pair,) = found.pairs
    figures = pair.figures
    assert (figures.wins, figures.losses, figures.both, figures.neither) == (240, 12, 489, 100)
    from scipy.stats import binomtest

    assert figures.p == pytest.approx(binomtest(240, 252).pvalue, rel=1e-9)
    assert (figures.by_page.groups, figures.by_company.groups) == (126, 44)
    assert 0.2 < figures.by_page.low < figures.by_page.value < figures.by_page.high < 0.35
    for groups in pair.breakdowns.values():
        assert sum(one.wins for one in groups.values()) == 240
        assert sum(one.turns for one in groups.values()) == 841
    assert pair.agreement.same + pair.agreement.different == 841


COST = Usage(1, 100, 10, cost=Decimal("0.01"))
SURE, UNSURE, WRONG_AND_SURE = (
    StageTurn(right=True, confidence=0.9),
    StageTurn(right=False, confidence=0.3),
    StageTurn(right=False, confidence=0.8),
)
RIGHT, WRONG = StageTurn(right=True, usage=COST), StageTurn(right=False, usage=COST)


def curve(first: list[StageTurn], second: list[StageTurn], *thresholds: float) -> list[tuple[int, float]]:
    found = cascade_curve(first, second, ["page"] * len(first), thresholds)
    return [(point.passed, point.right.correct) for point in found]


def test_turns_below_the_threshold_are_taken_from_the_second_run() -> None:
    first, second = [SURE, UNSURE, WRONG_AND_SURE], [WRONG, RIGHT, RIGHT]
    assert curve(first, second, 0.0, 0.3, 0.5, 0.85, 1.0) == [(0, 1), (0, 1), (1, 2), (2, 3), (3, 2)]


def test_only_passed_turns_add_cost() -> None:
    points = cascade_curve([SURE, UNSURE], [RIGHT, RIGHT], ["p", "q"], (0.0, 0.5, 1.0))
    assert [point.usage.cost for point in points] == [None, Decimal("0.01"), Decimal("0.02")]
    assert [point.share for point in points] == [0.0, 0.5, 1.0]


def test_usage_of_the_first_stage_always_counts() -> None:
    dear = StageTurn(right=True, confidence=0.9, usage=COST)
    (point,) = cascade_curve([dear, dear], [RIGHT, RIGHT], ["p", "q"], (0.5,))
    assert (point.passed, point.usage.requests) == (0, 2)


@pytest.mark.parametrize("silent", [StageTurn(right=False, answered=False, confidence=0.9), StageTurn(right=True)])
def test_answers_without_value_or_confidence_are_always_passed_on(silent: StageTurn) -> None:
    assert curve([silent], [RIGHT], 0.1) == [(1, 1)]


def test_first_answer_counts_if_the_second_run_failed_but_not_if_it_declined() -> None:
    right_but_unsure = StageTurn(right=True, confidence=0.2)
    failed = StageTurn(right=False, answered=False, failed=True)
    silent = StageTurn(right=False, answered=False)
    assert curve([right_but_unsure], [failed], 0.5) == [(1, 1)]
    assert curve([right_but_unsure], [silent], 0.5) == [(1, 0)]
    assert curve([StageTurn(right=False, answered=False, failed=True)], [failed], 0.5) == [(1, 0)]
