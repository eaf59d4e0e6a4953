"""Charts: every mark stands inside the drawing, and where its share says."""

import pytest
from lxml import html

from quaestor.application.report.charts import (
    ChartInterval,
    ChartLine,
    Element,
    difference_chart,
    interval_chart,
    line_chart,
    to_markup,
)


def marks(chart: Element) -> list[tuple[float, float]]:
    """Where the marks of a chart stand, as shares of its width and its height."""
    drawn = html.fromstring(to_markup(chart))
    _, _, width, height = map(float, drawn.get("viewbox", drawn.get("viewBox", "")).split())
    found = [(float(mark.get("cx", "")) / width, float(mark.get("cy", "")) / height) for mark in drawn.iter("circle")]
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in found)
    return found


def test_more_is_further_right_and_further_up() -> None:
    one, other, third = marks(line_chart("t", "x", "y", [ChartLine("A", 0, ((0.0, 0.0), (0.5, 0.7), (1.0, 1.0)))]))
    assert one[0] < other[0] < third[0]
    assert one[1] > other[1] > third[1]


@pytest.mark.parametrize("count", [1, 8])
def test_each_run_has_a_row_with_its_name_and_its_share(count: int) -> None:
    chart = interval_chart("t", [ChartInterval(f"run {n}", n / 8, 0, n / 8 + 0.1, n) for n in range(count)])
    found = marks(chart)
    assert len(found) == count
    assert [y for _, y in found] == sorted(y for _, y in found)
    words = str(chart.xpath("string(.)"))
    assert all(f"run {n}" in words and f"{100 * n / 8:.1f} %" in words for n in range(count))


def test_nothing_stands_in_the_middle_and_more_than_that_right_of_it() -> None:
    rows = [("a", 0, -0.1, 0.1), ("b", 0.3, 0.2, 0.4), ("c", -0.3, -0.4, 0)]
    even, better, worse = marks(difference_chart("t", [ChartInterval(*row) for row in rows]))
    assert worse[0] < even[0] < better[0]
    assert better[0] - even[0] == pytest.approx(even[0] - worse[0])


def test_a_chart_of_nothing_is_a_chart() -> None:
    assert marks(line_chart("t", "x", "y", [])) == []
    assert marks(difference_chart("t", [])) == []
