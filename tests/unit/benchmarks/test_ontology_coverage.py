import json
from pathlib import Path

from benchmarks.ontology_coverage import company, coverage, coverage_of_halves, draw, table_pages
from pages import page

from quaestor.documents.document import Document


def a_page(name: str, *labels: str) -> Document:
    return page([["", "2012", "2011"], *([label, "4", "3"] for label in labels)], name=name)


KNOWN = a_page("AA/2012/page_1.pdf", "cost of sales", "dyed wool")
OTHERS = [
    a_page("BB/2012/page_1.pdf", "cost of goods sold", "dyed wool"),
    a_page("CC/2012/page_1.pdf", "quill rangers"),
]


def test_pages_and_lines_are_counted() -> None:
    found = coverage([KNOWN], OTHERS)
    assert (found.pages, found.accepted, len(found.lines), len(found.matched)) == (2, 1, 3, 2)


def test_company_is_matched_without_its_own_pages() -> None:
    found = coverage_of_halves({document.id: document for document in (KNOWN, *OTHERS)})
    assert company(KNOWN.id) == "AA"
    by_label = {line.fact.label: line.fact.predicate for line in found.lines if line.page == KNOWN.id}
    assert by_label == {"cost of sales": "kg:cost_of_sales", "dyed wool": "kg:dyed_wool"}
    assert found.pages == 3


def test_the_same_seed_draws_the_same_matches() -> None:
    found = coverage([KNOWN], OTHERS)
    assert draw(found, 1, 20) == draw(found, 1, 20)
    assert len(draw(found, 200, 20)) == 2
    assert not any(line.fact.minted for line in draw(found, 200, 20))


def test_tatqa_tables_are_read_as_pages(tmp_path: Path) -> None:
    grid = [["", "2019"], ["cost of sales", "4"], ["dyed wool", "3"]]
    file = tmp_path / "tables.json"
    file.write_text(json.dumps([{"table": {"uid": "a", "table": grid}, "paragraphs": [{"text": "we dye wool ."}]}]))
    assert coverage(table_pages(file), [KNOWN]).accepted == 1
