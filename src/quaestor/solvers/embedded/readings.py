"""Readings of a conversation so far, and reasons for an answer."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Protocol

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.display import show_number
from quaestor.core.caching import BoundedCache
from quaestor.core.provenance import CellRef
from quaestor.core.words import words
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.core import question_words
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.no_numbers import why_no_number
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.beam import START, BeamState, Hypotheses, advance_beam, is_same_answer, rank_hypotheses
from quaestor.solvers.embedded.direct_answers import find_restated_turns
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.page import NumberMatrix, PageFeatures, build_number_matrix, build_page_features
from quaestor.solvers.embedded.page_numbers import CandidateNumber
from quaestor.solvers.embedded.plan_rules import translate_question
from quaestor.solvers.embedded.prior import Prior, build_prior
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction, TurnView
from quaestor.solvers.embedded.writing import read_state

# The reason for an answer and its runner-up, each in one line that a user can check.
#
# A reason refers to the question, the page or earlier answers, not to scores.


CLOSE = 0.5
"""Least probability of a runner-up that is mentioned, as a share of the answer's probability."""


def explain_answer(answer: Answer, question: Question, turn: TurnView, context: TurnContext) -> str | None:
    """Return the reason for an answer, such as `row "net revenue"; year 2008; "change in" asks for the change`.

    Args:
        turn: The translated question with its page and conversation.
    """
    if answer.plan is None:
        return None
    leaves = [_find_leaf(step, turn.leaves) for step in answer.plan.extracts]
    found = [leaf for leaf in leaves if leaf is not None]
    parts = [
        *((f'read as "{turn.question.lowered}"',) if turn.question.lowered != question.lowered else ()),
        *_describe_lines(found, turn),
        *_describe_years(found, turn),
        *_describe_rule(answer, turn.question, context),
        *_describe_results(answer.plan, context),
    ]
    return "; ".join(parts) or None


def withhold_value(answer: Answer, least: float) -> Answer:
    """Return an answer without its value, which the reason still contains.

    Args:
        least: The required confidence.
    """
    shown = _show_answer(answer)
    probability = f"{answer.confidence or 0.0:.2f}"
    reason = f"withheld: the most likely reading, {shown}, has a probability of {probability}, below {least:g}"
    return replace(answer, value=None, reason=reason)


def find_other_reading(first: Answer, answers: Iterable[Answer]) -> Answer | None:
    """Return the first answer with another displayed value than `first`; None if there is none."""
    shown = show_number(first)
    return next((answer for answer in answers if show_number(answer) != shown), None)


def describe_rereading(turn: int, given: Answer, now: Answer) -> str:
    """Return a sentence that compares the answer given to an earlier question with its answer now.

    Args:
        turn: Number of the turn, from 0.
        now: The answer that it would get now.
    """
    was = "not answered" if given.value is None else f"answered {_show_answer(given)}"
    return f"question {turn + 1} was {was}, but is read here as {_show_answer(now)}"


def add_runner_up(first: Answer, second: Answer | None) -> Answer:
    """Return the first answer with the second, if any, in its reason and as its other reading."""
    if second is None:
        return first
    parts = (first.reason, describe_runner_up(first, second))
    reason = "; ".join(part for part in parts if part)
    if second.plan is None:
        return replace(first, reason=reason)
    other = OtherReading(second.plan, show_number(second), second.description, second.confidence)
    return replace(first, reason=reason, other_readings=(other,))


def describe_runner_up(first: Answer, second: Answer) -> str:
    """Return a description of the second answer, such as `next most likely: 5,363 (net revenue in 2007), 31%`.

    The first answer is the likeliest result, or for yes and no the likeliest comparison, so the second may have a
    higher confidence; the text then omits the figure.

    Args:
        first: The likeliest answer.
        second: The next one, with its confidence.
    """
    if (second.confidence or 0.0) >= (first.confidence or 0.0):
        return f"equally likely, from several readings combined: {_show_answer(second)}"
    sure = f", {second.confidence or 0.0:.0%}"
    mine, other = show_number(first), show_number(second)
    readings = _describe_sign(first), _describe_sign(second)
    if None not in readings and readings[0] != readings[1] and first.sources == second.sources:
        return f"read {readings[0]}: {mine}; {readings[1]}: {other}{sure}"
    if _is_reversed(first, second):
        return f"the other way round: {other}{sure}"
    return f"next most likely: {_show_answer(second)}{sure}"


