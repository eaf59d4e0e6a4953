"""`quaestor compare --cascade`: two imported runs as the stages of a cascade."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from scripted import ScriptedSolver
from stand_in import stand_in

from quaestor.conversation.answer import Answer
from quaestor.solvers.base import TurnContext

ONE, TWO = "Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2"
RIGHT: list[tuple[str, int, object]] = [
    (ONE, 0, 206588), (ONE, 1, 181001), (ONE, 2, -25587), (TWO, 0, "13.7"), (TWO, 1, 206588), (TWO, 2, 435),
]  # fmt: skip


def imported(quaestor: Quaestor, folder: Path, name: str, wrong: dict[int, object], **more: list[object]) -> str:
    lines = [
        {"conversation": c, "turn": t, "answer": wrong.get(place, answer)}
        | {field: values[place] for field, values in more.items() if values[place] is not None}
        for place, (c, t, answer) in enumerate(RIGHT)
    ]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return quaestor(f"runs import {name}.jsonl --dataset pages.json").out.strip()


@pytest.fixture
def stages(quaestor: Quaestor, pages: Path, tmp_path: Path) -> tuple[str, str]:
    """A cheap run, wrong and unsure twice, wrong and sure once; a dear one that is wrong once."""
    cheap = imported(quaestor, tmp_path, "cheap", {0: 1, 1: 2, 5: 3}, confidence=[0.3, 0.42, 0.9, 0.8, 0.7, 0.95])
    dear = imported(quaestor, tmp_path, "dear", {2: 5}, tokens_in=[100] * 6, cost=[0.01] * 6)
    return cheap, dear


def test_accuracy_share_and_cost_by_threshold(quaestor: Quaestor, stages: tuple[str, str]) -> None:
    cheap, dear = stages
    found = json.loads(quaestor(f"compare --cascade {cheap} {dear} --json").out)
    assert (found["first"], found["second"]) == stages
    assert (found["first_right"]["correct"], found["second_right"]["correct"]) == (3, 5)
    points = {point["threshold"]: point for point in found["points"]}
    assert [points[0.0][name] for name in ("passed", "share", "accuracy")] == [0, 0.0, 0.5]
    assert (points[0.5]["passed"], points[0.5]["right"]["correct"]) == (2, 5)
    assert points[0.5]["usage"]["cost_millionths"] == 20_000
    assert (points[1.0]["passed"], points[1.0]["right"]["correct"]) == (6, 5)
    assert found["best"] == 0.45
    shown = quaestor(f"compare --cascade {cheap} {dear}").out
    assert "0.45" in shown
    assert "2 (33.3 %)" in shown


class Sure(ScriptedSolver):
    """As sure as the number of turns before it is large; of a change only after another one's answers."""

    async def solve(self, question: str, context: TurnContext) -> Answer:
        found = await super().solve(question, context)
        before = context.memory.turns
        if question == "change":
            return replace(found, confidence=0.9 if before[0].answer.plan is None else 0.4)
        return replace(found, confidence=0.3 + 0.2 * len(before))


@pytest.mark.slow
def test_a_solver_without_a_model_answers_again(
    quaestor: Quaestor, stages: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, Sure)
    _, dear = stages
    run = quaestor("run pages.json").out.strip()
    apart, again = (
        json.loads(quaestor(f"compare --cascade {run} {dear} --json{more}").out) for more in ("", " --play")
    )
    assert (apart["replayed"], again["replayed"]) == (False, True)
    passed = {
        name: {point["threshold"]: point["passed"] for point in found["points"]}
        for name, found in (("apart", apart), ("again", again))
    }
    # Alone it is unsure of the change at 0.45; after the other run's first answer, which has no plan, it is sure.
    assert passed["apart"][0.25] == passed["again"][0.25]
    assert passed["apart"][0.45] == passed["again"][0.45] + 1
    assert quaestor(f"compare --cascade {run} {dear} --play").code == 0


def test_what_cannot_answer_again_is_said_in_a_line(quaestor: Quaestor, stages: tuple[str, str]) -> None:
    cheap, dear = stages
    one_line(quaestor(f"compare --cascade {cheap} {dear} --play"))
    assert quaestor(f"compare {cheap} {dear} --play").code == 2


def test_what_cannot_be_simulated_is_said_in_a_line(quaestor: Quaestor, stages: tuple[str, str]) -> None:
    cheap, dear = stages
    one_line(quaestor(f"compare --cascade {dear} {cheap}"))
    one_line(quaestor(f"compare --cascade {dear} {dear}"))
    assert quaestor(f"compare --cascade {cheap} {dear} --differences").code == 2
