"""Conversations as workbooks: LibreOffice computes the answers from the formulas."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from io import BytesIO
from math import isclose
from pathlib import Path
from zipfile import ZipFile

import pytest
from office import OFFICE, Cells, recalculated
from pages import page
from sample_turns import a_turn

from quaestor import sample_path
from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerValue, Number, ValueList, print_value
from quaestor.core.quantity import Scale
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.exports.rows import ExportedConversation
from quaestor.exports.workbook.writing import workbook_bytes
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef
from quaestor.solvers.registry import make_solver

TUNE = Path(__file__).parents[5] / "shared" / "data" / "convfinqa_tune.json"
MILL = page(
    [
        ["( in millions )", "2012", "2011", "2010"],
        ["net sales", "98.5", "91", "-85.25"],
        ["tax rate", "21.5%", "19%", "20%"],
        ['=HYPERLINK("http://example.org")', "1", "2", "2"],
    ],
    ["the mill sold 4 million sheets ."],
)
ROWS = {"net sales": 1, "tax rate": 2, "dots": 3}


def cell(row: str, column: int) -> Extract:
    body = MILL.tables[0].cells[ROWS[row]][column]
    assert body.quantity is not None
    return Extract(
        1, body.ref, f"{row} {column}", body.quantity, label_scale=Scale.MILLION if row == "net sales" else None
    )


def group(row: str) -> CellGroup:
    cells = [cell(row, column) for column in (1, 2, 3)]
    scale = cells[0].label_scale
    quantities = tuple(one.quantity for one in cells if one.quantity is not None)
    return CellGroup(row, ("2012", "2011", "2010"), quantities, tuple(one.source for one in cells), 0, scale)


def plan(*steps: Extract | Compute) -> Plan:
    return Plan(tuple(replace(step, id=number) for number, step in enumerate(steps, start=1)))


def computed(operation: str, *operands: Operand) -> Compute:
    return Compute(1, operation, operands)


def constant(value: str) -> Constant:
    return Constant(Decimal(value), value)


PAIR = (cell("net sales", 1), cell("net sales", 3))
PLANS = {
    "lookup": plan(cell("net sales", 3)),
    "magnitude": plan(replace(cell("net sales", 3), reading="magnitude")),
    "percent of an amount": plan(cell("net sales", 1), cell("tax rate", 2), computed("multiply", Ref(1), Ref(2))),
    "power": plan(cell("net sales", 2), computed("exp", Ref(1), constant("2"))),
    "negative constant": plan(cell("net sales", 2), computed("multiply", Ref(1), constant("-1"))),
    "row": plan(computed("table_average", RowRef("net sales", group("net sales").values, group("net sales").sources))),
    "mean of a list": plan(computed("average", group("net sales"))),
    "ties": plan(computed("argmax", group("dots"))),
    "rank": plan(computed("rank", group("net sales"), constant("2"))),
    "smallest but one": plan(computed("rank", group("net sales"), constant("-2"))),
    "largest": plan(computed("largest", group("dots"), constant("2"))),
    "smallest": plan(computed("smallest", group("net sales"), constant("2"))),
    "counted": plan(computed("above", group("tax rate"), constant("19.5")), computed("count", Ref(1))),
    "named": plan(computed("at_most", group("net sales"), constant("91")), computed("labels", Ref(1))),
    "none": plan(computed("below", group("dots"), constant("0"))),
    "each": plan(computed("subtract", group("net sales"), group("dots")), computed("argmin", Ref(1))),
    "each with one": plan(computed("percentage", group("net sales"), constant("200")), computed("maximum", Ref(1))),
    "items": plan(*PAIR, computed("items", Ref(1), Ref(2))),
    **{
        name: plan(*PAIR, computed(name, Ref(1), Ref(2)))
        for name, operation in OPERATIONS.items()
        if operation.arity[0] == 2 and operation.takes in ("numbers", "each", "all") and name != "exp"
    },
    **{
        name: plan(computed(name, group("net sales")))
        for name, operation in OPERATIONS.items()
        if operation.arity == (1, 1) and operation.takes == "list"
    },
    **{name: plan(computed(name, group("net sales"), constant("91"))) for name in ("above", "at_least", "equal_to")},
}


def exported(document: Document, plans: Sequence[Plan]) -> ExportedConversation:
    turns, history = [], list[StepResult | None]()
    for one in plans:
        registers = execute(one, history).registers
        last = registers[-1]
        turns.append(a_turn("which?", Answer(last.value, last.scale, last.unit, plan=one), registers))
        history.append(last)
    return ExportedConversation(document.id, GraphProvider.of([document]).graph(document), tuple(turns))


def written(conversation: ExportedConversation, file: Path) -> Path:
    file.write_bytes(workbook_bytes([conversation]))
    return file


def same(value: AnswerValue, found: float | str | None) -> bool:
    if isinstance(value, Number):
        return isinstance(found, float) and isclose(found, float(value.value), rel_tol=1e-12, abs_tol=1e-12)
    if isinstance(value, ValueList) and any(item.number is not None for item in value.items):
        parts = str(found).split("; ")
        pairs = [part.rpartition(": ") for part in parts]
        return len(parts) == len(value.items) and all(
            label == (item.label or "")
            and item.number is not None
            and isclose(float(number), float(item.number), rel_tol=1e-9)
            for (label, _, number), item in zip(pairs, value.items, strict=True)
        )
    return (found or "none") == print_value(value)


def unequal(conversation: ExportedConversation, answers: Cells) -> list[str]:
    return [
        f"{number}. {turn.question}: {answers.get((number, 3))} for {turn.answer.value}"
        for number, turn in enumerate(conversation.turns, start=1)
        if turn.answer.value is not None and not same(turn.answer.value, answers.get((number, 3)))
    ]


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_every_operation_has_the_result_of_its_plan(tmp_path: Path) -> None:
    conversation = exported(MILL, list(PLANS.values()))
    named = [replace(turn, question=name) for turn, name in zip(conversation.turns, PLANS, strict=True)]
    conversation = replace(conversation, turns=tuple(named))
    file = written(conversation, tmp_path / "mill.xlsx")
    assert unequal(conversation, recalculated([file], tmp_path)[file]["Answers"]) == []


def exported_conversations(path: Path) -> list[ExportedConversation]:
    """Return at most twenty answered conversations of a dataset as exported."""
    dataset = read_dataset(path, limit=20)
    knowledge = GraphProvider.of(
        list({conversation.document.id: conversation.document for conversation in dataset.conversations}.values())
    )
    solver = make_solver("embedded", {})

    async def answered() -> list[ExportedConversation]:
        conversations = []
        for conversation in dataset.conversations:
            turns = await answer_conversation(conversation, solver)
            handed_on = tuple(turns)
            conversations.append(
                ExportedConversation(conversation.id, knowledge.graph(conversation.document), handed_on)
            )
        return conversations

    return asyncio.run(answered())


@pytest.mark.very_slow
@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_all_conversations_of_a_run_in_one_workbook(tmp_path: Path) -> None:
    conversations = exported_conversations(sample_path())
    file = tmp_path / "run.xlsx"
    file.write_bytes(workbook_bytes(conversations))
    turns = tuple(turn for conversation in conversations for turn in conversation.turns)
    answers = recalculated([file], tmp_path)[file]["Answers"]
    assert unequal(replace(conversations[0], turns=turns), answers) == []
    assert [answers[row, 0] for row in range(1, len(turns) + 1)] == [*range(1, len(turns) + 1)]


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_changing_an_input_changes_the_answers(tmp_path: Path) -> None:
    change = plan(cell("net sales", 1), cell("net sales", 2), computed("subtract", Ref(1), Ref(2)))
    file = written(exported(MILL, [change, plan(computed("multiply", Ref(-1), constant("2")))]), tmp_path / "a.xlsx")
    other = tmp_path / "b.xlsx"
    with ZipFile(file) as before, ZipFile(other, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(b"<v>98.5</v>", b"<v>100</v>"))
    answers = recalculated([other], tmp_path)[other]["Answers"]
    assert (answers[1, 3], answers[2, 3]) == (9.0, 18.0)


def test_a_turn_without_an_answer_has_no_formula() -> None:
    silent = a_turn("hello", Answer(None, reason="nothing is asked"))
    conversation = replace(exported(MILL, []), turns=(silent,))
    with ZipFile(BytesIO(workbook_bytes([conversation]))) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")


def sheets_of(data: bytes) -> dict[str, str]:
    """Return the XML of each sheet by name."""
    with ZipFile(BytesIO(data)) as book:
        names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
        return {name: book.read(f"xl/worksheets/sheet{n}.xml").decode() for n, name in enumerate(names, start=1)}


def about(id: str, sales: str) -> Document:
    return page([["( in millions )", "2012"], ["net sales", sales], ["rent", "7"]], name=id)


def lookup(document: Document, row: int = 1) -> Plan:
    body = document.tables[0].cells[row][1]
    return Plan((Extract(1, body.ref, "net sales", body.quantity),))


def test_conversations_about_one_page_share_its_sheet_and_its_cells() -> None:
    mill = about("mill.pdf", "98")
    data = workbook_bytes([exported(mill, [lookup(mill)]), exported(mill, [lookup(mill), lookup(mill, 2)])])
    assert list(sheets_of(data)) == ["Answers", "Working", "Tables", "Table 1"]
    with ZipFile(BytesIO(data)) as book:
        assert book.read("xl/workbook.xml").decode().count("'Table 1'!") == 2


def test_different_pages_with_one_name_have_separate_sheets() -> None:
    pages = [about("10-k.html", "98"), about("10-k.html", "99")]
    sheets = sheets_of(workbook_bytes([exported(one, [lookup(one)]) for one in pages]))
    assert list(sheets)[3:] == ["10-k T1", "10-k T1 (2)"]
    assert [re.findall(r"<v>(9[89])</v>", sheets[name]) for name in list(sheets)[3:]] == [["98"], ["99"]]


def test_names_of_sheets_are_short_and_unique() -> None:
    ids = [f"a very long name of a very long report {case}.html" for case in ("one", "two", "TWO")]
    ids += ["[x]:*?/\\'y'.pdf", "Answers", "history", "\x00\x1b.csv"]
    conversations = [exported(one, [lookup(one)]) for one in (about(id, str(number)) for number, id in enumerate(ids))]
    names = list(sheets_of(workbook_bytes(conversations)))
    assert len({name.casefold() for name in names}) == len(names) == len(ids) + 3
    assert all(0 < len(name) <= 31 and not set(name) & set("[]:*?/\\'") for name in names)


def test_answer_links_to_its_source_cells() -> None:
    change = plan(cell("net sales", 1), cell("net sales", 2), computed("subtract", Ref(1), Ref(2)))
    data = workbook_bytes([exported(MILL, [change, plan(computed("multiply", Ref(-1), constant("2")))])])
    links = re.findall(r'ref="(\w+)" location="([^"]+)"', sheets_of(data)["Answers"])
    assert links == [("H2", "'Table 1'!B3")]
    with ZipFile(BytesIO(data)) as book:
        assert "Table 1, B3" in book.read("xl/sharedStrings.xml").decode()
