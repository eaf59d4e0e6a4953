"""A comparison of runs as JSON: every figure under its name."""

from collections.abc import Sequence

from pydantic import JsonValue

from quaestor.application.compared_runs import ComparedRun, RunsCompared
from quaestor.application.compared_turns import DifferentTurn, different_turn_objects
from quaestor.application.comparison import PairReport
from quaestor.application.run_service import imported_as
from quaestor.core import serial
from quaestor.scoring.paired import PairedFigures
from quaestor.store.records import RunRecord


def comparison_object(found: RunsCompared, differences: Sequence[tuple[DifferentTurn, ...]] = ()) -> JsonValue:
    """Returns a comparison as JSON.

    Units: shares and differences are fractions of 1; a difference is the first run's share less the second's.

    Args:
        found: The comparison.
        differences: Of each pair the turns that one run alone has right; none where they are not wanted.
    """
    return {
        "scorer": found.scorer,
        "basis": found.basis,
        "dataset": found.runs[0].run.dataset,
        "dataset_digest": found.runs[0].run.dataset_digest,
        "runs": [_run_object(run) for run in found.runs],
        "pairs": [
            {
                **_pair_object(pair),
                "p_adjusted": adjusted,
                **({"differences": different_turn_objects(differences[place])} if differences else {}),
            }
            for place, (pair, adjusted) in enumerate(zip(found.pairs, found.adjusted, strict=True))
        ],
    }


def solver_name(run: RunRecord) -> str:
    """Returns who answered in a run: the solver, or what an imported run is called."""
    return imported_as(run) or str(run.spec.get("solver"))


def _run_object(compared: ComparedRun) -> dict[str, JsonValue]:
    run = compared.run
    return {
        "run": run.id,
        "kind": run.kind,
        "solver": solver_name(run),
        "right": {"value": compared.right.value, **serial.dump(compared.right)},
    }


def _pair_object(pair: PairReport) -> dict[str, JsonValue]:
    return {
        "first": pair.first,
        "second": pair.second,
        **_figures_object(pair.figures),
        "unjudged": pair.unjudged,
        "agreement": serial.dump(pair.agreement),
        "breakdowns": [
            {
                "by": breakdown.by,
                "groups": [{"name": group.name, **_figures_object(group.figures)} for group in breakdown.groups],
            }
            for breakdown in pair.breakdowns
        ],
    }


def _figures_object(figures: PairedFigures) -> dict[str, JsonValue]:
    return {
        "turns": figures.turns,
        "both": figures.both,
        "wins": figures.wins,
        "losses": figures.losses,
        "ties": figures.ties,
        "neither": figures.neither,
        "p": figures.p,
        "difference": figures.by_page.value,
        "by_page": serial.dump(figures.by_page),
        "by_company": serial.dump(figures.by_company),
    }
