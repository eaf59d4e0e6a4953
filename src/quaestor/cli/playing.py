"""A run from the command line: what `run`, `eval` and `demo` have in common before anything is scored."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from quaestor.cli.access import NO_TAPES, Tapes, solver_access
from quaestor.cli.failures import StoppedError
from quaestor.cli.knowing import find_ontology
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import DatasetError, EngineError, InputError, OutageError, SettingsError
from quaestor.evaluation.engines import Engine, make_engine
from quaestor.evaluation.knowledge import settle_ontology
from quaestor.evaluation.line import ModelAccess
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.graph.knowledge_graph import Policy
from quaestor.settings import Settings
from quaestor.solvers.registry import require_option, solver_spec
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord

# Below this many conversations starting worker processes costs more than they save.
_FEW = 4

Watcher = Callable[[Conversation, tuple[Turn, ...]], None]


@dataclass(frozen=True, slots=True)
class Said:
    """What a command says of the solver itself, above the settings.

    Attributes:
        weights: A folder of weights for the embedded solver, or None for its own.
        abstain_below: The confidence below which it withholds an answer, or None.
        expert: Who drafts for the reflection solver, or None for what the settings say.
    """

    weights: Path | None = None
    abstain_below: float | None = None
    expert: str | None = None


NOTHING_SAID = Said()


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run.

    Attributes:
        settings: Solver, workers and store in force.
        limit: Only the first so many conversations, or None for all.
        said: What the command says of the solver itself.
        resume: The run to go on with (an id, the beginning of one, or `latest`), or None for a new one.
        ontology: A Turtle file or a digest, or None for that of the dataset's own documents.
        policy: What becomes of gaps; by default `extend` with an ontology of another origin, else `strict`.
        tapes: Recording or replay of the exchanges with a model.
        named: Whether the command itself names a model.
    """

    settings: Settings
    limit: int | None = None
    said: Said = NOTHING_SAID
    resume: str | None = None
    ontology: str | None = None
    policy: Policy | None = None
    tapes: Tapes = NO_TAPES
    named: bool = False


def read_playable(path: Path, limit: int | None = None) -> Dataset:
    """Returns a dataset in which there is something to compute with.

    Raises:
        DatasetError: It cannot be read, or none of its pages has a number.
    """
    dataset = read_dataset(path, limit)
    if not any(has_numbers(conversation.document) for conversation in dataset.conversations):
        raise DatasetError(f"{path} has no page with a number: nothing in it can be answered")
    return dataset


def has_numbers(document: Document) -> bool:
    """Tells whether a page has a number in a table or a sentence."""
    cells = (cell for table in document.tables for cell in table.body())
    return any(cell.quantities for cell in cells) or any(sentence.mentions for sentence in document.sentences)


async def play(dataset: Dataset, order: Order, store: RunStore, watcher: Watcher | None = None) -> RunRecord:
    """Plays a dataset into a store and returns the record of the run.

    Raises:
        StoppedError: A person interrupted it, its budget is used up, or its model cannot be asked.
        QuaestorError: It could not be begun, or not be brought to its end; the message says how to go on.
    """
    options, go_on = solver_options(order.settings, order.said), order.resume is not None
    with solver_access(order.settings, options, order.tapes, named=order.named, go_on=go_on) as access:
        return await _play(dataset, order, store, watcher, access, named_model(options, access))


