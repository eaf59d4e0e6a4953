"""The model that the command line asks: options and settings in, a way to it out."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from quaestor.errors import SettingsError
from quaestor.evaluation.line import ModelAccess
from quaestor.settings import Settings
from quaestor.solvers.registry import MODEL_SOLVERS, SOLVERS


@dataclass(frozen=True, slots=True)
class Tapes:
    """What becomes of a run's exchanges with its model, besides the store.

    Attributes:
        record: Write them to this file.
        replay: Take them from this file, without a network.
    """

    record: Path | None = None
    replay: Path | None = None


NO_TAPES = Tapes()


@contextmanager
def solver_access(
    settings: Settings, tapes: Tapes = NO_TAPES, *, named: bool = False, go_on: bool = False
) -> Iterator[ModelAccess | None]:
    """Gives the way to the model of the solver in force; None where it asks none.

    Args:
        settings: Solver, model and budget in force.
        tapes: Recording or replay.
        named: Whether the command itself names a model, so that one that is not asked is a mistake.
        go_on: Whether a recording is added to one that is there.

    Raises:
        SettingsError: There is no such solver, or options that do not fit it or each other.
        ModelAccessError: There is no such model.
        CassetteError: The recording cannot be read or written.
    """
    if settings.solver not in SOLVERS:
        raise SettingsError(f"there is no solver {settings.solver!r}; choose one of {', '.join(SOLVERS)}")
    if settings.solver in MODEL_SOLVERS:
        with model_access(settings, tapes, go_on=go_on) as access:
            yield access
        return
    if named or tapes != NO_TAPES:
        asking = " or ".join(sorted(MODEL_SOLVERS))
        raise SettingsError(f"the solver {settings.solver!r} asks no model: take --solver {asking}, or name no model")
    yield None


@contextmanager
def model_access(settings: Settings, tapes: Tapes = NO_TAPES, *, go_on: bool = False) -> Iterator[ModelAccess]:
    """Gives the way to the model that the settings name.

    Raises:
        SettingsError: None is named, or options do not fit each other.
        ModelAccessError: There is no such model.
        CassetteError: The recording cannot be read or written.
    """
    from quaestor.llm.budget import Budget, find_price
    from quaestor.llm.cassette import Player, Recorder
    from quaestor.llm.models import Tape
    from quaestor.llm.naming import find_model

    if settings.model is None:
        raise SettingsError("no model is named: --model NAME or QUAESTOR_MODEL, such as anthropic:NAME or openai:NAME")
    if tapes.record and tapes.replay:
        raise SettingsError("--record and --replay cannot go together: what is replayed is recorded already")
    spec = find_model(settings.model, settings.models)
    money = None if settings.max_cost is None else Decimal(str(settings.max_cost))
    with ExitStack() as stack:
        tape: Tape | None = None
        if tapes.record:
            tape = stack.enter_context(Recorder(tapes.record, go_on=go_on))
        elif tapes.replay:
            tape = Player(tapes.replay)
        tracing = None
        if settings.tracing:
            from quaestor.llm.tracing import start_tracing

            tracing = start_tracing()
            stack.callback(tracing.shutdown)
        yield ModelAccess(
            spec,
            Budget(settings.max_requests, settings.max_tokens, money),
            find_price(spec, settings.prices),
            tape,
            tracing,
        )
