"""The report as Markdown, short enough for a pull request: figures, no turns."""

from collections.abc import Iterable, Sequence

from quaestor.application.report.data import EvaluationReport
from quaestor.application.report.words import (
    RUN_HEADS,
    cause_rows,
    cost_rows,
    in_percent,
    run_rows,
    score_rows,
    scorer_title,
)
from quaestor.scoring.paired import interval, letter, p_value, points


def report_markdown(report: EvaluationReport) -> str:
    """Returns the report as Markdown."""
    letters = [letter(place) for place in range(len(report.runs))]
    parts = [
        _table(RUN_HEADS, run_rows(report)),
        _table(["% correct (95 % interval, by page)", *letters], score_rows(report)),
    ]
    if report.compared is not None:
        named = {found.judged.run.id: name for found, name in zip(report.runs, letters, strict=True)}
        rows = [
            [
                f"{named[pair.first]} - {named[pair.second]}",
                str(pair.figures.wins),
                str(pair.figures.losses),
                points(pair.figures.by_page.value),
                interval(pair.figures.by_page),
                interval(pair.figures.by_company),
                p_value(adjusted),
            ]
            for pair, adjusted in zip(report.compared.pairs, report.compared.adjusted, strict=True)
        ]
        adjusted_name = "p, exact McNemar" + (", Holm" if len(rows) > 1 else "")
        heads = ("", "only 1st correct", "only 2nd correct", "difference, points", "95 % by page", "95 % by company")
        parts.append(_table([*heads, adjusted_name], rows))
    if any(found.conventions for found in report.runs):
        rules = [
            [rule.rule, *(in_percent(found.conventions[number].right.value) for found in report.runs)]
            for number, rule in enumerate(report.runs[0].conventions)
        ]
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
    lines = [_line(heads), "|" + "---|" * len(heads), *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(words: str) -> str:
    for sign in ("\\", "|", "`", "[", "*", "_"):
        words = words.replace(sign, f"\\{sign}")
    return " ".join(words.replace("<", "&lt;").split())
