"""Figures of a scored run on a terminal."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from quaestor.cli.printing import print_rows
from quaestor.scoring.bootstrap import ENOUGH_GROUPS, Proportion, percent
from quaestor.scoring.calibration import CalibrationReport
from quaestor.scoring.figures import Score
from quaestor.scoring.scorers import FILINGS, SCORERS
from quaestor.scoring.taxonomy import Cause
from quaestor.scoring.turn_frame import breakdown_title

if TYPE_CHECKING:
    from quaestor.scoring.audits import AuditCandidate, AuditedScore

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
        rows.append(
            (
                one.conversation,
                str(one.turn + 1),
                one.answer,
                one.program or "",
                one.reference,
                confidence,
                str(one.beside),
            )
        )
    heads = ("conversation", "turn", "answer", "program", "reference", "confidence", "same in other runs")
    print_rows(console, heads, rows, words=(0, 3, 4), unbroken=())
    rest = len(candidates) - _MOST_CANDIDATES
    more = f"; showing {_MOST_CANDIDATES}, use --output to write all" if rest > 0 else ""
    console.print(f"{len(candidates)} turns differ from their references and are not settled{more}")
