import pytest

from quaestor.application.resolve import read_page
from quaestor.core.provenance import Source
from quaestor.web.document_view.parts import source_at, source_key

DOCUMENT = read_page("sample#NORD/2012/page_41.pdf").document


def test_every_place_is_found_by_its_key() -> None:
    cells = [cell.ref for table in DOCUMENT.tables for row in table.cells for cell in row]
    spans = [mention.ref for sentence in DOCUMENT.sentences for mention in sentence.mentions]
    assert spans
    places: list[Source] = [*cells, *spans]
    for source in places:
        assert source_at(source_key(source), DOCUMENT) == source


@pytest.mark.parametrize(
    "key",
    ["", "t0", "t0-99-0", "t9-0-0", "t0-0--1", "s-pre_text-0", "s-pre_text-99-0-1", "s-pre_text-0-5-5",
     "s-pre_text-0-0-99999", "s-nowhere-0-0-1", "t0-0-0\n", "<script>", "t\u0660-0-0"],
)  # fmt: skip
def test_invalid_place_is_none(key: str) -> None:
    assert source_at(key, DOCUMENT) is None
