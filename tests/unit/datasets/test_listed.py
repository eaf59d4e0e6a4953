"""Lazily read conversations equal eagerly read ones, and only few of them are in memory at once."""

import gc
import json
import pickle
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from quaestor.datasets.dataset import Dataset, FileConversations, Selection
from quaestor.datasets.formats import read_dataset
from quaestor.errors import DatasetError
from quaestor.readers import json_records
from quaestor.sample import sample_path


def test_listed_conversations_equal_a_tuple() -> None:
    dataset = read_dataset(sample_path())
    lazy, plain = dataset.conversations, tuple(dataset.conversations)
    assert isinstance(lazy, FileConversations)
    assert lazy == plain
    assert plain == lazy
    assert lazy != plain[1:]
    assert (lazy[0], lazy[-1]) == (plain[0], plain[-1])
    assert lazy[::-2] == plain[::-2]
    assert pickle.loads(pickle.dumps(lazy)) == plain  # noqa: S301 - our own bytes
    as_tuple = Dataset.of(dataset.path, dataset.format, plain, dataset.warnings, dataset.answers)
    assert as_tuple == dataset
    assert as_tuple.listed == dataset.listed
    assert list(as_tuple.documents()) == list(dataset.documents())
    with pytest.raises(IndexError):
        lazy[len(lazy)]


def test_selection_equals_that_of_a_tuple() -> None:
    dataset = read_dataset(sample_path())
    plain = replace(dataset, conversations=tuple(dataset.conversations))
    for selection in (Selection(sample=5, seed=3), Selection((dataset.listed[4].id, dataset.listed[1].id))):
        assert selection.of(dataset) == selection.of(plain)
        assert selection.of(dataset).digest == selection.of(plain).digest


def test_page_is_listed_once_with_its_last_version() -> None:
    dataset = read_dataset(sample_path())
    pages = {one.document.id: one.document for one in dataset.conversations}
    assert list(dataset.documents()) == list(pages.values())
    assert {one.page.id for one in dataset.listed} == pages.keys()


def test_file_changed_during_a_run_is_named(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    records = json.loads(sample_path().read_text())
    path.write_text(json.dumps(records))
    dataset = read_dataset(path)
    records[-1]["annotation"]["dialogue_break"][0] += "?"
    path.write_text(json.dumps(records))
    with pytest.raises(DatasetError):
        list(dataset.conversations)


@pytest.mark.very_slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_records, "_CHUNK", 1 << 16)
    monkeypatch.setattr("quaestor.datasets.convfinqa._PAGES", 16)
    records = json.loads(sample_path().read_text())

    def held(times: int) -> float:
        path = tmp_path / f"{times}.json"
        copies = [{**one, "id": one["id"].replace("/", f"{copy}/", 1)} for copy in range(times) for one in records]
        path.write_text(json.dumps(copies))
        tracemalloc.start()
        dataset = read_dataset(path)
        most = 0
        for place, _ in enumerate(dataset.conversations):
            if place % len(records) == 0:
                gc.collect()  # do not measure garbage
                most = max(most, tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert len(dataset.conversations) == times * len(records)
        return most / 1e6

    read_dataset(sample_path())  # load what is loaded once per process
    few, many = held(2), held(8)
    assert many < few + 6 * len(records) * 2e-3, f"{few:.2f} and {many:.2f} MB"
