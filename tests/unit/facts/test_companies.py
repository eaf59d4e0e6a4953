import quaestor
from quaestor import Answers
from quaestor.core.answer_value import number_of
from quaestor.documents.assembly import DocumentPart, HeadingPart, TablePart, assemble
from quaestor.documents.combining import combine, file_of
from quaestor.documents.document import Document
from quaestor.facts.table import build_company_facts

LONG = quaestor.Settings(excerpt_tokens=20)
"""The files are longer than an excerpt, and so answered from their facts."""


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


def ask(*questions: str) -> Answers:
    return quaestor.open(both(), settings=LONG).ask(list(questions), solver="embedded")


def test_each_company_has_its_own_fact_table() -> None:
    one, other = build_company_facts(both())
    assert {len(one.lines), len(other.lines)} == {4}
    assert one.company == {"nordwind"}
    assert other.company == {"suedstrom"}
    assert {line.table for line in one.lines}.isdisjoint(line.table for line in other.lines)


def test_files_of_one_company_have_one_table() -> None:
    files = [("a.html", report("Nordwind", 900)), ("b.html", report("Nordwind", 700))]
    (table,) = build_company_facts(combine(files))
    assert len(table.lines) == 8


def test_a_question_is_never_answered_from_the_other_company() -> None:
    answers = ask("what were Suedstrom's net sales in 2023?", "and in 2022?", "net sales of nordwind in 2023?")
    found = [number_of(one.answer.value) for one in answers]
    assert [number for number in found if number is not None] == [
        right for right, number in zip((400, 390, 900), found, strict=True) if number is not None
    ]
    files = [{file_of(both(), source) for source in one.answer.sources} for one in answers]
    expected = ({"sued.html"}, {"sued.html"}, {"nord.html"})
    assert all(several <= one for several, one in zip(files, expected, strict=True))
    assert found[2] == 900


def test_of_several_companies_one_has_to_be_named_or_chosen() -> None:
    first, chosen = ask("what were net sales in 2023?", "2")
    assert first.answer.value is None
    assert {reading.shown for reading in first.answer.other_readings} >= {"900 million", "400 million"}
    assert number_of(chosen.answer.value) == 400
