"""The data of a report on one or several runs: figures, comparison, and wrong turns; and its tables.

The tables are text, for HTML and Markdown. The report as Markdown is without single turns.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from quaestor.application.comparison import RunsCompared, ShownTurn, compare_judged, show_turn, solver_name
from quaestor.application.judged_runs import Basis, JudgedRun, JudgedRuns, judge_runs, require_comparable
from quaestor.application.run_figures import duration_words, percentile_95
from quaestor.core.computing import compute
from quaestor.exports.rows import markdown_cell
from quaestor.extras import require_extra
from quaestor.scoring.audits import Audit, AuditedScore, AuditedTurn, audited_score
from quaestor.scoring.figures import Score
from quaestor.scoring.scorers import SCORERS
from quaestor.scoring.statistics import ENOUGH_GROUPS, Proportion, in_percent, label_run, percent
from quaestor.store.base import RunStore

MOST_WRONG_TURNS = 400
"""The maximum number of wrong turns shown for a run."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A wrong turn; `audited` describes the audit's verdict on its reference, if an audit disputes it."""

    shown: ShownTurn
    cause: str
    audited: str | None = None


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run of a report."""

    judged: JudgedRun
    score: Score
    causes: Mapping[str, int]
    wrong: tuple[ReportRow, ...] = field(repr=False)
    audited: AuditedScore | None = None

    @property
    def right(self) -> Proportion:
        """The proportion of right turns by the benchmark."""
        return self.score.right

    @property
    def groups(self) -> Mapping[str, Mapping[str, Proportion]]:
        """The proportion of right turns in each class, by the property that defines the classes."""
        right = self.score.measures.right
        return {part.by: {one.name: one.figures[right] for one in part.groups} for part in self.score.breakdowns}


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The data of a report."""

    runs: tuple[ReportedRun, ...]
    basis: Basis
    scorer: str
    compared: RunsCompared | None


async def read_report(
    store: RunStore, names: Sequence[str], scores_in: str, dataset: Path | None = None, audit: Audit | None = None
) -> EvaluationReport:
    """Collect the data of a report on runs of the same questions."""
    if len(names) > 1:
        require_extra("compare", "comparing runs")
    runs = await require_comparable(store, names)
    judged = await judge_runs(store, runs, scores_in, dataset, whole=True, audit=audit)
    compared = await compute(compare_judged, judged, judged.measures.right) if len(judged.runs) > 1 else None
    reported = [await _report_run(store, run, judged, audit) for run in judged.runs]
    return EvaluationReport(tuple(reported), judged.basis, judged.measures.right, compared)


async def _report_run(store: RunStore, run: JudgedRun, judged: JudgedRuns, audit: Audit | None) -> ReportedRun:
    assert run.score is not None
    turns, scorer = run.turns, judged.measures.right
    why = [cause or "no cause recorded" for cause in turns.causes]
    wrong = [place for place in range(len(turns)) if not turns.correct(place)]
    causes = dict(Counter(why[place] for place in wrong).most_common())
    by_cause = sorted(wrong, key=lambda place: [*causes].index(why[place]))
    disputed = {(turn.score.conversation, turn.score.turn): turn for turn in run.audited}
    shown = [
        (await show_turn(store, {run.run.id: turns}, place, scorer, judged.labelled), why[place])
        for place in by_cause[:MOST_WRONG_TURNS]
    ]
    rows = tuple(
        ReportRow(turn, cause, _describe_audit(disputed.get((turn.conversation, turn.turn)))) for turn, cause in shown
    )
    return ReportedRun(run, run.score, causes, rows, audited_score(run.audited, audit) if audit else None)


def _describe_audit(turn: AuditedTurn | None) -> str | None:
    """Describe the verdict of an audit on a reference, and on an answer that contradicts the reference."""
    if turn is None or turn.entry is None:
        return "turns that depend on an accepted answer are correct too" if turn and turn.right else None
    verdict = str(turn.entry.verdict).replace("_", " ")
    return f"{verdict}: {turn.entry.reason}{' The answer is correct by the audit.' if turn.right else ''}"


def scorer_title(scorer: str) -> str:
    """Return the display name of a scorer."""
    title = SCORERS[scorer].title if scorer in SCORERS else scorer
    return title[0].upper() + title[1:]


def figure(found: Proportion | None) -> str:
    """Format a proportion as a percentage with its interval; "" if it is None or over no turns."""
    if found is None or not found.total:
        return ""
    between = f" ({percent(found.low)} to {percent(found.high)})" if found.pages >= ENOUGH_GROUPS else ""
    return f"{in_percent(found.value)}{between}"


def right_of(found: Proportion) -> str:
    """Format a proportion as `CORRECT of TOTAL`."""
    right = f"{found.correct:g}" if isinstance(found.correct, int) else f"{found.correct:.2f}"
    return f"{right} of {found.total}"


def run_rows(report: EvaluationReport) -> list[list[str]]:
    """Return a row for each run: letter, id, solver, origin, number of turns, start."""
    return [
        [
            label_run(place),
            found.judged.run.id,
            solver_name(found.judged.run),
            "imported, not verified" if found.judged.run.kind == "import" else "run here",
            str(len(found.judged.turns)),
            found.judged.run.started.strftime("%Y-%m-%d %H:%M UTC"),
        ]
        for place, found in enumerate(report.runs)
    ]


RUN_HEADS = ("", "run", "solver", "", "turns", "started")


