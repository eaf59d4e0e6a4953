"""The embedded solver's options and its entry in the registry."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from quaestor.options import option
from quaestor.solvers.spec import SolverSpec

if TYPE_CHECKING:
    from quaestor.solvers.embedded.solver import EmbeddedSolver


@dataclass(frozen=True, slots=True)
class EmbeddedOptions:
    """The options of the solver that asks no model.

    Attributes:
        weights: A folder that `quaestor train` made; None for the weights of the package.
        abstain_below: The confidence below which an answer is withheld.
        decline: Whether it says so where the page has no answer; every question of a benchmark has one.
        decline_below: The probability that the page holds the answer, below which it says so where it declines.
        answers: Which answers there may be. `numbers`: a number for every question, and yes or no where that is asked,
            as ConvFinQA has them; so it is over a dataset whose format says so (`Dataset.answers`). `all`: lists,
            labels, counts and words of the page too, where a question asks for them; so it is over other datasets, and
            where a person asks.
    """

    weights: str | None = option(
        None, help="a folder of weights that `quaestor train` made, instead of those of the package"
    )
    abstain_below: float = option(0.0, help="withhold answers with a confidence below this", least=0, most=1)
    decline: bool = option(False, help="decline questions that the page does not answer, as `ask` does by default")
    decline_below: float = option(
        0.15, help="decline if the probability that the page has the answer is below this", least=0, most=1
    )
    answers: Literal["numbers", "all"] = option(
        "numbers", help="numbers, or all: lists, labels, counts and words too, as `ask` and TAT-QA do by default"
    )


def _build(options: EmbeddedOptions) -> "EmbeddedSolver":
    from pathlib import Path

    from quaestor.solvers.embedded.solver import EmbeddedSolver

    folder = Path(options.weights) if options.weights else None
    if folder is not None:  # a mistake in a folder that a person names is reported before the first question
        from quaestor.solvers.embedded.filings.loading import load_filing_weights
        from quaestor.solvers.embedded.loading import load_weights

        load_weights(folder)
        load_filing_weights(folder)
    return EmbeddedSolver(
        folder,
        options.abstain_below,
        decline=options.decline,
        decline_below=options.decline_below,
        answers=options.answers,
    )


SPEC = SolverSpec(
    "embedded",
    "no model: ranks every plan that fits the question and the page, and takes the best",
    _build,
    EmbeddedOptions,
    interactive_defaults={"decline": True, "answers": "all"},
    mixed_answer_defaults={"answers": "all"},
    loads=(
        "quaestor.solvers.embedded.solver",
        "quaestor.solvers.embedded.page_answers",
        "quaestor.solvers.embedded.filings.answering",
        "quaestor.solvers.embedded.filings.loading",
        "quaestor.conversation.references.resolving",
    ),
)
