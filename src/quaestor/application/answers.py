"""Answers for other programs: what was asked, the number as it is printed, and all that it rests on."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from quaestor.application.answer_kinds import benchmark_json, kind_objects
from quaestor.application.source_objects import source_objects
from quaestor.conversation.answer import Answer, cite_explanation, sentence_objects
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import value_to_json
from quaestor.documents.document import Document
from quaestor.evaluation.recording import program_of, stored_number


def answer_objects(
    turns: Sequence[Turn], document: Document, run: str | None = None, first: int = 0
) -> Iterator[dict[str, JsonValue]]:
    """Yield one object a question.

    Args:
        turns: One a question, all of the conversation: the program of one may go on from those before.
        first: The place of the first that is yielded, from 0.

    Units: `value` is exact, as decimal text in units of `scale` (a computed ratio is a fraction), or yes or no as true
        or false; `answer` is the same by the benchmark's convention, rounded; `display` is for people. `answerable`
        is the probability that the document holds an answer, or null. `readings` are what the question may ask for
        instead, the likeliest first. `explanation` has sentences, and for spans of them the step of the plan and the
        numbers, from 1, of the sources that they rest on.
    """
    for index, turn in enumerate(turns[first:], start=first):
        answer = turn.answer
        yield {
            "question": turn.question,
            "asked": turn.asked,
            "value": None if answer.value is None else value_to_json(answer.value),
            "scale": answer.scale.value,
            "unit": answer.unit,
            "answer": benchmark_json(stored_number(turn)),
            **kind_objects(answer),
            "display": show_number(answer),
            "explanation": _explanation_object(answer, document),
            "formula": (answer.formula or None) if answer.value is not None else None,
            "program": program_of(turn, turns[:index]),
            "sources": [*source_objects(answer.sources, document)],
            "confidence": answer.confidence,
            "grounds": answer.grounds,
            "readings": [
                {"display": one.shown, "description": one.description, "confidence": one.confidence}
                for one in answer.other_readings
            ],
            "verified": turn.verified,
            "reason": answer.reason if turn.error is None else None,
            "error": turn.error,
            "run": run,
        }


def _explanation_object(answer: Answer, document: Document) -> JsonValue:
    cited = cite_explanation(answer)
    if cited is None:
        return None
    return {"sentences": sentence_objects(answer), "sources": [*source_objects(cited.sources, document)]}
