"""Solvers by name. Each is imported when it is asked for, so that a name costs nothing."""

from collections.abc import Mapping

from quaestor.errors import SettingsError
from quaestor.solvers.base import Solver

SOLVERS = ("embedded", "agent", "sparql", "workflow")
"""The names that `make_solver` knows."""

MODEL_SOLVERS = frozenset({"agent", "sparql", "workflow"})
"""Those of them that ask a model."""


def make_solver(name: str, options: Mapping[str, object]) -> Solver:
    """Returns the solver of that name.

    Args:
        name: One of `SOLVERS`.
        options: Settings of the solver, JSON values. `embedded` takes `weights`, a folder that `quaestor train` made;
            `agent` takes `model`, `iterations` and `repairs`; the model itself comes with each turn. `sparql` takes
            `model` and `attempts`, `workflow` takes `model` and `repairs`.

    Raises:
        SettingsError: There is no such solver, or no such option.
        ModelError: The weights cannot be used.
    """
    if name == "embedded":
        from quaestor.solvers.embedded.solver import make_embedded

        return make_embedded(options)
    if name == "agent":
        from quaestor.solvers.agent.solver import make_agent

        return make_agent(options)
    if name == "sparql":
        from quaestor.solvers.sparql.solver import make_sparql

        return make_sparql(options)
    if name == "workflow":
        from quaestor.solvers.workflow.solver import make_workflow

        return make_workflow(options)
    raise SettingsError(f"there is no solver {name!r}; choose one of {', '.join(SOLVERS)}")


def prompts_digest(name: str) -> str | None:
    """Returns the digest of the templates that a solver asks a model with; None where it has none."""
    from quaestor.prompts import digest

    return digest(name, "asking") if name in MODEL_SOLVERS else None
