"""Ranks the plans for a question by a beam search over readings of the conversation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
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
    find_leaves,
    is_off_question,
    is_ruled_out,
    score_named_years,
)
from quaestor.solvers.embedded.repeated_plans import score_meant
from quaestor.solvers.embedded.turn_state import DialogueState, TurnAction, TurnView, make_turn_views


def _list_signatures(state: DialogueState) -> tuple[str, ...]:
    """Return the signatures of all turns so far."""
    return tuple(
        find_signature(state.questions[n], outcome, DialogueState(state.questions[:n], state.outcomes[:n]))
        for n, outcome in enumerate(state.outcomes)
    )


@dataclass(frozen=True, slots=True)
class MeasuredTurn:
    """Turn with the features of each leaf.

    Attributes:
        signatures: The probability of each signature.
        measured: The features of each leaf.
    """

    turn: TurnView
    signatures: Signatures
    measured: Floats


def measure_turns(turns: Sequence[TurnView], signature: SignatureModel) -> list[MeasuredTurn]:
    """Return the probabilities of signatures and the features of leaves of a turn for each reading."""
    known: dict[tuple[str, ...], Signatures] = {}
    signatures = []
    for turn in turns:
        # Many readings share the same signatures.
        done = _list_signatures(turn.state)
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
    """Return the candidate plans of a turn with their features.

    Returns:
        The candidates, for each reading in descending order of their prior, and their features (candidates x
        `len(CANDIDATE_FEATURES)`).
    """
    turns, signatures = [reading.turn for reading in readings], [reading.signatures for reading in readings]
    pools = [
        build_pool(reading.turn.leaves, likely, reading.turn.state, reading.turn.question, reading.signatures)
        for reading, likely in zip(readings, probability, strict=True)
    ]
    candidates = enumerate_candidates(pools, signatures, turns[0].question)
    measured = [reading.measured for reading in readings]
    return candidates, measure_candidates(candidates, turns, measured, probability, signatures)


# ---- Beam search over the readings of a conversation.
#
# A first question may mean one of two rows, and only the third question shows which. So a few readings of the turns so
# far are kept with their probabilities, and each new question is interpreted after each of them. Answers are never
# revised: if a later question is answered by another reading, the plan looks up its numbers again.


PATHS = 10
"""Maximum number of readings that are kept."""
LEAST = 0.03
"""Readings with less than this share of the best probability are dropped."""
BRANCHES = 12
"""Maximum number of plans of a question per reading."""


@dataclass(frozen=True, slots=True)
class BeamState:
    """Reading of the turns so far.

    Attributes:
        log: The logarithm of its probability among the readings that are kept.
    """

    state: DialogueState
    log: float = 0.0


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Plan for a question after one reading of the earlier turns.

    Attributes:
        log: The logarithm of the joint probability of plan and reading.
    """

    before: BeamState
    outcome: TurnAction
    log: float


_Result = tuple[float, Scale]
"""Rounded value and scale of a plan's result."""


@dataclass(frozen=True)
class Hypotheses:
    """Ranked plans for a question.

    Attributes:
        ranked: The likeliest plans, in the order of `sort_by_result`.
        values: The results of all candidates, for evaluating whether the right result was among them.
        turns: The turn after each reading, in the order of the readings.
        first: The turn after the likeliest reading; None if the page has no number.
        likely: The probability of each number of the page after that reading.
        alone: Whether the question was ranked as a single question.
    """

    ranked: tuple[Hypothesis, ...]
    values: NDArray[np.float64]
    turns: tuple[TurnView, ...] = ()
    first: MeasuredTurn | None = None
    likely: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    alone: bool = False

    def turn(self, choice: Hypothesis) -> TurnView:
        """Return the turn after the reading of a plan."""
        return next(turn for turn in self.turns if turn.state is choice.before.state)

    @cached_property
    def results(self) -> tuple[tuple[Hypothesis, float], ...]:
        """The likeliest plan for each result, with the probability of the result, in the order of the plans."""
        results = [_identify_result(choice) for choice in self.ranked]
        shares, first = _sum_result_shares(self.ranked, results), dict[_Result, Hypothesis]()
        for result, choice in zip(results, self.ranked, strict=True):
            first.setdefault(result, choice)
        return tuple((choice, min(1.0, shares[result])) for result, choice in first.items())

    def evidence(self, history: float, turn: int) -> Evidence:
        """Return the features by which the confidence of the first result is estimated."""
        shares = [share for _, share in self.results]
        return Evidence(shares[0], max(shares[1:], default=0.0), history, turn, self.alone)

    @property
    def count(self) -> int:
        """Number of candidate plans."""
        return len(self.values)


