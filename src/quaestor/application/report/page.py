"""The report as one HTML page with inline SVG charts: without scripts, other files, or content from other hosts.

Built with lxml, so that no text of a document or a model can become markup. Each colour has a label.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby
from typing import TypeAlias

from lxml import etree

from quaestor.application.comparison import PairReport
from quaestor.application.report.data import (
    MOST_WRONG_TURNS,
    RUN_HEADS,
    EvaluationReport,
    ReportRow,
    audit_rows,
    cause_rows,
    comparison_rows,
    cost_rows,
    figure,
    right_of,
    run_rows,
    score_rows,
    scorer_title,
)
from quaestor.scoring.statistics import ENOUGH_GROUPS, in_percent, label_run, paired_cells
from quaestor.scoring.turn_frame import breakdown_title
from quaestor.store.records import now

Element: TypeAlias = etree._Element
Child: TypeAlias = "Element | str | None"

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def element(tag: str, *children: Child, **attributes: str | float | None) -> Element:
    """Return an element; `class_` sets `class`, underscores become hyphens, and None is omitted."""
    element = etree.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            written = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            element.set(name.rstrip("_").replace("_", "-"), _printable(written))
    for child in children:
        if isinstance(child, str):
            _append_text(element, _printable(child))
        elif child is not None:
            element.append(child)
    return element


def _printable(text: str) -> str:
    r"""Replace the characters that HTML does not allow.

    >>> _printable("a\x00b")
    'a\ufffdb'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def table(heads: Sequence[str], rows: Iterable[Sequence[Child]], *, look: str | None = None) -> Element:
    """Return a table that scrolls horizontally if it is too wide; the first cell of each row is its heading.

    Args:
        rows: Rows of cells; a row with a single cell is a heading for the rows below it.
        look: `words` for a table of text, `short` if the first cells are short.
    """
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in heads)))
    body = element("tbody", *(_row(row, len(heads)) for row in rows))
    return element("div", element("table", head, body, class_=look), class_="wide", tabindex="0")


def _row(cells: Sequence[Child], columns: int) -> Element:
    if len(cells) == 1:
        return element("tr", element("th", cells[0], scope="rowgroup", colspan=str(columns)), class_="group")
    first, *rest = cells
    return element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest))