def _show_answer(answer: Answer) -> str:
    number = show_number(answer)
    return f"{number} ({answer.description})" if answer.description else number


def _describe_sign(answer: Answer) -> str | None:
    """How a number printed below zero was read; None for other answers."""
    last = answer.plan.steps[-1] if answer.plan else None
    if not isinstance(last, Extract) or last.quantity is None or last.quantity.value >= 0:
        return None
    return "as a magnitude" if last.reading == "magnitude" else "as a loss"


def _is_reversed(first: Answer, second: Answer) -> bool:
    """Whether two answers come from one operation with swapped operands."""
    if first.plan is None or second.plan is None:
        return False
    mine, other = first.plan.steps[-1], second.plan.steps[-1]
    return (
        isinstance(mine, Compute)
        and isinstance(other, Compute)
        and mine.operation == other.operation
        and _list_inputs(mine, first.plan) == _list_inputs(other, second.plan)[::-1]
    )


def _list_inputs(step: Compute, plan: Plan) -> list[object]:
    steps = [plan.steps[o.step - 1] if isinstance(o, Ref) and o.step > 0 else o for o in step.operands]
    return [
        (step.source, step.quantity.value) if isinstance(step, Extract) and step.quantity is not None else step
        for step in steps
    ]


def _find_leaf(step: Extract, leaves: NumberMatrix) -> CandidateNumber | None:
    index = None if step.quantity is None else leaves.index.get((step.source, step.quantity.value))
    return None if index is None else leaves.leaves[index]


def _describe_lines(found: Sequence[CandidateNumber], turn: TurnView) -> Iterator[str]:
    """Words that a row, or the text around a number, shares with the question or else with an earlier one."""
    # The state has a turn that only converts an answer as the question of that answer.
    asked = turn.state.questions
    before = reversed([(asked.index(earlier) + 1, earlier) for earlier in asked])
    questions = [("", turn.question), *((f" (question {n})", earlier) for n, earlier in before)]
    for where, question in questions:
        found_words = {
            (_name_place(leaf, turn.leaves), shared): None for leaf in found if (shared := _share_words(leaf, question))
        }
        if found_words:
            yield from (f'{place} "{shared}"{where}' for place, shared in found_words)
            return


def _name_place(leaf: CandidateNumber, leaves: NumberMatrix) -> str:
    """Name for the line of a number: row, sentence, or column if the table is read by columns."""
    if not isinstance(leaf.source, CellRef):
        return "sentence"
    upright = all(
        x.line == x.source.row for x in leaves.leaves if x.table == leaf.table and isinstance(x.source, CellRef)
    )
    return "row" if upright else "column"


def _share_words(leaf: CandidateNumber, question: Question) -> str:
    """Words of the question, as it spells them, that occur in the label of a leaf's line or in its sentence."""
    known = frozenset(leaf.row if isinstance(leaf.source, CellRef) else leaf.around)
    shared = [word for word in words(question.lowered) if known.intersection(stems(word))]
    return " ".join(dict.fromkeys(shared))


def _describe_years(found: Sequence[CandidateNumber], turn: TurnView) -> Iterator[str]:
    years = sorted({leaf.year for leaf in found} - {0})
    named = [year for year in years if year in turn.question.years]
    pointed = [year for year in years if year not in named and year in turn.target_years]
    carried = [year for year in years if year not in (*named, *pointed) and year in turn.context_years]
    for list_of_years, where in ((named, ""), (pointed, " (referred to)"), (carried, " (as before)")):
        if list_of_years:
            plural = "s" if len(list_of_years) > 1 else ""
            yield f"year{plural} {' and '.join(map(str, list_of_years))}{where}"


def _describe_rule(answer: Answer, question: Question, context: TurnContext) -> Iterator[str]:
    """The phrase by which the core recognized the metric, if that is the metric of the answer."""
    answers = context.memory.answers
    metrics = question.metric_types(answers[-1].metric_type if answers else None)
    for metric in metrics:
        if metric.metric_type == answer.metric_type:
            pattern = next(p for p in question.patterns if p.name == metric.pattern)
            match = pattern.matcher.search(question_words(question.lowered))
            if match and match[0].strip() and metric.metric_type != "value":
                yield f'"{match[0].strip()}" asks for the {metric.metric_type.replace("_", " ")}'
            return


