"""The figures of a scored run on a terminal."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from quaestor.cli.printing import print_rows
from quaestor.scoring.bootstrap import ENOUGH_GROUPS, Proportion, percent
from quaestor.scoring.calibration import CalibrationReport
from quaestor.scoring.cause import Cause
from quaestor.scoring.figures import Score
from quaestor.scoring.scorers import FILINGS, SCORERS
from quaestor.scoring.turn_frame import breakdown_title

if TYPE_CHECKING:
    from quaestor.scoring.audits import AuditCandidate, AuditedScore

FIGURE_HEADS = ("correct", "of", "%", "95 % interval")
"""What heads the cells of a figure."""
_MOST_CANDIDATES = 20


def show_score(console: Console, score: Score) -> None:
    """Print the figures, each with its denominator and interval, and the breakdowns."""
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
    """Print how many turns are wrong for which cause."""
    total = sum(causes.values())
    rows = [(str(cause), str(turns), percent(turns / total)) for cause, turns in causes.items()]
    print_rows(console, ("wrong turns by cause", "turns", "%"), rows)


def certainty_line(found: CalibrationReport) -> str:
    """Return how far the confidences of a run's answers can be believed, in one line."""
    given, half = found.given, found.surest_half
    return (
        f"confidence: {percent(given.value)} % of {given.total} answers are correct, {percent(half.value)} % of "
        f"the most confident half; calibration error {found.error:.3f}"
    )


def show_coverage(console: Console, found: CalibrationReport) -> None:
    """Print how far confidences can be believed, and what is right where only the surest answers are given."""
    console.print(certainty_line(found))
    rows = [(percent(point.share), f"{point.threshold:.2f}", percent(point.accuracy)) for point in found.coverage]
    print_rows(console, ("answered, %", "minimum confidence", "of these correct, %"), rows)


def figure_cells(figure: Proportion) -> tuple[str, str, str, str]:
    """Return numerator, denominator, percent and interval as text; empty if there is nothing to show."""
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
    """Print the turns whose references may be wrong, the most telling first."""
    if not candidates:
        console.print("every turn that differs from its reference is already settled")
        return
    rows = []
    for one in candidates[:_MOST_CANDIDATES]:
        sure = "" if one.confidence is None else f"{100 * one.confidence:.0f} %"
        rows.append(
            (one.conversation, str(one.turn + 1), one.answer, one.program or "", one.reference, sure, str(one.beside))
        )
    heads = ("conversation", "turn", "answer", "program", "reference", "sure", "same in other runs")
    print_rows(console, heads, rows, words=(0, 3, 4), unbroken=())
    rest = len(candidates) - _MOST_CANDIDATES
    more = f"; showing {_MOST_CANDIDATES}, use --output to write all" if rest > 0 else ""
    console.print(f"{len(candidates)} turns differ from their references and are not settled{more}")