def _append_text(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def to_markup(element: Element) -> str:
    """Return an element as HTML."""
    return etree.tostring(element, encoding="unicode", method="html")


_COLOURS = 6
"""The number of run colours in `style.css`; more runs reuse them from the start."""


_WIDTH, _HEIGHT = 360, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 40
_MARKS = 5


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart: its points, from 0 to 1 each way, and the relative sizes of their marks if these differ."""

    name: str
    colour: int
    points: tuple[tuple[float, float], ...]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ChartInterval:
    """A proportion with its interval, in a separate row; its colour, if any, is that of a run."""

    name: str
    value: float
    low: float
    high: float
    colour: int | None = None


def _colour(number: int) -> str:
    """Return the CSS class with the colour of a run."""
    return f"r{number % _COLOURS}"


def line_chart(title: str, across: str, up: str, lines: Sequence[ChartLine], *, even: bool = False) -> Element:
    """Return a line chart with both axes from 0 to 100 %."""
    bottom, middle = _HEIGHT - _BOTTOM, (_LEFT + _WIDTH - _RIGHT) / 2

    def x(share: float) -> float:
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(share: float) -> float:
        return bottom - share * (bottom - _TOP)

    drawn: list[Element] = []
    for share in (step / _MARKS for step in range(_MARKS + 1)):
        drawn += [
            element("line", x1=x(0), y1=y(share), x2=x(1), y2=y(share), class_="grid"),
            _text(_LEFT - 6, y(share) + 4, f"{100 * share:.0f}", "end"),
            _text(x(share), bottom + 16, f"{100 * share:.0f}", "middle"),
        ]
    turned = _text(12, (_TOP + bottom) / 2, f"{up}, %", "middle")
    turned.set("transform", f"rotate(-90 12 {(_TOP + bottom) / 2:g})")
    drawn += [_text(middle, _HEIGHT - 6, f"{across}, %", "middle"), turned]
    if even:
        drawn.append(element("line", x1=x(0), y1=y(0), x2=x(1), y2=y(1), class_="even"))
    for place, line in enumerate(lines):
        points = [(x(one), y(other)) for one, other in line.points]
        weights = line.weights or (0.2,) * len(points)
        marks = [
            element("circle", cx=one, cy=other, r=2 + 4 * weight, class_="mark")
            for (one, other), weight in zip(points, weights, strict=True)
        ]
        # The names are stacked in the lower right corner, where there is room.
        label = _text(_WIDTH - _RIGHT - 4, bottom - 10 - 16 * place, line.name, "end")
        label.set("class", "mark")
        joined = element("path", d="M" + " L".join(f"{one:.1f} {other:.1f}" for one, other in points), class_="path")
        drawn.append(element("g", joined if points else None, *marks, label, class_=_colour(line.colour)))
    return _drawing(title, _WIDTH, _HEIGHT, drawn)


def interval_chart(title: str, rows: Sequence[ChartInterval]) -> Element:
    """Return a chart of proportions with their intervals in rows, from 0 to 100 %."""
    ticks = [(step / _MARKS, f"{100 * step / _MARKS:.0f}") for step in range(_MARKS + 1)]
    return _row_chart(title, rows, 30, (40, _WIDTH - 60), _WIDTH, ticks)


def difference_chart(title: str, rows: Sequence[ChartInterval]) -> Element:
    """Return a chart of differences, as fractions of 1, with their intervals around zero, in rows."""
    largest = max([0.05, *(abs(end) for row in rows for end in (row.value, row.low, row.high))])
    shares = (-largest, -largest / 2, 0, largest / 2, largest)
    ticks = [(share, f"{100 * share:+.0f}" if share else "0") for share in shares]
    return _row_chart(title, rows, 22, (170, 400), 420, ticks)


def _row_chart(
    title: str,
    rows: Sequence[ChartInterval],
    row_height: int,
    ends: tuple[float, float],
    width: int,
    ticks: Sequence[tuple[float, str]],
) -> Element:
    """Return a chart of intervals; the first and the last tick are the limits of the x axis."""
    first, last = ticks[0][0], ticks[-1][0]
    bottom = float(_TOP + row_height * len(rows) + 4)

    def x(share: float) -> float:
        return ends[0] + (share - first) / (last - first) * (ends[1] - ends[0])

    drawn: list[Element] = []
    for share, label in ticks:
        kind = "axis" if label == "0" and first < 0 else "grid"
        drawn.append(element("line", x1=x(share), y1=float(_TOP), x2=x(share), y2=bottom, class_=kind))
        drawn.append(_text(x(share), bottom + 16, label, "middle"))
    for number, row in enumerate(rows):
        y, run = _TOP + row_height * (number + 0.5), row.colour is not None
        marks = (
            _text(0, y + 4, row.name, "start"),
            element("path", d=f"M{x(row.low):.1f} {y:g} L{x(row.high):.1f} {y:g}", class_="path"),
            element("circle", cx=x(row.value), cy=y, r=5.0 if run else 4.0, class_="mark"),
            _text(x(1) + 8, y + 4, f"{100 * row.value:.1f} %", "start") if run else None,
        )
        drawn.append(element("g", *marks, class_=None if row.colour is None else _colour(row.colour)))
    return _drawing(title, width, bottom - 4 + _BOTTOM, drawn)


def _drawing(title: str, width: float, height: float, children: Iterable[Element]) -> Element:
    drawing = element("svg", *children, role="img", aria_label=title)
    drawing.set("viewBox", f"0 0 {width:g} {height:g}")
    return drawing


def _text(x: float, y: float, words: str, anchor: str) -> Element:
    return element("text", words, x=float(x), y=float(y), text_anchor=anchor)


_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_page(report: EvaluationReport) -> str:
    """Return the report as HTML."""
    runs: list[list[Child]] = [[_name(place), *row[1:]] for place, row in enumerate(run_rows(report))]
    costs = cost_rows(report)
    sections = [
        ("runs", "Runs", [table(RUN_HEADS, runs, look="words short")]),
        ("score", "Score", _score(report)),
        ("audit", "Audited references", _audit(report)),
        ("comparison", "Comparison", _comparison(report)),
        ("breakdowns", "Breakdowns", _breakdowns(report)),
        ("conventions", "Scoring rules", _conventions(report)),
        ("confidence", "Confidence", _confidence(report)),
        ("cost", "Time and cost", [table(_heads(report, ""), costs)] if costs else []),
        ("errors", "Wrong turns", _errors(report)),
    ]
    shown = [(name, title, parts) for name, title, parts in sections if parts]
    names = [row[2] for row in run_rows(report)]
    title = f"{' and '.join(names)}: evaluation" if len(names) <= 2 else f"Evaluation of {len(names)} runs"
    links = element("ul", *(element("li", element("a", words, href=f"#{name}")) for name, words, _ in shown))
    main = element("main", *(element("section", element("h2", words, id=name), *parts) for name, words, parts in shown))
    body = element(
        "body",
        element("header", element("h1", title), _explained(_origin(report))),
        element("nav", links, aria_label="Sections"),
        main,
    )
    policy = element("meta", content=_POLICY)
    policy.set("http-equiv", "Content-Security-Policy")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        policy,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", files(__package__).joinpath("style.css").read_text(encoding="utf-8")),
    )
    return f"<!doctype html>\n{to_markup(element('html', head, body, lang='en'))}\n"


def _origin(report: EvaluationReport) -> str:
    by = "references of the labelled file" if report.basis == "references" else "saved scores"
    dataset = report.runs[0].judged.run.dataset.replace("\\", "/").rpartition("/")[2]
    return f"{dataset}; scored with the {by}; quaestor {version('quaestor')}, {now():%Y-%m-%d %H:%M} UTC"


def _name(place: int) -> Element:
    return element("span", label_run(place), class_=f"run {_colour(place)}")


def _heads(report: EvaluationReport, *first: str) -> list[str]:
    return [*first, *(label_run(place) for place in range(len(report.runs)))]


def _figure(chart: Element, caption: str) -> Element:
    return element("figure", chart, element("figcaption", caption))


def _explained(words: str) -> Element:
    return element("p", words, class_="dim")


def _score(report: EvaluationReport) -> list[Element]:
    official = scorer_title(report.scorer)
    drawn = [
        ChartInterval(label_run(place), found.right.value, found.right.low, found.right.high, place)
        for place, found in enumerate(report.runs)
    ]
    caption = f"{official} with 95 % intervals, resampled by page, in percent"
    return [
        element("div", _figure(interval_chart(f"{official} of each run", drawn), caption), class_="charts"),
        table(_heads(report, "% correct (95 % interval, by page)"), score_rows(report)),
    ]


def _audit(report: EvaluationReport) -> list[Element]:
    audited = report.runs[0].audited
    if audited is None:
        return []
    words = (
        f"{audited.audit}: {audited.entries} references reviewed by two readers (Cohen's kappa {audited.kappa:.2f}). "
        "The table shows how many turns of each kind are correct by the original references, then by the audited "
        "ones. Compare the official figure with papers."
    )
    return [_explained(words), table(_heads(report, "verdict on the reference", "turns"), audit_rows(report))]


def _comparison(report: EvaluationReport) -> list[Element]:
    if report.compared is None:
        return []
    difference = ("difference, points", "95 % by page", "95 % by company")
    heads = ("", "only 1st", "only 2nd", *difference, "p", "p, Holm", "same")
    words = (
        "Turns that only one run answered correctly, the difference in points, and the exact McNemar test. same: "
        "turns with the same answer."
    )
    found = [_explained(words), table(heads, comparison_rows(report), look="short")]
    return found + (_pair(report.compared.pairs[0]) if len(report.compared.pairs) == 1 else [])


def _pair(pair: PairReport) -> list[Element]:
    one, other, agreement = label_run(0), label_run(1), pair.agreement
    agreed = (
        f"If both answers agree ({agreement.same} turns), {_of(agreement.first_right, agreement.same)} are correct "
        f"in {one} and {_of(agreement.second_right, agreement.same)} in {other}; if they differ "
        f"({agreement.different}), {_of(agreement.first_right_apart, agreement.different)} and "
        f"{_of(agreement.second_right_apart, agreement.different)}."
    )
    drawn, rows = list[ChartInterval](), list[list[Child]]()
    for by, groups in pair.breakdowns.items():
        rows.append([breakdown_title(by)])
        for name, figures in groups.items():
            rows.append([name, str(figures.turns), *paired_cells(figures)])
            if (page := figures.by_page).groups >= ENOUGH_GROUPS:
                drawn.append(ChartInterval(name, page.value, page.low, page.high))
    chart = difference_chart(f"Difference between {one} and {other} by kind of turn", drawn)
    caption = f"{one} - {other} in points, 95 % intervals by page: {one} is better on the right"
    heads = ("", "turns", f"only {one}", f"only {other}", f"{one} - {other}", "95 % by page", "95 % by company", "p")
    return [
        element("p", agreed),
        element("div", _figure(chart, caption) if drawn else None, class_="charts"),
        element("details", element("summary", "Figures for each kind of turn"), table(heads, rows)),
    ]


def _of(part: int, whole: int) -> str:
    return in_percent(part / whole) if whole else "none"


def _breakdowns(report: EvaluationReport) -> list[Element]:
    rows: list[list[Child]] = []
    for by in dict.fromkeys(by for found in report.runs for by in found.groups):
        rows.append([breakdown_title(by)])
        groups = [found.groups.get(by, {}) for found in report.runs]
        for name in dict.fromkeys(name for one in groups for name in one):
            shares = [one.get(name) for one in groups]
            total = next((share.total for share in shares if share), 0)
            rows.append([name, str(total), *map(figure, shares)])
    return [table(_heads(report, "", "turns"), rows)] if rows else []


def _conventions(report: EvaluationReport) -> list[Element]:
    rules = zip(*(found.judged.conventions for found in report.runs), strict=True)
    rows = [
        [
            rule[0].rule,
            *(f"{in_percent(one.right.value)}{_change(one.gained, '+')}{_change(one.lost, '-')}" for one in rule),
        ]
        for rule in rules
    ]
    words = (
        "Papers differ in when they count an answer as correct. Next to each share is the number of turns that the "
        "rule counts as correct, or as wrong, unlike the benchmark's own rule."
    )
    return [_explained(words), table(_heads(report, "an answer is correct if it"), rows)] if rows else []


def _change(turns: int, sign: str) -> str:
    return f" {sign}{turns}" if turns else ""


def _confidence(report: EvaluationReport) -> list[Element]:
    calibration, coverage, rows = list[ChartLine](), list[ChartLine](), list[list[Child]]()
    for place, run in enumerate(report.runs):
        if (found := run.score.certainty) is None:
            continue
        name, bins = label_run(place), [one for one in found.bins if one.count]
        weights = tuple(one.count / max(other.count for other in bins) for one in bins)
        calibration.append(ChartLine(name, place, tuple((one.confidence, one.accuracy) for one in bins), weights))
        coverage.append(ChartLine(name, place, tuple((one.share, 1 - one.accuracy) for one in found.coverage)))
        given, half = found.given, found.surest_half
        rows.append([name, right_of(given), figure(given), figure(half), f"{found.error:.3f}"])
    if not rows:
        return []
    heads = ("", "answers", "right", "correct in the most confident half", "calibration error")
    figures = (
        _figure(
            line_chart("Accuracy by confidence", "mean confidence", "right", calibration, even=True),
            "Reliability: above the dashed line, answers are better than their confidence; larger marks cover more "
            "answers.",
        ),
        _figure(
            line_chart("Risk by share of answers given", "answers given, most confident first", "wrong", coverage),
            "Risk and coverage: the error rate of the most confident answers, by how many are given.",
        ),
    )
    return [element("div", *figures, class_="charts"), table(heads, rows)]


def _errors(report: EvaluationReport) -> list[Element]:
    rows, shown = list[list[Child]](), list[Element]()
    known = [{row.cause for row in found.wrong} for found in report.runs]
    counted = cause_rows(report)
    for number, (cause, counts) in enumerate(counted):
        links = (
            element("a", str(count), href=f"#{label_run(place)}-cause-{number}")
            if cause in known[place]
            else str(count or "")
            for place, count in enumerate(counts)
        )
        rows.append([cause, *links])
    for place, found in enumerate(report.runs):
        if not found.wrong:
            continue
        shown.append(element("h3", "Wrong turns of ", _name(place)))
        if missing := sum(found.causes.values()) - len(found.wrong):
            shown.append(_explained(f"Shows the first {MOST_WRONG_TURNS}, by cause; {missing} more are left out."))
        numbers = {cause: number for number, (cause, _) in enumerate(counted)}
        for cause, turns in groupby(found.wrong, key=lambda row: row.cause):
            blocks = [_turn(place, row) for row in turns]
            summary = element("summary", f"{cause}: {len(blocks)}")
            # The id is inside `details`, because browsers open an element that contains the target of a link.
            shown.append(
                element("details", summary, element("div", *blocks, id=f"{label_run(place)}-cause-{numbers[cause]}"))
            )
    return [table(_heads(report, "cause"), rows), *shown] if rows else []


def _turn(place: int, row: ReportRow) -> Element:
    turn, (side,) = row.shown, row.shown.sides
    unverified = "" if side.number is None or side.verified else " (unverified)"
    plan = side.program or side.formula
    reference: Element | None = None
    if turn.reference is not None:
        program: list[Child] = [" by ", element("code", turn.reference_program)] if turn.reference_program else []
        reference = element("p", "reference ", element("span", turn.reference, class_="right"), *program)
    return element(
        "div",
        element("p", f"{turn.conversation}, turn {turn.turn + 1}: ", element("strong", turn.question)),
        element("p", "answer ", element("span", side.shown, class_="wrong"), unverified),
        element("p", "by ", element("code", plan)) if plan else None,
        _explained(side.reason) if side.reason else None,
        element("ul", *(element("li", source) for source in side.sources)) if side.sources else None,
        reference,
        _explained(f"audit: {row.audited}") if row.audited else None,
        class_="turn",
        id=f"{label_run(place)}-{turn.turn + 1}-{turn.conversation.replace(' ', '_')}",
    )
