from scripted import a_conversation, a_dataset

from quaestor.core import serial
from quaestor.datasets.dataset import Dataset, Selection

NAMES = [f"c{number}" for number in range(40)]
DATASET = a_dataset(*(a_conversation("x", name=name) for name in NAMES))


def ids(dataset: Dataset) -> list[str]:
    return [conversation.id for conversation in dataset.conversations]


def drawn(size: int, seed: int = 0, among: Dataset = DATASET) -> list[str]:
    return ids(Selection(sample=size, seed=seed).of(among))


def test_drawn_sample_is_reproducible() -> None:
    # Literal ids: the sample must be the same on every machine and in every version.
    assert drawn(5) == ["c28", "c30", "c31", "c33", "c39"]
    assert drawn(5, seed=1) != drawn(5)


def test_sample_keeps_the_file_order_and_is_part_of_a_larger_one() -> None:
    small, large = drawn(5), drawn(12)
    assert len(small) == 5
    assert set(small) < set(large)
    assert large == [name for name in NAMES if name in large]
    assert drawn(99) == NAMES


def test_one_more_conversation_changes_a_sample_by_one_at_most() -> None:
    more = a_dataset(*DATASET.conversations, a_conversation("x", name="new"))
    assert len(set(drawn(12)) - set(drawn(12, among=more))) <= 1


def test_selection_survives_serialization() -> None:
    for selection in (Selection(("c3", "c7")), Selection(sample=5, seed=9)):
        assert serial.load(Selection, serial.dump(selection)) == selection
