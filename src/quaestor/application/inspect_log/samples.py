"""A conversation as a sample of Inspect, the verdicts on it as a score, and the figures of a run as Inspect metrics.

A sample has the questions, the answers as text, and the stored turns; its score is the fraction of right turns, for
each scorer. The metrics count turns with the same function as our own figures, from the verdicts in the metadata of the
scores. So every turn has the same weight, in long and in short conversations, and a turn without an answer is wrong.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from quaestor.conversation.answer import Answer, show_confidence
from quaestor.conversation.display import show_number, show_source
from quaestor.core import serial
from quaestor.core.answer_value import value_to_text
from quaestor.documents.document import Document
from quaestor.scoring.scorers import SCORERS, measures_of
from quaestor.scoring.statistics import Proportion, proportion
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.records import TurnRecord

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.scorer import Score


TURNS = "quaestor:turns"
"""The key of the turns in the store of a sample."""
BROKEN = "quaestor:broken"
"""The key of the error that ended a conversation early."""


def answer_of(turn: TurnRecord) -> Answer:
    """Return the answer of a stored turn."""
    return serial.restore(Answer, turn.answer)


def sample_input(questions: Sequence[str]) -> str:
    """Return the questions of a conversation as the input of a sample, one per line."""
    return "\n".join(f"{number}. {' '.join(question.split())}" for number, question in enumerate(questions, start=1))


def show_answer(turn: TurnRecord, document: Document | None) -> str:
    """Return an answer as text: the number, its formula and sources, or why there is no answer."""
    answer = answer_of(turn)
    if answer.value is None:
        return f"no answer: {turn.error or answer.reason or 'none was given'}"
    lines = [show_number(answer)]
    if answer.formula:
        lines.append(f"= {answer.formula}")
    shown = [show_source(source, document) for source in answer.sources] if document else []
    lines += [f"- {source.place}: {source.span}" for source in shown]
    if answer.confidence is not None:
        lines.append(f"confidence {show_confidence(answer.confidence)}")
    return "\n".join(lines)


def turn_messages(turns: Sequence[TurnRecord], document: Document | None) -> "list[ChatMessage]":
    """Return turns as messages of a user and an assistant."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    messages: list[ChatMessage] = []
    for turn in turns:
        messages.append(ChatMessageUser(content=turn.question))
        messages.append(ChatMessageAssistant(content=show_answer(turn, document)))
    return messages


def turn_facts(turn: TurnRecord) -> dict[str, JsonValue]:
    """Return the data of a turn for the transcript."""
    answer = answer_of(turn)
    return {
        "turn": turn.index + 1,
        "question": turn.question,
        "answer": show_number(answer),
        "value": turn.number,
        "formula": answer.formula or None,
        "program": turn.program,
        "verified": turn.verified,
        "error": turn.error,
        "reason": answer.reason,
        "sources": turn.sources,
    }


def dump_turns(turns: Sequence[TurnRecord]) -> list[dict[str, Any]]:
    """Return turns for the store of a sample, with the fields that scoring needs but no events or registers."""
    bare = (replace(turn, events=[], references={}, tool_calls=[], history=[], registers=[]) for turn in turns)
    return [serial.dump(turn) for turn in bare]


def turns_of_sample(dumped: object) -> tuple[TurnRecord, ...]:
    """Restore the turns that `dump_turns` wrote; empty if there are none."""
    return tuple(serial.restore(TurnRecord, turn) for turn in dumped) if isinstance(dumped, list) else ()


SCORER = "official"
"""The name of the scorer in Inspect."""

_VERDICTS, _PAGE, _PLACE = "verdicts", "page", "place"


def inspect_score(
    scored: Sequence[TurnScore], records: Sequence[TurnRecord], place: int, broken: str | None = None
) -> "Score":
    """Return the verdicts on one conversation as the score of a sample."""
    from inspect_ai.scorer import Score

    names = measures_of(scored[0].verdicts).scorers
    verdicts: dict[str, JsonValue] = {name: list(_outcomes(scored, name)) for name in names}
    answered = {turn.index: turn for turn in records}
    lines = [_line(turn, answered.get(turn.turn)) for turn in scored]
    end = [] if broken is None else ["", f"The conversation did not finish: {broken}"]
    return Score(
        value={name: _mean(_outcomes(scored, name)) for name in names},
        answer="; ".join(_show(answered.get(turn.turn)) for turn in scored),
        explanation="\n".join(["| | answer | reference | |", "|---|---|---|---|", *lines, *end]),
        metadata={_VERDICTS: verdicts, _PAGE: scored[0].page, _PLACE: place},
    )


def counted_turns(scores: Iterable[Any], scorer: str) -> Proportion:
    """Return the proportion of right turns over all samples, failed ones included."""
    metadata = [one.score.metadata or {} for one in scores]
    # The random draws of the interval depend on the order, and samples finish in any order.
    metadata.sort(key=lambda found: int(found[_PLACE]))
    outcomes = [(outcome, str(found[_PAGE])) for found in metadata for outcome in found[_VERDICTS][scorer]]
    return proportion([outcome for outcome, _ in outcomes], [page for _, page in outcomes])


def accuracy(scorer: str) -> Callable[[list[Any]], float]:
    """Return an Inspect metric: the proportion of turns that a scorer judges right."""

    def share(scores: list[Any]) -> float:
        return counted_turns(scores, scorer).value

    return share


def share_interval(scorer: str) -> Callable[[list[Any]], dict[str, float]]:
    """Return an Inspect metric: the 95 % interval of the accuracy, resampled by page."""

    def ends(scores: list[Any]) -> dict[str, float]:
        counted = counted_turns(scores, scorer)
        return {"low": counted.low, "high": counted.high}

    return ends


def turns(scorer: str) -> Callable[[list[Any]], dict[str, float]]:
    """Return an Inspect metric: the numbers of right and of all turns, or conversations for their scorers."""

    def counts(scores: list[Any]) -> dict[str, float]:
        counted = counted_turns(scores, scorer)
        return {"right": counted.correct, "all": counted.total}

    return counts


METRICS: Mapping[str, Callable[[str], Any]] = {"accuracy": accuracy, "interval": share_interval, "turns": turns}
"""The metrics of each scorer by their names in Inspect. Inspect reads their annotations: hence `list[Any]`."""


def _outcomes(scored: Sequence[TurnScore], name: str) -> Sequence[bool | float]:
    """Return the verdicts of a scorer, without missing ones; a scorer of conversations has a single one."""
    whole = SCORERS[name].whole
    found = [verdict for turn in scored if (verdict := turn.verdicts[whole or name]) is not None]
    return [all(verdict == 1 for verdict in found)] if whole and found else found


def _mean(outcomes: Sequence[bool | float]) -> float:
    """Return the mean, or NaN if there are no verdicts; Inspect leaves NaN out."""
    return sum(outcomes) / len(outcomes) if outcomes else float("nan")


def _line(scored: TurnScore, turn: TurnRecord | None) -> str:
    reference = scored.display or value_to_text(scored.gold)
    outcome = _show(turn) if turn is None or turn.error is None else turn.error
    cells = (scored.turn + 1, outcome, reference, "right" if scored.correct else scored.cause or "wrong")
    return f"| {' | '.join(' '.join(str(cell).split()).replace('|', '/') for cell in cells)} |"


def _show(turn: TurnRecord | None) -> str:
    return "no answer" if turn is None else show_number(answer_of(turn))
