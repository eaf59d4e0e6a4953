"""What a report tells of one run or several: figures, comparison, and the turns that went wrong.

Words and pictures are `page`'s and `markdown`'s.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quaestor.application.comparison import RunsCompared, SideOfTurn, compare_judged, reference_at, side_of
from quaestor.application.judged_runs import Basis, JudgedRun, JudgedRuns, judge_runs, require_comparable
from quaestor.core.computing import compute
from quaestor.extras import require_extra
from quaestor.scoring.audits import Audit, AuditedScore, AuditedTurn, audited_score
from quaestor.scoring.bootstrap import Proportion
from quaestor.scoring.conventions import ConventionFigure, convention_figures
from quaestor.scoring.figures import Score
from quaestor.scoring.predictions import prediction_of
from quaestor.store.base import RunStore

MOST_WRONG_TURNS = 400
"""Wrong turns of a run that are told one by one."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A wrong turn.

    Attributes:
        turn: Its place in the conversation, from 0.
        reference: The reference answer; None if the labelled file was not read.
        side: What was answered, by which plan, from where.
        audited: What an audit says of the reference, in words; None if none was named, or it is not disputed.
    """

    conversation: str
    turn: int
    question: str
    cause: str
    reference: str | None
    reference_program: str | None
    side: SideOfTurn
    audited: str | None = None


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run of a report.

    Attributes:
        judged: The run with its verdicts and what it took.
        score: Its figures.
        causes: How many turns are wrong for each cause, the most frequent first.
        conventions: The run by every convention; none if the labelled file was not read.
        wrong: The wrong turns that are told, by cause.
        audited: Raw and audited accuracy, where an audit was named.
    """

    judged: JudgedRun
    score: Score
    causes: Mapping[str, int]
    conventions: tuple[ConventionFigure, ...]
    wrong: tuple[ReportRow, ...] = field(repr=False)
    audited: AuditedScore | None = None

    @property
    def right(self) -> Proportion:
        """How many of its turns are right by the benchmark."""
        return self.score.right

    @property
    def groups(self) -> Mapping[str, Mapping[str, Proportion]]:
        """How many of each class are right, by the property that turns are split by."""
        right = self.score.measures.right
        return {part.by: {one.name: one.figures[right] for one in part.groups} for part in self.score.breakdowns}


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """What a report tells.

    Attributes:
        runs: The runs, in the order in which they were named.
        scorer: The name of the scorer that says what is right.
        compared: The runs compared; None of one run.
    """

    runs: tuple[ReportedRun, ...]
    basis: Basis
    scorer: str
    compared: RunsCompared | None


async def read_report(
    store: RunStore,
    names: Sequence[str],
    scores_in: str,
    dataset: Path | None = None,
    audit: Audit | None = None,
) -> EvaluationReport:
    """Return what there is to tell of runs of the same questions.

    Args:
        names: Their ids, beginnings of ids, or `latest`.
        scores_in: The store's URI: the scores that are kept there count where the labelled file is not there.
        dataset: The labelled file, if it has moved.
        audit: An audit of the references, to be beside the official figures.

    Raises:
        SettingsError: There are several runs, and the extra that comparing needs is not installed.
        UnknownRunError: A run is not there.
        InputError: The runs are of different questions; or neither a labelled file nor kept scores are there; or the
            audit cannot be applied to them.
        RunStoppedError: Conversations of a run are still to be played.
    """
    if len(names) > 1:
        require_extra("compare", "comparing runs")
    runs = await require_comparable(store, names)
    judged = await judge_runs(store, runs, scores_in, dataset, whole=True, audit=audit)
    compared = await compute(compare_judged, judged, judged.measures.right) if len(judged.runs) > 1 else None
    reported = [await _report_run(store, run, judged, audit) for run in judged.runs]
    return EvaluationReport(tuple(reported), judged.basis, judged.measures.right, compared)


async def _report_run(store: RunStore, run: JudgedRun, judged: JudgedRuns, audit: Audit | None) -> ReportedRun:
    turns, scorer = run.turns, judged.measures.right
    why = [cause or "no cause recorded" for cause in turns.causes]
    wrong = [place for place in range(len(turns)) if turns.verdicts[place][scorer] != 1]
    causes = Counter(why[place] for place in wrong)
    ranks = {name: rank for rank, (name, _) in enumerate(causes.most_common())}
    wrong.sort(key=lambda place: ranks[why[place]])
    disputed = {(turn.score.conversation, turn.score.turn): turn for turn in run.audited}
    wrong_turns = []
    for place in wrong[:MOST_WRONG_TURNS]:
        conversation, index = turns.conversations[place], turns.places[place]
        stored = {record.index: record for record in await store.turns(run.run.id, conversation)}.get(index)
        document, reference, program = reference_at(judged.labelled, conversation, index)
        wrong_turns.append(
            ReportRow(
                conversation,
                index,
                stored.question if stored else "",
                why[place],
                reference,
                program,
                side_of(stored, False, document),
                _describe_audit(disputed.get((conversation, index))),
            )
        )
    conventions: tuple[ConventionFigure, ...] = ()
    if judged.labelled is not None:
        predicted = {(turn.conversation, turn.index): prediction_of(turn) for turn in await store.turns(run.run.id)}
        asked = judged.labelled.conversations.values()
        conventions = await compute(convention_figures, predicted, judged.labelled.gold, asked)
    assert run.score is not None
    return ReportedRun(
        run,
        run.score,
        dict(causes.most_common()),
        conventions,
        tuple(wrong_turns),
        None if audit is None else audited_score(run.audited, audit),
    )


def _describe_audit(turn: AuditedTurn | None) -> str | None:
    """Return what an audit says of a reference, and of an answer that is wrong by it."""
    if turn is None or turn.entry is None:
        return "turns that depend on an accepted answer are correct too" if turn and turn.right else None
    verdict = str(turn.entry.verdict).replace("_", " ")
    return f"{verdict}: {turn.entry.reason}{' The answer is correct by the audit.' if turn.right else ''}"
