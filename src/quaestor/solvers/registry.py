"""Solvers by name: the six of this package, and those that other packages add (entry points `quaestor.solvers`)."""

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
    """Return the names that `make_solver` knows."""
    return _SOLVERS.names()


def solver_spec(name: str) -> "AnySpec":
    """Return the spec of the solver of a name.

    Raises:
        SettingsError: There is no such solver.
        PluginError: Another package adds it, and it cannot be used.
    """
    spec = _SOLVERS.find(name)
    if spec is None:
        raise SettingsError(unknown_name("solver", name, solver_names()))
    return spec


def solver_specs() -> "tuple[AnySpec, ...]":
    """Return the specs of all solvers that can be used."""
    return tuple(spec for _, spec in _SOLVERS.usable())


def make_solver(name: str, options: "Options | None" = None) -> Solver:
    """Return the solver of that name.

    Args:
        options: Of the type that the solver's spec names, such as `AgentLimits(iterations=6)`; or by name, as settings
            and records have them; None for the defaults. The model that a solver asks comes with each turn.

    Raises:
        SettingsError: There is no such solver, no such option, one is not what it may be, or the extra `models` is
            needed and not installed.
        ModelError: The weights cannot be used.
    """
    spec = solver_spec(name)
    read = spec.read(options)
    if spec.must_have_model(read):
        require_extra("models", f"the solver {name!r}")
    solver = spec.build(read)
    if isinstance(read, ConfidenceOptions) and read.wanted:
        from quaestor.solvers.confidence.solver import RatedSolver
        from quaestor.solvers.embedded import spec as ranking

        ranks = ranking.SPEC.build(ranking.SPEC.read(None))
        assert isinstance(ranks, RankingSolver)
        return RatedSolver(solver, ranks, read)
    return solver


def prompts_digest(name: str, options: "Options | None" = None) -> str | None:
    """Return the digest of the parts of a solver's prompts that no page changes; None if it asks no model.

    These are its templates, what its options add to them, and the ontology's core, whose rules are part of prompts and
    whose patterns decide what questions refer to.
    """
    from quaestor.ontology.core import core_triples
    from quaestor.prompts import digest

    spec = _SOLVERS.find(name)
    if spec is None or not spec.takes_model:
        return None
    read = spec.read(options)
    rules, own = "\n".join(map(" ".join, core_triples())), spec.prompt_additions(read)
    return digest(*spec.prompts(read), rendered=f"{rules}\n{own}" if own else rules)
