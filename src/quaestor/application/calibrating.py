"""Learns the confidence of a model's answers from a run that is scored against its references."""

import json
from pathlib import Path

from pydantic import JsonValue

from quaestor.application.conversation_filter import read_conversations_of_run
from quaestor.application.run_service import find_run
from quaestor.application.score_service import ScoredRun, score_run
from quaestor.conversation.events import AnswerMeasured, load_events
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Dataset
from quaestor.errors import InputError
from quaestor.learning.answer_confidence import FittedConfidence, JudgedAnswer, fit_confidence
from quaestor.scoring.gold import read_gold
from quaestor.store.base import RunStore


async def calibrate_run(store: RunStore, name: str, dataset: Path | None = None) -> FittedConfidence:
    """Return a calibration learned from the answers of a run."""
    run = await find_run(store, name, kind="run")
    path = dataset or Path(run.dataset)
    pages = await compute(read_conversations_of_run, path, run)
    scored = await score_run(store, run, pages, await compute(read_gold, path))
    return await compute(_fit, scored, pages)


def _fit(scored: ScoredRun, pages: Dataset) -> FittedConfidence:
    companies = {one.id: one.company or one.document.id for one in pages.conversations}
    answers = []
    for turn in scored.report.turns:
        record = scored.turns.get((turn.conversation, turn.turn))
        events = load_events(record.events) if record is not None else ()
        found = next((event for event in events if isinstance(event, AnswerMeasured)), None)
        if found is not None:
            answers.append(JudgedAnswer(found, turn.correct, turn.page, companies[turn.conversation]))
    if not answers:
        raise InputError(
            f"run {scored.run.id} has no measurements: repeat it with a solver that uses a model, and its option "
            "measure set to true"
        )
    spec = scored.run.spec
    options = spec.get("solver_options")
    model = options.get("model") if isinstance(options, dict) else None
    learned: dict[str, JsonValue] = {
        "run": scored.run.id,
        "solver": str(spec.get("solver")),
        "model": str(model),
        "dataset": Path(scored.run.dataset).name,
    }
    return fit_confidence(answers, learned)


def calibration_text(found: FittedConfidence) -> str:
    """Return a calibration in its file format, JSON."""
    return json.dumps(serial.dump(found.calibration), indent=1, ensure_ascii=False) + "\n"
