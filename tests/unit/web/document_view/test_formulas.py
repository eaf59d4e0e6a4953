import pytest

from quaestor.application.ask_service import AskRequest
from quaestor.application.chat_service import Chat
from quaestor.application.resolve import DocumentInCorpus, read_page
from quaestor.conversation.answer import Answer
from quaestor.core.provenance import CellRef
from quaestor.plan.steps import Compute, Extract, Plan, Ref, Step
from quaestor.settings import Settings
from quaestor.web.ask.cards import formula_parts

pytestmark = pytest.mark.anyio


def answer(formula: str, *cells: tuple[str, int]) -> Answer:
    from quaestor.core.parsing import parse_quantity

    refs = [CellRef("page", 0, row, 1) for _, row in cells]
    steps = tuple(
        Extract(number, ref, "", parse_quantity(text))
        for number, ((text, _), ref) in enumerate(zip(cells, refs, strict=True), start=1)
    )
    whole: tuple[Step, ...] = (*steps, Compute(len(steps) + 1, "subtract", (Ref(1), Ref(2))))
    return Answer(None, formula=formula, plan=Plan(whole), sources=tuple(refs))


def rows(answer: Answer, *earlier: Answer) -> list[tuple[str, int]]:
    parts = formula_parts(answer, earlier)
    assert "".join(text for text, _ in parts) == answer.formula
    return [(text, source.row) for text, source in parts if isinstance(source, CellRef)]


def test_each_number_links_to_its_cell() -> None:
    computed = answer("(206588 - 181001) / 181001 * 100", ("206588", 1), ("181001", 2))
    assert rows(computed) == [("206588", 1), ("181001", 2), ("181001", 2)]


def test_two_cells_with_one_number_are_distinguished_by_order() -> None:
    assert rows(answer("5 - 5", ("5", 1), ("5", 2))) == [("5", 1), ("5", 2)]


def test_minus_is_not_part_of_a_positive_number() -> None:
    assert rows(answer("12 -7", ("12", 1), ("7", 2))) == [("12", 1), ("7", 2)]
    assert rows(answer("-12 - 7", ("-12", 1), ("7", 2))) == [("-12", 1), ("7", 2)]


def test_labels_of_entries_are_no_numbers() -> None:
    assert rows(answer("highest(x {2009: 3; 2010: 2009})", ("3", 1), ("2009", 2))) == [("3", 1), ("2009", 2)]


async def test_numbers_of_earlier_answers_link_to_these_answers() -> None:
    page = read_page("sample#NORD/2012/page_41.pdf")
    chat = Chat(DocumentInCorpus.of(page.document), AskRequest(Settings()))
    await chat.open()
    try:
        for question in ("what were net sales in 2012?", "what were they in 2011?", "what was the change?"):
            await chat.ask(question)
        *before, last = [turn.answer for turn in chat.turns]
    finally:
        await chat.close()
    linked = [source for _, source in formula_parts(last, before) if source]
    assert set(linked) == set(last.sources)
    assert len(linked) >= 2
