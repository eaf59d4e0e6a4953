"""Which kinds of answers a model is told of: numbers and yes or no where a question asks for one, else every kind.

Each word of a prompt is paid for with every question, and most questions ask for one number: a model is told the rest
where the form of the question may ask for it, or once it says that a number is not an answer.
"""

from collections.abc import Iterable
from typing import Literal

from quaestor.conversation.events import NoAnswerReason
from quaestor.questions.answer_kind import read_answer_kind
from quaestor.questions.question import Question
from quaestor.questions.question_parts import asks_several

NumberSilence = Literal[NoAnswerReason, "other"]
"""Why a model that was told of numbers alone gives none. `other`: the answer is none, or holds under an assumption."""

_LONGEST = 500


def asks_beyond_numbers(question: Question) -> bool:
    """Return whether a question's form asks for something else than one number, or yes or no.

    >>> asks_beyond_numbers(Question("in which year were sales highest?"))
    True
    >>> asks_beyond_numbers(Question("what were sales in 2008?"))
    False
    """
    return read_answer_kind(question.lowered).kind not in ("number", "yes_no") or asks_several(question.text)


def why_none(silence: NumberSilence | None) -> NoAnswerReason:
    """Return why there is no answer, as a turn records it; `not_on_page` if no other kind fits."""
    return "not_on_page" if silence is None or silence == "other" else silence


def assumed_words(numbers: Iterable[str]) -> str:
    """Return a remark on the numbers that are the model's own, such as a threshold."""
    return f"the model assumes {', '.join(dict.fromkeys(numbers))}, which no page prints"


def remarks_with(assumption: str | None, remarks: Iterable[str] = ()) -> str | None:
    """Return what a reader should doubt, the assumption that an answer holds under first; None for nothing."""
    premise = " ".join((assumption or "").split()).removeprefix("assuming ")[:_LONGEST]
    return "; ".join((*([f"assuming {premise}"] if premise else []), *remarks)) or None
