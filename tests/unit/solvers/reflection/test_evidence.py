"""Checks of valid drafts, and of drafts with deliberate errors."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from drafting import PLAN_MISTAKES, Corruptor, LabelledPlan, comes_to_another, judge, labelled_plans, write_draft

from quaestor.sample import sample_path
from quaestor.solvers.reflection.evidence import examine_plan
from quaestor.solvers.reflection.numbers import NumberIndex

CONVERSATIONS = 60


@pytest.fixture(params=["sample", pytest.param("public", marks=pytest.mark.slow)])
def turns(request: pytest.FixtureRequest) -> Iterator[LabelledPlan]:
    if request.param == "sample":
        return labelled_plans(sample_path())
    return labelled_plans(request.getfixturevalue("shared_data") / "convfinqa_tune.json", CONVERSATIONS)


@pytest.mark.very_slow
@pytest.mark.parametrize("whole", ["sample", pytest.param("public", marks=pytest.mark.slow)])
def test_valid_drafts_raise_few_alarms(whole: str, request: pytest.FixtureRequest) -> None:
    sample = whole == "sample"
    path = sample_path() if sample else request.getfixturevalue("shared_data") / "convfinqa_tune.json"
    count, alarms = 0, []
    for turn in labelled_plans(path):
        count += 1
        found = judge(write_draft(turn.plan, turn.context), turn)
        alarms += [(turn.question, found)] if found else []
        assert not [finding for finding in found if finding.hard], found
    assert count > 100
    assert len(alarms) < 0.02 * count, alarms


@pytest.mark.very_slow
def test_errors_of_fact_are_always_found(turns: Iterator[LabelledPlan]) -> None:
    corruptor, counts = Corruptor(1), Counter[str]()
    for turn in turns:
        sound = write_draft(turn.plan, turn.context)
        wrong = {
            "arithmetic": corruptor.wrong_arithmetic(sound),
            "ungrounded": corruptor.made_up(sound, turn.context),
            "misplaced": corruptor.misread(sound, turn.context),
        }
        for kind, draft in wrong.items():
            if draft is not None:
                counts[kind] += 1
                assert kind in {finding.kind for finding in judge(draft, turn)}, (kind, draft)
    assert all(counts[kind] > 10 for kind in ("arithmetic", "ungrounded", "misplaced"))


@pytest.mark.very_slow
def test_most_errors_in_plans_are_found(shared_data: Path) -> None:
    corruptor = Corruptor(2)
    counts, found = Counter[str](), Counter[str]()
    for turn in labelled_plans(shared_data / "convfinqa_tune.json", CONVERSATIONS):
        for name, mistake in PLAN_MISTAKES.items():
            wrong = mistake(corruptor, turn.plan, turn.context)
            if wrong is not None and comes_to_another(turn.plan, wrong, turn.context):
                counts[name] += 1
                memory, numbers = turn.context.memory, NumberIndex(turn.context.graph)
                found[name] += bool(examine_plan(wrong, turn.question, memory, numbers))
    least = {
        "flipped sign": 0.9,
        "wrong scale": 0.75,
        "wrong operation": 0.4,
        "wrong cell": 0.1,
        "swapped operands": 0.1,
    }
    assert {name: found[name] / counts[name] >= share for name, share in least.items()} == dict.fromkeys(least, True)