def score_rows(report: EvaluationReport) -> list[list[str]]:
    """Return a row for each figure of the score: its name, then the values of the runs."""

    def result(found: ReportedRun, name: str) -> str:
        imported = name == "program" and found.judged.run.kind == "import"
        return "no programs" if imported else figure(found.score.results.get(name))

    names = list(dict.fromkeys(name for found in report.runs for name in found.score.results))
    rows = [[scorer_title(name), *(result(found, name) for found in report.runs)] for name in names]
    if audit := report.runs[0].audited:
        shares = [figure(found.audited.audited) if found.audited else "" for found in report.runs]
        rows.insert(1, [f"{scorer_title(report.scorer)} by audited references ({audit.audit})", *shares])
    return [*rows, ["Turns without an answer", *(str(found.score.unanswered) for found in report.runs)]]


def cost_rows(report: EvaluationReport) -> list[list[str]]:
    """Return a row for each figure of time and cost that any run has."""
    used = [(found, found.judged.usage, found.judged.usage.cost) for found in report.runs]
    rows = [
        ["mean time per turn", *(_time(found, fmean) for found in report.runs)],
        ["median", *(_time(found, median) for found in report.runs)],
        ["95th percentile", *(_time(found, percentile_95) for found in report.runs)],
        ["model requests", *(_count(usage.requests) for _, usage, _ in used)],
        ["input tokens", *(_count(usage.input_tokens) for _, usage, _ in used)],
        ["output tokens", *(_count(usage.output_tokens) for _, usage, _ in used)],
        ["tokens per turn", *(_count(usage.tokens, max(1, len(found.judged.turns))) for found, usage, _ in used)],
        ["cost, US dollars", *("" if cost is None else f"{cost:.4f}" for _, _, cost in used)],
        [
            "cost per correct turn",
            *(
                f"{float(cost) / found.right.correct:.5f}" if cost is not None and found.right.correct else ""
                for found, _, cost in used
            ),
        ],
    ]
    return [row for row in rows if any(row[1:])]


def _time(found: ReportedRun, of: Callable[[Sequence[float]], float]) -> str:
    spent = found.judged.seconds
    # An imported file may lack times, and has none for unanswered turns.
    times = [seconds for seconds in spent if seconds > 0]
    if not times:
        return ""
    return duration_words(of(times)) + (f" ({len(times):,} of {len(spent):,} turns)" if len(times) < len(spent) else "")


def _count(number: int, turns: int = 1) -> str:
    return f"{number / turns:,.0f}" if number else ""


def cause_rows(report: EvaluationReport) -> list[tuple[str, list[int]]]:
    """Return each cause of wrong turns with its count in each run, the most frequent first."""
    names = list(dict.fromkeys(cause for found in report.runs for cause in found.causes))
    rows = [(name, [found.causes.get(name, 0) for found in report.runs]) for name in names]
    return sorted(rows, key=lambda row: (-sum(row[1]), row[0]))


def audit_rows(report: EvaluationReport) -> list[list[str]]:
    """Return a row for each verdict of the audit: its name, its turns, and those right before and after in each run."""
    found = [run.audited for run in report.runs if run.audited is not None]
    shares = [{share.verdict: share for share in one.shares} for one in found]
    verdicts = dict.fromkeys(verdict for one in shares for verdict in one)
    rows = []
    for verdict in verdicts:
        name = str(verdict).replace("_", " ") if verdict else "matches a wrong reference"
        turns = max(one[verdict].turns for one in shares if verdict in one)
        cells = (f"{one[verdict].raw} -> {one[verdict].audited}" if verdict in one else "" for one in shares)
        rows.append([name, str(turns), *cells])
    return rows


def comparison_rows(report: EvaluationReport) -> list[list[str]]:
    """Return a row for each pair of runs: its figures, the adjusted p, and the number of turns with the same answer."""
    if report.compared is None:
        return []
    pairs = zip(report.compared.rows, report.compared.pairs, strict=True)
    return [[*row, str(pair.agreement.same)] for row, pair in pairs]


def report_markdown(report: EvaluationReport) -> str:
    """Return the report as Markdown."""
    letters = [label_run(place) for place in range(len(report.runs))]
    parts = [
        _table(RUN_HEADS, run_rows(report)),
        _table(["% correct (95 % interval, by page)", *letters], score_rows(report)),
    ]
    if report.compared is not None:
        rows = [[*cells[:6], cells[7]] for cells in comparison_rows(report)]
        adjusted_name = "p, exact McNemar" + (", Holm" if len(rows) > 1 else "")
        heads = ("", "only 1st correct", "only 2nd correct", "difference, points", "95 % by page", "95 % by company")
        parts.append(_table([*heads, adjusted_name], rows))
    rules = [
        [rule[0].rule, *(in_percent(one.right.value) for one in rule)]
        for rule in zip(*(found.judged.conventions for found in report.runs), strict=True)
    ]
    if rules:
        parts.append(_table(["an answer is correct if it", *letters], rules))
    if costs := cost_rows(report):
        parts.append(_table(["", *letters], costs))
    causes = [[cause, *map(str, counts)] for cause, counts in cause_rows(report)]
    if causes:
        parts.append(_table(["cause", *letters], causes))
    best = ", ".join(
        f"{name} {in_percent(found.right.value)}" for name, found in zip(letters, report.runs, strict=True)
    )
    return f"### Evaluation: {scorer_title(report.scorer)} {best}\n\n" + "\n".join(parts)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    first, *lines = (f"| {' | '.join(map(markdown_cell, cells))} |" for cells in (heads, *rows))
    return "\n".join((first, "|" + "---|" * len(heads), *lines)) + "\n"
