"""Agreement of the rules with manual labels of questions."""

import json
from pathlib import Path

import pytest
from labelled_results import LABELS, ReadTurn, overlap, read_labelled

from quaestor.ontology.core import read_core


@pytest.fixture(scope="module")
def read(shared_data: Path) -> tuple[ReadTurn, ...]:
    return read_labelled(shared_data)


def test_at_least_150_turns_of_every_company_are_labelled() -> None:
    labels = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    assert len(labels) >= 150
    assert len({label["conversation"].split("_")[1].split("/")[0] for label in labels}) == 44
    assert {label["metric_type"] for label in labels} <= read_core().metric_types.keys()
    assert all(set(label) == {"conversation", "turn", "metric_type", "entity"} for label in labels)


@pytest.mark.slow
def test_metric_types_agree_with_labels(read: tuple[ReadTurn, ...]) -> None:
    right = sum(turn.metric_right for turn in read)
    print(f"\nmetric types: {right} of {len(read)}")
    assert right / len(read) >= 0.9


@pytest.mark.slow
def test_entities_agree_with_labels(read: tuple[ReadTurn, ...]) -> None:
    right = sum(turn.entity_right for turn in read)
    print(f"\nentities: {right} of {len(read)}")
    assert right / len(read) >= 0.88


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("net revenue", "net revenues", 1, 1),
        ("net revenue", "net income", 0.5, 0.5),
        ("rent", "debt", 0, 0),
        ("rent", "", 0, 0),
        ("the change in rent of the year", "rent", 0.1, 0.6),
    ],
)
def test_names_overlap(one: str, other: str, least: float, most: float) -> None:
    assert least <= overlap(one, other) <= most
