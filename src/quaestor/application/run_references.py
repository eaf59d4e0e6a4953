"""The file that a run answered, read again: its documents, and if it is labelled, the references of its turns.

Used to show people the references of a scored run; none of it is stored. A file that has moved or changed since the
run is treated as missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from quaestor.application.conversation_filter import read_conversations_of_run
from quaestor.application.score_service import Gold, digest_of_references
from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError, QuaestorError, UnlabelledError
from quaestor.scores.records import ScoreRecord
from quaestor.scoring.gold import read_gold
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.verdicts import TurnScore, judge_predictions
from quaestor.store.records import RunRecord, TurnRecord

_FILES = 3


@dataclass(frozen=True, slots=True)
class RunFile:
    """The file that a run answered, with its conversations and references."""

    conversations: Mapping[str, Conversation]
    gold: Gold
    stamp: tuple[int, int] = (0, 0)


_CACHE: BoundedCache[tuple[str, int, int, str], RunFile | None] = BoundedCache(_FILES)


def find_run_file(run: RunRecord) -> RunFile | None:
    """Return the file of a run, cached until it changes; None if it is missing or has changed since the run."""
    path = Path(run.dataset)
    try:
        stat = path.stat()
        key = (run.dataset_digest, stat.st_mtime_ns, stat.st_size, str(path.absolute()))
        return _CACHE.get(key, lambda: read_run_file(path, run))
    except (OSError, QuaestorError):
        return None


def read_run_file(path: Path, run: RunRecord) -> RunFile | None:
    """Read the conversations and references of a run's file; None if its questions differ from the run's."""
    stat, pages = path.stat(), read_conversations_of_run(path, run)
    if pages.digest != run.dataset_digest:
        return None
    try:
        gold = read_gold(path)
    except UnlabelledError:
        gold = {}
    return RunFile(
        {conversation.id: conversation for conversation in pages.conversations}, gold, (stat.st_mtime_ns, stat.st_size)
    )


async def scored_references(score: ScoreRecord, run: RunRecord) -> Gold | None:
    """Return the references of a score, if this version computed it and the labelled file is unchanged."""
    try:
        gold = await compute(read_gold, Path(run.dataset))
    except (OSError, QuaestorError):
        return None
    known = score.references_digest
    same = known is not None and score.version == version("quaestor") and digest_of_references(gold) == known
    return gold if same else None


def read_labelled(run: RunRecord, named: Path | None) -> RunFile | None:
    """Return the labelled file of a run; None if it is missing, has changed or is unlabelled."""
    path = named or Path(run.dataset)
    if named is None and not path.is_file():
        return None
    file = read_run_file(path, run)
    if file is not None and file.gold:
        return file
    if named is None:
        return None
    if file is None:
        raise InputError(f"run {run.id} was over {run.dataset}, which has different questions: use that file")
    raise UnlabelledError(f"{path} has no reference answers: use the labelled file")


def verdicts_on(file: RunFile, turns: Sequence[TurnRecord]) -> tuple[TurnScore, ...] | None:
    """Judge turns of a run by their references; None if none of their conversations has references."""
    answered = {turn.conversation for turn in turns}
    conversations = [one for name, one in file.conversations.items() if name in answered and name in file.gold]
    if not conversations:
        return None
    labelled = {conversation.id for conversation in conversations}
    predictions = [prediction_of(turn) for turn in turns if turn.conversation in labelled]
    return judge_predictions(predictions, file.gold, conversations)


def reference_of(file: RunFile, turns: Sequence[TurnRecord], index: int) -> TurnScore | None:
    """Return the verdict on one turn, with its reference; None if it has none."""
    return next((turn for turn in verdicts_on(file, turns) or () if turn.turn == index), None)
