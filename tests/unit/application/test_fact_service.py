import asyncio
from pathlib import Path

from web import asking

from quaestor.application.fact_service import document_facts
from quaestor.application.resolve import read_page
from quaestor.store.listing import ListPart


def test_numbers_of_tables_come_before_those_of_the_text(tmp_path: Path) -> None:
    page = read_page("sample#NORD/2012/page_41.pdf")
    facts = asyncio.run(document_facts(page, asking(tmp_path)))
    total, items = facts.part("", ListPart(0, 500))
    assert total == len(items) == len(facts.graph.observations) + len(facts.graph.mentions)
    kinds = [str(item["source"]) for item in items]
    assert [*kinds] == sorted(kinds, key=lambda kind: "sentence" in kind)
    found, (first,) = facts.part("  POWER   cables ", ListPart(0, 1))
    assert found == 3
    assert (first["label"], first["value"], first["scale"], first["unit"]) == (
        "power cables, 2012",
        "642.3",
        "million",
        "USD",
    )
    assert facts.part("no such line", ListPart()) == (0, [])
