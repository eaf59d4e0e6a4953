"""Pictures for the report on the embedded solver."""

from collections.abc import Sequence
from pathlib import Path

from quaestor.scoring.statistics import CalibrationReport, Coverage

_BLUE, _GREY = "#1f5f99", "#8a8a8a"
_SIZE = (5.2, 4.0)
_DOTS = 160


def draw_calibration(found: CalibrationReport, path: Path) -> None:
    """Plot the share of right answers against their confidence, with the number of answers in each range."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    bins = [b for b in found.bins if b.count]
    figure, (above, below) = pyplot.subplots(
        2, 1, figsize=(_SIZE[0], 4.8), sharex=True, height_ratios=(3, 1), layout="constrained"
    )
    above.plot([0, 1], [0, 1], color=_GREY, linestyle="--", linewidth=1, label="as sure as right")
    above.plot([b.confidence for b in bins], [b.accuracy for b in bins], "o-", color=_BLUE, label="held-out turns")
    above.set_ylabel("share right")
    above.set_ylim(0, 1)
    above.set_xlim(0, 1)
    above.legend(frameon=False, loc="upper left")
    above.set_title(f"Calibration: expected error {found.error:.3f} over {found.given.total} turns", fontsize=10)
    below.bar([b.low + 0.05 for b in found.bins], [b.count for b in found.bins], width=0.09, color=_BLUE)
    below.set_xlabel("confidence")
    below.set_ylabel("turns")
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=_DOTS, metadata={"Software": None})
    pyplot.close(figure)


def draw_coverage(points: Sequence[Coverage], path: Path) -> None:
    """Plot the share of wrong answers against the share of answers given, most confident first."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=_SIZE, layout="constrained")
    risk = [1 - point.accuracy for point in points]
    axes.plot([point.share for point in points], risk, color=_BLUE)
    axes.axhline(risk[-1], color=_GREY, linestyle="--", linewidth=1)
    axes.annotate("all answers given", (0.01, risk[-1]), textcoords="offset points", xytext=(0, 4), color=_GREY)
    for asked in (0.5, 0.7, 0.9):
        given = [point for point in points if point.threshold >= asked]
        if given:
            last = given[-1]
            axes.plot([last.share], [1 - last.accuracy], "o", color=_BLUE)
            axes.annotate(
                f"--abstain-below {asked}",
                (last.share, 1 - last.accuracy),
                textcoords="offset points",
                xytext=(8, -10),
                fontsize=8,
            )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, max(risk[-1] * 1.25, 0.1))
    axes.set_xlabel("coverage: share of turns answered, the surest first")
    axes.set_ylabel("risk: share of these that is wrong")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=_DOTS, metadata={"Software": None})
    pyplot.close(figure)
