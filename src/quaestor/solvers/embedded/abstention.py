"""Declines questions that a document does not answer, with a reason."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import WhyNoAnswer
from quaestor.core.answer_value import Text
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef
from quaestor.core.words import JOINING_WORDS, STOP_WORDS, search_words
from quaestor.documents.document import Document
from quaestor.graph.facts import Observation
from quaestor.ontology.line_matching import core_line_index, read_core_lines
from quaestor.plan.steps import Compute, Plan
from quaestor.questions.question import Question
from quaestor.questions.question_times import years_asked
from quaestor.questions.words_asked import why_no_number
from quaestor.solvers.answering import answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.answerability import (
    describe_nearest,
    find_lack,
    find_years,
    measure_answerability,
    names_unknown_thing,
    show_years,
)
from quaestor.solvers.embedded.missing_numbers import (
    describe_empty_cell,
    describe_other_kind,
    describe_other_line,
    find_lookup,
    find_other_time,
)
from quaestor.solvers.embedded.models import Answerability
from quaestor.solvers.embedded.plan_rules import asks_for_change
from quaestor.solvers.embedded.readings import AskedTurn, ConversationReader
from quaestor.solvers.embedded.spans import SpanCandidate
from quaestor.solvers.embedded.writing import complete_question

# ---- Lines of statements that a question names and the document lacks, although it has a line with a similar name.
#
# "Net income" and "operating income" share a word but are two lines. The captions of the core ontology distinguish
# them. The rule applies only if the question names nothing else, and if no caption of the line is printed in the tables
# or the text of the document.


_SAME = {"sale": "revenue", "sales": "revenue", "revenues": "revenue"}
_IGNORED_WORDS = STOP_WORDS - JOINING_WORDS
"""Words of questions by which captions do not differ."""

_PLAIN_PATTERNS = frozenset({"kg:PatternValue", "kg:PatternSignKept"})
"""Patterns of questions that ask for no calculation."""
_TOTALS = frozenset({"total", "totals", "grand total"})
_FEWEST_WORDS = 2
"""Minimum number of words of a caption, since one word ("sales", "income") is part of many names."""


_LOSS = lazy_regex(r"(?<=[_:])loss(?=_|$)")


def find_missing_line(question: Question, plan: Plan | None, document: Document) -> str | None:
    """Return the line that a question names if the document lacks it and the answer is of another line; otherwise None.

    Args:
        plan: The plan of the answer: the lookup of one cell, or a calculation with earlier answers only. For other
            plans the result is None.
    """
    label, full = _read_answered_row(plan, document)
    earlier = _uses_earlier_answers_only(plan) and question.pattern_names <= _PLAIN_PATTERNS
    if asks_for_change(question):
        # "The increase in inventories" is a line of cash flows, but most people mean the change of inventories.
        return None
    question_words = search_words(question.lowered)
    # The slowest checks come last: most answers are of a row with all words of the question, and most questions name no
    # line.
    telling = " ".join(word for word in question_words if word not in _IGNORED_WORDS and not word.isdigit())
    if not (label or earlier) or not question.is_self_contained or _has_words_of(label, telling):
        return None
    named = _find_longest_caption(question_words)
    if named is None or not question.names <= set(named[0].split()) or _has_words_of(full, named[0]):
        return None
    answered_line = _find_line(label)
    other = earlier or (answered_line is not None and named[1] != answered_line)
    return named[0] if other and not _prints_line(document, *named) else None


def _uses_earlier_answers_only(plan: Plan | None) -> bool:
    """Whether a plan calculates with earlier answers only, which a question for the value of a line never asks for."""
    steps = plan.steps if plan is not None else ()
    operations = {step.operation if isinstance(step, Compute) else "" for step in steps}
    return bool(operations) and operations.isdisjoint({"", "identity"})


def _read_answered_row(plan: Plan | None, document: Document) -> tuple[str, str]:
    """Return the label of the row that was looked up, alone and with its context; both empty for other plans."""
    step = find_lookup(plan)
    if step is None or not isinstance(step.source, CellRef):
        return "", ""
    table = document.table(step.source.table)
    label = table.rows[step.source.row].label
    full = " ".join((label, table.title, table.columns[0].label, *document.section_of(table).path[-1:]))
    # "Total" in a table of revenue is total revenue, and "consumer" beside "total loans" is consumer loans.
    totals = [row.label for row in table.rows[table.header_rows :] if row.label.casefold().startswith("total")]
    return (full if label.casefold() in _TOTALS else label), " ".join((full, *totals))


@lru_cache(maxsize=1)
def _load_captions() -> Mapping[tuple[str, ...], str]:
    """Return the lines of all captions of several words, by these words."""
    found = {
        tuple(search_words(caption)): _normalize_loss(line.name)
        for line in read_core_lines().lines.values()
        for caption in line.captions
    }
    return {words: line for words, line in found.items() if len(words) >= _FEWEST_WORDS}


@lru_cache(maxsize=256)
def _normalize_loss(line: str) -> str:
    """Return the income line for a loss line; statements print either for the same line.

    >>> _normalize_loss("kg:net_loss")
    'kg:net_income'
    """
    income = _LOSS.sub("income", line)
    return income if income in read_core_lines().lines else line


@lru_cache(maxsize=8192)
def _find_line(label: str) -> str | None:
    """Return the line of the core ontology that a label names, or None."""
    found = core_line_index().find_named(label)
    return None if found is None else _normalize_loss(found.property)


def _find_longest_caption(words: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the longest caption contained in the words, and its line."""
    captions = _load_captions()
    for size in range(len(words), _FEWEST_WORDS - 1, -1):
        for start in range(len(words) - size + 1):
            if line := captions.get(words[start : start + size]):
                return " ".join(words[start : start + size]), line
    return None


