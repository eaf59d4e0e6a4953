"""The solver's view of a turn: page, question and conversation, with the operands and results of earlier turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from quaestor.conversation.references.expressions import AntecedentSet
from quaestor.conversation.references.lineage import (
    Expression,
    Result,
    classify_expression,
    find_latest_turn,
    latest_results,
    read_subject_words,
)
from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.conversation.references.ranking import rank_sets
from quaestor.core.patterns import lazy_regex
from quaestor.core.words import STOP_WORDS, words
from quaestor.ontology.core import FinancialRatio, LineItem, find_phrase, read_core
from quaestor.plan.scales import Dimension
from quaestor.questions.metric_types import matching_patterns
from quaestor.questions.question import Question, read_question
from quaestor.questions.question_times import with_stated_years
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page import NumberMatrix, PageFeatures
from quaestor.solvers.embedded.page_numbers import CandidateNumber

PLAIN = Dimension()
"""The dimension of a plain number, without scale and unit."""

LIST = "items"
"""The operation of a turn that answered with a list of numbers."""

Kind = Literal["leaf", "result", "constant", "group"]


@dataclass(frozen=True, slots=True)
class Operand:
    """Operand of an operation.

    Attributes:
        kind: A leaf of the page, the result of an earlier turn, a constant or, while plans are ranked, a group.
        index: The index of the leaf, turn or group, from 0; 0 for a constant.
        value: The number, as printed or as computed.
    """

    kind: Kind
    index: int
    value: float


@dataclass(frozen=True, slots=True)
class TurnAction:
    """Operation of one turn with its operands and result.

    Attributes:
        operation: `lookup`, `subtract`, `add`, `divide`, `multiply`, `greater`, `percentage_change`, `sum`,
            `average`, or another name.
        operands: In the operation's order.
        value: The result; None if there is none, 1 or 0 for yes or no.
        counts: The scale and unit of the result.
    """

    operation: str
    operands: tuple[Operand, ...]
    value: float | None
    counts: Dimension = PLAIN


@dataclass(frozen=True)
class DialogueState:
    """Conversation so far.

    Attributes:
        questions: The questions, oldest first.
        outcomes: The operation of each turn, in the same order.
    """

    questions: tuple[Question, ...] = ()
    outcomes: tuple[TurnAction, ...] = ()

    def after(self, question: Question, outcome: TurnAction) -> "DialogueState":
        """Return the state with one more turn."""
        return DialogueState((*self.questions, question), (*self.outcomes, outcome))

    @cached_property
    def used_leaves(self) -> Mapping[int, int]:
        """The leaves that earlier turns used directly, each with the last turn that used it."""
        return {
            operand.index: turn
            for turn, outcome in enumerate(self.outcomes)
            for operand in outcome.operands
            if operand.kind == "leaf"
        }

    @cached_property
    def lookups(self) -> Mapping[int, int]:
        """The turns that only looked up a leaf, each with its leaf."""
        return {
            turn: outcome.operands[0].index
            for turn, outcome in enumerate(self.outcomes)
            if outcome.operation == "lookup" and outcome.operands and outcome.operands[0].kind == "leaf"
        }

    def find_leaf(self, operand: Operand) -> int:
        """Return the leaf that an operand is, itself or as the turn that looked it up; -1 if it is not one."""
        if operand.kind == "leaf":
            return operand.index
        return self.lookups.get(operand.index, -1) if operand.kind == "result" else -1

    @property
    def last_list(self) -> tuple[Operand, ...]:
        """The numbers of the page that the last turn listed; empty if it did not list any."""
        if not self.outcomes or self.outcomes[-1].operation != LIST:
            return ()
        listed = self.outcomes[-1].operands
        return listed if all(operand.kind == "leaf" for operand in listed) else ()

    def find_leaves_of(self, turn: int) -> frozenset[int]:
        """Return all leaves that a turn used directly or through earlier results."""
        found: set[int] = set()
        for operand in self.outcomes[turn].operands:
            if operand.kind == "leaf":
                found.add(operand.index)
            elif operand.kind == "result":
                found |= self.find_leaves_of(operand.index)
        return frozenset(found)


def _read_results(state: DialogueState, leaves: NumberMatrix) -> list[Result]:
    """Return the results of all turns so far, for the resolution of references."""
    expressions: list[Expression] = []
    found: list[Result] = []
    for turn, outcome in enumerate(state.outcomes):
        operands = tuple(_build_expression(o, expressions) for o in outcome.operands)
        if outcome.operation == "lookup":
            expression = operands[0] if operands else Expression("nothing", turn)
            operands = ()
        elif outcome.operation == "percentage_change":
            change = Expression("subtract", *operands)
            expression, operands = Expression("divide", change, operands[1]), (change, operands[1], operands[0])
        else:
            expression = Expression(outcome.operation, *operands)
        again = find_latest_turn(expression, expressions)
        rests = (
            found[again].dependencies
            if again is not None
            else tuple(find_latest_turn(o, expressions) for o in operands)
        )
        question = state.questions[turn]
        made = classify_expression(expression)
        years = question.year_set or _find_shared_years(outcome.operands, leaves)
        metric = "percentage_change" if made == "relative change" else made
        expressions.append(expression)
        things = read_subject_words(question, None, rests, found)
        found.append(Result(turn, metric, made, None, years, question.names, rests, expression, things))
    return found


def _build_expression(operand: Operand, earlier: Sequence[Expression]) -> Expression:
    if operand.kind == "result":
        return earlier[operand.index]
    if operand.kind == "leaf":
        return Expression("number", int(operand.index))
    return Expression("constant", float(operand.value))


def _find_shared_years(operands: Sequence[Operand], leaves: NumberMatrix) -> frozenset[int]:
    years = {int(leaves.year[o.index]) for o in operands if o.kind == "leaf"} - {0}
    return frozenset({max(years)}) if years else frozenset()


# ---- Replacement of named ratios ("the current ratio") by divisions, as defined in `ontology/core.ttl`.


_ASKS = lazy_regex(r".*\b(?:what|which|how|calculate|compute|determine|find|give|show|tell)\b(?: me\b)?")
"""Everything up to the last word that introduces what is asked for."""
_OF_TO = lazy_regex(r"\s*of\b.*\b(?:to|over)\b")
"""Text after "ratio" that names its two parts, so that the word before "ratio" does not define it."""

_QUALIFIERS = frozenset(stems("total consolidated loss benefit"))
"""Words that a label may have besides the figure's name: "total", or a sign in brackets."""
_OWNERS = frozenset(stems("attributable available"))
"""Words before the owners of a share in a label, which still means the whole unless it is of other interests."""
_LINKING_STEMS = frozenset(
    stems("increased decreased declined rose fell grew totaled approximately fiscal million billion thousand dollars")
)
"""Words that may occur between a figure's name and its number in a sentence."""