def _describe_results(plan: Plan, context: TurnContext) -> Iterator[str]:
    """The earlier answers used, with the words that refer to them."""
    turns = len(context.memory.turns)
    steps = {o.step for step in plan.steps if isinstance(step, Compute) for o in step.operands if isinstance(o, Ref)}
    used = sorted(turns + step for step in steps if step < 0)
    if not used:
        return
    which = f"answer{'s' if len(used) > 1 else ''} {' and '.join(str(turn + 1) for turn in used)}"
    expressions = (e for e in context.references.expressions if e.kind in ("result", "results", "cell"))
    pointing = next((e.text for e in expressions if any(c.turn in used for c in e.candidates[:1])), None)
    yield f'{which} for "{pointing}"' if pointing else which


# The readings of a conversation so far, turn by turn, on the current page.
#
# The answerers choose the plan for a question.


_PAGE, _PAGES = 2_500, 20_000
"""Limits of the page cache, in numbers: `_PAGES` in total, and each page counts as at least `_PAGE`. So up to eight
pages are cached, fewer for large documents; a conversation is mostly about one page."""


@dataclass(frozen=True, slots=True)
class ReadingHistory:
    """Readings of the turns so far, the likeliest first, and the product of the shares of this solver's answers."""

    paths: tuple[BeamState, ...]
    share: float


@dataclass(slots=True)
class ConversationReading:
    """Readings of a conversation about a page so far.

    Attributes:
        filing: Whether the document is a user's, not a page of a benchmark.
        turns: Question, outcome and the readings after it, for each turn.
        last: The plans for the last question with the readings they follow, cached for the next turn.
    """

    page: PageFeatures
    filing: bool
    turns: list[tuple[Question, TurnAction, ReadingHistory]] = field(default_factory=list)
    last: tuple[ReadingHistory, Question, Hypotheses] | None = None


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """Question with its page and conversation.

    Attributes:
        reading: The conversation so far, on this page.
        answered: The earlier turns as answered.
        history: The readings of the earlier turns.
    """

    question: Question
    context: TurnContext
    reading: ConversationReading
    answered: DialogueState
    history: ReadingHistory

    @property
    def page(self) -> PageFeatures:
        """The numbers of the page with the features that all turns share."""
        return self.reading.page

    @property
    def translated(self) -> Question:
        """The question in the vocabulary that the weights were trained on."""
        return self.translate(self.question)

    def translate(self, question: Question) -> Question:
        """Return a question in the vocabulary that the weights were trained on: for a filing, that of reports."""
        return translate_question(question) if self.reading.filing else question

    @property
    def state(self) -> DialogueState:
        """The likeliest reading of the earlier turns."""
        return self.history.paths[0].state


