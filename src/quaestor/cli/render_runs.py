"""Stored runs on a terminal: the list, and the figures, wrong turns, model requests and tools of a run."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from quaestor.application.run_figures import RunFigures, StageFigures, TurnFigures, duration_words
from quaestor.application.run_references import WrongTurn, WrongTurns
from quaestor.application.run_service import CROSS_VALIDATION, status_word
from quaestor.application.run_views import exchange_views
from quaestor.application.tool_advice import ToolRefusals, ToolTable, ToolUse
from quaestor.cli.printing import make_console, print_grid, print_rows
from quaestor.cli.render import show_stored_turn
from quaestor.cli.results import show_causes
from quaestor.core.answer_value import print_value, value_from_text
from quaestor.llm.messages import Message
from quaestor.llm.usage import Usage
from quaestor.scores.records import ScoreRecord
from quaestor.scoring.bootstrap import in_percent, percent
from quaestor.store.records import CorrectionRecord, PromptRecord, RunRecord


def show_runs(records: Sequence[RunRecord], scores: Mapping[str, ScoreRecord]) -> None:
    """Print one line per run."""
    # The run id contains the start time.
    grid = Grid("run", "status", "examples", "correct", "dataset")
    for name in (0, 3):
        grid.columns[name].no_wrap = True
    for record in records:
        score = scores.get(record.id)
        right = in_percent(score.accuracy) if score else ""
        grid.add_row(record.id, status_word(record), str(record.conversations), right, Path(record.dataset).name)
    print_grid(make_console(), grid, spare=("examples", "dataset"))


def show_run(found: RunFigures, figures: Mapping[str, str]) -> None:
    """Print the settings, progress, figures and failures of a run."""
    record, counted = found.run, found.counts
    not_started = record.conversations - sum(counted.statuses.values())
    counts = [f"{count} {status}" for status, count in sorted(counted.statuses.items())] + (
        [f"{not_started} not started"] if not_started else []
    )
    used = Usage.of_counts(counted.usage)
    graphs = f"{counted.frozen} already frozen, {counted.graphs - counted.frozen} built"
    ontology = f"{record.spec.get('ontology') or 'none'} ({record.spec.get('policy') or 'none'})"
    lines = {
        "run": record.id,
        "status": status_word(record),
        "solver": _answered_by(record),
        "dataset": record.dataset,
        "conversations": ", ".join(counts),
        "turns": str(counted.turns),
        "started": record.started.astimezone().isoformat(" ", "seconds"),
        "finished": record.finished.astimezone().isoformat(" ", "seconds") if record.finished else "not yet",
        "model": _model(record),
        "usage": used.words if used.requests else None,
        **figures,
        "graphs": graphs if counted.frozen else None,
        "ontology": ontology if record.kind != "import" else None,
        "spec": record.spec_digest,
    }
    for name, value in lines.items():
        if value is not None:
            print(f"{name + ':':<15}{value}".replace("\n", "\n" + " " * 15))
    for example in found.examples:
        if example.error:
            print(f"{example.conversation}: {example.error}")


def correction_figures(corrections: Sequence[CorrectionRecord]) -> str:
    """Return the number of corrections of a run and their authors: `3 by Ada, 1 undone; 2 answers changed`."""
    undone = sum(1 for made in corrections if made.act["kind"] == "undo")
    made = len(corrections) - undone
    authors = ", ".join(dict.fromkeys(one.author for one in corrections))
    changed = len({(one.conversation, c["turn"]) for one in corrections for c in one.changes if isinstance(c, dict)})
    back = f", {undone} undone" if undone else ""
    return f"{made} by {authors}{back}; {changed} answer{'s' * (changed != 1)} changed"


def _answered_by(record: RunRecord) -> str:
    """Return the solver with its options, or the program whose answers were imported."""
    options = record.spec.get("solver_options")
    if record.kind == "import" and isinstance(options, dict):
        return f"{options.get('name')}, imported from {options.get('file')}: not verified, as it has no plans"
    if (
        record.spec.get("solver") == CROSS_VALIDATION
        and isinstance(options, dict)
        and isinstance(files := options.get("files"), dict)
    ):
        learned = f"{options.get('folds')} folds by company, seed {options.get('seed')}, trained on {', '.join(files)}"
        return f"embedded, each turn with weights that were not trained on its company: {learned}"
    return f"{record.spec.get('solver', 'unknown')} {options or ''}".strip()


def _model(record: RunRecord) -> str | None:
    options, model = record.spec.get("solver_options"), record.spec.get("model")
    if not isinstance(options, dict) or not isinstance(model, dict):
        return None
    prompts = str(record.spec.get("prompts") or "none")
    return f"{options.get('model')} (temperature {model.get('temperature')}, prompts {prompts[:12]})"


def show_wrong_turns(console: Console, found: WrongTurns, *, full: bool) -> None:
    """Print the wrong turns of a run, the number with each cause, and the unfinished conversations."""
    for wrong in found.turns:
        _show_wrong_turn(wrong)
        if full:
            print()
            show_stored_turn(console, wrong.turn, wrong.graph)
    for example in found.broken:
        print(f"\n{example.conversation}: {example.error or example.status}")
    wrong_turns, total = found.wrong, found.total
    if len(found.turns) < wrong_turns:
        print(f"\n... and {wrong_turns - len(found.turns):,} more: use --limit {wrong_turns} to show all")
    if found.compared:
        ended = f"{len(found.broken)} conversation{'s' * (len(found.broken) != 1)} did not finish"
        print(f"\n{wrong_turns} of {total} turns are wrong, {ended}")
        if found.causes:
            print()
            show_causes(console, found.causes)
    else:
        compared = f"{found.run.dataset} has no reference answers to compare with"
        print(f"\n{wrong_turns} of {total} turns have no answer; {compared}")


def _show_wrong_turn(wrong: WrongTurn) -> None:
    turn, reference = wrong.turn, wrong.reference
    lines = {
        "answer": "no answer" if turn.number is None else print_value(value_from_text(turn.number), "{:.6g}".format),
        "program": turn.program,
        "error": turn.error,
        "reference": str(reference.executed) if reference else None,
        "ref. program": reference.program if reference else None,
        "cause": wrong.cause,
    }
    print(f"\n{turn.conversation}, turn {turn.index + 1}: {turn.question}")
    for name, value in lines.items():
        if value is not None:
            print(f"  {name + ':':<14}{value}")


def show_exchanges(console: Console, prompts: Sequence[PromptRecord], *, raw: bool) -> None:
    """Print the requests and replies of a turn; parts of earlier requests are not repeated."""
    for exchange in exchange_views(prompts, raw=raw):
        prompt, same = exchange.prompt, exchange.repeated
        milliseconds = max(0.0, (prompt.finished - prompt.started).total_seconds()) * 1000
        heading = f"{prompt.number + 1}. {prompt.phase or 'request'}, {prompt.model}"
        console.print(f"[bold]{escape(heading)}[/]", soft_wrap=True)
        used = Usage.of_counts(prompt.usage)
        console.print(f"[dim]{milliseconds:.0f} ms, {used.tokens:,} tokens[/]")
        if same:
            console.print(f"[dim]({same} unchanged part{'s' * (same != 1)} omitted)[/]")
        _pieces(console, "->", exchange.request)
        _pieces(console, "<-", exchange.reply)
        if prompt.error:
            console.print(f"   [red]{escape(prompt.error)}[/]", soft_wrap=True)
        console.print()


def _pieces(console: Console, arrow: str, pieces: Sequence[Message]) -> None:
    for piece in pieces:
        text = "\n     ".join(escape(piece.text).splitlines())
        console.print(f"{arrow} [dim]{escape(piece.who)}:[/] {text}", soft_wrap=True)


def figure_lines(figures: TurnFigures | None, plans: Mapping[str, float], *, imported: bool = False) -> dict[str, str]:
    """Return the figures in words, by label.

    Args:
        plans: `plan_figures` of a solver that writes plans; replaces the figures that every solver has.
        imported: Whether the answers were imported: they have no plans, and their times come from the file.
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
        return {
            **lines,
            "plans": _outcomes(plans, plans["turns"]),
            "steps": f"{plans['mean_steps']:g} steps per plan, {plans['empty_fields']:g} empty fields",
        }
    repairs = f"{figures.repairs} repair{'s' * (figures.repairs != 1)}"
    outcomes = {name: getattr(figures, name) for name in ("first_try", "repaired", "failed", "silent")}
    return {
        **lines,
        "plans": f"{_outcomes(outcomes, figures.turns)}; {repairs}, {_share(figures.verified, figures.turns)} verified",
    }


