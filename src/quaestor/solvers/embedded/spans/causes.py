"""Answers to "why" of a filing: what its discussion says to be the cause, of the thing itself or else of its parts.

Which sentences say it, and how well, says `retrieval.causes`.
"""

from dataclasses import dataclass

from quaestor.core.provenance import SentenceRef
from quaestor.documents.document import Document, Sentence
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question import Question
from quaestor.retrieval.causes import PART, CauseCandidate, CauseQuestion, find_causes
from quaestor.solvers.embedded.spans.trimming import trim

_PARTS = 6
"""Of so many parts at most the causes are told."""
_AS_GOOD = 0.1
_ENDS = " .;,\u2022\u00b7\u25aa\u25cf"


@dataclass(frozen=True, slots=True)
class CauseAnswer:
    """What is told for a cause.

    Attributes:
        plan: The words, or the list of them.
        fit: How well that is what is asked.
    """

    plan: Plan
    sentence: Sentence
    fit: float


def told_cause(asked: CauseQuestion, question: Question, document: Document, label: str) -> CauseAnswer | None:
    """Return what a filing says to be the cause of what a question asks; None if it says nothing of it.

    Args:
        question: The same in words.
        document: The excerpt that the question is answered from.
    """
    shown = {block.order for block in document.blocks}
    found = [cause for cause in find_causes(asked, document.whole or document) if cause.stated.block in shown]
    if not found:
        return None
    best = found[0]
    if best.stated.listed:
        points = [sentence for sentence, order in best.stated.listed if order in shown]
        spans = [(sentence, _whole(sentence)) for sentence in points]
    elif best.fit >= PART:
        spans = [(best.stated.sentence, trim(best.stated.sentence, question, "cause"))]
    else:
        spans = [(each.stated.sentence, _whole(each.stated.sentence)) for each in _parts(found)]
    return CauseAnswer(_plan(spans, document.id, label), best.stated.sentence, best.fit) if spans else None


def _parts(found: list[CauseCandidate]) -> list[CauseCandidate]:
    """The causes of parts that fit about as well as the best, in the order of the document."""
    alike = [each for each in found if each.fit >= found[0].fit - _AS_GOOD and not each.stated.listed][:_PARTS]
    return sorted(alike, key=lambda each: (each.stated.block, each.stated.place))


def _whole(sentence: Sentence) -> tuple[int, int]:
    text = sentence.text
    return len(text) - len(text.lstrip(_ENDS)), len(text.rstrip(_ENDS))


def _plan(spans: list[tuple[Sentence, tuple[int, int]]], document: str, label: str) -> Plan:
    steps = tuple(
        Extract(
            number,
            SentenceRef(document, sentence.section, sentence.index, start, end),
            label,
            None,
            text=sentence.text[start:end],
        )
        for number, (sentence, (start, end)) in enumerate(spans, start=1)
    )
    if len(steps) == 1:
        return Plan(steps)
    return Plan((*steps, Compute(len(steps) + 1, "items", tuple(Ref(step.id) for step in steps))))
