"""The answers of a cross-validation as a stored run, to be scored, compared and looked through like any other."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue

from quaestor.application.run_import import keep_whole_run
from quaestor.application.run_service import CROSS_VALIDATION
from quaestor.application.training import CrossValidationRequest, HeldOutReport
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.spec import RunSpec
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord


async def save_held_out_runs(
    store: RunStore, request: CrossValidationRequest, found: Sequence[HeldOutReport]
) -> tuple[RunRecord, ...]:
    """Keep the held-out turns of each dataset as a run, all of them or nothing, and return the runs' records.

    Args:
        request: What decides the answers: it is in the spec of each run.
    """
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in request.files}
    made_with: dict[str, JsonValue] = {"folds": request.folds, "seed": request.seed, "files": dict(files)}
    return tuple([await _keep(store, one, made_with) for one in found])


async def _keep(store: RunStore, found: HeldOutReport, made_with: dict[str, JsonValue]) -> RunRecord:
    answered: dict[str, list[TurnRecord]] = {}
    for turn in found.turns:
        answered.setdefault(turn.record.conversation, []).append(turn.record)

    def records_of(run: RunRecord, conversation: Conversation) -> list[TurnRecord]:
        return [replace(record, run=run.id) for record in answered.get(conversation.id, ())]

    spec = RunSpec(CROSS_VALIDATION, found.dataset.path, found.dataset.digest, made_with)
    return await keep_whole_run(store, found.dataset, spec, CROSS_VALIDATION, "run", records_of)