def _prints_line(document: Document, caption: str, line: str) -> bool:
    """Whether a row, a column, a table or a sentence of a document has a caption of a line."""
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
    """Whether a label has all words of a caption, where "sales" equals "revenue"."""
    label_words, caption_words = (
        {_SAME.get(word, word) for word in words} for words in (search_words(label.lower()), caption.split())
    )
    return caption_words <= label_words


# ---- The rules that decline questions.
#
# The rules cover only certain cases. In all other cases the learned probability decides.


_LONGEST_LABEL = 40
_MOST_YEARS = 12


def decline_for_turns(turns: Sequence[int]) -> Answer:
    """Return an answer without a value for a question that depends on unanswered ones; it is not recorded yet.

    Args:
        turns: The unanswered questions, from 0.
    """
    numbers = " and ".join(str(turn + 1) for turn in turns)
    which = f"question {numbers}, which was" if len(turns) == 1 else f"questions {numbers}, which were"
    return Answer(value=None, reason=f"this depends on {which} not answered", answerable=0.0)


def describe_certain_lack(question: Question, context: TurnContext) -> str | None:
    """Describe the years or the number that a question asks for if the document certainly lacks them; else None."""
    known = find_years(context.document)
    if lacking := tuple(sorted(year for year in years_asked(question) if known.lacks(year))):
        what = "page" if context.document.is_page else "document"
        return f"the {what} has no numbers for {show_years(lacking)}; {_describe_years(lacking, known.shown)}"
    return None if question.wants.selection is not None else describe_empty_cell(question, context)


