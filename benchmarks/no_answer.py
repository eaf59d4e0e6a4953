"""How well the embedded solver separates questions that a page answers from those that it does not.

`python -m benchmarks.no_answer FILE... [--extra FILE...] [--dialogues FILE...]` splits the companies of labelled files
into folds, trains without each fold, and asks the questions of its companies about their own pages and about as many
pages that do not answer them (see `quaestor.learning.unanswerable`). A question declined by a rule counts as certainly
not answered, every other one by its learned probability. For each way in which a page lacks the answer, and for all, it
prints the area under the ROC curve, and the share of refused questions if 95 % of the answerable ones are answered.
"""

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.learning.deterministic import deterministic_pool
from quaestor.learning.examples import Example, company_folds, read_examples, read_lines
from quaestor.learning.train import fit_weights
from quaestor.learning.unanswerable import KINDS, OWN, SyntheticQuestion, balance, put_questions
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.embedded.spec import EmbeddedOptions

ANSWERED = 0.95
"""Share of answerable questions that must be answered when counting refused ones."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A question about a page with the solver's estimate.

    Attributes:
        first: Whether it was the first of its conversation.
        holds: The probability that the page contains the answer; 0 if a rule is certain that it does not.
    """

    kind: str
    first: bool
    holds: float


@dataclass(frozen=True, slots=True)
class _Fold:
    training: tuple[Example, ...]
    dialogues: tuple[Example, ...]
    held_out: tuple[Example, ...]
    seed: int


def estimates_of(put: Iterable[SyntheticQuestion], solver: EmbeddedSolver) -> list[Estimate]:
    """Return the estimates of a declining solver for questions, each asked after its history."""
    found = []
    for question in put:
        conversation = Conversation("", question.document, (*question.history, question.question))
        knowledge = GraphProvider.of([question.document])
        *_, turn = asyncio.run(answer_conversation(conversation, solver, knowledge))
        holds = turn.answer.answerable
        found.append(Estimate(question.kind, not question.history, 1.0 if holds is None else holds))
    return found


def area_under_curve(answerable: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Return how often an answerable question gets a higher probability than an unanswerable one; a tie counts half.

    >>> area_under_curve(np.array([0.9, 0.4]), np.array([0.4, 0.1]))
    0.875
    """
    wins = (answerable[:, None] > others).mean() + (answerable[:, None] == others).mean() / 2
    return float(wins)


def _estimates_of_fold(fold: _Fold) -> list[Estimate]:
    # Nothing is declined for its probability, so that each conversation continues as in training.
    solver = EmbeddedSolver(fit_weights(fold.training, fold.dialogues, fold.seed), decline=True, decline_below=0.0)
    return estimates_of(balance(put_questions(fold.held_out, fold.seed), fold.seed), solver)


def _folds(options: argparse.Namespace) -> list[_Fold]:
    examples = read_examples(options.files)
    extra, dialogues = read_examples(options.extra), read_lines(options.dialogues)
    fold_of = company_folds(examples, options.folds, options.seed)
    jobs = []
    for fold in range(options.folds):
        held_out = tuple(example for example in examples if fold_of[example.company] == fold)
        companies = {example.company for example in held_out}
        training = tuple(example for example in (*examples, *extra) if example.company not in companies)
        seen = tuple(line for line in dialogues if line.company not in companies)
        jobs.append(_Fold(training, seen, held_out, options.seed))
    return jobs


def show(estimates: Sequence[Estimate]) -> Table:
    """Return the figures as a table."""
    table = Table("question", "asked", "area under ROC", f"refused, {ANSWERED:.0%} answered", "refused as asked")
    holds = np.array([one.holds for one in estimates])
    own = np.array([one.kind == OWN for one in estimates])
    least, asked = float(np.quantile(holds[own], 1 - ANSWERED)), EmbeddedOptions().decline_below

    def add(name: str, chosen: NDArray[np.bool_], among: NDArray[np.bool_]) -> None:
        mine = holds[chosen & ~own]
        if len(mine):
            area = area_under_curve(holds[among & own], mine)
            table.add_row(
                name, str(len(mine)), f"{area:.3f}", f"{(mine < least).mean():.0%}", f"{(mine < asked).mean():.0%}"
            )

    first, everything = np.array([one.first for one in estimates]), np.ones(len(estimates), bool)
    for kind in KINDS[1:]:
        add(kind, np.array([one.kind == kind for one in estimates]), everything)
    add("first of a conversation", first, first)
    add("after others", ~first, ~first)
    add("all without an answer", everything, everything)
    table.add_row(
        "all with one", str(own.sum()), "", f"{(holds[own] < least).mean():.0%}", f"{(holds[own] < asked).mean():.0%}"
    )
    return table


def calibration_error(estimates: Sequence[Estimate], ranges: int = 10) -> float:
    """Return the mean deviation of the probabilities from the observed shares, over ranges of probabilities."""
    holds, own = np.array([one.holds for one in estimates]), np.array([one.kind == OWN for one in estimates])
    place = np.minimum((holds * ranges).astype(int), ranges - 1)
    gaps = [abs(holds[place == n].mean() - own[place == n].mean()) * (place == n).mean() for n in {*place.tolist()}]
    return float(sum(gaps))


def main() -> None:
    """Parse the command line, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.no_answer", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="labelled files whose companies are held out in turn")
    parser.add_argument("--extra", nargs="*", type=Path, default=[], help="labelled files that only train")
    parser.add_argument(
        "--dialogues", nargs="*", type=Path, default=[], help="dialogues and single questions, likewise"
    )
    parser.add_argument("--folds", type=int, default=5, help="parts that the companies are split into")
    parser.add_argument("--seed", type=int, default=0, help="of the split, the questions and the training")
    parser.add_argument("--workers", type=int, default=2, help="folds trained at once")
    options = parser.parse_args()
    estimates: list[Estimate] = []
    with deterministic_pool(options.workers) as pool:
        for found in pool.map(_estimates_of_fold, _folds(options)):
            estimates += found
    console = Console(highlight=False, width=120)
    console.print(show(estimates))
    console.print(f"calibration error {calibration_error(estimates):.3f}")


if __name__ == "__main__":
    main()
