"""The data of a report on one or several runs: figures, comparison, and wrong turns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quaestor.application.comparison import RunsCompared, ShownTurn, compare_judged, show_turn
from quaestor.application.judged_runs import Basis, JudgedRun, JudgedRuns, judge_runs, require_comparable
from quaestor.core.computing import compute
from quaestor.extras import require_extra
from quaestor.scoring.audits import Audit, AuditedScore, AuditedTurn, audited_score
from quaestor.scoring.bootstrap import Proportion
from quaestor.scoring.figures import Score
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
