"""The effect of each error that a solver can raise: a wrong answer, or the end of the conversation or the run."""

import asyncio
from pathlib import Path
from typing import Literal

import pytest
from made_up import a_record, write_dataset

import quaestor.errors as errors
from quaestor.conversation.answer import Answer
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.errors import MissingModelError, QuaestorError
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.runner import answer_conversation, run_conversation
from quaestor.evaluation.spec import RunSpec
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.registry import make_solver
from quaestor.store.base import open_store

Fate = Literal["wrong", "failed", "outage", "end"]
"""A wrong turn; a failed conversation; a conversation that is unscored until the run is resumed; the end of the run."""

FATES: dict[type[QuaestorError], Fate] = {
    errors.SolverError: "wrong",
    errors.ModelReplyError: "wrong",
    errors.PlanError: "wrong",
    errors.ProgramError: "wrong",
    errors.FormulaError: "wrong",
    errors.PlanValidationError: "wrong",
    errors.ExecutionError: "wrong",
    errors.DivisionByZeroError: "wrong",
    errors.MagnitudeError: "wrong",
    errors.OperandError: "wrong",
    errors.QuantityError: "wrong",
    errors.GraphError: "wrong",
    errors.GapError: "wrong",
    errors.QueryError: "wrong",
    errors.QuaestorError: "failed",
    errors.InputError: "failed",
    errors.DatasetError: "failed",
    errors.ReadingLimitError: "failed",
    errors.QuestionStoppedError: "failed",
    errors.QuestionTimeoutError: "wrong",
    errors.BadLinesError: "failed",
    errors.SeveralPagesError: "failed",
    errors.DocumentError: "failed",
    errors.UnlabelledError: "failed",
    errors.UnknownConversationError: "failed",
    errors.UnknownUploadError: "failed",
    errors.SeveralPagesError: "failed",
    errors.QuestionError: "failed",
    errors.OutputExistsError: "failed",
    errors.BusyError: "failed",
    errors.RunStoppedError: "failed",
    errors.OutageError: "outage",
    errors.ModelAccessError: "end",
    errors.BudgetExceededError: "end",
    errors.CassetteError: "end",
    errors.SettingsError: "end",
    errors.MissingModelError: "end",
    errors.PluginError: "end",
    errors.EngineError: "end",
    errors.StoreError: "end",
    errors.StoredValueError: "end",
    errors.UnknownRunError: "end",
    errors.DuplicateRecordError: "end",
    errors.ClaimedError: "end",
    errors.OntologyError: "end",
    errors.ModelError: "end",
}


class Raising:
    """A solver that raises the given error for every question."""

    name = "raising"

    def __init__(self, error: QuaestorError) -> None:
        self.error = error

    async def solve(self, question: str, context: TurnContext) -> Answer:
        raise self.error


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return read_dataset(
        write_dataset(
            tmp_path_factory.mktemp("fates") / "pages.json", a_record(), a_record("Single_NORD/2012/page_41.pdf-2")
        )
    )


@pytest.fixture
def conversation(dataset: Dataset) -> Conversation:
    return dataset.conversations[0]


def test_every_error_has_an_expected_fate() -> None:
    every = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, QuaestorError)}
    assert every == FATES.keys()


@pytest.mark.parametrize(("kind", "fate"), [pytest.param(k, f, id=k.__name__) for k, f in FATES.items()])
def test_each_error_has_its_fate(kind: type[QuaestorError], fate: Fate, conversation: Conversation) -> None:
    error = kind.__new__(kind, "it went wrong")
    error.args = ("it went wrong",)
    run = asyncio.run(run_conversation(conversation, Raising(error)))
    if fate == "wrong":
        assert run.status == "complete"
        assert [turn.error for turn in run.turns] == [f"{kind.__name__}: it went wrong"] * len(run.turns)
        assert len(run.turns) == len(conversation.questions)
        return
    assert run.turns == ()
    assert run.error is not None
    assert run.error.startswith(f"{kind.__name__}: it went wrong")
    assert run.status == ("failed" if fate == "failed" else "outage")
    assert run.end is (error if fate == "end" else None)
    with pytest.raises(kind):
        asyncio.run(answer_conversation(conversation, Raising(error)))


def test_run_without_a_model_stops_and_scores_nothing(dataset: Dataset, tmp_path: Path) -> None:
    async def play() -> tuple[set[str], str]:
        async with open_store(str(tmp_path / "runs.db")) as store:
            with pytest.raises(MissingModelError):
                await run_dataset(dataset, RunSpec.of(dataset, "agent"), store, InlineEngine())
            (run,) = await store.runs()
            return {example.status for example in await store.examples(run.id)}, run.status

    assert asyncio.run(play()) == ({"outage"}, "stopped")


def test_a_run_that_was_misconfigured_can_be_resumed(dataset: Dataset, tmp_path: Path) -> None:
    embedded = make_solver("embedded")
    solvers: list[Solver] = [Raising(errors.SettingsError("a key is missing")), embedded]
    spec = RunSpec.of(dataset, "embedded")

    async def play() -> str:
        async with open_store(str(tmp_path / "runs.db")) as store:
            with pytest.raises(errors.SettingsError):
                await run_dataset(dataset, spec, store, InlineEngine(), factory=lambda: solvers[0])
            (run,) = await store.runs()
            record = await run_dataset(dataset, spec, store, InlineEngine(), resume=run.id, factory=lambda: solvers[1])
            return record.status

    assert asyncio.run(play()) == "complete"
