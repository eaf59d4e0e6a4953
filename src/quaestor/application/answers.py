"""Answers for other programs: what was asked, the number as it is printed, and all that it rests on."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from quaestor.application.reports import benchmark_json, source_object
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.documents.document import Document
from quaestor.evaluation.recording import TurnPlace, turn_records


def answer_objects(turns: Sequence[Turn], document: Document, run: str | None = None) -> Iterator[dict[str, JsonValue]]:
    """Yields one object a question.

    Args:
        turns: One a question.
        document: The page that was asked about.
        run: The run that they are kept as, or None.

    Units: `value` is exact, as decimal text in units of `scale` (a computed ratio is a fraction), or yes or no as true
        or false; `answer` is the same by the benchmark's convention, rounded; `display` is for people.
    """
    for turn, record in zip(turns, turn_records(TurnPlace("", document.id), turns), strict=True):
        answer = turn.answer
        stored = serial.dump(answer)
        yield {
            "question": turn.question,
            "value": stored["value"],
            "scale": answer.scale.value,
            "unit": answer.unit,
            "answer": benchmark_json(record.number),
            "display": show_number(answer),
            "formula": (answer.formula or None) if answer.value is not None else None,
            "program": record.program,
            "sources": [source_object(source, document) for source in record.sources],
            "confidence": answer.confidence,
            "verified": turn.verified,
            "reason": answer.reason if turn.error is None else None,
            "error": turn.error,
            "run": run,
        }
