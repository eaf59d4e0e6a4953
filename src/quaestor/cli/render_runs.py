"""Stored runs on a terminal: the list, figures, scores, wrong turns, requests, tools, comparisons and cascades."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from quaestor.application.comparison import Agreement, PairReport, RunsCompared, ShownTurn, SideOfTurn
from quaestor.application.judged_runs import WrongTurn, WrongTurns
from quaestor.application.report.data import scorer_title
from quaestor.application.run_figures import RunFigures, StageFigures, TurnFigures, duration_words
from quaestor.application.run_service import CROSS_VALIDATION, status_word
from quaestor.application.run_views import exchange_views
from quaestor.application.score_service import RunScores
from quaestor.application.simulated_cascade import SimulatedCascade
from quaestor.application.tool_advice import ToolRefusals, ToolTable, ToolUse
from quaestor.cli.printing import make_console, print_grid, print_rows
from quaestor.cli.render import show_stored_turn
from quaestor.core import serial
from quaestor.core.answer_value import print_value, value_from_text
from quaestor.llm.messages import Message
from quaestor.llm.usage import Usage
from quaestor.scores import ScoreRecord, Verdict
from quaestor.scoring.figures import Score
from quaestor.scoring.scorers import FILINGS, SCORERS
from quaestor.scoring.statistics import (
    ENOUGH_GROUPS,
    CalibrationReport,
    Proportion,
    ShareDifference,
    format_interval,
    format_points,
    in_percent,
    p_value,
    paired_cells,
    percent,
)
from quaestor.scoring.taxonomy import Cause
from quaestor.scoring.turn_frame import breakdown_title
from quaestor.store.records import CorrectionRecord, PromptRecord, RunRecord

if TYPE_CHECKING:
    from quaestor.scoring.audits import AuditCandidate, AuditedScore


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
    undone = sum(one.act["kind"] == "undo" for one in corrections)
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
    lines = {}
    for one in stages:
        failed = f", failed in {one.failed}" if one.failed else ""
        used = Usage.of_counts(one.usage).words if one.usage else "no model requests"
        answered, mean = _share(one.answered, one.asked), duration_words(one.seconds / one.asked)
        lines[f"stage {one.stage}"] = f"{one.solver} answered {answered} of {one.asked}{failed}, {mean} each; {used}"
    return lines


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


FIGURE_HEADS = ("correct", "of", "%", "95 % interval")
"""Headers of the cells of a figure."""
_MOST_CANDIDATES = 20


def show_score(console: Console, score: Score) -> None:
    """Print the figures with denominators and intervals, and the breakdowns."""
    figures = [(SCORERS[name].title, *figure_cells(figure)) for name, figure in score.results.items()]
    print_rows(console, ("", *FIGURE_HEADS), figures, title="Score")
    if score.unanswered:
        counted = "" if score.measures == FILINGS else ", counted as wrong"
        console.print(f"turns without an answer{counted}: {score.unanswered}")
    if score.certainty:
        console.print(certainty_line(score.certainty))
    if score.causes:
        show_causes(console, score.causes)
    right, second = score.measures.right, score.measures.second
    short = SCORERS[second].title.removesuffix(" accuracy")
    rows: list[tuple[str, ...]] = []
    for breakdown in score.breakdowns:
        rows.append((breakdown_title(breakdown.by),))
        for group in breakdown.groups:
            other = percent(group.figures[second].value)
            rows.append((group.name, *figure_cells(group.figures[right]), other))
    print_rows(console, (SCORERS[right].title, *FIGURE_HEADS, f"{short} %"), rows, spare=(f"{short} %", "of"))


def show_causes(console: Console, causes: Mapping[Cause, int]) -> None:
    """Print the number of wrong turns by cause."""
    total = sum(causes.values())
    rows = [(str(cause), str(turns), percent(turns / total)) for cause, turns in causes.items()]
    print_rows(console, ("wrong turns by cause", "turns", "%"), rows)


def certainty_line(found: CalibrationReport) -> str:
    """Return one line on how reliable the confidences of a run are."""
    given, half = found.given, found.surest_half
    return (
        f"confidence: {percent(given.value)} % of {given.total} answers are correct, {percent(half.value)} % of "
        f"the most confident half; calibration error {found.error:.3f}"
    )


def show_coverage(console: Console, found: CalibrationReport) -> None:
    """Print how reliable confidences are, and the accuracy if only the most confident answers are given."""
    console.print(certainty_line(found))
    rows = [(percent(point.share), f"{point.threshold:.2f}", percent(point.accuracy)) for point in found.coverage]
    print_rows(console, ("answered, %", "minimum confidence", "of these correct, %"), rows)


def figure_cells(figure: Proportion) -> tuple[str, str, str, str]:
    """Return numerator, denominator, percentage and interval as text; empty for no turns."""
    if not figure.total:
        return "", "0", "", ""
    interval = f"{percent(figure.low)} to {percent(figure.high)}" if figure.pages >= ENOUGH_GROUPS else ""
    right = str(figure.correct) if isinstance(figure.correct, int) else f"{figure.correct:.2f}"
    return right, str(figure.total), percent(figure.value), interval


def show_audited(console: Console, score: "AuditedScore") -> None:
    """Print raw and audited accuracy, and the disputed turns by verdict."""
    rows = [
        ("by original references", *figure_cells(score.raw)),
        ("by audited references", *figure_cells(score.audited)),
    ]
    print_rows(console, ("execution accuracy", *FIGURE_HEADS), rows, title="Audit", unbroken=())
    disputed = []
    for share in score.shares:
        name = str(share.verdict).replace("_", " ") if share.verdict else "matching a wrong reference"
        disputed.append((name, str(share.turns), str(share.raw), str(share.audited)))
    heads = ("disputed references", "turns", "correct by reference", "correct by audit")
    print_rows(console, heads, disputed, unbroken=())
    console.print(f"{score.audit}: {score.entries} turns reviewed by two readers; Cohen's kappa {score.kappa:.2f}")


def show_candidates(console: Console, candidates: "Sequence[AuditCandidate]") -> None:
    """Print the turns whose references may be wrong, most confident first."""
    if not candidates:
        console.print("every turn that differs from its reference is already settled")
        return
    rows = []
    for one in candidates[:_MOST_CANDIDATES]:
        confidence = "" if one.confidence is None else f"{100 * one.confidence:.0f} %"
        answers = (one.answer, one.program or "", one.reference)
        rows.append((one.conversation, str(one.turn + 1), *answers, confidence, str(one.beside)))
    heads = ("conversation", "turn", "answer", "program", "reference", "confidence", "same in other runs")
    print_rows(console, heads, rows, words=(0, 3, 4), unbroken=())
    rest = len(candidates) - _MOST_CANDIDATES
    more = f"; showing {_MOST_CANDIDATES}, use --output to write all" if rest > 0 else ""
    console.print(f"{len(candidates)} turns differ from their references and are not settled{more}")


def show_comparison(console: Console, found: RunsCompared) -> None:
    """Print the accuracy of each run, and the comparison of each pair."""
    letters = found.letters
    title, heads = scorer_title(found.scorer), ("", "run", *FIGURE_HEADS)
    rows = [(letters[run.id], run.id, *figure_cells(right)) for run, right in zip(found.runs, found.right, strict=True)]
    print_rows(console, heads, rows, title=title, words=2, spare=("of", FIGURE_HEADS[-1]))
    if found.judged.basis == "kept scores":
        console.print("based on saved scores; the labelled file was not read", style="dim")
    if len(found.pairs) == 1:
        _show_pair(console, found.pairs[0], letters)
        return
    pair_heads = ("", "only 1st", "only 2nd", "difference", "95 % by page", "by company", "p", "p, Holm")
    print_rows(console, pair_heads, found.rows, spare=("by company", "p", "95 % by page"))


def _show_pair(console: Console, pair: PairReport, letters: Mapping[str, str]) -> None:
    one, other, figures = letters[pair.first], letters[pair.second], pair.figures
    page, company = figures.by_page, figures.by_company
    unjudged = f"; not judged in one run: {pair.unjudged}" if pair.unjudged else ""
    for line in (
        f"correct only in {one}: {figures.wins}; only in {other}: {figures.losses}; in both: {figures.both}; in "
        f"neither: {figures.neither}{unjudged}",
        f"{one} - {other}: {format_points(page.value)} points{_intervals(page, company)}",
        f"exact McNemar test: p = {p_value(figures.p)}",
        *_agreement_lines(pair.agreement, one, other),
    ):
        console.print(line)
    heads = ("", "turns", f"{one} %", f"{other} %", f"only {one}", f"only {other}", f"{one} - {other}", "95 % by page")
    rows: list[tuple[str, ...]] = []
    for by, groups in pair.breakdowns.items():
        rows.append((breakdown_title(by),))
        for name, found in groups.items():
            shares = (percent(right / found.turns) for right in (found.first, found.second))
            rows.append((name, str(found.turns), *shares, *paired_cells(found)))
    print_rows(console, (*heads, "by company", "p"), rows, spare=("by company", *heads[4:6], "95 % by page"))


def _intervals(page: ShareDifference, company: ShareDifference) -> str:
    ways = [
        f"{words} by {name}" for name, of in (("page", page), ("company", company)) if (words := format_interval(of))
    ]
    return f", 95 % interval {', '.join(ways)}" if ways else f" (fewer than {ENOUGH_GROUPS} pages, so no interval)"


def _agreement_lines(found: Agreement, one: str, other: str) -> list[str]:
    def right(first: int, second: int, total: int) -> str:
        if not total:
            return ""
        return f"; correct there: {one} {100 * first / total:.1f} %, {other} {100 * second / total:.1f} %"

    return [
        f"same answer: {found.same}{right(found.first_right, found.second_right, found.same)}",
        "different answer: "
        f"{found.different}{right(found.first_right_apart, found.second_right_apart, found.different)}",
    ]


def show_differences(console: Console, found: RunsCompared, pair: PairReport, turns: Sequence[ShownTurn]) -> None:
    """Print the turns that only one of two runs answered correctly, with answers, plans and sources."""
    one, other = found.letters[pair.first], found.letters[pair.second]
    for turn in turns:
        console.print(
            f"\n[bold]{escape(turn.conversation)}, turn {turn.turn + 1}:[/] {escape(turn.question)}", soft_wrap=True
        )
        if turn.reference is not None:
            program = f"   {turn.reference_program}" if turn.reference_program else ""
            console.print(f"  reference: {turn.reference}{program}", style="dim", markup=False, soft_wrap=True)
        for name, side in zip((one, other), turn.sides, strict=True):
            _show_side(console, name, side)
    console.print(f"\n{len(turns)} turns are correct in only one of {one} and {other}")


def _show_side(console: Console, name: str, side: SideOfTurn) -> None:
    verdict = "[green]right[/]" if side.right else "[red]wrong[/]"
    words = side.shown if side.number is None else f"{side.shown}  ({side.number})"
    console.print(f"  {name} {verdict}  {escape(words)}", soft_wrap=True)
    plan = side.program or side.formula
    unverified = "" if side.number is None or side.verified else "unverified"
    for line in (f"by {plan}" if plan else "", *side.sources, unverified, side.reason or ""):
        if line:
            console.print(f"      {line}", style="dim", markup=False, soft_wrap=True)


def show_cascade(console: Console, found: SimulatedCascade) -> None:
    """Print the accuracy and cost of a cascade of two runs by threshold."""
    title = f"{found.first.id}, falling back to {found.second.id} when uncertain"
    grid = Grid("threshold", "passed on", "correct", "of", "%", "95 % interval", "tokens", "US dollars")
    grid.title, grid.title_justify = title, "left"
    for column in grid.columns:
        column.justify = "right"
        column.no_wrap = column.header in ("passed on", "95 % interval")
    for name, right in (("1st only", found.first_right), ("2nd only", found.second_right)):
        grid.add_row(name, "", *figure_cells(right), "", "")
    grid.add_section()
    used = any(point.usage.tokens for point in found.points)
    for point in found.points:
        costs = (
            f"{point.usage.tokens:,}" if used else "",
            "" if point.usage.cost is None else f"{point.usage.cost:.4f}",
        )
        passed = f"{point.passed} ({100 * point.share:.1f} %)"
        style = "bold" if point == found.best else None
        grid.add_row(f"{point.threshold:g}", passed, *figure_cells(point.right), *costs, style=style)
    grid.columns = [column for column in grid.columns if any(column.cells)]  # imported answers have no cost
    print_grid(console, grid, spare=("of", "tokens", "95 % interval", "US dollars"))
    how = (
        "the first run's solver answered again, given the second run's answers"
        if found.replayed
        else "each turn as answered in its own run"
    )
    console.print(f"highest accuracy at {found.best.threshold:g}, selected on these same turns; {how}", style="dim")


def cascade_object(found: SimulatedCascade) -> dict[str, object]:
    """Return the fields of a simulated cascade for JSON; shares are fractions of 1."""
    return {
        "first": found.first.id,
        "second": found.second.id,
        "first_right": found.first_right,
        "second_right": found.second_right,
        "points": [
            {
                "threshold": point.threshold,
                "passed": point.passed,
                "share": point.share,
                "right": point.right,
                "accuracy": point.right.value,
                "usage": dict(point.usage.counts()),
            }
            for point in found.points
        ],
        "best": found.best.threshold,
        "replayed": found.replayed,
    }


def score_lines(scores: RunScores) -> dict[str, str]:
    """Return the scores of a run in words under the key `score`: the latest of each labelled file."""
    lines = ["outdated, as the run continued: score it again"] if scores.outdated else []
    for score in scores.latest:
        when = score.scored.astimezone().isoformat(" ", "seconds")
        lines += [
            f"{score.dataset}, {when}, quaestor {score.version}",
            *(f"  {line}" for line in _metric_lines(score.metrics)),
            f"  {score.mean_turns:.1f} turns per conversation, {score.mean_tool_calls:.2f} tool calls per turn, "
            f"{score.unanswered} without an answer",
        ]
    return {"score": "\n".join(lines)} if lines else {}


def verdict_words(verdict: Verdict | None) -> str | None:
    """Return a verdict in words, or None."""
    if verdict is None:
        return None
    words = "correct" if verdict.correct else "wrong"
    if verdict.program_correct is None:
        return words
    return f"{words}, its program {('right' if verdict.program_correct else 'wrong')}"


def _metric_lines(metrics: Mapping[str, JsonValue]) -> list[str]:
    lines = []
    for name, figure in metrics.items():
        correct, total, percent, interval = figure_cells(serial.restore(Proportion, figure))
        if percent:
            title = SCORERS[name].title if name in SCORERS else name
            between = f", 95 % interval {interval}" if interval else ""
            lines.append(f"{title}: {correct} of {total} ({percent} %{between})")
    return lines
