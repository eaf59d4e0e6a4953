"""Registry entry of the workflow solver."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quaestor.options import option
from quaestor.solvers.spec import ConfidenceOptions, SolverSpec

if TYPE_CHECKING:
    from quaestor.solvers.base import Solver


@dataclass(frozen=True, slots=True)
class WorkflowLimits(ConfidenceOptions):
    """Limits of the workflow solver."""

    repairs: int = option(3, help="plans that cannot be run and are sent back", least=1)


def _build(options: WorkflowLimits) -> "Solver":
    from quaestor.solvers.workflow.solver import WorkflowSolver

    return WorkflowSolver(options)


SPEC = SolverSpec(
    "workflow",
    "a model that writes a whole plan in words, which is looked up, checked and run",
    _build,
    WorkflowLimits,
    takes_model=True,
    benchmark_defaults={"always_answer": True},
    prompts=lambda _: ("workflow", "structured"),
    writes_plans=True,
)
