"""Conversations as CSV, JSON and Markdown are complete, and no text becomes a formula or markup."""

import csv
import json
from decimal import Decimal
from io import StringIO

from pages import page
from sample_turns import a_turn

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import Number
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.exports.rows import COLUMNS, ExportedConversation, to_csv, to_json, to_markdown

MILL = page([["( in millions )", "2012"], ["net | sales", "-98.5"]])
SOURCE = MILL.tables[0].cells[1][1].ref
SALES = Answer(Number(Decimal("-98.5")), Scale.MILLION, "USD", sources=(SOURCE,), formula="-98.5")


def conversation(*turns: Turn) -> ExportedConversation:
    return ExportedConversation("mill.pdf", GraphProvider.of([MILL]).graph(MILL), turns)


def rows(conversation: ExportedConversation) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(to_csv([conversation]))))


def test_csv_has_one_line_per_question() -> None:
    assert isinstance(SOURCE, CellRef)
    (row,) = rows(conversation(a_turn("what were net sales?", SALES)))
    assert tuple(row) == COLUMNS
    assert row["value"] == "-98.5"
    assert row["sources"] == "net | sales, 2012 | -98.5"
    assert row["kind"] == "number"


def test_json_has_every_turn() -> None:
    (exported,) = json.loads(to_json([conversation(a_turn("a", SALES), a_turn("b", Answer(None, reason="no")))]))
    assert [turn["value"] for turn in exported["turns"]] == [-98.5, None]
    assert exported["turns"][1]["reason"] == "no"
    assert exported["document"] == MILL.id


def test_markdown_characters_are_escaped() -> None:
    markdown = to_markdown([conversation(a_turn("a | <b> `c` [d](e)", SALES))])
    assert r"a \| &lt;b> \`c\` \[d](e)" in markdown
    assert len({line.count(" | ") for line in markdown.splitlines() if line.startswith("| ")}) == 1