@dataclass(frozen=True, slots=True)
class _NamedRatio:
    """Ratio with the span of its name in a lower-case text."""

    ratio: FinancialRatio
    start: int
    end: int


def expand_ratio(question: Question, leaves: NumberMatrix) -> Question:
    """Replace the name of a ratio in a question by a division, in the words of the page and in lower case.

    "what was the profit margin in 2015?" becomes "what was the net income divided by net revenue in 2015?". The
    question is returned unchanged if it names no ratio or asks how the ratio changed or compares, or if the page prints
    the ratio or lacks one of its figures.
    """
    named = _find_asked_ratio(question)
    if named is None or _is_printed(named.ratio, question.lowered[named.start : named.end], leaves):
        return question
    numerator, denominator = (_find_wording(part, leaves) for part in (named.ratio.numerator, named.ratio.denominator))
    if numerator is None or denominator is None:
        return question
    text = f"{question.lowered[: named.start]}{numerator} divided by {denominator}{question.lowered[named.end :]}"
    return read_question(text)


@lru_cache(maxsize=1024)
def _find_asked_ratio(question: Question) -> _NamedRatio | None:
    """Return the ratio of a question that asks for nothing else, or None."""
    lowered = question.lowered
    named = _find_ratio(lowered)
    if named is None:
        return None
    before, name, after = lowered[: named.start], lowered[named.start : named.end], lowered[named.end :]
    # An adjacent word changes the meaning of the name: "the adjusted operating margin", "debt ratio covenant". Other
    # words before it are what is asked for: "what was the tax benefit, based on the effective tax rate?"
    asks = _ASKS.match(before)
    alone = all(map(_is_filler, (*words(before[asks.end() if asks else 0 :]), *words(after)[:1])))
    if not alone or _OF_TO.match(after) or _find_ratio(f"{before}|{after}") or not _asks_for_a_value(question, name):
        return None
    return named


@lru_cache(maxsize=1024)
def _find_ratio(text: str) -> _NamedRatio | None:
    """Return the ratio with the longest name in a text: a gross profit margin is not a profit margin."""
    found = [(span, ratio) for ratio in read_core().ratios if (span := find_phrase(text, ratio.matcher))]
    if not found:
        return None
    (start, end), ratio = max(found, key=lambda one: one[0][1] - one[0][0])
    return _NamedRatio(ratio, start, end)


def _is_filler(word: str) -> bool:
    return word in STOP_WORDS or not word[0].isalpha() or word.endswith("'s")


def _asks_for_a_value(question: Question, name: str) -> bool:
    """Return whether a question asks for no change, sum or share, apart from its ratio's name."""
    own = matching_patterns(name)
    others = (p for p in question.patterns if p not in own and not p.after and p.scale is None)
    return all(pattern.metric_type in (None, "value") for pattern in others)


