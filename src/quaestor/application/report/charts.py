"""Elements of a page, and charts as inline SVG: no script, no colour without a label, readable in the dark.

Made with lxml, so that no text of a document or of a model becomes markup.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from lxml import etree

Element: TypeAlias = etree._Element
Child: TypeAlias = "Element | str | None"

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def element(tag: str, *children: Child, **attributes: str | float | None) -> Element:
    """Return an element.

    Args:
        *children: Elements and texts, in order; None is nothing.
        **attributes: By name; `class_` is `class`, and an underscore a hyphen. None is left out.
    """
    made = etree.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            written = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            made.set(name.rstrip("_").replace("_", "-"), printable(written))
    for child in children:
        if isinstance(child, str):
            _append_text(made, printable(child))
        elif child is not None:
            made.append(child)
    return made


def printable(text: str) -> str:
    r"""Return a text without the characters that a page cannot hold.

    >>> printable("a\x00b")
    'a\ufffdb'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def table(heads: Sequence[str], rows: Iterable[Sequence[Child]], *, look: str | None = None) -> Element:
    """Return a table that scrolls by itself where it is too wide; the first cell of a row heads it.

    Args:
        rows: Of cells; one of a single cell heads the rows below it.
        look: `words` of a table of words, `short` where the first cells are short.
    """
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in heads)))
    body = element("tbody", *(_row(row, len(heads)) for row in rows))
    return element("div", element("table", head, body, class_=look), class_="wide", tabindex="0")


def _row(cells: Sequence[Child], columns: int) -> Element:
    if len(cells) == 1:
        return element("tr", element("th", cells[0], scope="rowgroup", colspan=str(columns)), class_="group")
    first, *rest = cells
    return element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest))


def _append_text(made: Element, text: str) -> None:
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text


def to_markup(made: Element) -> str:
    """Return an element as HTML."""
    return etree.tostring(made, encoding="unicode", method="html")


COLOURS = 6
"""Runs with a colour of their own in `style.css`; further ones begin again."""


def style_sheet() -> str:
    """Return the style sheet that a report carries in itself."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


_WIDTH, _HEIGHT = 360, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 40
_ROW = 30
_NAMES = 40
_MARKS = 5


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart.

    Attributes:
        colour: The number of the run that it is of.
        points: Across and up, each from 0 to 1; in the order in which they are joined.
        weights: How large the mark of each point is, from 0 to 1; none for a line without marks.
    """

    name: str
    colour: int
    points: tuple[tuple[float, float], ...]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ChartInterval:
    """A share with its interval, in a row of its own; of one run if it has a colour."""

    name: str
    value: float
    low: float
    high: float
    colour: int | None = None


def colour_class(number: int) -> str:
    """Return the class that gives the colour of a run."""
    return f"r{number % COLOURS}"


def line_chart(
    title: str, across: str, up: str, lines: Sequence[ChartLine], *, even: bool = False, low: float = 0
) -> Element:
    """Return a chart of lines over a square from 0 to 100 %.

    Args:
        title: What it shows, for who does not see it.
        even: Whether the line is drawn on which both are the same.
        low: Where the vertical axis begins, 0 to 1.
    """
    plot = _Plot(low)
    return _drawing(
        title,
        _WIDTH,
        _HEIGHT,
        *_axes(plot, across, up),
        _segment(plot, (low, low), (1, 1), "even") if even else None,
        *(_line(plot, line, place) for place, line in enumerate(lines)),
    )


@dataclass(frozen=True, slots=True)
class _Plot:
    low: float

    def x(self, share: float) -> float:
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, share: float) -> float:
        up = (max(share, self.low) - self.low) / (1 - self.low)
        return _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)


def _axes(plot: _Plot, across: str, up: str) -> list[Element]:
    drawn: list[Element] = []
    for step in range(_MARKS + 1):
        share = step / _MARKS
        level = plot.low + share * (1 - plot.low)
        drawn += [
            _segment(plot, (0, level), (1, level), "grid"),
            _text(_LEFT - 6, plot.y(level) + 4, f"{100 * level:.0f}", "end"),
            _text(plot.x(share), _HEIGHT - _BOTTOM + 16, f"{100 * share:.0f}", "middle"),
        ]
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    drawn.append(_text(middle, _HEIGHT - 6, f"{across}, %", "middle"))
    turned = _text(12, (_TOP + _HEIGHT - _BOTTOM) / 2, f"{up}, %", "middle")
    turned.set("transform", f"rotate(-90 12 {(_TOP + _HEIGHT - _BOTTOM) / 2:g})")
    return [*drawn, turned]