def stage_lines(stages: Sequence[StageFigures]) -> dict[str, str]:
    """Return the figures of a cascade's stages in words, by stage."""
    return {f"stage {one.stage}": _stage_line(one) for one in stages}


def _stage_line(stage: StageFigures) -> str:
    failed = f", failed in {stage.failed}" if stage.failed else ""
    used = f"; {Usage.of_counts(stage.usage).words}" if stage.usage else "; no model requests"
    mean = duration_words(stage.seconds / stage.asked)
    return f"{stage.solver} answered {_share(stage.answered, stage.asked)} of {stage.asked}{failed}, {mean} each{used}"


def _outcomes(counts: Mapping[str, float], turns: float) -> str:
    first, repaired, failed = (_share(counts[name], turns) for name in ("first_try", "repaired", "failed"))
    silent = f", {_share(counts['silent'], turns)} reported as unanswerable" if counts["silent"] else ""
    return f"{first} on the first try, {repaired} repaired, {failed} failed{silent}"


def _share(count: float, turns: float) -> str:
    return f"{count:g} ({percent(count / turns)} %)"


def show_tool_table(console: Console, table: ToolTable) -> None:
    """Print the calls of each tool, which tools were used for which questions, and the reasons for refusals."""
    tools = [
        (name, str(count.calls), str(count.refused), f"{1000 * count.mean_seconds:.2f}")
        for name, count in table.tools.items()
    ]
    print_rows(console, ("tool", "calls", "refused", "mean ms"), tools, unbroken=())
    uses = [
        (use.metric_type, ", ".join(use.tools) or "none", str(use.turns), str(use.calls), str(use.refused), _right(use))
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
