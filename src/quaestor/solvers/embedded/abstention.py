"""Decline questions that a page does not answer, with the reason instead of the likeliest answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import WhyNoAnswer
from quaestor.core.answer_value import AnswerKinds, Text
from quaestor.core.provenance import CellRef
from quaestor.core.words import JOINING_WORDS, STOP_WORDS, search_words
from quaestor.documents.document import Document
from quaestor.graph.facts import Observation
from quaestor.ontology.line_matching import core_line_index, read_core_lines
from quaestor.plan.steps import Compute, Extract, Plan
from quaestor.questions.no_numbers import why_no_number
from quaestor.questions.question import Question
from quaestor.questions.times import years_asked
from quaestor.retrieval.company_name import names_no_company
from quaestor.solvers.answering import answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.answerability import (
    AnswerabilityModel,
    KnownYears,
    describe_nearest,
    find_years,
    show_years,
)
from quaestor.solvers.embedded.missing_numbers import (
    describe_empty_cell,
    describe_other_kind,
    describe_other_line,
    find_other_time,
    is_of_unread_year,
)
from quaestor.solvers.embedded.number_fit import normalize_loss
from quaestor.solvers.embedded.plan_rules import asks_for_change
from quaestor.solvers.embedded.readings import AskedTurn, ConversationReader
from quaestor.solvers.embedded.spans import SpanCandidate
from quaestor.solvers.embedded.writing import complete_question

# A line of statements that a question names and the page does not have, though it has one that sounds like it.
#
# "Net income" and "operating income" share a word and are two lines. They are distinguished by the captions that the
# core knows, only if a question names nothing else, and where nothing on the page, in its tables or its text, is
# called by any caption of the line.


_SAME = {"sale": "revenue", "sales": "revenue", "revenues": "revenue"}
_NO_PART = STOP_WORDS - JOINING_WORDS
"""Words of questions that no caption differs by from another."""

_PLAIN = frozenset({"kg:PatternValue", "kg:PatternSignKept"})
"""What a question asks for that asks for no calculation."""
_TOTALS = frozenset({"total", "totals", "grand total"})
_LEAST = 2
"""A caption of one word ("sales", "income") is part of many names."""


def find_missing_line(question: Question, plan: Plan | None, document: Document) -> str | None:
    """Return the line that a question names, where the page lacks it and the answer is of another line; else None.

    Args:
        plan: The plan of the answer; only the look-up of one cell, and a calculation with earlier answers alone, count.
    """
    label, full = _read_answered_row(plan, document)
    earlier = _uses_earlier_answers_only(plan) and question.pattern_names <= _PLAIN
    if asks_for_change(question):
        # "The increase in inventories" is a line of cash flows, and to most people what inventories changed by.
        return None
    question_words = search_words(question.lowered)
    # What takes longest comes last: most answers are of a row with all that is asked for, most questions name no line.
    telling = " ".join(word for word in question_words if word not in _NO_PART and not word.isdigit())
    if not (label or earlier) or not question.is_self_contained or _has_words_of(label, telling):
        return None
    named = _find_longest_caption(question_words)
    if named is None or not question.names <= set(named[0].split()) or _has_words_of(full, named[0]):
        return None
    answered_line = _find_line(label)
    other = earlier or (answered_line is not None and named[1] != answered_line)
    return named[0] if other and not _prints_line(document, *named) else None


def _uses_earlier_answers_only(plan: Plan | None) -> bool:
    """Whether a plan calculates with earlier answers alone: a question for the value of a line never asks for that."""
    steps = plan.steps if plan is not None else ()
    made = {step.operation if isinstance(step, Compute) else "" for step in steps}
    return bool(made) and made.isdisjoint({"", "identity"})


def _read_answered_row(plan: Plan | None, document: Document) -> tuple[str, str]:
    """Return the label of the row that was looked up, and the same in full; empty ones of other plans."""
    steps = plan.steps if plan is not None else ()
    if len(steps) != 1 or not isinstance(steps[0], Extract) or not isinstance(steps[0].source, CellRef):
        return "", ""
    table = document.table(steps[0].source.table)
    label = table.rows[steps[0].source.row].label
    full = " ".join((label, table.title, table.columns[0].label, *document.section_of(table).path[-1:]))
    # "Total" in a table of revenue is total revenue, "consumer" beside "total loans" consumer loans.
    totals = [row.label for row in table.rows[table.header_rows :] if row.label.casefold().startswith("total")]
    return (full if label.casefold() in _TOTALS else label), " ".join((full, *totals))


@lru_cache(maxsize=1)
def _load_captions() -> Mapping[tuple[str, ...], str]:
    """The captions of several words, by their words, with the line of each."""
    found = {
        tuple(search_words(caption)): normalize_loss(line.name)
        for line in read_core_lines().lines.values()
        for caption in line.captions
    }
    return {words: line for words, line in found.items() if len(words) >= _LEAST}


@lru_cache(maxsize=8192)
def _find_line(label: str) -> str | None:
    """Return the core's line that a label names; None if it names none."""
    found = core_line_index().find_named(label)
    return None if found is None else normalize_loss(found.property)


