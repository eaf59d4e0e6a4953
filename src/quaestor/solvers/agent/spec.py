"""What the agent says of itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quaestor.options import option
from quaestor.solvers.confidence.options import ConfidenceOptions
from quaestor.solvers.spec import SolverSpec

if TYPE_CHECKING:
    from quaestor.solvers.agent.solver import AgentSolver


@dataclass(frozen=True, slots=True)
class AgentLimits(ConfidenceOptions):
    """How long the agent tries.

    Attributes:
        iterations: Rounds of tool calls; in the last there are no tools any more.
        two_phases: Whether the understanding is asked for in a request of its own, before there are tools. Else the
            model states it along with its first calls.
        repairs: Replies of a phase that could not be used and were asked for again.
        advice: A file whose text the model is told besides the rules; None for none.
    """

    iterations: int = option(12, help="most rounds of tool calls; the last one has no tools", least=1)
    repairs: int = option(3, help="unusable replies that are asked for again", least=1)
    two_phases: bool = option(
        False, help="first ask how the model understands the question, in a separate request without tools"
    )
    advice: str | None = option(None, help="a file of advice on tools, such as `quaestor learn tools` drafts")


def _told(options: AgentLimits) -> str:
    from quaestor.solvers.agent.advice import read_advice

    return read_advice(options.advice)


def _build(options: AgentLimits) -> "AgentSolver":
    from quaestor.solvers.agent.solver import AgentSolver

    return AgentSolver(options)


SPEC = SolverSpec(
    "agent",
    "a model that states what is asked, then answers with tools over the page",
    _build,
    AgentLimits,
    takes_model=True,
    benchmarked={"always_answer": True},
    prompts=lambda _: ("agent", "structured"),
    told=_told,
)
