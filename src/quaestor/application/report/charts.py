"""Charts as inline SVG: no script, no colour without a label, readable in the dark.

Owns places and scales. What is drawn is handed in as shares of 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.application.report.elements import Element, element

_WIDTH, _HEIGHT = 360, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 40
_ROW = 30
_NAMES = 40
_MARKS = 5
_COLOURS = 6
"""Runs with a colour of their own in `style.css`; further ones begin again."""


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
    """A share with its interval, in a row of its own."""

    name: str
    colour: int
    value: float
    low: float
    high: float


def colour_class(number: int) -> str:
    """Returns the class that gives the colour of a run."""
    return f"r{number % _COLOURS}"


def line_chart(
    title: str, across: str, up: str, lines: Sequence[ChartLine], *, even: bool = False, low: float = 0
) -> Element:
    """Returns a chart of lines over a square from 0 to 100 %.

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
    # The name stands at the end that has room: one line below the other.
    label = _text(_WIDTH - _RIGHT - 4, _HEIGHT - _BOTTOM - 10 - 16 * place, line.name, "end")
    label.set("class", "mark")
    return element("g", element("path", d=path, class_="path"), *marks, label, class_=colour_class(line.colour))


def interval_chart(title: str, rows: Sequence[ChartInterval]) -> Element:
    """Returns shares with their intervals, one below the other, from 0 to 100 %.

    Args:
        title: What it shows, for who does not see it.
    """
    height = _TOP + _ROW * len(rows) + _BOTTOM

    def x(share: float) -> float:
        return _NAMES + share * (_WIDTH - _NAMES - 60)

    bottom = height - _BOTTOM + 4
    drawn: list[Element] = []
    for step in range(_MARKS + 1):
        at = x(step / _MARKS)
        drawn += [
            element("line", x1=at, y1=float(_TOP), x2=at, y2=float(bottom), class_="grid"),
            _text(at, bottom + 16, f"{100 * step / _MARKS:.0f}", "middle"),
        ]
    for number, row in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        drawn.append(
            element(
                "g",
                _text(0, y + 4, row.name, "start"),
                element("path", d=f"M{x(row.low):.1f} {y:g} L{x(row.high):.1f} {y:g}", class_="path"),
                element("circle", cx=x(row.value), cy=y, r=5.0, class_="mark"),
                _text(x(1) + 8, y + 4, f"{100 * row.value:.1f} %", "start"),
                class_=colour_class(row.colour),
            )
        )
    return _drawing(title, _WIDTH, height, *drawn)


def difference_chart(title: str, rows: Sequence[tuple[str, float, float, float]]) -> Element:
    """Returns differences with their intervals around nothing, one below the other.

    Args:
        title: What it shows, for who does not see it.
        rows: A name, the difference, and the ends of its interval, as shares of 1.
    """
    largest = max([0.05, *(abs(end) for _, *ends in rows for end in ends)])
    height, names, width = _TOP + 22 * len(rows) + _BOTTOM, 170, 420

    def x(share: float) -> float:
        return names + (share / largest + 1) / 2 * (width - names - 20)

    bottom = height - _BOTTOM + 4
    drawn: list[Element] = []
    for share in (-largest, -largest / 2, 0, largest / 2, largest):
        kind = "axis" if share == 0 else "grid"
        drawn += [
            element("line", x1=x(share), y1=float(_TOP), x2=x(share), y2=float(bottom), class_=kind),
            _text(x(share), bottom + 16, f"{100 * share:+.0f}" if share else "0", "middle"),
        ]
    for number, (name, value, low, high) in enumerate(rows):
        y = _TOP + 22 * (number + 0.5)
        drawn += [
            _text(0, y + 4, name, "start"),
            element("path", d=f"M{x(low):.1f} {y:g} L{x(high):.1f} {y:g}", class_="path"),
            element("circle", cx=x(value), cy=y, r=4.0, class_="mark"),
        ]
    return _drawing(title, width, height, *drawn)


def _drawing(title: str, width: int, height: int, *children: Element | None) -> Element:
    made = element("svg", *children, role="img", aria_label=title)
    made.set("viewBox", f"0 0 {width} {height}")
    return made


def _segment(plot: _Plot, start: tuple[float, float], end: tuple[float, float], kind: str) -> Element:
    (x1, y1), (x2, y2) = start, end
    return element("line", x1=plot.x(x1), y1=plot.y(y1), x2=plot.x(x2), y2=plot.y(y2), class_=kind)


def _text(x: float, y: float, words: str, anchor: str) -> Element:
    return element("text", words, x=float(x), y=float(y), text_anchor=anchor)
