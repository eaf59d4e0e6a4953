"""The embedded solver: deterministic, independent of ids, and robust to unusual pages, histories and weights."""

import asyncio
import gzip
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from shutil import copytree

import pytest
from pages import page
from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.datasets.convfinqa import read_convfinqa_page
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.errors import ModelError, SettingsError
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Compute, Constant, Plan
from quaestor.sample import sample_path
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.loading import ANSWERABLE_FILE, CHOICES_FILE, WEIGHT_FILES
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS
from quaestor.solvers.registry import make_solver

SHIPPED = SHIPPED_WEIGHTS


@pytest.fixture(scope="module")
def sample() -> Dataset:
    return read_dataset(sample_path())


def play(conversation: Conversation) -> tuple[Turn, ...]:
    return asyncio.run(answer_conversation(conversation, make_solver("embedded", {})))


def values(turns: tuple[Turn, ...]) -> list[object]:
    return [turn.answer.number for turn in turns]


def test_the_stock_option_page(sample: Dataset) -> None:
    turns = play(sample.conversation("Single_QUIL/2007/page_88.pdf-1"))
    assert values(turns)[:3] == [Decimal("48.65"), Decimal("33.20"), Decimal("15.45")]
    assert all(turn.verified for turn in turns)
    assert [len(turn.answer.sources) for turn in turns[:3]] == [1, 1, 2]


@pytest.mark.slow
def test_answers_are_deterministic(sample: Dataset) -> None:
    for conversation in sample.conversations[:5]:
        first, again = play(conversation), play(conversation)
        assert [turn.answer for turn in first] == [turn.answer for turn in again]


@pytest.mark.slow
def test_answers_do_not_depend_on_ids(sample: Dataset) -> None:
    records = json.loads(sample_path().read_text(encoding="utf-8"))[:6]
    for number, record in enumerate(records):
        known = sample.conversation(record["id"])
        renamed = read_convfinqa_page({**record, "id": f"Single_ZZZ/19{number}0/page_9.pdf-4"}, "a test")
        assert renamed.id != known.document.id
        assert values(play(Conversation("Single_ZZZ", renamed, known.questions))) == values(play(known))


def test_a_page_without_numbers_is_a_named_error() -> None:
    document = page([["", "a"], ["b", "n/a"]])
    turns = play(Conversation("x", document, ("what was b?", "and what is that times 100?")))
    assert [turn.answer.value for turn in turns] == [None, None]
    assert all((turn.error or "").startswith("SolverError") for turn in turns)


def test_follow_up_uses_answers_of_another_solver(sample: Dataset) -> None:
    conversation = sample.conversations[0]

    class Other:
        name = "other"

        def __init__(self) -> None:
            self.embedded = make_solver("embedded", {})

        async def solve(self, question: str, context: TurnContext) -> Answer:
            if len(context.memory.turns) == 0:
                return Answer(a_value(True))
            if len(context.memory.turns) == 1:
                steps = tuple(Compute(n, "add", (Constant(Decimal(n), str(n)),) * 2) for n in (1, 2))
                return Answer(a_value(4), plan=Plan(steps))
            return await self.embedded.solve(question, context)

    changed = replace(conversation, questions=("is it?", "how many?", "what is that times 100?"))
    turns = asyncio.run(answer_conversation(changed, Other()))
    assert turns[2].answer.value is not None
    assert turns[2].verified


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "{", "[]", '{"a": 1}'])
def test_damaged_answerability_weights_are_a_named_error(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "weights"
    copytree(SHIPPED, folder)
    (folder / ANSWERABLE_FILE).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=ANSWERABLE_FILE):
        make_solver("embedded", {"weights": str(folder)})


@pytest.mark.slow
@pytest.mark.parametrize("name", WEIGHT_FILES)
@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"a": 1}'])
def test_damaged_weights_are_a_named_error(tmp_path: Path, name: str, content: str | None) -> None:
    folder = tmp_path / "weights"
    copytree(SHIPPED, folder)
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=name):
        make_solver("embedded", {"weights": str(folder)})


def test_weights_of_other_columns_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    copytree(SHIPPED, folder)
    ranker = json.loads((folder / "ranker.json").read_text(encoding="utf-8"))
    ranker["columns"][0] = "another"
    (folder / "ranker.json").write_text(json.dumps(ranker), encoding="utf-8")
    with pytest.raises(ModelError, match=r"ranker\.json"):
        make_solver("embedded", {"weights": str(folder)})


@pytest.mark.parametrize("options", [{"beam": 3}, {"weights": 7}])
def test_unknown_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        make_solver("embedded", options)


def test_shipped_weights_are_small() -> None:
    paths = [path for path in SHIPPED.rglob("*") if path.is_file()]
    assert {path.name for path in paths} >= {*WEIGHT_FILES, ANSWERABLE_FILE, CHOICES_FILE, "card.json"}
    assert sum(path.stat().st_size for path in paths) < 4_000_000
    for path in paths:
        if path.suffix != ".npz":
            json.loads(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())


def test_the_solver_has_a_name() -> None:
    assert isinstance(make_solver("embedded", {}), EmbeddedSolver)


def test_solver_loads_its_weights_in_advance(tmp_path: Path) -> None:
    solver = EmbeddedSolver(tmp_path / "missing", answers="all")
    with pytest.raises(ModelError, match="no weights in"):
        solver.load()
