import json

import pytest
from benchmarks.layouts import LAYOUTS, compare_numbers, read_layouts

LEAST = {
    "asia": 210,
    "asia_second": 135,
    "europe_americas_second": 140,
    "europe_canada": 220,
    "united_kingdom_africa_australia_second": 148,
    "united_kingdom_australia": 255,
    "united_states": 240,
    "united_states_second": 165,
}
"""Numbers that are read right in each area, less a few."""


@pytest.mark.slow
@pytest.mark.parametrize("area", sorted(LEAST))
def test_most_numbers_of_the_layouts_are_read_right(area: str) -> None:
    differences = [found for _, report in read_layouts([area]) for _, found in compare_numbers(report)]
    assert sum(not found for found in differences) >= LEAST[area]
    assert not any("value" in found for found in differences)


def test_each_expected_number_is_printed() -> None:
    for path in LAYOUTS.glob("*.jsonl"):
        for report in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            for number in report["numbers"]:
                assert number["printed"] in report["text"], (path.stem, report["name"], number)
