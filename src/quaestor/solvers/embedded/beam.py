"""The ways in which a conversation can be read, carried on side by side.

A first question may mean one of two rows, and only the third question tells which. So a few readings of the turns so
far are kept with their probabilities, and each new question is read after each of them. An answer that was given stays
given: where a later question is answered after another reading, the plan looks its numbers up anew.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Scale
from quaestor.questions.question import Question
from quaestor.solvers.embedded.rules import as_asked
from quaestor.solvers.embedded.state import Outcome, State
from quaestor.solvers.embedded.turn import build_candidates, read_leaves
from quaestor.solvers.embedded.turn_view import read_turn
from quaestor.solvers.embedded.views import PageView
from quaestor.solvers.embedded.weights import Weights

PATHS = 5
"""How many readings of a conversation are kept."""
LEAST = 0.02
"""A reading is dropped that is less probable than this share of the likeliest."""
BRANCHES = 12
"""How many plans of a question are followed after each of them."""


@dataclass(frozen=True, slots=True)
class Path:
    """One reading of the turns so far.

    Attributes:
        state: What each turn did.
        log: The log of its probability among the paths kept.
    """

    state: State
    log: float = 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """One plan for a question, after one reading of the turns before.

    Attributes:
        before: The reading.
        outcome: What the plan does.
        log: The log of the probability of both.
    """

    before: Path
    outcome: Outcome
    log: float


@dataclass(frozen=True, slots=True)
class Choices:
    """The plans for a question.

    Attributes:
        ranked: The likeliest, best first.
        values: The results of all plans that were ranked, for measuring what was in reach.
    """

    ranked: tuple[Choice, ...]
    values: NDArray[np.float64]

    @property
    def count(self) -> int:
        """How many plans were ranked."""
        return len(self.values)


START: tuple[Path, ...] = (Path(State()),)
"""Before the first question there is one reading."""


def read_question_after(paths: Sequence[Path], question: Question, page: PageView, weights: Weights) -> Choices:
    """Returns the plans for a question after each of several readings of the turns before."""
    found: list[Choice] = []
    values: list[NDArray[np.float64]] = []
    turns = [read_turn(question, path.state, page, weights.references) for path in paths]
    readings = [read_leaves(turn, weights.signature) for turn in turns]
    meant = weights.leaves.predict([reading.measured for reading in readings])
    for path, reading, probability in zip(paths, readings, meant, strict=True):
        candidates, features = build_candidates(reading, probability)
        values.append(candidates.value)
        if not len(candidates):
            continue
        logs = log_shares(weights.ranker.predict(features))
        for index in np.argsort(-logs, kind="stable")[:BRANCHES].tolist():
            outcome = as_asked(question, candidates.outcome(index))
            found.append(Choice(path, outcome, path.log + float(logs[index])))
    ranked = tuple(sorted(found, key=lambda choice: -choice.log))
    return Choices(ranked, np.concatenate(values) if values else np.zeros(0))


def go_on(choices: Choices, question: Question) -> tuple[Path, ...]:
    """Returns the likeliest readings with one more turn. Readings that come to the same answers are one."""
    found: dict[tuple[object, ...], Path] = {}
    for choice in choices.ranked:
        state = choice.before.state.after(question, choice.outcome)
        answers = tuple(_answer(outcome) for outcome in state.outcomes)
        if answers in found:
            first = found[answers]
            found[answers] = Path(first.state, float(np.logaddexp(first.log, choice.log)))
        else:
            found[answers] = Path(state, choice.log)
    kept = sorted(found.values(), key=lambda path: -path.log)[:PATHS]
    kept = [path for path in kept if path.log > kept[0].log + math.log(LEAST)]
    whole = float(np.logaddexp.reduce([path.log for path in kept])) if kept else 0.0
    return tuple(Path(path.state, path.log - whole) for path in kept)


def _answer(outcome: Outcome) -> tuple[float | None, Scale]:
    return None if outcome.value is None else round(outcome.value, 9), outcome.counts.scale


def log_shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns scores as logs of shares that sum to 1."""
    shifted = scores - scores.max()
    shares: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return shares


def same_answer(outcome: Outcome, given: Outcome) -> bool:
    """Returns whether two outcomes come to one answer."""
    if outcome.value is None or given.value is None:
        return False
    close = bool(np.isclose(outcome.value, given.value, rtol=1e-9, atol=1e-12))
    return close and outcome.counts.scale is given.counts.scale


def agreeing(path: State, given: State) -> Sequence[bool]:
    """Returns for each turn whether a reading has the answer that was given."""
    return [same_answer(mine, theirs) for mine, theirs in zip(path.outcomes, given.outcomes, strict=True)]
