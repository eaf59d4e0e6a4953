import io
from dataclasses import replace

from made_up import a_record
from rich.console import Console
from values import a_value

from quaestor.cli.render import show_tables, show_turn
from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.datasets.convfinqa import read_conversation
from quaestor.documents.document import Document
from quaestor.store.records import now


def page(**changes: object) -> Document:
    return read_conversation(a_record(**changes), "here").document  # type: ignore[arg-type]  # pieces of a record


def printed(turn: Turn, document: Document) -> str:
    file = io.StringIO()
    show_turn(Console(file=file, width=240), 1, turn, document)
    return file.getvalue()


def a_turn(answer: Answer, *, verified: bool = True, error: str | None = None) -> Turn:
    moment = now()
    return Turn("what is the dividend?", answer, verified, moment, moment, error=error)


def test_a_sentence_is_cut_around_its_marked_span() -> None:
    document = page(text=["and so on " * 20 + "we paid a dividend of $ 91 million to our owners" + " and so on" * 20])
    mention = next(m for sentence in document.sentences for m in sentence.mentions)
    text = printed(a_turn(Answer(a_value(91), mention.quantity.scale, "USD", sources=(mention.ref,))), document)
    assert "$ 91 million" in text.splitlines()[1]
    source = text.splitlines()[2]
    assert source.startswith("     pre text, sentence 1 | ...")
    assert source.endswith("...")


def test_formula_and_doubt_stand_beside_the_answer() -> None:
    answer = Answer(a_value("0.14136"), metric_type="percentage_change", formula="(206588 - 181001) / 181001")
    assert "   14.1 %   = (206588 - 181001) / 181001\n" in printed(a_turn(answer), page())
    assert printed(a_turn(answer, verified=False), page()) != printed(a_turn(answer), page())


def test_how_sure_and_why_stand_below_the_answer() -> None:
    answer = Answer(
        a_value(-4), confidence=0.624, reason="next likely: 5, 31 %", grounds='"dividend" is in the question'
    )
    told = printed(a_turn(answer), page())
    assert all(part in told for part in ("62%", "next likely: 5, 31 %", '"dividend" is in the question'))
    withheld = printed(a_turn(replace(answer, value=None)), page())
    assert "62%" not in withheld
    assert "next likely" in withheld


def test_no_answer_says_why() -> None:
    turn = a_turn(Answer(None, reason="the page does not say"))
    assert "the page does not say" in printed(turn, page())
    assert "SolverError: none" in printed(replace(turn, error="SolverError: none"), page())


def test_a_page_is_its_table_as_printed() -> None:
    file = io.StringIO()
    document = page()
    show_tables(Console(file=file, width=100), document)
    for row in document.tables[0].cells:
        assert all(cell.text in file.getvalue() for cell in row)