async def _play(
    dataset: Dataset,
    order: Order,
    store: RunStore,
    watcher: Watcher | None,
    access: ModelAccess | None,
    options: dict[str, JsonValue],
) -> RunRecord:
    settings = order.settings
    ontology = await find_ontology(order.ontology, store) if order.ontology else None
    policy = order.policy or ("extend" if ontology else "strict")
    spec = RunSpec.of(
        dataset,
        settings.solver,
        options,
        order.limit,
        ontology.digest if ontology else None,
        policy,
        access.decisive if access else None,
    )
    resumed = (await find_run(store, order.resume)).id if order.resume else None

    async def going_on() -> str:
        run = resumed or await _begun(store, (await settle_ontology(spec, dataset, store, ontology))[0])
        return f"go on with --resume {run}" if run else "nothing was begun"

    try:
        record = await run_dataset(
            dataset,
            spec,
            store,
            _engine(settings, len(dataset.conversations), access),
            resume=resumed,
            on_conversation=watcher,
            ontology=ontology,
            access=access,
        )
    except asyncio.CancelledError as error:
        # Ctrl-C cancels the task; what has been played is stored.
        raise StoppedError(f"stopped; {await going_on()}") from error
    except OutageError as error:
        raise StoppedError(f"{error}; {await going_on()}", 2 if isinstance(error, InputError) else 1) from error
    await require_played(store, record)
    return record


def solver_options(settings: Settings, said: Said) -> dict[str, JsonValue]:
    """Returns what the solver is built with: its table in the settings, and above that what a command says.

    Raises:
        SettingsError: A table has a value that no option takes, or an expert is named for a solver that takes none.
    """
    options = _table(settings, settings.solver)
    weights = str(said.weights.resolve()) if said.weights else None
    given: dict[str, JsonValue] = {"weights": weights, "abstain_below": said.abstain_below, "expert": said.expert}
    for name, value in given.items():
        if value is not None:
            require_option(settings.solver, name, f"--{name.replace('_', '-')}")
            options[name] = value
    around = solver_spec(settings.solver).around
    named = options.get(around) if around else None
    if isinstance(named, str) and (own := _table(settings, named)):
        options[f"{around}_options"] = own
    return options


def _table(settings: Settings, solver: str) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name, value in settings.solvers.get(solver, {}).items():
        if not isinstance(value, str | int | float):
            raise SettingsError(f"{name!r} in [solvers.{solver}] must be text, a number, true or false, not {value!r}")
        found[name] = value
    return found


def named_model(options: dict[str, JsonValue], access: ModelAccess | None) -> dict[str, JsonValue]:
    """Returns the options with the name of the model, for the record."""
    return options | ({"model": access.spec.name} if access else {})


def _engine(settings: Settings, conversations: int, access: ModelAccess | None) -> Engine:
    """Returns what plays: a solver that waits for a model here, many conversations at once; others on all cores."""
    lanes = settings.lanes(asks=access is not None)
    if access is not None or lanes == 1 or conversations <= _FEW:
        return make_engine("inline", 1 if access is None else lanes)
    return make_engine("processes", lanes)


async def require_played(store: RunStore, run: RunRecord) -> None:
    """Makes sure that every conversation of a run came to its end, be it by a defect of the solver.

    Raises:
        EngineError: Conversations are still to be played, or a service did not answer for them.
    """
    progress = await store.progress(run.id)
    waiting = run.conversations - progress.get("complete", 0) - progress.get("failed", 0)
    if waiting:
        outages = [example.error for example in await store.examples(run.id) if example.status == "outage"]
        why = f" (first failure: {outages[0]})" if outages else ""
        raise EngineError(
            f"run {run.id} has {waiting} of {run.conversations} conversations unplayed{why}: "
            f"go on with quaestor run {run.dataset} --resume {run.id}"
        )


async def _begun(store: RunStore, spec: RunSpec) -> str | None:
    return next((run.id for run in await store.runs() if run.spec_digest == spec.digest), None)


async def find_run(store: RunStore, name: str) -> RunRecord:
    """Returns the run of that id, the only one whose id begins so, or the latest.

    Raises:
        UnknownRunError: There is none, or the store is empty.
        InputError: Several ids begin so.
    """
    runs = await store.runs()
    if name == "latest" and runs:
        return runs[0]
    found = [run for run in runs if run.id.startswith(name)] if name else []
    exact = [run for run in found if run.id == name]
    if len(found) > 1 and not exact:
        raise InputError(f"{len(found)} runs begin with {name!r}: {', '.join(run.id for run in found[:5])}")
    return (exact or found or [await store.run(name)])[0]
