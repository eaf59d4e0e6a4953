"""Ranks the plans for a question, after each of several readings of the conversation before it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Scale
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates import Candidates, enumerate_candidates
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import Evidence
from quaestor.solvers.embedded.number_features import measure_leaves
from quaestor.solvers.embedded.operand_pool import SignatureModel, Signatures, build_pool, find_signature
from quaestor.solvers.embedded.page import Floats, PageFeatures
from quaestor.solvers.embedded.plan_features import measure_candidates
from quaestor.solvers.embedded.plan_rules import (
    apply_overrides,
    find_asked_years,
    find_leaves,
    is_amount_for_percentage,
    is_off_question,
    is_ruled_out,
    order_by_years,
    replace_by_change,
    replace_by_percentage,
    restore_signs,
    score_named_years,
    translate_question,
)
from quaestor.solvers.embedded.prior import Prior
from quaestor.solvers.embedded.repeated_plans import score_meant
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction, TurnView, make_turn_views


def list_signatures(state: DialogueState) -> tuple[str, ...]:
    """Return the signature of each turn so far."""
    return tuple(
        find_signature(state.questions[n], outcome, DialogueState(state.questions[:n], state.outcomes[:n]))
        for n, outcome in enumerate(state.outcomes)
    )


@dataclass(frozen=True, slots=True)
class MeasuredTurn:
    """A turn with the features of each leaf.

    Attributes:
        signatures: The probability of each signature.
        measured: The features of each leaf.
    """

    turn: TurnView
    signatures: Signatures
    measured: Floats


def measure_turns(turns: Sequence[TurnView], signature: SignatureModel) -> list[MeasuredTurn]:
    """Return the probabilities of signatures and the features of leaves for a turn, after each reading.

    Args:
        turns: Page, conversation and question, after each reading of the turns before: one question, after the same
            questions.
        signature: The classifier of what a turn does.
    """
    known: dict[tuple[str, ...], Signatures] = {}
    signatures = []
    for turn in turns:
        # Many readings have the same signatures.
        done = list_signatures(turn.state)
        if done not in known:
            known[done] = signature.probabilities(turn.question, turn.state.questions, done)
        signatures.append(known[done])
    lookup = [one.operations["lookup"] for one in signatures]
    fresh = [one.new_leaves for one in signatures]
    measured = measure_leaves(turns, lookup, fresh)
    return [MeasuredTurn(*read) for read in zip(turns, signatures, measured, strict=True)]


def build_candidates(
    readings: Sequence[MeasuredTurn], probability: Sequence[NDArray[np.float64]]
) -> tuple[Candidates, Floats]:
    """Return the candidates of a turn, of each reading best prior first, and what is measured of each.

    Args:
        readings: The turn, after each reading of the turns before.
        probability: The leaf scorer's probability of each leaf, likewise.

    Shape: Each array of `probability` has one entry a leaf; the features are candidates x `len(CANDIDATE_FEATURES)`.
    """
    turns, signatures = [reading.turn for reading in readings], [reading.signatures for reading in readings]
    pools = [
        build_pool(reading.turn.leaves, likely, reading.turn.state, reading.turn.question, reading.signatures)
        for reading, likely in zip(readings, probability, strict=True)
    ]
    candidates = enumerate_candidates(pools, signatures, turns[0].question)
    measured = [reading.measured for reading in readings]
    return candidates, measure_candidates(candidates, turns, measured, probability, signatures)


# The ways in which a conversation can be read, carried on side by side.
#
# A first question may mean one of two rows, and only the third question tells which. So a few readings of the turns
# so far are kept with their probabilities, and each new question is read after each of them. An answer that was given
# stays given: where a later question is answered after another reading, the plan looks its numbers up anew.


PATHS = 10
"""How many readings of a conversation are kept."""
LEAST = 0.03
"""A reading is dropped that is less probable than this share of the likeliest."""
BRANCHES = 12
"""How many plans of a question are followed after each of them."""
_LOOKED_AT = 4
"""Of a filing so many times as many are looked at: the likeliest may all be ruled out."""


@dataclass(frozen=True, slots=True)
class BeamState:
    """One reading of the turns so far.

    Attributes:
        log: The log of its probability among the paths kept.
    """

    state: DialogueState
    log: float = 0.0


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One plan for a question, after one reading of the turns before.

    Attributes:
        log: The log of the probability of both.
    """

    before: BeamState
    outcome: TurnAction
    log: float


@dataclass(frozen=True, slots=True)
class FirstReading:
    """A question after the likeliest reading of the turns before.

    Attributes:
        reading: What it may do, and what is measured of each number of the page.
        likely: The probability of each number.

    Shape: `likely` has one entry a number.
    """

    reading: MeasuredTurn
    likely: NDArray[np.float64]