@dataclass(frozen=True, slots=True)
class Abstention:
    """Decides whether to give an answer: by rules before plans are ranked, and by a learned probability afterwards.

    Attributes:
        reader: Ranks the plans, on which the probability depends.
        learned: Estimates the probability that the document contains the answer; None if it was not trained.
        below: The probability below which an answer is doubted.
        any_kind: Whether answers may be words.
    """

    reader: ConversationReader
    learned: Answerability | None
    below: float
    any_kind: bool

    def decline_certainly(
        self,
        question: Question,
        context: TurnContext,
        nearest: Callable[[], Answer | None],
        words: SpanCandidate | None,
    ) -> Answer | None:
        """Return an answer without a value if a question certainly cannot be answered; otherwise None."""
        found = self._find_reason(question, context, words)
        if found is None:
            return None
        reason, explanation = found
        near = nearest() if reason == "not_on_page" else None
        # A number is never close to an answer in words.
        comparable = near is not None and (question.wants.kind != "span" or isinstance(near.value, Text))
        if near is not None and comparable and near.value is not None:
            explanation = f"{explanation}; {describe_nearest(near)}"
        return _decline(context, reason, explanation)

    def _find_reason(
        self, question: Question, context: TurnContext, words: SpanCandidate | None
    ) -> tuple[WhyNoAnswer, str] | None:
        if self.any_kind and question.wants.kind == "span":
            if words is None or not words.sure:
                return "not_on_page", f"no sentence answers this; {_suggest_question(context)}"
        elif why := why_no_number(question):
            return "no_question", f"{why}; {_suggest_question(context)}"
        lack = describe_certain_lack(question, context)
        return None if lack is None else ("not_on_page", lack)

    def add_answerability(self, first: Answer, turn: AskedTurn) -> Answer:
        """Add the probability that the document contains the answer, by which the confidence of a list is multiplied.

        Args:
            first: The likeliest answer. Answers in words and without a plan are returned unchanged.
        """
        if first.plan is None or first.kind == "text":
            return first
        measured = None
        if self.learned is not None:
            measured = measure_answerability(self.reader.rank_plans(turn), self.learned.stems)
        holds = None if self.learned is None or measured is None else round(self.learned.probability(measured), 4)
        sure = first.confidence
        if first.kind == "list" and sure is not None and holds is not None and not _asks_for_choice(turn):
            sure *= holds
        return replace(first, answerable=holds, confidence=sure)

    def decline(self, first: Answer, turn: AskedTurn) -> Answer | None:
        """Return an answer without a value if the likeliest one should not be given; otherwise None.

        Args:
            first: The likeliest answer, with the probability that the document contains the answer.
        """
        context = turn.context
        if first.plan is None:
            return _decline(context, "not_on_page", first.reason or "")
        if first.kind == "text":
            return None
        if self._follows_unanswered(turn):
            depends = decline_for_turns([len(context.memory.answers) - 1])
            return _decline(context, "not_on_page", depends.reason or "")
        if (found := next(self._find_lacking(first, turn), None)) is None:
            return None
        lacking, answerable = found
        return _decline(context, "not_on_page", f"{lacking}; {describe_nearest(first)}", answerable)

    def _find_lacking(self, first: Answer, turn: AskedTurn) -> Iterator[tuple[str, float]]:
        """Yield descriptions of what the document lacks, with the probability that it has the answer nevertheless."""
        document, leaves = turn.context.document, turn.page.leaves
        if kind := describe_other_kind(turn.question, first):
            yield kind, 0.0
        if line := describe_other_line(turn.question, first.plan, turn.context):
            yield line, 0.0
        if time := find_other_time(turn.question, first.plan, leaves, document):
            yield f"this line has no number for {time}", 0.0
        if self.learned is not None and (
            lack := find_lack(first, turn.question, leaves, document, self.learned, self.below)
        ):
            yield lack, first.answerable or 0.0
        if (name := find_missing_line(turn.question, first.plan, document)) is not None:
            yield f'the page has no line "{name}"', 0.0

    def _follows_unanswered(self, turn: AskedTurn) -> bool:
        """Whether a question follows up on an unanswered one about a thing that the document lacks."""
        memory = turn.context.memory
        if turn.question.names or not memory.answers or memory.answers[-1].value is not None or self.learned is None:
            return False
        before = memory.parsed_questions[-1]
        return not why_no_number(before) and names_unknown_thing(before, turn.page.leaves, self.learned.stems)


def _asks_for_choice(turn: AskedTurn) -> bool:
    """Whether a question chooses among cells or lines; the confidence of such choices has a separate model."""
    return complete_question(turn.question, turn.context.memory.parsed_questions).wants.selection is not None


def _decline(context: TurnContext, reason: WhyNoAnswer, explanation: str, answerable: float = 0.0) -> Answer:
    return replace(answer_without_value(context, reason, explanation), answerable=answerable)


def _describe_years(lacking: tuple[int, ...], shown: tuple[int, ...]) -> str:
    """Describe the years covered, or the nearest earlier and later year if there are many."""
    if len(shown) <= _MOST_YEARS:
        return f"years covered: {show_years(shown)}"
    before, after = [year for year in shown if year < lacking[0]], [year for year in shown if year > lacking[-1]]
    return f"nearest years covered: {show_years((*before[-1:], *after[:1]))}"


def _suggest_question(context: TurnContext) -> str:
    """Suggest a question, with a line of the document if it has a simple one."""
    line = next((number for number in context.graph.observations if _is_plain(number)), None)
    example = f', such as "{line.row.label.lower()} in {line.year}"' if line is not None else ""
    return f"ask for a figure{example}, or for a change, a share or a ratio"


def _is_plain(number: Observation) -> bool:
    label = number.row.label
    return number.year is not None and 0 < len(label) <= _LONGEST_LABEL and not any(map(str.isdigit, label))
