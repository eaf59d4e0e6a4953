"""Stores runs whose turns are already complete: answers of another program, and cross-validations."""

import hashlib
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from quaestor.application.run_service import CROSS_VALIDATION
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import InputError, QuaestorError
from quaestor.evaluation.imported import ImportedTurns, imported_turns, read_answers, unanswered
from quaestor.evaluation.recording import TurnPlace, stored_counts, turn_records
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.usage import Usage
from quaestor.store.base import RunStore, time_of_new_run
from quaestor.store.records import ConversationRecord, RunKind, RunRecord, TurnRecord, now

if TYPE_CHECKING:
    from quaestor.application.training import CrossValidationRequest, HeldOutReport

SOLVER = "import"
"""The name of the solver in the spec of an imported run."""


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """An imported run, with its numbers of answered and unanswered turns."""

    run: RunRecord
    answered: int
    unanswered: int


async def import_run(store: RunStore, file: Path, dataset: Dataset, name: str | None = None) -> ImportedRun:
    """Store the answers in a file as a run; all of them, or nothing."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error
    normalized = run_name(file.stem if name is None else name)
    answers = await compute(read_answers, str(file), data, dataset)
    origin = {"name": normalized, "file": file.name, "digest": hashlib.sha256(data).hexdigest()}
    spec = RunSpec(SOLVER, dataset.path, dataset.digest, dict(origin))
    run = await keep_whole_run(
        store, dataset, spec, normalized, "import", lambda run, conversation: _records(run, conversation, answers)
    )
    return ImportedRun(run, len(answers), unanswered(answers, dataset.conversations))


def _records(run: RunRecord, conversation: Conversation, answers: ImportedTurns) -> Sequence[TurnRecord]:
    turns = tuple(imported_turns(conversation, answers, run.started))
    return turn_records(TurnPlace(run.id, conversation.id), turns, chained=conversation.chained)


def run_name(words: str) -> str:
    """Return a name in the form used in run ids.

    >>> run_name("Big model, May 2026")
    'big-model-may-2026'
    """
    name = re.sub(r"[^a-z0-9_]+", "-", words.casefold()).strip("-")[:40].strip("-")
    if not name:
        raise InputError(f"invalid run name {words[:40]!r}: it needs at least one letter a to z or digit")
    return name


async def keep_whole_run(
    store: RunStore,
    dataset: Dataset,
    spec: RunSpec,
    normalized: str,
    kind: RunKind,
    records_of: Callable[[RunRecord, Conversation], Sequence[TurnRecord]],
) -> RunRecord:
    """Store a run with all its turns, or nothing, and return its record."""
    started = await time_of_new_run(store)
    run = replace(
        spec.new_run(started, len(dataset.conversations), kind), id=replace(spec, solver=normalized).new_run_id(started)
    )
    await store.create_run(run)
    try:
        for conversation in dataset.conversations:
            await _keep(store, run, conversation, await compute(records_of, run, conversation))
        await store.finish_run(run.id, "complete", now())
    except BaseException:
        with suppress(QuaestorError):  # the original error is raised instead
            await store.delete_run(run.id)
        raise
    return await store.run(run.id)


async def _keep(store: RunStore, run: RunRecord, conversation: Conversation, turns: Sequence[TurnRecord]) -> None:
    example = ConversationRecord(
        run=run.id,
        conversation=conversation.id,
        document=conversation.document.id,
        started=run.started,
        usage=stored_counts(sum((Usage.of_counts(turn.usage) for turn in turns), Usage())),
    )
    attempt = await store.begin_example(example)
    ended = max((turn.finished or run.started for turn in turns), default=run.started)
    done = replace(example, status="complete", turns=len(turns), finished=ended, attempt=attempt)
    await store.complete_example(done, turns)


async def save_held_out_runs(
    store: RunStore, request: "CrossValidationRequest", found: "Sequence[HeldOutReport]"
) -> tuple[RunRecord, ...]:
    """Store the held-out turns of each dataset as a run, each completely or not at all, and return the records."""
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in request.files}
    made_with: dict[str, JsonValue] = {"folds": request.folds, "seed": request.seed, "files": dict(files)}
    return tuple([await _keep_held_out(store, one, made_with) for one in found])


async def _keep_held_out(store: RunStore, found: "HeldOutReport", made_with: dict[str, JsonValue]) -> RunRecord:
    answered: dict[str, list[TurnRecord]] = {}
    for turn in found.turns:
        answered.setdefault(turn.record.conversation, []).append(turn.record)

    def records_of(run: RunRecord, conversation: Conversation) -> list[TurnRecord]:
        return [replace(record, run=run.id) for record in answered.get(conversation.id, ())]

    spec = RunSpec(CROSS_VALIDATION, found.dataset.path, found.dataset.digest, made_with)
    return await keep_whole_run(store, found.dataset, spec, CROSS_VALIDATION, "run", records_of)
