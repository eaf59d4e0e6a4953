"""A run with all that its log tells, read from the store."""

from collections.abc import Sequence
from pathlib import Path

from quaestor.application.inspect_log.log import LoggedConversation, LoggedRun
from quaestor.application.judged_runs import Labelled, read_labelled
from quaestor.application.run_service import find_run
from quaestor.application.stored_turns import find_conversation
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

_ENDED = ("complete", "failed")


async def read_logged_run(
    store: RunStore, run: str, names: Sequence[str] = (), dataset: Path | None = None
) -> LoggedRun:
    """Returns a run with its exchanges, and with verdicts where it is whole and its labelled file is there.

    Args:
        run: Its id, the beginning of one, or `latest`.
        names: Only the conversations of these ids, or about these pages; all where none is named.
        dataset: The labelled file, where it has moved.

    Raises:
        StoreError: There is no such run.
        InputError: The run has no such conversation, nothing in it was played, or it is not of the file that is named.
    """
    record = await find_run(store, run)
    examples = await store.examples(record.id)
    whole = len(examples) == record.conversations and all(one.status in _ENDED for one in examples)
    labelled = await compute(read_labelled, record, dataset)
    wanted = {await find_conversation(store, record.id, name) for name in names}
    chosen = [one for one in examples if not wanted or one.conversation in wanted]
    if not chosen:
        raise InputError(f"run {record.id} has no finished conversations yet")
    places = {name: place for place, name in enumerate(labelled.conversations)} if labelled else {}
    chosen.sort(key=lambda one: places.get(one.conversation, 0))
    found = [await _read(store, record, one, labelled if whole else None, places) for one in chosen]
    return LoggedRun(record, tuple(found), labelled)


async def _read(
    store: RunStore, run: RunRecord, example: ConversationRecord, labelled: Labelled | None, places: dict[str, int]
) -> LoggedConversation:
    name = example.conversation
    turns, prompts = await store.turns(run.id, name), await store.prompts(run.id, name)
    verdicts = await compute(_verdicts, name, turns, labelled) if labelled else ()
    return LoggedConversation(example, tuple(turns), tuple(prompts), verdicts, places.get(name, 0))


def _verdicts(name: str, turns: Sequence[TurnRecord], labelled: Labelled) -> tuple[TurnScore, ...]:
    asked = labelled.conversations.get(name)
    if asked is None or name not in labelled.gold:
        return ()
    return score_predictions(map(prediction_of, turns), labelled.gold, [asked]).turns
