"""Why a run is not all right: the turns that went wrong, and the conversations that broke off."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from quaestor.application import kept_scores
from quaestor.application.kept_scores import RunScores, read_run_scores, read_wrong
from quaestor.application.run_references import Gold, PlayedFile, read_played_file, scored_references, verdicts_on
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.stored_turns import stored_graph
from quaestor.errors import InputError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.scoring.cause import Cause
from quaestor.scoring.gold import GoldTurn
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord


@dataclass(frozen=True, slots=True)
class WrongTurn:
    """A turn that went wrong.

    Attributes:
        reference: The reference answer; None if there is none to compare with, or only the score that is kept.
        cause: Why it is wrong; None if that is not known.
        graph: The page's graph, by which sources are named; None if it was not asked for, or the page had none.
    """

    turn: TurnRecord
    reference: GoldTurn | None = None
    cause: Cause | None = None
    graph: KnowledgeGraph | None = None


@dataclass(frozen=True, slots=True)
class WrongTurns:
    """What of a run went wrong.

    Attributes:
        wrong: How many are wrong; without reference answers, how many have no answer.
        turns: Those of them that were asked for, by conversation and index.
        broken: Conversations that did not come to their end.
        causes: How many turns are wrong for each cause, the most frequent first.
        compared: Whether there were reference answers, or a score that is kept.
    """

    run: RunRecord
    played: int
    wrong: int
    turns: tuple[WrongTurn, ...]
    broken: tuple[ConversationRecord, ...]
    causes: Mapping[Cause, int]
    compared: bool


async def find_wrong_turns(
    store: RunStore,
    run: str,
    dataset: Path | None = None,
    scores_in: str | None = None,
    *,
    graphs: bool = False,
    most: int | None = None,
) -> WrongTurns:
    """Return what of a run went wrong.

    Where the score of a run is kept, it says what is wrong, and no more turns are read than are asked for: if the run
    is large, or its labelled file is the one that it was scored with. Every other is compared with its labelled file
    anew, where that is there.

    Args:
        run: Its id, the beginning of one, or `latest`.
        dataset: The labelled file, if it has moved, or where the references of a large run are wanted.
        scores_in: The store's URI: the scores that are kept there count.
        graphs: Whether the pages' graphs are read too.
        most: How many of the wrong turns are wanted, the first; None is all.

    Raises:
        UnknownRunError: There is no such run.
        InputError: The run was not of that file.
    """
    record = await find_run(store, run, kind=OVER_DATASETS)
    found = None
    if scores_in and dataset is None:
        large = record.conversations > kept_scores.LARGE
        gold = None if large else await scored_references(scores_in, record)
        if large or gold is not None:
            found = await _by_kept_score(store, record, scores_in, most, gold or {})
    if found is None:
        found = await _by_references(store, record, dataset, scores_in, most)
    if graphs:
        pages = {id: await stored_graph(store, record.id, id) for id in {one.turn.conversation for one in found.turns}}
        found = replace(found, turns=tuple(replace(one, graph=pages[one.turn.conversation]) for one in found.turns))
    return found


async def _by_kept_score(
    store: RunStore, record: RunRecord, scores_in: str, most: int | None, gold: Gold
) -> WrongTurns | None:
    """Return what the score that is kept calls wrong; None if none is kept that is of all of the run."""
    kept = await read_wrong(scores_in, record, most)
    if kept is None:
        return None
    turns = [
        WrongTurn(await store.turn(record.id, id, index), gold[id][index] if id in gold else None, cause)
        for (id, index), cause in kept.turns.items()
    ]
    played = sum((await store.count_turns(record.id, "index")).values())
    broken = await store.examples(record.id, incomplete=True)
    return WrongTurns(record, played, kept.total, tuple(turns), broken, kept.causes, compared=True)


async def _by_references(
    store: RunStore, record: RunRecord, dataset: Path | None, scores_in: str | None, most: int | None
) -> WrongTurns:
    examples = await store.examples(record.id)
    broken = tuple(example for example in examples if example.status != "complete")
    # What waits to be played again is neither right nor wrong yet.
    ended = {example.conversation for example in examples if example.status in ("complete", "failed")}
    turns = [turn for turn in await store.turns(record.id) if turn.conversation in ended]
    file = _labelled(record, dataset)
    verdicts = None if file is None else verdicts_on(file, turns)
    kept = await read_run_scores(scores_in, record) if verdicts is None and scores_in else RunScores()
    stored = {(turn.conversation, turn.index): turn for turn in turns}
    if verdicts is not None:
        judged = {(verdict.conversation, verdict.turn): verdict for verdict in verdicts if not verdict.correct}
        gold = file.gold if file is not None and file.gold is not None else {}
        wrong = tuple(
            WrongTurn(stored[key], gold[key[0]][key[1]], said.cause) for key, said in judged.items() if key in stored
        )
    elif kept.verdicts:
        wrong = tuple(WrongTurn(turn, cause=kept.causes.get(key)) for key, turn in stored.items() if key in kept.wrong)
    else:
        wrong = tuple(WrongTurn(turn) for turn in turns if turn.number is None)
    causes = dict(Counter(one.cause for one in wrong if one.cause).most_common())
    compared = verdicts is not None or bool(kept.verdicts)
    return WrongTurns(record, len(turns), len(wrong), wrong[:most], broken, causes, compared=compared)


def _labelled(record: RunRecord, dataset: Path | None) -> PlayedFile | None:
    """Return the file of a run; None if it is not there any more, or has other questions by now."""
    path = dataset or Path(record.dataset)
    if dataset is None and not path.is_file():
        return None
    file = read_played_file(path, record)
    if file is None and dataset is not None:
        raise InputError(f"run {record.id} was over {record.dataset}, which has different questions: use that file")
    return file


def wrong_turn_objects(found: WrongTurns, *, full: bool = False) -> list[dict[str, JsonValue]]:
    """Return the wrong turns as JSON; `turn` is the place in the conversation from 0, as stored.

    Args:
        full: Whether what the solver understood, which tools it called and what it read belong to them.
    """
    return [
        {
            "conversation": wrong.turn.conversation,
            "turn": wrong.turn.index,
            "question": wrong.turn.question,
            "answer": wrong.turn.number,
            "program": wrong.turn.program,
            "error": wrong.turn.error,
            "cause": wrong.cause,
            "gold": str(wrong.reference.executed) if wrong.reference else None,
            "gold_program": wrong.reference.program if wrong.reference else None,
            **(_particulars(wrong.turn) if full else {}),
        }
        for wrong in found.turns
    ]


def _particulars(turn: TurnRecord) -> dict[str, JsonValue]:
    return {
        "references": turn.references,
        "events": turn.events,
        "tool_calls": turn.tool_calls,
        "sources": turn.sources,
    }
