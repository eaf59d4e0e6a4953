"""Registry of solvers: the six of this package and those of entry points in `quaestor.solvers`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from quaestor.errors import SettingsError, unknown_name
from quaestor.extras import require_extra
from quaestor.plugins import Registry
from quaestor.solvers.base import RankingSolver, Solver
from quaestor.solvers.spec import ConfidenceOptions, SolverSpec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    AnySpec = SolverSpec["DataclassInstance"]
    Options = Mapping[str, object] | DataclassInstance


def _spec_of(name: str, found: object) -> "AnySpec":
    if not isinstance(found, SolverSpec):
        raise TypeError(f"expected a SolverSpec, not {type(found).__name__}")
    if found.name != name:
        raise TypeError(f"its SolverSpec has a different name, {found.name!r}")
    return cast("AnySpec", found)


_SOLVERS: "Registry[AnySpec]" = Registry(
    "quaestor.solvers",
    "solver",
    {
        name: f"quaestor.solvers.{name}.spec:SPEC"
        for name in ("embedded", "agent", "sparql", "workflow", "reflection", "cascade")
    },
    _spec_of,
)


def solver_names() -> tuple[str, ...]:
    """Return the names that `make_solver` accepts."""
    return _SOLVERS.names()


def solver_spec(name: str) -> "AnySpec":
    """Return the spec of a solver by name.

    Raises:
        SettingsError: The name is unknown.
        PluginError: The solver is a plugin that cannot be used.
    """
    spec = _SOLVERS.find(name)
    if spec is None:
        raise SettingsError(unknown_name("solver", name, solver_names()))
    return spec


def solver_specs() -> "tuple[AnySpec, ...]":
    """Return the specs of all usable solvers."""
    return tuple(spec for _, spec in _SOLVERS.usable())


def make_solver(name: str, options: "Options | None" = None) -> Solver:
    """Build a solver by name.

    Args:
        options: An instance of the spec's option type, such as `AgentLimits(iterations=6)`; or a mapping, as in
            settings and records; None for the defaults. The solver's model comes with each turn.

    Raises:
        SettingsError: The solver or an option is unknown, a value is invalid, or the extra `models` is needed and not
            installed.
        ModelError: The weights cannot be used.
    """
    spec = solver_spec(name)
    read = spec.read(options)
    if spec.must_have_model(read):
        require_extra("models", f"the solver {name!r}")
    solver = spec.build(read)
    if isinstance(read, ConfidenceOptions) and read.is_used:
        from quaestor.solvers.confidence.solver import RatedSolver
        from quaestor.solvers.embedded import spec as ranking

        ranks = ranking.SPEC.build(ranking.SPEC.read(None))
        assert isinstance(ranks, RankingSolver)
        return RatedSolver(solver, ranks, read)
    return solver


def prompts_digest(name: str, options: "Options | None" = None) -> str | None:
    """Return the digest of the fixed parts of a solver's prompts; None if it takes no model.

    These are its templates, the text added by options, and the ontology's core, whose rules are part of prompts and
    whose patterns resolve references in questions.
    """
    from quaestor.ontology.core import core_triples
    from quaestor.prompts import digest

    spec = _SOLVERS.find(name)
    if spec is None or not spec.takes_model:
        return None
    read = spec.read(options)
    rules, own = "\n".join(map(" ".join, core_triples())), spec.prompt_additions(read)
    return digest(*spec.prompts(read), rendered=f"{rules}\n{own}" if own else rules)
