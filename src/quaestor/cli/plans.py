"""How the plans of a run went, for runs of the workflow: first tries, repairs, steps, tokens."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaestor.store.records import RunRecord, TurnRecord

WORKFLOW = "workflow"


def has_plans(record: "RunRecord") -> bool:
    """Returns whether the solver of a run writes plans."""
    return record.spec.get("solver") == WORKFLOW


def plan_figures(turns: "Sequence[TurnRecord]") -> dict[str, float]:
    """Returns the figures of a run's turns: counts, and means a turn."""
    from quaestor.conversation.events.kinds import load_events
    from quaestor.llm.usage import Usage
    from quaestor.solvers.workflow.record import statistics

    found = statistics((load_events(turn.events), turn.number is not None) for turn in turns)
    used = sum((Usage.of_counts(turn.usage) for turn in turns), Usage())
    return {
        "turns": found.turns,
        "first_try": found.first,
        "repaired": found.repaired,
        "failed": found.failed,
        "mean_steps": round(found.steps, 2),
        "empty_fields": found.empty,
        "requests_a_turn": round(used.requests / len(turns), 2) if turns else 0.0,
        "tokens_a_turn": round(used.tokens / len(turns)) if turns else 0,
    }


def plan_lines(figures: dict[str, float]) -> dict[str, str]:
    """Returns the figures in words, by what they are about."""
    turns = figures.get("turns", 0)
    if not turns:
        return {}

    def share(name: str) -> str:
        return f"{figures[name]:g} ({100 * figures[name] / turns:.1f} %)"

    return {
        "plans": f"{share('first_try')} at the first try, {share('repaired')} repaired, {share('failed')} failed",
        "steps": f"{figures['mean_steps']:g} a plan, {figures['empty_fields']:g} empty fields",
        "a turn": f"{figures['requests_a_turn']:g} requests, {figures['tokens_a_turn']:,} tokens",
    }
