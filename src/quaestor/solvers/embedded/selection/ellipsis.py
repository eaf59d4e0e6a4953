"""Questions that leave out what the last one said: "which years?", "and in 2011?", "what about freight?".

One that follows any other question is left as it is: numbers have their own ways to go on.
"""

import re
from collections.abc import Sequence

from quaestor.questions.question import Question, read_question
from quaestor.solvers.embedded.selection.measured import measured_words

_NOUN = r"(?:ones?|years?|quarters?|periods?|lines?|segments?|regions?|of them)"
_WHICH = re.compile(rf"(?:and\s+|so\s+)?(?:which|what)(?:\s+{_NOUN})?\s*\?*")
_GOING_ON = re.compile(
    r"(?:and|what about|how about|and what about)\s+(?:(?:in|for|of|at|during)\s+)?(?P<said>[^?]{2,60}?)\s*\?*"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|did|do|does|has|have|had|what|which|who|when|why|how|much|many|it|that|this|them|change"
    r"|difference|percent\w*|ratio|share|total|sum|average)\b"
)
_WHICH_IS = re.compile(r"(?:and\s+)?which(?:\s+one)?\s+(?P<rest>(?:is|was|were|are|had|has)\b.*)")
_MOST = 8
"""So many questions back one may have begun that is still gone on with."""


def whole_question(question: Question, earlier: Sequence[Question]) -> Question:
    """Return a question with what it leaves out of those before; itself where it leaves out nothing.

    >>> asked = [read_question("in which year were wages highest?")]
    >>> whole_question(read_question("what about freight?"), asked).text
    'in which year were freight highest?'

    Args:
        earlier: The questions before, oldest first.
    """
    before: Question | None = None
    for asked in (*earlier[-_MOST:], question):
        before = _completed(asked, before)
    return before or question


def _completed(question: Question, before: Question | None) -> Question:
    text = " ".join(question.lowered.split())
    selection = before.wants.selection if before is not None else None
    if before is None or selection is None or question.wants.selection is not None:
        return question
    if selection.noun and (of_noun := _WHICH_IS.fullmatch(text)):
        named = read_question(f"which {selection.noun} {of_noun['rest']}")
        return named if named.wants.selection is not None else question
    if _WHICH.fullmatch(text):
        return _as_choice(before) or question
    going_on = _GOING_ON.fullmatch(text)
    if going_on is None:
        return question
    said = going_on["said"]
    if question.years and len(said.split()) <= 2:
        return _with_year(before, question)
    return _with_measure(before, said) or question


def _as_choice(before: Question) -> Question | None:
    """Return a question for a count as one for what is counted."""
    text, count = re.subn(r"\bhow many\b", "which", " ".join(before.lowered.split()), count=1)
    return read_question(text) if count else None


def _with_year(before: Question, question: Question) -> Question:
    text, year = " ".join(before.lowered.split()).rstrip(" ?"), str(question.years[0])
    if len(before.years) == 1:
        return read_question(f"{text.replace(str(before.years[0]), year)}?")
    return read_question(f"{text} in {year}?") if not before.years else question


def _with_measure(before: Question, said: str) -> Question | None:
    selection = before.wants.selection
    measure = measured_words(selection.measure) if selection is not None else ""
    if not measure or _VERB.search(said) or selection is None:
        return None
    for mention in before.periods:
        # "Sales in 2012" goes on as "costs in 2012".
        measure = measured_words(measure.replace(before.lowered[mention.start : mention.end], ""))
    if measure not in selection.text:
        return None
    return read_question(selection.text.replace(measure, said.removeprefix("the "), 1))
