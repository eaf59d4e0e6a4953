"""Judges answers in prose with a model: it is asked only about answers without a verdict, and verdicts are stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.application.solver_options import model_access
from quaestor.conversation.answer import Answer
from quaestor.core import serial
from quaestor.datasets.dataset import Dataset
from quaestor.errors import InputError
from quaestor.evaluation.engines import gather_limited
from quaestor.llm.session import open_session
from quaestor.prompts import render
from quaestor.scoring.filing_answers import find_judgement
from quaestor.scoring.gold import GoldTurn, JudgedAnswer, add_verdict, read_gold
from quaestor.settings import Settings
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord

if TYPE_CHECKING:  # without a model, no HTTP client is loaded
    from quaestor.llm.models import Connection

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Verdict:
    reason: str
    right: bool


def require_judge(path: Path, gold: Mapping[str, Sequence[GoldTurn]], settings: Settings, judge: str) -> None:
    """Raise an error before anything is answered if there is nothing to judge or no such model."""
    if not any(turn.filing is not None and turn.filing.wanted.is_prose for turns in gold.values() for turn in turns):
        raise InputError(f"{path} has no answers in prose: leave out the judge")
    with model_access(replace(settings, model=judge)):
        pass


async def judge_prose(
    store: RunStore, run: RunRecord, dataset: Dataset, settings: Settings, judge: str
) -> Mapping[str, Sequence[GoldTurn]]:
    """Ask a model about answers in prose without a verdict, and return the references with all verdicts."""
    path = Path(dataset.path)
    gold = read_gold(path)
    open_turns = [
        found
        for conversation in dataset.listed
        for found in _open_turns(await store.turns(run.id, conversation.id), gold[conversation.id])
    ]
    if not open_turns:
        return gold
    with model_access(replace(settings, model=judge)) as config:
        async with open_session(config) as session:

            async def ask(one: tuple[TurnRecord, Answer, GoldTurn]) -> None:
                verdict = await _ask(session.connection, judge, *one)
                add_verdict(path, verdict)

            await gather_limited(open_turns, ask, settings.concurrency(asks=True))
    return read_gold(path)


def _open_turns(turns: Sequence[TurnRecord], gold: Sequence[GoldTurn]) -> Iterator[tuple[TurnRecord, Answer, GoldTurn]]:
    for turn in turns:
        answer, reference = serial.restore(Answer, turn.answer), gold[turn.index].filing
        if reference is None or not reference.wanted.is_prose or answer.value is None or turn.error:
            continue
        if find_judgement(answer, reference) is None:
            yield turn, answer, gold[turn.index]


async def _ask(connection: "Connection", judge: str, turn: TurnRecord, answer: Answer, gold: GoldTurn) -> JudgedAnswer:
    from quaestor.llm.structured.request import TypedRequest

    assert gold.filing is not None
    system, reference = render("judge/system"), str(gold.filing.wanted)
    prompt = render("judge/verdict", question=turn.question, reference=reference, answer=str(answer))
    description = "Says whether an answer is right, and why."
    request = TypedRequest(connection, _Verdict, "give_verdict", description, attempts=_ATTEMPTS)
    verdict = await request.ask(prompt, "judge", system)
    return JudgedAnswer(
        turn.conversation, turn.index, str(answer), verdict.right, verdict.reason, judge, f"{system}\n\n{prompt}"
    )
