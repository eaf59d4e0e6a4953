"""Solvers by name. Each is imported when it is asked for, so that a name costs nothing."""

from collections.abc import Mapping

from quaestor.errors import SettingsError
from quaestor.solvers.base import Solver

SOLVERS = ("embedded", "agent", "sparql", "workflow", "reflection")
"""The names that `make_solver` knows."""

MODEL_SOLVERS = frozenset({"agent", "sparql", "workflow", "reflection"})
"""Those of them that ask a model, or may ask one."""


def make_solver(name: str, options: Mapping[str, object]) -> Solver:
    """Returns the solver of that name.

    Args:
        name: One of `SOLVERS`.
        options: Settings of the solver, JSON values. `embedded` takes `weights`, a folder that `quaestor train` made,
            and `abstain_below`, the confidence below which it withholds an answer;
            `agent` takes `model`, `iterations` and `repairs`; the model itself comes with each turn. `sparql` takes
            `model` and `attempts`, `workflow` takes `model` and `repairs`; for
            `reflection` see `make_reflection`.

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
    if name == "reflection":
        from quaestor.solvers.reflection.options import make_reflection

        return make_reflection(options, make_solver)
    raise SettingsError(f"there is no solver {name!r}; choose one of {', '.join(SOLVERS)}")


def needs_model(name: str, options: Mapping[str, object]) -> bool:
    """Returns whether a solver cannot do without a model."""
    if name != "reflection":
        return name in MODEL_SOLVERS
    from quaestor.solvers.reflection.options import NO_MODEL, expert_of

    return expert_of(options) != NO_MODEL


def prompts_digest(name: str, options: Mapping[str, object] | None = None) -> str | None:
    """Returns the digest of what a solver tells a model whatever the page; None where it asks none.

    That is its templates and the ontology's core: its rules are told, and its patterns say what questions refer to.
    """
    from quaestor.ontology.core import core_triples
    from quaestor.prompts import digest

    if name not in MODEL_SOLVERS:
        return None
    folders = [name, "asking"]
    if name == "reflection" and (expert := (options or {}).get("expert")) in MODEL_SOLVERS:
        folders.append(str(expert))
    return digest(*folders, rendered="\n".join(map(" ".join, core_triples())))