class ConversationReader:
    """Reads conversations, with the state of each in its session."""

    def __init__(self, weights: EmbeddedWeights, *, declines: bool, restates: bool, whole: bool) -> None:
        """Initialize the reader with weights and the kinds of turns that can occur.

        Args:
            declines: Whether to decline turns that ask for no number.
            restates: Whether turns can repeat the last answer in another form.
            whole: Whether the first question can ask for a whole calculation, not only for its first step.
        """
        self._weights, self._declines, self._restates, self._whole = weights, declines, restates, whole
        self._pages = BoundedCache[tuple[str, str], PageFeatures](_PAGES, _count_leaves)

    def begin_turn(self, question: str, context: TurnContext) -> AskedTurn:
        """Return a question with its page and conversation."""
        reading = self.find_reading(context)
        answered = self._read_answers(context, reading.page)
        return AskedTurn(
            context.read(question), context, reading, answered, self._update_history(reading, answered, context)
        )

    def rank_plans(self, turn: AskedTurn) -> Hypotheses:
        """Return the plans for a question, after each likely reading of the earlier turns."""
        context, leaves = turn.context, turn.page.leaves
        prior = build_prior(turn.translated, leaves, context.document, context.weights)
        return self._rank(turn.reading, turn.history, turn.question, prior)

    def find_reading(self, context: TurnContext) -> ConversationReading:
        """Return the readings of the conversation so far."""
        return context.session.get_or_create(
            self, lambda: ConversationReading(self.page(context.graph), not context.document.is_page)
        )

    def page(self, graph: KnowledgeGraph) -> PageFeatures:
        """Return a page with its features; the latest pages are cached."""
        return self._pages.get(
            _identify(graph), lambda: build_page_features(build_number_matrix(graph), self._weights.idf)
        )

    def _find_restated(self, context: TurnContext) -> dict[int, int]:
        """Return the turns that repeated an earlier answer, each with the turn of that answer."""
        return find_restated_turns(context.memory) if self._restates else {}

    def _read_answers(self, context: TurnContext, page: PageFeatures) -> DialogueState:
        return read_state(context.memory, page.leaves, self._find_restated(context))

    def _update_history(
        self, reading: ConversationReading, answered: DialogueState, context: TurnContext
    ) -> ReadingHistory:
        """Return the readings of all turns so far; answers of other solvers are accepted as certain."""
        history, restated = ReadingHistory(START, 1.0), self._find_restated(context)
        for turn, (question, outcome) in enumerate(zip(answered.questions, answered.outcomes, strict=True)):
            if reading.turns[turn : turn + 1] and reading.turns[turn][:2] == (question, outcome):
                history = reading.turns[turn][2]
                continue
            state = DialogueState(answered.questions[: turn + 1], answered.outcomes[: turn + 1])
            again = restated.get(turn)
            history = (
                self._advance(reading, history, question, state) if again is None else _repeat(history, state, again)
            )
            reading.turns[turn:] = [(question, outcome, history)]
        return history

    def _rank(
        self, reading: ConversationReading, history: ReadingHistory, question: Question, prior: Prior | None = None
    ) -> Hypotheses:
        """Return the plans for a question; those of the last question are cached for the next turn."""
        last = reading.last
        if last is None or last[0] is not history or last[1] != question:
            alone = self._whole and not history.paths[0].state.outcomes
            choices = rank_hypotheses(
                history.paths, question, reading.page, self._weights, prior, filing=reading.filing, alone=alone
            )
            last = reading.last = (history, question, choices)
        return last[2]

    def _advance(
        self, reading: ConversationReading, history: ReadingHistory, question: Question, state: DialogueState
    ) -> ReadingHistory:
        if _is_text(state.outcomes[-1]) or (self._declines and why_no_number(question)):
            # Turns without a number, such as thanks, change no reading.
            no_number = state.outcomes[-1]
            paths = (replace(path, state=path.state.after(question, no_number)) for path in history.paths)
            return ReadingHistory(tuple(paths), history.share)
        choices = self._rank(reading, history, question)
        # A withheld answer does not decide which reading is right.
        given = state.outcomes[-1]
        withheld = given.value is None and not _is_selection(given)
        is_own = bool(choices.ranked) and (withheld or is_same_answer(choices.ranked[0].outcome, given))
        if not is_own:
            return ReadingHistory((BeamState(state),), history.share)
        _, share = choices.results[0]
        return ReadingHistory(advance_beam(choices, question), history.share * share)


def _count_leaves(page: PageFeatures) -> int:
    return max(_PAGE, len(page.leaves))


def _identify(graph: KnowledgeGraph) -> tuple[str, str]:
    return graph.document, graph.digest_of_document


def _is_text(outcome: TurnAction) -> bool:
    """Whether an outcome is text of the page, not a number."""
    return outcome.operation == "lookup" and any(isnan(operand.value) for operand in outcome.operands)


def _is_selection(outcome: TurnAction) -> bool:
    """Whether an outcome is a list or a name, not a withheld number."""
    return outcome.operation in OPERATIONS and OPERATIONS[outcome.operation].gives not in ("number", "yes or no")


def _repeat(history: ReadingHistory, dialogue: DialogueState, turn: int) -> ReadingHistory:
    """Readings after a turn that repeated an earlier answer, as if that question were asked again."""
    given = dialogue.outcomes[-1].value is not None
    states = (path.state for path in history.paths)
    outcomes = ((state, state.outcomes[turn] if given else dialogue.outcomes[-1]) for state in states)
    after = [state.after(state.questions[turn], outcome) for state, outcome in outcomes]
    paths = zip(history.paths, after, strict=True)
    return ReadingHistory(tuple(replace(path, state=state) for path, state in paths), history.share)


class Answerer(Protocol):
    """Answers questions for one kind of answer, and leaves others to the next answerer."""

    def answers(self, turn: AskedTurn, least: float) -> Iterator[Answer]:
        """Yield the answers to a question, best first, each result once; none if it asks for another kind.

        Args:
            turn: The question, the page and the conversation.
            least: Answers below this share of the first answer's confidence may be omitted.
        """
        ...


def answer_by_first(answerers: Iterable[Answerer], turn: AskedTurn, least: float) -> Iterator[Answer]:
    """Yield the answers of the first answerer that has any."""
    for answerer in answerers:
        found = answerer.answers(turn, least)
        if (best := next(found, None)) is not None:
            yield best
            yield from found
            return
