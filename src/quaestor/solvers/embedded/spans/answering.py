"""Answers in words: the part of a sentence that answers a question, with its place, and how sure that is.

Which sentence, says `finding`; which part of it, `trimming`.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.core.provenance import SentenceRef
from quaestor.core.words import words
from quaestor.documents.document import Document, Sentence
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.questions.words_asked import AskedWords, term_asked, words_asked
from quaestor.retrieval.auditor import ASKS_AUDITOR, asks_for_auditor, auditor_of
from quaestor.retrieval.causes import cause_asked
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.decode.readings import AskedTurn
from quaestor.solvers.embedded.spans.causes import told_cause
from quaestor.solvers.embedded.spans.finding import find_sentences, stems_said
from quaestor.solvers.embedded.spans.trimming import trim

SURE = 0.6
"""The score from which a sentence is taken for an answer: of questions put to their own page 95 % reach it, of those
put to another 1.5 % (TAT-QA's development split)."""
_SURER = 0.75
"""The same where a number may be asked for instead."""
_LONGEST = 60
_OWN = 3
"""From so many words of its own a question is understood alone, whatever it points at."""
_NAMED = 2
_NAME = re.compile(r"\b[A-Z][\w.'\u2019-]+,? (?:(?:[A-Z]\.|and|&|of|de|van) )?[A-Z][\w.'\u2019-]+")
_SIGNED = 0.9
"""How sure the name of a firm is that signed the report on the statements."""
_FIRM = re.compile(r"\bL\.?L\.?P\b|\bP\.?C\b|\bL\.?L\.?C\b|KPMG")
_LONGEST_NAME = 10
_TIME = re.compile(
    r"\d|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|annual|quarter|when|if"
    r"|upon|once)\w*"
)
_POINTS = re.compile(r"\b(?:it|its|they|them|their|this|that|these|those)\b")


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """Words of a document that may answer a question.

    Attributes:
        answer: With its plan, confidence and place.
        sure: Whether they fit well enough to be told where silence is possible.
        certain: Whether nothing but words can be asked for.
    """

    answer: Answer
    sure: bool
    certain: bool


class WordsOfText:
    """Answers questions for words: those that a sentence has surely enough, or that nothing but words can answer."""

    def answers(self, asked: AskedTurn, least: float) -> Iterator[Answer]:
        """Yield the words that answer a question best; none if a number may be asked for and they hardly fit.

        Args:
            least: There is one answer at most, so none is less sure than another.
        """
        found = words_answer(asked.question, asked.context)
        if found is not None and (found.sure or found.certain):
            yield found.answer


def words_answer(question: Question, context: TurnContext) -> SpanCandidate | None:
    """Return the words that answer a question best; None if it asks for none, or no sentence has any of its own."""
    return _auditor(question, context) or _said(question, context)


def _said(question: Question, context: TurnContext) -> SpanCandidate | None:
    """The words of a sentence that answer a question best."""
    asked = words_asked(question.lowered)
    certain = asked is not None and question.wants.kind == "span"
    if asked is None:
        return _definition(question, context)
    why = None if context.document.is_page else cause_asked(question, context.memory.asked)
    if why is not None:
        # Of all that a filing says only what moved as asked is a cause: the nearest other sentence is none.
        cause = told_cause(why, question, context.document, _label(question))
        if cause is None:
            return None
        answer = _told(cause.plan, cause.sentence, question, context, cause.fit)
        return SpanCandidate(answer, sure=True, certain=certain)
    meant = _meant(question, context)
    found = next(iter(find_sentences(meant, asked, context.document)), None)
    if found is None:
        return None
    span = trim(found.sentence, meant, asked)
    named = context.document.is_page or _names(asked, found.sentence.text[slice(*span)], question)
    if not named or (not certain and _is_number(found.sentence, span)):
        return None
    answer = _answer(found.sentence, span, question, context, found.score)
    return SpanCandidate(answer, found.score >= (SURE if certain else _SURER), certain)


def _auditor(question: Question, context: TurnContext) -> SpanCandidate | None:
    """Who audits the company, by the signature under the report on its statements or a sentence that says so."""
    if context.document.is_page or not asks_for_auditor(question.lowered):
        return None
    firm = auditor_of(context.document)
    if firm is None:
        return None
    answer = _answer(firm.sentence, (firm.start, firm.end), question, context, 1.0)
    return SpanCandidate(replace(answer, confidence=_SIGNED, answerable=_SIGNED), sure=True, certain=True)


def _names(asked: AskedWords, said: str, question: Question) -> bool:
    """Whether words of a filing have what is asked for: a person or a firm has a name, a time a number or a month."""
    if asked == "person":
        firm = ASKS_AUDITOR.search(question.lowered) is None or _FIRM.search(said) is not None
        return firm and _NAME.match(said) is not None and len(said.split()) <= _LONGEST_NAME
    return asked != "time" or _TIME.search(said) is not None


def _is_number(sentence: Sentence, span: tuple[int, int]) -> bool:
    """Whether nothing but a number is left of a sentence: that is for the ranker to find, with its scale and unit."""
    start, end = span
    left = sentence.text[start:end]
    for mention in sentence.mentions:
        if start <= mention.ref.start and mention.ref.end <= end:
            left = left.replace(sentence.text[mention.ref.start : mention.ref.end], " ")
    return left != sentence.text[start:end] and len(words(left)) < _OWN


def _meant(question: Question, context: TurnContext) -> Question:
    """Return the question with the words of an earlier one, where it names nothing itself: "why did it fall?"."""
    said = stems_said(question)
    if said and (len(said) >= _OWN or _POINTS.search(question.lowered) is None):
        return question
    # "And the change?" names nothing either.
    before = next((asked for asked in reversed(context.memory.asked) if len(stems_said(asked)) >= _NAMED), None)
    return question if before is None else Question(f"{question.text} {before.text}")


def _definition(question: Question, context: TurnContext) -> SpanCandidate | None:
    """Return what the text says that a term means, where a question may ask for that."""
    term = term_asked(question.lowered)
    if term is None or _is_line(term, context.document):
        return None
    form = re.compile(
        rf"(?:^|[.;:)]\s+|\b(?:the|an?|our)\s+|,\s+while\s+){re.escape(term)}\b(?:\s*\([^()]{{1,40}}\))?,?\s+"
        r"(?:is|are|means?|refers? to|represents?|consists? of|includes?|comprises?|reflects?"
        r"|measures?)\s+(?!\$|\d|not\b)",
        re.IGNORECASE,
    )
    for sentence in context.document.sentences:
        if (said := form.search(sentence.text)) and len(sentence.text[said.end() :].split()) > 2:
            end = len(sentence.text.rstrip(" .:;,"))
            return SpanCandidate(_answer(sentence, (said.end(), end), question, context, 1.0), sure=True, certain=False)
    return None


def _is_line(term: str, document: Document) -> bool:
    """Whether a line or a column of a table has that name: then its number is asked for."""
    wanted = set(stems(term))
    heads = (head for table in document.tables for head in (*table.rows[table.header_rows :], *table.columns))
    return any(wanted <= set(stems(head.label.lower())) for head in heads)


def _answer(
    sentence: Sentence, span: tuple[int, int], question: Question, context: TurnContext, score: float
) -> Answer:
    start, end = span
    source = SentenceRef(context.document.id, sentence.section, sentence.index, start, end)
    plan = Plan((Extract(1, source, _label(question), None, text=sentence.text[start:end]),))
    return _told(plan, sentence, question, context, score)


def _label(question: Question) -> str:
    return question.text.strip().rstrip("?")[:_LONGEST]


def _told(plan: Plan, sentence: Sentence, question: Question, context: TurnContext, score: float) -> Answer:
    return replace(
        answer_from_plan(plan, context, question=question.text),
        description=_label(question),
        entity=None,
        period=None,
        confidence=_confidence(score),
        answerable=_answerable(score),
        grounds=_grounds(sentence, question),
    )


def _confidence(score: float) -> float:
    """How likely the words are those that people would mark, word for word; fitted by ranges on TAT-QA's answers."""
    return 0.5 / (1 + math.exp(-6 * (score - 0.7)))


def _answerable(score: float) -> float:
    """How likely the sentence holds the answer, be it longer or shorter; fitted likewise."""
    return 1 / (1 + math.exp(-5 * (score - 0.5)))


def _grounds(sentence: Sentence, question: Question) -> str | None:
    text = set(words(sentence.text))
    shared = list(dict.fromkeys(word for word in words(question.lowered) if word in text and len(word) > 3))
    return f'sentence "{" ".join(shared)}"' if shared else None
