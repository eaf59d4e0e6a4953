"""Figures of stored runs: how plans went, what was used."""

from collections.abc import Sequence

from quaestor.conversation.events.kinds import load_events
from quaestor.llm.usage import Usage
from quaestor.solvers.registry import solver_specs
from quaestor.solvers.workflow.record import statistics
from quaestor.store.records import RunRecord, TurnRecord


def has_plans(record: RunRecord) -> bool:
    """Returns whether the solver of a run writes plans."""
    writing = {spec.name for spec in solver_specs() if spec.writes_plans}
    return record.spec.get("solver") in writing


def plan_figures(turns: Sequence[TurnRecord]) -> dict[str, float]:
    """Returns the figures of a run's turns: counts, and means a turn."""
    found = statistics((load_events(turn.events), turn.number is not None) for turn in turns)
    used = sum((Usage.of_counts(turn.usage) for turn in turns), Usage())
    return {
        "turns": found.turns,
        "first_try": found.first,
        "repaired": found.repaired,
        "failed": found.failed,
        "silent": found.silent,
        "mean_steps": round(found.steps, 2),
        "empty_fields": found.empty,
        "requests_a_turn": round(used.requests / len(turns), 2) if turns else 0.0,
        "tokens_a_turn": round(used.tokens / len(turns)) if turns else 0,
        "cached_a_turn": round(used.cached_tokens / len(turns)) if turns else 0,
    }
