"""The figures of a run's turns in words, and what runs say of tools."""

from collections.abc import Mapping, Sequence

from rich.console import Console

from quaestor.application.run_figures import StageFigures, TurnFigures, duration_words
from quaestor.application.tool_advice import ToolRefusals, ToolTable, ToolUse
from quaestor.cli.printing import print_rows
from quaestor.llm.usage import Usage
from quaestor.scoring.bootstrap import percent


def figure_lines(figures: TurnFigures | None, plans: Mapping[str, float], *, imported: bool = False) -> dict[str, str]:
    """Return the figures in words, by what they are about.

    Args:
        figures: Of all turns; None if none was played.
        plans: Of a solver that writes plans, `plan_figures`; they are in place of those that every solver has.
        imported: Whether another program gave the answers: they have no plans, and take the time that its file says.
    """
    if figures is None:
        return {}
    took = f"{duration_words(figures.mean_seconds)} per turn, 95th percentile {duration_words(figures.p95_seconds)}"
    if imported:
        timed = {"took": took} if figures.p95_seconds else {}
        return {
            **timed,
            "plans": f"none, so answers are not verified; {_share(figures.failed, figures.turns)} without an answer",
        }
    cached = f" ({figures.mean_cached:,.0f} from the cache)" if figures.mean_cached else ""
    lines = {
        "time": took,
        "per turn": f"{figures.mean_requests:.2f} requests, {figures.mean_tokens:,.0f} tokens{cached}, "
        f"{figures.mean_tool_calls:.2f} tool calls; 95th percentile {figures.p95_requests:.2f}, "
        f"{figures.p95_tokens:,.0f}, {figures.p95_tool_calls:.2f}",
    }
    if plans.get("turns"):
        return {**lines, **_plan_lines(plans, plans["turns"])}
    repairs = f"{figures.repairs} repair{'s' * (figures.repairs != 1)}"
    went = {
        "first_try": figures.first_try,
        "repaired": figures.repaired,
        "failed": figures.failed,
        "silent": figures.silent,
    }
    return {
        **lines,
        "plans": f"{_outcomes(went, figures.turns)}; {repairs}, {_share(figures.verified, figures.turns)} verified",
    }


def stage_lines(stages: Sequence[StageFigures]) -> dict[str, str]:
    """Return the figures of the stages of a cascade in words, by stage; none of a run without any."""
    return {f"stage {one.stage}": _stage_line(one) for one in stages}


def _stage_line(stage: StageFigures) -> str:
    failed = f", failed in {stage.failed}" if stage.failed else ""
    used = f"; {Usage.of_counts(stage.usage).words}" if stage.usage else "; no model requests"
    mean = duration_words(stage.seconds / stage.asked)
    return f"{stage.solver} answered {_share(stage.answered, stage.asked)} of {stage.asked}{failed}, {mean} each{used}"


def _plan_lines(plans: Mapping[str, float], turns: float) -> dict[str, str]:
    return {
        "plans": _outcomes(plans, turns),
        "steps": f"{plans['mean_steps']:g} steps per plan, {plans['empty_fields']:g} empty fields",
    }


def _outcomes(counts: Mapping[str, float], turns: float) -> str:
    first, repaired, failed = (_share(counts[name], turns) for name in ("first_try", "repaired", "failed"))
    silent = f", {_share(counts['silent'], turns)} reported as unanswerable" if counts["silent"] else ""
    return f"{first} on the first try, {repaired} repaired, {failed} failed{silent}"


def _share(count: float, turns: float) -> str:
    return f"{count:g} ({percent(count / turns)} %)"


def show_tool_table(console: Console, table: ToolTable) -> None:
    """Print the calls of each tool, which tools were used for what, and why calls were refused."""
    tools = [
        (name, str(count.calls), str(count.refused), f"{1000 * count.mean_seconds:.2f}")
        for name, count in table.tools.items()
    ]
    print_rows(console, ("tool", "calls", "refused", "mean ms"), tools, unbroken=())
    uses = [
        (use.asked, ", ".join(use.tools) or "none", str(use.turns), str(use.calls), str(use.refused), _right(use))
        for use in table.uses
    ]
    heads = ("requested", "tools used", "turns", "calls", "refused", "correct")
    print_rows(console, heads, uses, words=2, unbroken=())
    if table.refusals:
        refusals = [(found.tool, found.reason, str(found.calls), _right(found)) for found in table.refusals]
        print_rows(console, ("tool", "reason for refusal", "calls", "turns correct"), refusals, words=2, unbroken=())
    if table.judged < table.turns:
        print(f"{table.turns - table.judged} of {table.turns} turns are not scored: run `quaestor score RUN DATASET`")


def _right(found: ToolUse | ToolRefusals) -> str:
    return f"{found.right} of {found.judged}" if found.judged else ""
