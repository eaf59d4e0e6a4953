from reports import a_report

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.documents.document import SectionHeading
from quaestor.documents.table import Table
from quaestor.questions.question import read_question
from quaestor.retrieval.document_parts import tokens_of
from quaestor.retrieval.excerpt import excerpt_for
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex


def test_best_place_is_included_with_heading_and_lead_over_budget() -> None:
    index = PlaceIndex.of(a_report())
    places = find_places(index, read_question("what were net sales overseas in 2024?"))
    excerpt = excerpt_for(index, places, 10)
    kinds = [type(block.content).__name__ for block in excerpt.blocks]
    assert kinds == ["SectionHeading", "Paragraph", "Table"]
    assert excerpt.tables == (index.document.table(1),)
    assert excerpt.whole is index.document


def test_excerpt_stays_within_the_budget() -> None:
    index = PlaceIndex.of(a_report())
    places = find_places(index, read_question("what were net sales in 2024?"))
    for budget in (120, 200, 300):
        excerpt = excerpt_for(index, places, budget)
        assert sum(map(tokens_of, excerpt.blocks)) <= budget
        assert excerpt.tables


def test_sources_of_earlier_answers_precede_the_second_place() -> None:
    index = PlaceIndex.of(a_report())
    places = find_places(index, read_question("what was the gross profit in 2024?"))
    source = CellRef("NORD/2024/10-K", 5, 1, 1)
    excerpt = excerpt_for(index, places, 150, [source])
    assert [table.index for table in excerpt.tables] == [2, 5]
    assert excerpt.cell(source).text == "7"


def test_sources_of_other_files_and_none_are_left_out() -> None:
    index = PlaceIndex.of(a_report())
    places = find_places(index, read_question("what was the gross profit in 2024?"))
    lost = (CellRef("NORD/2023/10-K", 0, 1, 1), SentenceRef("NORD/2024/10-K", "section_99", 0, 0, 1))
    assert excerpt_for(index, places[:1], 10, lost) == excerpt_for(index, places[:1], 10)


def test_heading_alone_is_not_a_group_of_another_section() -> None:
    index = PlaceIndex.of(a_report())
    places = find_places(index, read_question("how many people do the mills employ?"))
    excerpt = excerpt_for(index, places[:1], 10)
    heading, paragraph = excerpt.blocks
    assert isinstance(heading.content, SectionHeading)
    assert heading.section == paragraph.section
    assert not any(isinstance(block.content, Table) for block in excerpt.blocks)
