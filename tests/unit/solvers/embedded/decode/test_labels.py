"""Names of lines that a question mentions."""

from collections.abc import Mapping

import pytest

from quaestor.core.provenance import CellRef
from quaestor.documents.headers import read_table
from quaestor.solvers.embedded.number_fit import LabelMentions, find_line, find_named_lines

TABLE, _ = read_table(
    "10-K",
    0,
    [
        ["", "2024", "2023"],
        ["Total net sales", "391", "383"],
        ["Research and development", "31", "30"],
        ["Selling, general and administrative", "26", "25"],
        ["Total current assets", "153", "144"],
        ["Other current assets", "14", "15"],
        ["Europe", "", ""],
        ["Operating income", "41", "36"],
        ["Japan", "", ""],
        ["Operating income", "12", "11"],
    ],
)


def mentions_by_label(question: str) -> Mapping[str, tuple[float, bool]]:
    """Return how the question mentions each line by label; the last of several lines with one label."""
    labels = LabelMentions(question, [TABLE])
    rows = {row: TABLE.rows[row] for row in range(1, len(TABLE.cells))}
    return {
        " ".join(header.levels).lower(): labels.measure(TABLE, CellRef("10-K", 0, row, 1))
        for row, header in rows.items()
    }


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("what were total net sales in 2024?", "total net sales"),
        ("what were net sales in 2024?", "total net sales"),
        ("what was revenue in 2024?", "total net sales"),
        ("what was r&d in 2024?", "research and development"),
        ("what was the SG&A expense?", "selling, general and administrative"),
        ("what were other current assets?", "other current assets"),
        ("what was operating income in Japan?", "japan operating income"),
    ],
)
def test_a_line_is_named_by_any_of_its_names(question: str, line: str) -> None:
    found = mentions_by_label(question)
    assert max(found, key=lambda label: found[label]) == line
    assert found[max(found, key=lambda label: found[label])][0] > 0


def test_line_of_a_part_is_not_mentioned_if_no_part_is_named() -> None:
    found = mentions_by_label("what was operating income?")
    assert found["europe operating income"] == found["japan operating income"] == (0.0, False)


def test_total_means_a_line_with_that_word() -> None:
    found = mentions_by_label("what percentage of total assets were other current assets?")
    assert found["total current assets"][0] == 0.0


def test_a_question_for_two_lines_names_neither_whole() -> None:
    found = mentions_by_label("was r&d above sg&a?")
    assert not any(whole for _, whole in found.values())


def test_lines_are_known_by_their_captions_alone() -> None:
    assert find_named_lines("was R&D above SG&A?").keys() == {
        "kg:research_and_development",
        "kg:selling_general_and_administrative_expenses",
    }
    assert find_line("iphone") == ""
    assert not find_named_lines("what was the gross margin?")
