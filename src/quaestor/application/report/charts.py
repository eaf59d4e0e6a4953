"""HTML elements, and charts as inline SVG: without scripts, with a label for each colour, and with a dark mode.

Built with lxml, so that no text of a document or a model can become markup.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from lxml import etree

Element: TypeAlias = etree._Element
Child: TypeAlias = "Element | str | None"

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def element(tag: str, *children: Child, **attributes: str | float | None) -> Element:
    """Return an element; `class_` sets `class`, underscores become hyphens, and None is omitted."""
    element = etree.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            written = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            element.set(name.rstrip("_").replace("_", "-"), printable(written))
    for child in children:
        if isinstance(child, str):
            _append_text(element, printable(child))
        elif child is not None:
            element.append(child)
    return element


def printable(text: str) -> str:
    r"""Replace the characters that HTML does not allow.

    >>> printable("a\x00b")
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


COLOURS = 6
"""The number of run colours in `style.css`; more runs reuse them from the start."""


def style_sheet() -> str:
    """Return the style sheet that is embedded in a report."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


_WIDTH, _HEIGHT = 360, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 40
_MARKS = 5


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart.

    Attributes:
        points: The x and y coordinates, each from 0 to 1, in drawing order.
        weights: The relative size of each point's mark, from 0 to 1; empty for equal small marks.
    """

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


def colour_class(number: int) -> str:
    """Return the CSS class with the colour of a run."""
    return f"r{number % COLOURS}"


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
        drawn.append(element("g", joined if points else None, *marks, label, class_=colour_class(line.colour)))
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
        drawn.append(element("g", *marks, class_=None if row.colour is None else colour_class(row.colour)))
    return _drawing(title, width, bottom - 4 + _BOTTOM, drawn)


def _drawing(title: str, width: float, height: float, children: Iterable[Element]) -> Element:
    drawing = element("svg", *children, role="img", aria_label=title)
    drawing.set("viewBox", f"0 0 {width:g} {height:g}")
    return drawing


def _text(x: float, y: float, words: str, anchor: str) -> Element:
    return element("text", words, x=float(x), y=float(y), text_anchor=anchor)