_Result = tuple[float, Scale]
"""What a plan comes to."""


@dataclass(frozen=True)
class Hypotheses:
    """The plans for a question.

    Attributes:
        ranked: The likeliest, in the order of `sort_by_result`.
        values: The results of all plans that were ranked, for measuring what was in reach.
        turns: The question after each of the readings, by their places among those that were asked for.
        first: What they were ranked by, after the likeliest reading; None if the page has no number.
        alone: Whether the question was ranked as one that stands alone.
    """

    ranked: tuple[Hypothesis, ...]
    values: NDArray[np.float64]
    turns: tuple[TurnView, ...] = ()
    first: FirstReading | None = None
    alone: bool = False

    def turn(self, choice: Hypothesis) -> TurnView:
        """Return the question as a plan answers it: after the reading that the plan follows."""
        return next(turn for turn in self.turns if turn.state is choice.before.state)

    @cached_property
    def results(self) -> tuple[tuple[Hypothesis, float], ...]:
        """The likeliest plan of each result with the probability of the result, in the order of the plans."""
        results = [_identify_result(choice) for choice in self.ranked]
        shares, first = _sum_result_shares(self.ranked, results), dict[_Result, Hypothesis]()
        for result, choice in zip(results, self.ranked, strict=True):
            first.setdefault(result, choice)
        return tuple((choice, min(1.0, shares[result])) for result, choice in first.items())

    def evidence(self, history: float, turn: int) -> Evidence:
        """Return what speaks for the first result.

        Args:
            history: The product of the shares of the answers before.
            turn: How many turns came before.
        """
        shares = [share for _, share in self.results]
        return Evidence(shares[0], max(shares[1:], default=0.0), history, turn, self.alone)

    @property
    def count(self) -> int:
        """How many plans were ranked."""
        return len(self.values)


START: tuple[BeamState, ...] = (BeamState(DialogueState()),)
"""Before the first question there is one reading."""


def rank_hypotheses(
    paths: Sequence[BeamState],
    question: Question,
    page: PageFeatures,
    weights: EmbeddedWeights,
    prior: Prior | None = None,
    *,
    filing: bool = False,
    alone: bool = False,
) -> Hypotheses:
    """Return the plans for a question after each of several readings of the turns before.

    Args:
        page: The numbers of the page, and what is measured of them once for all turns.
        prior: What speaks for the leaves of a document of several tables besides.
        filing: Whether it is a person's document, and no benchmark's page: its numbers have the sign that is printed,
            whatever reference answers do, and a percentage is what is asked for by that word.
        alone: Whether the question stands alone, and is not a step of a conversation.
    """
    if not paths:
        return Hypotheses((), np.zeros(0))
    question = translate_question(question) if filing else question
    turns = make_turn_views(question, [path.state for path in paths], page, weights.references)
    readings = measure_turns(turns, weights.signature)
    likely = weights.leaves.predict([reading.measured for reading in readings])
    first = FirstReading(readings[0], likely[0]) if len(page.leaves) else None
    spoken = [None if prior is None else prior.after(turn) for turn in turns]
    for n, (path, speaks) in enumerate(zip(paths, spoken, strict=True)):
        if speaks is not None:
            likely[n] = speaks.adjust_leaves(likely[n], path.state.lookups.values())
    candidates, features = build_candidates(readings, likely)
    asked = turns[0].question
    scores = weights.ranker.predict(features, alone=alone) + score_named_years(asked, candidates, page.leaves)
    scores += score_meant(candidates, turns)
    found: list[Hypothesis] = []
    for path, part, speaks in zip(paths, candidates.parts, spoken, strict=True):
        if part.start == part.stop:
            continue
        own = candidates.take(part)
        weighed = scores[part] if speaks is None else scores[part] + speaks.weigh_plans(own)
        logs = normalize_logs(weighed)
        order = np.argsort(-logs, kind="stable")[: BRANCHES * (_LOOKED_AT if filing else 1)]
        done = (apply_overrides(question, outcome) for outcome in own.take(order).outcomes())
        outcomes = list(zip(logs[order].tolist(), done, strict=True))
        if filing:
            outcomes = [(log, _adapt_to_filing(question, outcome, path.state, page)) for log, outcome in outcomes]
        off = partial(_is_ruled_out, question, state=path.state, page=page, filing=filing)
        allowed = [(log, x) for log, x in outcomes if not off(x)] or outcomes
        # The others share what was ruled out.
        left = 0.0 if len(allowed) == len(outcomes) else _sum_logs(allowed) - _sum_logs(outcomes)
        found += [Hypothesis(path, outcome, path.log + log - left) for log, outcome in allowed[:BRANCHES]]
    return Hypotheses(sort_by_result(found), candidates.value, tuple(turns), first, alone)


