"""Registry entry of the sparql solver."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quaestor.options import option
from quaestor.solvers.spec import ConfidenceOptions, SolverSpec

if TYPE_CHECKING:
    from quaestor.solvers.base import Solver


@dataclass(frozen=True, slots=True)
class SparqlLimits(ConfidenceOptions):
    """Limits of the sparql solver."""

    attempts: int = option(4, help="most replies in each phase", least=1)


def _build(options: SparqlLimits) -> "Solver":
    from quaestor.solvers.sparql.solver import SparqlSolver

    return SparqlSolver(options)


SPEC = SolverSpec(
    "sparql",
    "a model that selects values by query, then writes a formula over them",
    _build,
    SparqlLimits,
    takes_model=True,
    benchmark_defaults={"always_answer": True},
    prompts=lambda _: ("sparql", "structured"),
)