def _find_longest_caption(words: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the longest caption that words have in one piece, and its line."""
    captions = _load_captions()
    for size in range(len(words), _LEAST - 1, -1):
        for start in range(len(words) - size + 1):
            if line := captions.get(words[start : start + size]):
                return " ".join(words[start : start + size]), line
    return None


def _prints_line(document: Document, caption: str, line: str) -> bool:
    """Whether anything on a page is called by a caption of a line: a row, a column, a table, or words of a sentence."""
    for table in document.tables:
        heads = (*table.rows, *table.columns)
        # "Revenue" over "Service" is service revenue.
        labels = [label for head in heads for label in (head.label, " ".join((*head.levels, head.label))) if label]
        labels += [table.title, table.caption]
        if any(_find_line(label) == line or _has_words_of(label, caption) for label in dict.fromkeys(labels)):
            return True
    captions = [f" {' '.join(words)} " for words, name in _load_captions().items() if name == line]
    texts = (f" {' '.join(search_words(sentence.text.lower()))} " for sentence in document.sentences)
    return any(name_in_text in text for text in texts for name_in_text in captions)


def _has_words_of(label: str, caption: str) -> bool:
    """Whether a label has all words of a caption; sales are revenue."""
    label_words, caption_words = (
        {_SAME.get(word, word) for word in words} for words in (search_words(label.lower()), caption.split())
    )
    return caption_words <= label_words


# Declines a question that the page does not answer: typed, with what is missing, what is there, and what is nearest.
#
# No rule guesses: of what is not certain the probability decides that was learned, and it is answered as ever where
# there is none.


_LONGEST_LABEL = 40
_MOST_YEARS = 12


@dataclass(slots=True)
class _CachedYears:
    """The years of the document that a conversation is about, once they were needed."""

    years: KnownYears | None = None


def decline_for_turns(turns: Sequence[int]) -> Answer:
    """Return the answer without a value of a question that rests on earlier ones without one; it is on no record yet.

    Args:
        turns: Those questions, from 0.
    """
    numbers = " and ".join(str(turn + 1) for turn in turns)
    which = f"question {numbers}, which was" if len(turns) == 1 else f"questions {numbers}, which were"
    return Answer(value=None, reason=f"this depends on {which} not answered", answerable=0.0)


class AbstentionRules:
    """Declines questions that the page cannot answer."""

    def __init__(self, answers: AnswerKinds = "numbers") -> None:
        """Take which answers there may be."""
        self._words = answers == "all"

    def decline(
        self,
        question: str,
        context: TurnContext,
        nearest: Callable[[], Answer | None],
        words: SpanCandidate | None = None,
    ) -> Answer | None:
        """Return the answer without a value of a question that certainly cannot be answered; None if it may be.

        Args:
            context: The turn, which records the reason.
            nearest: Finds the nearest reading, if there is one.
            words: The words of the document that may answer it, or None.
        """
        found = self._find_reason(question, context, words)
        if found is None:
            return None
        reason, explanation = found
        near = nearest() if reason == "not_on_page" else None
        if near is not None and context.read(question).wants.kind == "span" and not isinstance(near.value, Text):
            # A number is not a near miss of a reason.
            near = None
        explanation = explanation if near is None or near.value is None else f"{explanation}; {describe_nearest(near)}"
        return _decline(context, reason, explanation)

    def decline_doubtful(self, nearest: Answer, missing: str, context: TurnContext) -> Answer:
        """Return the answer without a value of a question that is most likely not answered.

        Args:
            nearest: The nearest reading, with the probability that the page holds the answer.
            missing: What the page lacks.
        """
        explanation = f"{missing}; {describe_nearest(nearest)}"
        return _decline(context, "not_on_page", explanation, nearest.answerable or 0.0)

    def decline_other_line(self, nearest: Answer, question: Question, context: TurnContext) -> Answer | None:
        """Return the answer without a value of a question for a line that the document lacks; None if it has it.

        Args:
            nearest: The likeliest answer, of a line that sounds like it.
        """
        document = context.document
        line = find_missing_line(question, nearest.plan, document)
        if line is None:
            return None
        what = "page" if document.is_page else "document"
        return _decline(context, "not_on_page", f'the {what} has no line "{line}"; {describe_nearest(nearest)}')

    def decline_other_kind(self, nearest: Answer, lacking: str, context: TurnContext) -> Answer:
        """Return the answer without a value of a question for another kind of number than was found."""
        return _decline(context, "not_on_page", f"{lacking}; {describe_nearest(nearest)}")

    def record(self, answer: Answer, context: TurnContext) -> Answer:
        """Put the answer of `decline_for_turns` on record.

        Args:
            answer: Whose reason says which questions it needs.
        """
        return _decline(context, "not_on_page", answer.reason or "")

    def _find_reason(
        self, question: str, context: TurnContext, words: SpanCandidate | None
    ) -> tuple[WhyNoAnswer, str] | None:
        read, answers_in_words = context.read(question), words is not None and words.sure
        if self._words and read.wants.kind == "span":
            if not answers_in_words:
                return "not_on_page", f"no sentence answers this; {_suggest_question(context)}"
        elif why := why_no_number(read):
            return "no_question", f"{why}; {_suggest_question(context)}"
        if asked := years_asked(read):
            known = self._years(context)
            if lacking := tuple(sorted(year for year in asked if known.lacks(year))):
                what = "page" if context.document.is_page else "document"
                return (
                    "not_on_page",
                    f"the {what} has no numbers for {show_years(lacking)}; {_describe_years(lacking, known.shown)}",
                )
        if cell := describe_empty_cell(question, context):
            return "not_on_page", cell
        return None

    def _years(self, context: TurnContext) -> KnownYears:
        cached = context.session.kept(self, _CachedYears)
        if cached.years is None:
            cached.years = find_years(context.document)
        return cached.years


def _decline(context: TurnContext, reason: WhyNoAnswer, explanation: str, holds: float = 0.0) -> Answer:
    return replace(answer_without_value(context, reason, explanation), answerable=holds)


def _describe_years(lacking: tuple[int, ...], shown: tuple[int, ...]) -> str:
    """Return the years that there are; of a document with many the nearest on both sides."""
    if len(shown) <= _MOST_YEARS:
        return f"years covered: {show_years(shown)}"
    before, after = [year for year in shown if year < lacking[0]], [year for year in shown if year > lacking[-1]]
    return f"nearest years covered: {show_years((*before[-1:], *after[:1]))}"


def _suggest_question(context: TurnContext) -> str:
    """Return what can be asked, with a line of the page if it has a plain one."""
    line = next((number for number in context.graph.observations if _is_plain(number)), None)
    example = f', such as "{line.row.label.lower()} in {line.year}"' if line is not None else ""
    return f"ask for a figure{example}, or for a change, a share or a ratio"


def _is_plain(number: Observation) -> bool:
    label = number.row.label
    return number.year is not None and 0 < len(label) <= _LONGEST_LABEL and not any(map(str.isdigit, label))


_OF_SEVERAL = 0.5
"""What an answer's confidence is multiplied by where any of several companies may be meant."""


@dataclass(frozen=True, slots=True)
class AbstentionPolicy:
    """Decides whether the likeliest answer is given.

    Attributes:
        reader: Ranks the plans, which gives the probability.
        answerability: Estimates the probability that the page holds the answer.
        rules: Decline what the page cannot answer; None if every question is answered.
    """

    reader: ConversationReader
    answerability: AnswerabilityModel
    rules: AbstentionRules | None

    def add_answerability(self, first: Answer, asked: AskedTurn) -> Answer:
        """Return an answer with the probability that the page holds one; a list is no surer than that.

        Args:
            first: The likeliest answer. What rests on no number of the page has a probability of its own, or none.
            asked: The question, the page and the conversation.
        """
        if first.plan is None or first.kind == "text":
            return first
        holds = self.answerability.estimate_probability(self.reader.rank_plans(asked))
        sure = first.confidence
        if first.kind == "list" and sure is not None and holds is not None and not _asks_for_choice(asked):
            sure *= holds
        if sure is not None and not asked.context.memory.turns and not asked.context.document.is_page:
            sure *= _OF_SEVERAL if names_no_company(asked.question.text, asked.context.document) else 1.0
        return replace(first, answerable=holds, confidence=sure)

    def decline(self, first: Answer, asked: AskedTurn) -> Answer | None:
        """Return the answer without a value, where the likeliest one is not to be given; else None.

        Args:
            first: The likeliest answer, with the probability that the page holds one.
            asked: The question, the page and the conversation.
        """
        if self.rules is None:
            return None
        if first.plan is None or first.kind == "text":
            return self.rules.record(first, asked.context) if first.plan is None else None
        if self._follows_unanswered(asked):
            return self.rules.record(decline_for_turns([len(asked.context.memory.answers) - 1]), asked.context)
        lacking = next(self._find_lacking(first, asked), None)
        if lacking is not None:
            return self.rules.decline_other_kind(first, lacking, asked.context)
        missing = self.answerability.find_lack(first, asked.question, asked.page.leaves, asked.context.document)
        if missing is not None:
            return self.rules.decline_doubtful(first, missing, asked.context)
        return self.rules.decline_other_line(first, asked.question, asked.context)

    def _find_lacking(self, first: Answer, asked: AskedTurn) -> Iterator[str]:
        """Yield what is certainly not there of what is asked for: a kind, a line, a time."""
        document = asked.context.document
        if kind := describe_other_kind(asked.translated, first, asked.page.leaves, document):
            yield kind
        if line := describe_other_line(asked.question, first.plan, asked.context):
            yield line
        if is_of_unread_year(asked.question, first.plan, document):
            yield "the columns of its table have no years that could be read"
        if time := find_other_time(asked.question, first.plan, asked.page.leaves, document):
            yield f"this line has no number for {time}"

    def _follows_unanswered(self, asked: AskedTurn) -> bool:
        """Whether a question goes on from one about a thing that the document does not have."""
        memory = asked.context.memory
        if asked.question.names or not memory.answers or memory.answers[-1].value is not None:
            return False
        before = memory.asked[-1]
        return not why_no_number(before) and self.answerability.names_unknown_thing(before, asked.page.leaves)


def _asks_for_choice(asked: AskedTurn) -> bool:
    """Whether a question chooses among cells or lines: how sure such a choice is has been learned for itself."""
    return complete_question(asked.question, asked.context.memory.asked).wants.selection is not None
