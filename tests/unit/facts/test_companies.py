import asyncio

from quaestor.core.answer_value import number_of
from quaestor.datasets.dataset import Conversation
from quaestor.documents.assembly import DocumentPart, HeadingPart, TablePart, assemble
from quaestor.documents.combining import combine
from quaestor.documents.document import Document
from quaestor.evaluation.places import PlaceExcerpts
from quaestor.evaluation.runner import Play
from quaestor.facts.companies import build_company_facts
from quaestor.retrieval.index import PlaceIndex
from quaestor.solvers.registry import make_solver


def report(company: str, sales: int) -> Document:
    rows = [
        ["( in millions )", "2023", "2022"],
        ["net sales", str(sales), str(sales - 10)],
        ["cost of sales", str(sales // 2), str(sales // 2 - 4)],
        ["operating income", str(sales // 5), str(sales // 5 - 3)],
        ["net income", str(sales // 10), str(sales // 10 - 2)],
    ]
    parts: list[DocumentPart] = [
        HeadingPart(f"{company} Corporation", 1),
        HeadingPart("Consolidated Statements of Income", 2),
        TablePart(rows),
    ]
    return assemble(f"{company}.html", parts)


def both() -> Document:
    return combine([("nord.html", report("Nordwind", 900)), ("sued.html", report("Suedstrom", 400))])


def test_each_company_has_a_table_of_its_own() -> None:
    one, other = build_company_facts(both())
    assert {len(one.lines), len(other.lines)} == {4}
    assert one.company == {"nordwind"}
    assert other.company == {"suedstrom"}
    assert {line.table for line in one.lines}.isdisjoint(line.table for line in other.lines)


def test_files_of_one_company_have_one_table() -> None:
    files = [("a.html", report("Nordwind", 900)), ("b.html", report("Nordwind", 700))]
    (table,) = build_company_facts(combine(files))
    assert len(table.lines) == 8


def test_a_question_is_answered_from_the_company_that_it_names_and_a_follow_up_from_the_last() -> None:
    document = both()
    solver = make_solver("embedded", {"decline": False, "answers": "all"})
    play = Play(Conversation("c", document, ()), solver, excerpts=PlaceExcerpts(PlaceIndex.of(document), 20))

    async def ask() -> None:
        await play.begin()
        for question in ("what were Suedstrom's net sales in 2023?", "and in 2022?", "net sales of nordwind in 2023?"):
            await play.next_turn(question)

    asyncio.run(ask())
    assert [number_of(turn.answer.value) for turn in play.turns] == [400, 390, 900]


def test_of_several_companies_one_has_to_be_named() -> None:
    document = both()
    solver = make_solver("embedded", {"decline": True, "answers": "all"})
    play = Play(Conversation("c", document, ()), solver, excerpts=PlaceExcerpts(PlaceIndex.of(document), 20))

    async def ask() -> None:
        await play.begin()
        await play.next_turn("what were net sales in 2023?")
        await play.next_turn("2")

    asyncio.run(ask())
    turn, chosen = play.turns
    assert turn.answer.value is None
    assert {reading.shown for reading in turn.answer.other_readings} >= {"900 million", "400 million"}
    assert number_of(chosen.answer.value) == 400
    assert chosen.verified
