import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from quaestor.datasets.convfinqa import page_of, read_convfinqa_page
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind

FILES = {
    "convfinqa_tune.json": 242,
    "convfinqa_tune_cleaned.json": 242,
    "convfinqa_train50.json": 50,
    "convfinqa_train100.json": 100,
    "convfinqa_test_questions.json": 434,
}


@cache
def read(path: Path) -> Dataset:
    return read_dataset(path)


@cache
def records(folder: Path) -> list[dict[str, Any]]:
    return [record for name in FILES if "cleaned" not in name for record in json.loads((folder / name).read_bytes())]


def find(folder: Path, page: str) -> Document:
    """Return a page from the first record that has it, without reading other pages."""
    record = next(record for record in records(folder) if page_of(record["id"]) == page)
    return read_convfinqa_page(record, "here")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), FILES.items())
def test_every_file_is_read(shared_data: Path, name: str, count: int) -> None:
    dataset = read(shared_data / name)
    assert len(dataset.conversations) == count
    pages = [conversation.document for conversation in dataset.conversations]
    if name == "convfinqa_tune.json":
        assert len(set(map(id, pages))) == len({page.digest for page in pages}), (
            "conversations of one page do not share it"
        )
    for conversation in dataset.conversations:
        assert all(conversation.questions)
        assert not conversation.document.id.startswith(("Single_", "Double_"))
        for sentence in conversation.document.sentences:
            for mention in sentence.mentions:
                assert sentence.text[mention.ref.start : mention.ref.end] == mention.quantity.text
        assert any(cell.quantities for cell in conversation.document.tables[0].body())


@pytest.mark.parametrize(
    ("page", "header_rows", "orientation", "warning"),
    [
        ("AMT/2008/page_107.pdf", 0, "columns", WarningKind.NO_ROWS),
        ("ALXN/2007/page_104.pdf", 0, "rows", WarningKind.NO_HEADER),
        ("AMT/2008/page_32.pdf", 1, "rows", None),
        ("STT/2008/page_83.pdf", 1, "columns", WarningKind.SAME_COLUMNS),
        ("PM/2015/page_85.pdf", 1, "neither", WarningKind.NO_HEADING),
        ("APD/2016/page_96.pdf", 1, "columns", WarningKind.REPAIRED),
        ("IPG/2015/page_37.pdf", 1, "columns", WarningKind.FUSED_FOOTNOTE),
        ("DVN/2007/page_58.pdf", 1, None, None),
        ("V/2008/page_17.pdf", 1, None, None),
        ("ADI/2019/page_29.pdf", 1, None, None),
    ],
)
def test_an_awkward_document(
    shared_data: Path, page: str, header_rows: int, orientation: str | None, warning: WarningKind | None
) -> None:
    document = find(shared_data, page)
    (table,) = document.tables
    assert table.header_rows == header_rows
    assert orientation is None or table.orientation == orientation
    assert warning is None or warning in {found.kind for found in document.warnings}


def test_duplicate_row_labels_are_distinguished_by_section(shared_data: Path) -> None:
    table = find(shared_data, "AMT/2008/page_32.pdf").tables[0]
    rows = [row for row in table.rows if row.label == "quarter ended march 31"]
    assert [row.levels[0] for row in rows] == ["2008", "2007"]
    assert [row.period.year for row in rows if row.period] == [2008, 2007]