START: tuple[BeamState, ...] = (BeamState(DialogueState()),)
"""The only reading before the first question."""


def rank_hypotheses(
    paths: Sequence[BeamState],
    question: Question,
    page: PageFeatures,
    weights: EmbeddedWeights,
    *,
    alone: bool = False,
) -> Hypotheses:
    """Rank the plans for a question after several readings of the earlier turns.

    Args:
        alone: Whether the question is single, not part of a conversation.
    """
    if not paths:
        return Hypotheses((), np.zeros(0))
    turns = make_turn_views(question, [path.state for path in paths], page, weights.references)
    readings = measure_turns(turns, weights.signature)
    likely = weights.leaves.predict([reading.measured for reading in readings])
    first, first_likely = readings[0] if len(page.leaves) else None, likely[0]
    candidates, features = build_candidates(readings, likely)
    parsed_question = turns[0].question
    scores = weights.ranker.predict(features, alone=alone) + score_named_years(parsed_question, candidates, page.leaves)
    scores += score_meant(candidates, turns)
    found: list[Hypothesis] = []
    for path, part in zip(paths, candidates.parts, strict=True):
        if part.start == part.stop:
            continue
        own = candidates.take(part)
        logs = normalize_logs(scores[part])
        order = np.argsort(-logs, kind="stable")[:BRANCHES]
        done = (apply_overrides(question, outcome) for outcome in own.take(order).outcomes())
        outcomes = list(zip(logs[order].tolist(), done, strict=True))
        off = partial(_is_ruled_out, question, state=path.state, page=page)
        allowed = [(log, x) for log, x in outcomes if not off(x)] or outcomes
        # Redistribute the probability of the excluded plans.
        left = 0.0 if len(allowed) == len(outcomes) else _sum_logs(allowed) - _sum_logs(outcomes)
        found += [Hypothesis(path, outcome, path.log + log - left) for log, outcome in allowed[:BRANCHES]]
    return Hypotheses(sort_by_result(found), candidates.value, tuple(turns), first, first_likely, alone)


def _sum_logs(outcomes: Sequence[tuple[float, TurnAction]]) -> float:
    return float(np.logaddexp.reduce([log for log, _ in outcomes]))


def sort_by_result(found: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Sort plans by the total probability of all plans with the same result.

    Comparisons are sorted by their own probability, since half of them agree by chance.
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


def _is_ruled_out(question: Question, outcome: TurnAction, *, state: DialogueState, page: PageFeatures) -> bool:
    if is_ruled_out(question, outcome):
        return True
    return is_off_question(question, outcome, find_leaves(outcome, state), page.leaves)


def advance_beam(choices: Hypotheses, question: Question) -> tuple[BeamState, ...]:
    """Return the likeliest readings with one more turn, merging readings with the same answers."""
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
    """Return the log-softmax of scores, of which there must be at least one."""
    shifted = scores - scores.max()
    shares: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return shares


def is_same_answer(outcome: TurnAction, given: TurnAction) -> bool:
    """Return whether two outcomes give the same answer."""
    if outcome.value is None or given.value is None:
        return False
    close = abs(outcome.value - given.value) <= 1e-12 + 1e-9 * abs(given.value)
    return close and outcome.counts.scale is given.counts.scale


def find_agreeing_turns(path: DialogueState, given: DialogueState) -> Sequence[bool]:
    """Return for each turn whether a reading agrees with the given answer."""
    return [is_same_answer(mine, theirs) for mine, theirs in zip(path.outcomes, given.outcomes, strict=True)]
