"""The embedded solver's options and its entry in the registry."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from quaestor.options import option
from quaestor.solvers.spec import SolverSpec

if TYPE_CHECKING:
    from quaestor.solvers.embedded.solver import EmbeddedSolver


@dataclass(frozen=True, slots=True)
class EmbeddedOptions:
    """Options of the solver without a language model.

    Attributes:
        weights: A folder made by `quaestor train`; None for the weights of the package.
        abstain_below: The confidence below which an answer is withheld.
        decline: Whether to decline questions that the document does not answer; every benchmark question has an answer.
        decline_below: With `decline`, the probability of an answer in the document below which a question is declined.
        answers: The kinds of answers to give. `numbers`: a number, or yes or no, for every question, as in ConvFinQA;
            the default for datasets whose format requires it (`Dataset.answers`). `all`: also lists, labels, counts and
            words of the document; the default for other datasets and for questions of users.
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
    if folder is not None:  # report an invalid folder before the first question
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
