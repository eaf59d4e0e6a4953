"""Malicious explanations, lines, file names and questions are escaped in every display and export."""

import re
from decimal import Decimal
from io import BytesIO
from zipfile import ZipFile

import pytest
from elements import ALLOWED, elements_of
from evil_words import EVIL
from pages import page

from quaestor.cli.printing import make_console
from quaestor.cli.render import show_turn
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import answer_line, turn_html
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import Number
from quaestor.core.explanation import ExplainedSentence, Explanation, Reference
from quaestor.core.provenance import SentenceRef
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.exports.rows import ExportedConversation, to_csv, to_html, to_markdown
from quaestor.exports.workbook.writing import workbook_bytes
from quaestor.store.records import now

WORDS = (
    *EVIL,
    "[here](javascript:alert(6))",
    "![x](http://evil.example/x.png)",
    "&lt;script&gt;",
    "-1+1|cmd",
    "+x",
    "@x",
    "[red]x[/red] \\",
)
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def document_of(evil: str) -> Document:
    return page([[evil, "2012"], [evil, "98.5"]], [f"{evil} was 98.5 ."])


def evil_turn(evil: str) -> tuple[Turn, ExportedConversation]:
    document = document_of(evil)
    cell = document.tables[0].cells[1][1].ref
    sentence = SentenceRef(document.id, "pre_text", 0, 0, 1)
    references = (Reference(0, len(evil), 1, (cell,)), Reference(len(evil), len(evil), 1, (sentence,)))
    explained = Explanation((ExplainedSentence(f"{evil} rose", references),))
    answer = Answer(
        Number(Decimal("98.5")), description=evil, entity=evil, formula=f"98.5 + {evil}", sources=(cell,), reason=evil,
        grounds=evil, unit=evil, explanation=explained,
    )  # fmt: skip
    turn = Turn(evil, answer, verified=True, started=now(), finished=now())
    graph = GraphProvider.of([document]).graph(document)
    return turn, ExportedConversation(evil, graph, (turn,))


by_words = pytest.mark.parametrize("evil", WORDS)


@by_words
def test_html_has_no_injected_elements(evil: str) -> None:
    turn, conversation = evil_turn(evil)
    found = list(elements_of(turn_html(turn, document_of(evil))))
    assert {one.tag for one in found} <= ALLOWED | {"sup"}
    assert {name for one in found for name in one.attrib} <= {
        "style",
        "class",
        "scope",
        "colspan",
        "rowspan",
        "data-quaestor",
    }
    exported = to_html([conversation])
    assert not re.search(r"<(?:script|img|svg|a)\b", exported)
    assert not CONTROLS.search(exported)


@by_words
def test_markdown_has_no_injected_links_or_code(evil: str) -> None:
    written = to_markdown([evil_turn(evil)[1]])
    assert not re.search(r"(?<!\\)\[|<(?!!)|&(?!amp;|lt;)", written)
    assert not CONTROLS.search(written)


@by_words
def test_workbook_and_csv_have_no_injected_formulas(evil: str) -> None:
    conversation = evil_turn(evil)[1]
    with ZipFile(BytesIO(workbook_bytes([conversation]))) as parts:
        sheets = "".join(parts.read(name).decode() for name in parts.namelist() if name.endswith(".xml"))
        assert not [name for name in parts.namelist() if "hyperlink" in name]
    assert not re.search(r"<f>[^<]*(?:HYPERLINK|cmd|evil)", sheets)
    assert not re.search(r"(?:^|,)\"?[=+@-](?!98)", to_csv([conversation]), re.MULTILINE)


@by_words
def test_terminal_output_has_no_control_sequences(evil: str, capsys: pytest.CaptureFixture[str]) -> None:
    turn, _ = evil_turn(evil)
    show_turn(make_console(), 1, turn, document_of(evil))
    written = capsys.readouterr().out
    assert not CONTROLS.search(written + answer_line(turn.answer))