def _line(plot: _Plot, line: ChartLine, place: int) -> Element:
    placed = [(plot.x(x), plot.y(y)) for x, y in line.points]
    path = " ".join(f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(placed))
    marks = [
        element("circle", cx=x, cy=y, r=2 + 4 * weight, class_="mark")
        for (x, y), weight in zip(placed, line.weights or (0.2,) * len(placed), strict=True)
    ]
    # The name is at the end that has room: one line below the other.
    label = _text(_WIDTH - _RIGHT - 4, _HEIGHT - _BOTTOM - 10 - 16 * place, line.name, "end")
    label.set("class", "mark")
    return element("g", element("path", d=path, class_="path"), *marks, label, class_=colour_class(line.colour))


def interval_chart(title: str, rows: Sequence[ChartInterval]) -> Element:
    """Return shares with their intervals, one below the other, from 0 to 100 %."""

    def x(share: float) -> float:
        return _NAMES + share * (_WIDTH - _NAMES - 60)

    ticks = [(step / _MARKS, f"{100 * step / _MARKS:.0f}") for step in range(_MARKS + 1)]
    return _row_chart(title, _WIDTH, _ROW, x, ticks, rows)


def difference_chart(title: str, rows: Sequence[ChartInterval]) -> Element:
    """Return differences, as shares of 1, with their intervals around zero, one below the other."""
    largest = max([0.05, *(abs(end) for row in rows for end in (row.value, row.low, row.high))])
    names, width = 170, 420

    def x(share: float) -> float:
        return names + (share / largest + 1) / 2 * (width - names - 20)

    shares = (-largest, -largest / 2, 0, largest / 2, largest)
    return _row_chart(title, width, 22, x, [(share, f"{100 * share:+.0f}" if share else "0") for share in shares], rows)


def _row_chart(
    title: str,
    width: int,
    row_height: int,
    x: Callable[[float], float],
    ticks: Sequence[tuple[float, str]],
    rows: Sequence[ChartInterval],
) -> Element:
    bottom = float(_TOP + row_height * len(rows) + 4)
    drawn: list[Element] = []
    for share, label in ticks:
        kind = "axis" if label == "0" and ticks[0][0] < 0 else "grid"
        drawn += [
            element("line", x1=x(share), y1=float(_TOP), x2=x(share), y2=bottom, class_=kind),
            _text(x(share), bottom + 16, label, "middle"),
        ]
    for number, row in enumerate(rows):
        y = _TOP + row_height * (number + 0.5)
        marks = [
            _text(0, y + 4, row.name, "start"),
            element("path", d=f"M{x(row.low):.1f} {y:g} L{x(row.high):.1f} {y:g}", class_="path"),
            element("circle", cx=x(row.value), cy=y, r=4.0 if row.colour is None else 5.0, class_="mark"),
        ]
        if row.colour is None:
            drawn += marks
        else:
            marks.append(_text(x(1) + 8, y + 4, f"{100 * row.value:.1f} %", "start"))
            drawn.append(element("g", *marks, class_=colour_class(row.colour)))
    return _drawing(title, width, bottom - 4 + _BOTTOM, *drawn)


def _drawing(title: str, width: float, height: float, *children: Element | None) -> Element:
    made = element("svg", *children, role="img", aria_label=title)
    made.set("viewBox", f"0 0 {width:g} {height:g}")
    return made


def _segment(plot: _Plot, start: tuple[float, float], end: tuple[float, float], kind: str) -> Element:
    (x1, y1), (x2, y2) = start, end
    return element("line", x1=plot.x(x1), y1=plot.y(y1), x2=plot.x(x2), y2=plot.y(y2), class_=kind)


def _text(x: float, y: float, words: str, anchor: str) -> Element:
    return element("text", words, x=float(x), y=float(y), text_anchor=anchor)
