"""Trains weights of the embedded solver and calibrations of models, and evaluates them on held-out companies."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from quaestor.application.conversation_filter import read_conversations_of_run
from quaestor.application.files import OutputFolder
from quaestor.application.run_service import find_run
from quaestor.application.score_service import ScoredRun, score_run
from quaestor.conversation.events import AnswerMeasured, load_events
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset, read_document
from quaestor.errors import InputError
from quaestor.extras import require_extra
from quaestor.learning.answer_confidence import FittedConfidence, JudgedAnswer, fit_confidence
from quaestor.learning.crossvalidate import HeldOutTurn, cross_validate
from quaestor.learning.deterministic import deterministic_pool
from quaestor.learning.examples import read_examples, read_lines
from quaestor.learning.filing_training import FilingTraining, save_filing_weights, train_on_filings
from quaestor.learning.filings import read_labelled
from quaestor.learning.saving import held_out_figures, save_weights, training_card
from quaestor.learning.train import fit_weights
from quaestor.scoring.figures import Report, score_predictions
from quaestor.scoring.gold import read_gold
from quaestor.scoring.statistics import Proportion, proportion
from quaestor.settings import Settings
from quaestor.solvers.embedded.loading import ANSWERABLE_FILE, CHOICES_FILE, WEIGHT_FILES
from quaestor.store.base import RunStore


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """The files to train on."""

    datasets: Sequence[Path]
    dialogues: Sequence[Path] = ()
    seed: int = 0
    figures: Path | None = None


@dataclass(frozen=True, slots=True)
class CrossValidationRequest:
    """The datasets to hold out in parts, and additional training data."""

    datasets: Sequence[Path]
    extra: Sequence[Path] = ()
    dialogues: Sequence[Path] = ()
    folds: int = 5
    seed: int = 0

    @property
    def files(self) -> tuple[Path, ...]:
        """All files used for training."""
        return (*self.datasets, *self.extra, *self.dialogues)


@dataclass(frozen=True, slots=True)
class HeldOutReport:
    """The evaluation on a dataset, for each company with weights trained without it."""

    dataset: Dataset
    report: Report
    turns: tuple[HeldOutTurn, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(self.dataset.path).name

    @property
    def reachable(self) -> int:
        """The number of turns whose reference number was among the candidates."""
        return sum(turn.reachable for turn in self.turns)

    @property
    def second_questions(self) -> Proportion:
        """The proportion right among the first turns of second questions, at which the subject changes."""
        begun = [turn for turn in self.report.turns if turn.kind.begins_second]
        return proportion([turn.correct for turn in begun], [turn.page for turn in begun])


def weights_folder(path: Path, inputs: Sequence[Path], *, force: bool = False) -> OutputFolder:
    """Return the output folder for weights."""
    return OutputFolder(path, (*WEIGHT_FILES, CHOICES_FILE, ANSWERABLE_FILE, "card.json"), inputs, force)


def train_weights(request: TrainingRequest, folder: OutputFolder) -> tuple[int, int]:
    """Train weights and write them to a folder; return the numbers of conversations and turns trained on."""
    require_extra("train", "training")
    folder.require_free()
    measured = held_out_figures(request.figures) if request.figures else None
    examples, lines = read_examples(request.datasets), read_lines(request.dialogues)
    with deterministic_pool(1) as pool:
        weights = pool.submit(fit_weights, examples, lines, request.seed).result()
    card = training_card([*request.datasets, *request.dialogues], examples, lines, request.seed, measured)
    with folder.replacing() as temporary:
        save_weights(weights, temporary, card)
    return len(examples) + len(lines), sum(len(example.questions) for example in (*examples, *lines))


def judge_held_out(
    request: CrossValidationRequest,
    workers: int = 2,
    on_fold: Callable[[int], None] | None = None,
    settings: Settings | None = None,
) -> tuple[HeldOutReport, ...]:
    """Evaluate datasets by cross-validation, each company with weights trained without it."""
    require_extra("train", "cross-validation")
    judged = cross_validate(
        read_examples(request.datasets),
        read_examples(request.extra),
        read_lines(request.dialogues),
        folds=request.folds,
        seed=request.seed,
        workers=workers,
        engine="ray" if settings is not None and settings.engine == "ray" else "processes",
        address=settings.address if settings is not None else None,
        on_fold=on_fold,
    )
    return tuple(_report(path, judged) for path in request.datasets)


def _report(path: Path, held_out: Sequence[HeldOutTurn]) -> HeldOutReport:
    dataset = read_dataset(path)
    words = {conversation.id for conversation in dataset.conversations}
    turns = tuple(turn for turn in held_out if turn.record.conversation in words)
    report = score_predictions([turn.prediction for turn in turns], read_gold(path), dataset.conversations)
    return HeldOutReport(dataset, report, turns)


def train_filing_weights(questions: Sequence[Path], filings: Path, output: Path, *, force: bool) -> FilingTraining:
    """Train the weights for filings on labelled questions, and write them."""
    folder = output / "filings"
    if folder.exists() and not force:
        raise InputError(f"{folder} exists; choose another folder, or replace it by force")
    documents = {path.stem: read_document(_find(path.stem, filings)) for path in questions}
    trained = train_on_filings(read_labelled(questions), documents)
    save_filing_weights(trained.weights, folder)
    return trained


def _find(name: str, folder: Path) -> Path:
    found = sorted(path for path in folder.iterdir() if path.name.partition(".")[0] == name)
    if not found:
        raise InputError(f"{folder} has no filing {name!r}; the questions about a filing are named as its file")
    return found[0]


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