def _sum_logs(outcomes: Sequence[tuple[float, TurnAction]]) -> float:
    return float(np.logaddexp.reduce([log for log, _ in outcomes]))


def sort_by_result(found: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Return plans in their order: what several readings come to is likelier than each of their plans alone.

    Comparisons stand for themselves: of whatever numbers, half of all say yes.
    """
    results = [_identify_result(choice) for choice in found]
    shares = _sum_result_shares(found, results)
    weights = [
        math.exp(choice.log) if choice.outcome.operation == "greater" else shares[result]
        for result, choice in zip(results, found, strict=True)
    ]
    order = sorted(range(len(found)), key=lambda n: (-weights[n], -found[n].log))
    return tuple(found[n] for n in order)


def _sum_result_shares(found: Sequence[Hypothesis], results: Sequence[_Result]) -> dict[_Result, float]:
    shares: dict[_Result, float] = {}
    for result, choice in zip(results, found, strict=True):
        shares[result] = shares.get(result, 0.0) + math.exp(choice.log)
    return shares


def _identify_result(choice: Hypothesis) -> _Result:
    return round(choice.outcome.value or 0.0, 9), choice.outcome.counts.scale


def _adapt_to_filing(question: Question, outcome: TurnAction, state: DialogueState, page: PageFeatures) -> TurnAction:
    years = find_asked_years(question, find_leaves(outcome, state), page.leaves)
    results = [state.outcomes[operand.index] for operand in outcome.operands if operand.kind == "result"]
    asked = replace_by_percentage(question, outcome)
    if not any(result.operation == "subtract" for result in results):
        asked = replace_by_change(question, asked)
    asked = order_by_years(question, asked, years)
    return asked if question.magnitude else restore_signs(asked, page.leaves)


def _is_ruled_out(
    question: Question, outcome: TurnAction, *, state: DialogueState, page: PageFeatures, filing: bool
) -> bool:
    if is_ruled_out(question, outcome) or (filing and is_amount_for_percentage(question, outcome)):
        return True
    return is_off_question(question, outcome, find_leaves(outcome, state), page.leaves)


def advance_beam(choices: Hypotheses, question: Question) -> tuple[BeamState, ...]:
    """Return the likeliest readings with one more turn. Readings that come to the same answers are one."""
    earlier_answers: dict[int, tuple[object, ...]] = {}
    by_answers: dict[tuple[object, ...], tuple[Hypothesis, float]] = {}
    for choice in choices.ranked:
        path = choice.before
        if id(path) not in earlier_answers:
            earlier_answers[id(path)] = tuple(_read_result(outcome) for outcome in path.state.outcomes)
        answers = (*earlier_answers[id(path)], _read_result(choice.outcome))
        if answers in by_answers:
            first, log = by_answers[answers]
            by_answers[answers] = first, float(np.logaddexp(log, choice.log))
        else:
            by_answers[answers] = choice, choice.log
    likeliest = sorted(by_answers.values(), key=lambda read: -read[1])[:PATHS]
    likeliest = [(choice, log) for choice, log in likeliest if log > likeliest[0][1] + math.log(LEAST)]
    whole = float(np.logaddexp.reduce([log for _, log in likeliest])) if likeliest else 0.0
    return tuple(BeamState(read.before.state.after(question, read.outcome), log - whole) for read, log in likeliest)


def _read_result(outcome: TurnAction) -> tuple[float | None, Scale]:
    return None if outcome.value is None else round(outcome.value, 9), outcome.counts.scale


def normalize_logs(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores as logs of shares that sum to 1.

    Shape: One entry a score, in the same order; there must be one at least.
    """
    shifted = scores - scores.max()
    shares: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return shares


def is_same_answer(outcome: TurnAction, given: TurnAction) -> bool:
    """Return whether two outcomes come to one answer."""
    if outcome.value is None or given.value is None:
        return False
    close = abs(outcome.value - given.value) <= 1e-12 + 1e-9 * abs(given.value)
    return close and outcome.counts.scale is given.counts.scale


def find_agreeing_turns(path: DialogueState, given: DialogueState) -> Sequence[bool]:
    """Return for each turn whether a reading has the answer that was given."""
    return [is_same_answer(mine, theirs) for mine, theirs in zip(path.outcomes, given.outcomes, strict=True)]
