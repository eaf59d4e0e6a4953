"""Inspect solver that runs a conversation with one of quaestor's solvers, turn by turn.

The answers are stored in the sample after each turn, so that a sample that ends early is scored by the answers it has.
An error that every attempt would repeat (a page without a graph, a defect of the solver) ends the conversation, whose
remaining turns count as wrong; outages and limits are handled by Inspect.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from quaestor.application.file_cache import load_graphs
from quaestor.application.inspect_log import BROKEN, NO_MODEL, TURNS, dump_turns, turn_facts, turn_messages
from quaestor.application.resolve import dataset_path, read_answerable
from quaestor.application.solver_options import SolverOverrides, run_options
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation, Dataset, check_questions
from quaestor.errors import SettingsError, unknown_name
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, describe_failure, status_for_failure, turn_records
from quaestor.evaluation.runner import ConversationRunner
from quaestor.inspect_task.bridge import InspectModels, role_specs, spec_of
from quaestor.llm.session import ModelConfig, open_session
from quaestor.settings import Settings, load_settings
from quaestor.solvers.base import Solver
from quaestor.solvers.registry import make_solver, solver_names, solver_spec, solver_specs

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, TaskState
    from inspect_ai.solver import Solver as InspectSolver


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """A dataset, and the solver that answers it."""

    dataset: Dataset
    settings: Settings
    options: Mapping[str, JsonValue]


def prepare(dataset: str, solver: str | None, options: str | Sequence[str] | None = None) -> PreparedTask:
    """Load the inputs of a task."""
    settings = load_settings({"solver": solver})
    if settings.solver not in solver_names():
        raise SettingsError(unknown_name("solver", settings.solver, solver_names()))
    pages = conversations_of(dataset_path(dataset))
    overrides = SolverOverrides(texts=_texts(options))
    return PreparedTask(pages, settings, run_options(settings, overrides, pages))


@lru_cache(maxsize=2)
def conversations_of(path: Path) -> Dataset:
    """Return the conversations of a file. Task, solver and scorer share them."""
    return read_answerable(path)


def _texts(options: str | Sequence[str] | None) -> dict[str, str]:
    given = [options] if isinstance(options, str) else list(options or ())
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = str(text).partition("=")
        if not equals or not name:
            raise SettingsError(f"invalid option {text!r}: use NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


class SampleRunner:
    """Runs conversations of one dataset with one solver, and prepares the solver and the graphs once."""

    def __init__(self, given: PreparedTask) -> None:
        self._given = given
        self._lock = asyncio.Lock()
        self._shared: tuple[Solver, GraphProvider] | None = None

    async def shared(self) -> tuple[Solver, GraphProvider]:
        """Return the solver and the graph provider of the whole dataset."""
        async with self._lock:
            if self._shared is None:
                solver = await compute(make_solver, self._given.settings.solver, self._given.options)
                pages = tuple(self._given.dataset.documents())
                self._shared = solver, await load_graphs(pages, self._given.settings)
            return self._shared

    async def run(self, state: "TaskState") -> None:
        """Run the conversation of a sample, and store its answers in the sample."""
        conversation = self._given.dataset.conversation(str(state.sample_id))
        (solver, graphs), models = await self.shared(), InspectModels()
        async with AsyncExitStack() as stack:
            config = self._model(state, models)
            session = await stack.enter_async_context(open_session(config)) if config else None
            try:
                await _run_turns(conversation, ConversationRunner(conversation, solver, graphs, session), state)
            except Exception as failure:
                if models.ended is not None:
                    raise models.ended from failure
                if status_for_failure(failure) == "outage":
                    raise
                state.store.set(BROKEN, describe_failure(failure))

    def _model(self, state: "TaskState", models: InspectModels) -> ModelConfig | None:
        """Return the configuration of Inspect's model, or None if the solver uses no model."""
        spec = solver_spec(self._given.settings.solver)
        options = spec.read(self._given.options)
        if str(state.model) == NO_MODEL:
            if spec.must_have_model(options):
                raise SettingsError(f"the solver {spec.name!r} needs a model, such as --model openai/NAME")
            return None
        if not spec.takes_model:
            asking = " or ".join(sorted(one.name for one in solver_specs() if one.takes_model))
            raise SettingsError(f"the solver {spec.name!r} does not use a model: choose {asking}, or use --model none")
        named = spec_of(str(state.model))
        return ModelConfig(named, cassette=models, roles=role_specs(named, spec.roles(options)))


async def _run_turns(conversation: Conversation, runner: ConversationRunner, state: "TaskState") -> None:
    from inspect_ai.log import transcript
    from inspect_ai.model import ModelOutput
    from inspect_ai.util import span

    check_questions(conversation)
    place = TurnPlace("", conversation.id)
    await runner.begin()
    for index, question in enumerate(conversation.questions):
        async with span(f"turn {index + 1}"):
            await runner.run_next_turn(question)
            records = await compute(turn_records, place, runner.turns, chained=conversation.chained)
            transcript().info(turn_facts(records[-1]), source="quaestor")
        state.store.set(TURNS, dump_turns(records))
        state.messages = turn_messages(records, conversation.document)
        state.output = ModelOutput.from_content(str(state.model), state.messages[-1].text)


def conversation_solver(
    dataset: str = "sample", solver: str | None = None, options: str | Sequence[str] | None = None
) -> "InspectSolver":
    """Return the Inspect solver that answers each question of a conversation."""
    runner = SampleRunner(prepare(dataset, solver, options))

    async def solve(state: "TaskState", generate: "Generate") -> "TaskState":
        del generate
        await runner.run(state)
        return state

    return solve