def _is_printed(ratio: FinancialRatio, name: str, leaves: NumberMatrix) -> bool:
    """Return whether the labels or the sentence of a number contain the name, or another name of the ratio."""
    name_stems = frozenset(stems(name))
    for leaf, percent in zip(leaves.leaves, leaves.percent.tolist(), strict=True):
        labelled = _find_ratio(leaf.label.lower())
        if labelled is not None and labelled.ratio is not ratio:
            continue
        # A gross margin can also be an amount, so under another name a percentage must be printed as one.
        otherwise = labelled is not None and (percent or ratio.metric_type != "percentage")
        if otherwise or name_stems.issubset(leaf.around):
            return True
    return False


def _find_wording(item: LineItem, leaves: NumberMatrix) -> str | None:
    """Return the wording of a figure that the page uses for an amount, or None."""
    amounts = [leaf for leaf, percent in zip(leaves.leaves, leaves.percent.tolist(), strict=True) if not percent]
    for wording in item.wordings:
        wording_stems = frozenset(stems(wording))
        if wording_stems <= leaves.vocabulary.keys() and any(_is_figure(leaf, wording_stems) for leaf in amounts):
            return wording
    return None


def _is_figure(leaf: CandidateNumber, wording: frozenset[str]) -> bool:
    if leaf.table < 0:
        return _leads_to(leaf, wording)
    return _is_called(leaf.row, wording) or _is_called(leaf.column, wording)


@lru_cache(maxsize=1024)
def _is_called(label: tuple[str, ...], wording: frozenset[str]) -> bool:
    """Return whether a label means the wording, possibly with qualifiers: net income per share is not net income."""
    owner = next((i for i, stem in enumerate(label) if stem in _OWNERS), len(label))
    if "interest" in label[owner:]:
        return False
    own = label[:owner]
    # "Inventories, net" are inventories, but "net debt" is not debt.
    after = frozenset(own[-1:]) & {"net"}
    return wording <= frozenset(own) <= wording | _QUALIFIERS | after


def _leads_to(leaf: CandidateNumber, wording: frozenset[str]) -> bool:
    """Return whether the words directly before or after a number in a sentence are the wording."""
    before, size = list(leaf.row), len(wording)
    while before and before[-1] in _LINKING_STEMS:
        before.pop()
    return frozenset(before[-size:]) == wording or frozenset(leaf.column[:size]) == wording


@dataclass(frozen=True, slots=True)
class TurnView:
    """Turn with its page, question and conversation, and values derived from them.

    Attributes:
        state: The earlier turns.
        question: The question, with the name of a ratio spelled out.
        target_years: The years of relative periods.
        context_years: The years of the last earlier question that named any.
        results: The results of the earlier turns, for the resolution of references.
        uses: The sets of earlier results that the turn may use, likeliest first.
    """

    page: PageFeatures
    state: DialogueState
    question: Question
    target_years: frozenset[int]
    context_years: tuple[int, ...]
    results: tuple[Result, ...] = ()
    uses: tuple[AntecedentSet, ...] = ()

    @property
    def leaves(self) -> NumberMatrix:
        """The numbers of the page."""
        return self.page.leaves


def make_turn_view(
    question: Question, state: DialogueState, page: PageFeatures, references: ReferenceWeights
) -> TurnView:
    """Return the view of a turn."""
    return make_turn_views(question, [state], page, references)[0]


def make_turn_views(
    question: Question, states: Sequence[DialogueState], page: PageFeatures, references: ReferenceWeights
) -> list[TurnView]:
    """Return the views of a turn, one for each of several readings of the conversation before it.

    Args:
        states: The readings, all of the same questions.
    """
    full, leaves = expand_ratio(question, page.leaves), page.leaves
    if states and states[0].questions:
        full = with_stated_years(full, states[0].questions)
    known: dict[tuple[object, ...], tuple[AntecedentSet, ...]] = {}
    turns = []
    for state in states:
        context = next((q.years for q in reversed(state.questions) if q.years), ())
        base = {int(leaves.year[i]) for i in last_leaves(state)} - {0} or set(context)
        targets = set(full.stated_years) or {
            year + offset for offset in full.offsets for year in set(full.years) or base
        }
        results = _read_results(state, leaves)
        latest = latest_results(results)
        # Readings that differ only in the numbers used resolve references in the same way.
        seen = tuple((r.turn, r.metric, r.operation_kind, r.years, r.dependencies, r.subject_words) for r in latest)
        if seen not in known:
            known[seen] = rank_sets(full, latest, references, explained=False)
        turns.append(TurnView(page, state, full, frozenset(targets), context, tuple(results), known[seen]))
    return turns


def last_leaves(state: DialogueState) -> frozenset[int]:
    """Return the leaves of the last turn that used any directly."""
    for turn in range(len(state.outcomes) - 1, -1, -1):
        direct = [o.index for o in state.outcomes[turn].operands if o.kind == "leaf"]
        if direct:
            return frozenset(direct)
    return frozenset()
