"""Registry entry of the agent: its limits, and advice from a file.

Advice is used only if a person names the file in the options.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.errors import SettingsError
from quaestor.options import option
from quaestor.solvers.spec import ConfidenceOptions, SolverSpec

if TYPE_CHECKING:
    from quaestor.solvers.base import Solver

LONGEST_ADVICE = 6_000


@dataclass(frozen=True, slots=True)
class AgentLimits(ConfidenceOptions):
    """Limits of the agent."""

    iterations: int = option(12, help="most rounds of tool calls; the last one has no tools", least=1)
    repairs: int = option(3, help="unusable replies that are asked for again", least=1)
    two_phases: bool = option(
        False, help="first ask how the model understands the question, in a separate request without tools"
    )
    advice: str | None = option(None, help="a file of advice on tools, such as `quaestor learn tools` drafts")


def read_advice(path: str | None) -> str:
    """Read a file of advice without the lines that begin with #; "" without a file."""
    if path is None:
        return ""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"the advice in {path} is not UTF-8 text") from error
    except OSError as error:
        raise SettingsError(f"cannot read the advice in {path}: {error.strerror}") from error
    advice = "\n".join(line.rstrip() for line in text.splitlines() if not line.startswith("#")).strip()
    if not advice:
        raise SettingsError(f"the advice in {path} is empty: all of its lines are blank or begin with #")
    if len(advice) > LONGEST_ADVICE:
        raise SettingsError(f"the advice in {path} has {len(advice):,} characters, more than {LONGEST_ADVICE:,}")
    return advice


def _build(options: AgentLimits) -> "Solver":
    from quaestor.solvers.agent.solver import AgentSolver

    return AgentSolver(options)


SPEC = SolverSpec(
    "agent",
    "a model that states what is asked, then answers with tools over the page",
    _build,
    AgentLimits,
    takes_model=True,
    benchmark_defaults={"always_answer": True},
    prompts=lambda _: ("agent", "structured"),
    prompt_additions=lambda options: read_advice(options.advice),
)
