"""The bundled sample: pages are readable, programs execute, and all kinds of turns are covered."""

import json
import re
from collections import Counter
from decimal import Decimal
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from many_cases import for_each
from values import plain

from quaestor.core.provenance import CellRef
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.plan.execute import execute
from quaestor.plan.expressions import Row, benchmark_rows, bind_labels
from quaestor.plan.program import parse_program, to_program
from quaestor.sample import sample_path

TURN_KEYS = ("dialogue_break", "turn_program", "exe_ans_list", "answer_list", "qa_split")
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)(?![\w.]*\w)")
LITERAL = re.compile(r"(?<=[(, ])-?[\d.]+%?(?=[,)])|^-?[\d.]+%?$")

TOTALS = [
    ("NORD/2012/page_41.pdf", (1, 2, 3, 4), 5),
    ("HALC/2009/page_52.pdf", (1, 2, 3), 4),
    ("HALC/2009/page_52.pdf", (4, 5), 6),
    ("VESK/2010/page_97.pdf", (1, 2, 3, 4, 5, 6), 7),
    ("PELL/2015/page_59.pdf", (3, 4, 5), 6),
    ("PELL/2015/page_59.pdf", (6, 8), 9),
    ("GRYF/2008/page_71.pdf", (4, 8), 9),
    ("KASM/2011/page_95.pdf", (0, 1, 2, 3), 4),
    ("ISEN/2005/page_76.pdf", (1, 2, 3, 4), 5),
    ("LUMI/2018/page_35.pdf", (1, 2), 3),
    ("FJOR/2014/page_58.pdf", (1, 2, 3), 4),
    ("ARBO/2006/page_29.pdf", (1, 2, 3), 4),
]


@cache
def records() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(sample_path().read_text(encoding="utf-8")))


@cache
def dataset() -> Dataset:
    return read_dataset(sample_path())


@cache
def pages() -> dict[str, dict[str, Any]]:
    return {record["filename"]: record for record in records()}


def turns(record: dict[str, Any]) -> list[tuple[str, str, float | str, str, int]]:
    return list(zip(*(record["annotation"][key] for key in TURN_KEYS), strict=True))


def all_turns() -> list[tuple[str, str, float | str, str, int]]:
    return [turn for record in records() for turn in turns(record)]


def cells() -> list[str]:
    return [cell for record in pages().values() for row in record["table"] for cell in row]


def rows_of(record: dict[str, Any]) -> dict[str, Row]:
    """Return the rows that the `table_*` operations can read."""
    return benchmark_rows(
        [(cell, CellRef(record["filename"], 0, r, c)) for c, cell in enumerate(row)]
        for r, row in enumerate(record["table"])
    )


each_record = for_each(records())


def test_sample_has_at_least_fourteen_pages_and_fifty_turns() -> None:
    assert len(pages()) >= 14
    assert len(all_turns()) >= 50


def test_ids_are_unique_and_name_their_page() -> None:
    ids = [record["id"] for record in records()]
    assert len(set(ids)) == len(ids)
    for record in records():
        assert re.fullmatch(
            rf"Single_{re.escape(record['filename'])}-\d|Double_{re.escape(record['filename'])}", record["id"]
        )


@each_record
def test_records_are_complete(record: dict[str, Any]) -> None:
    width = len(record["table"][0])
    assert all(len(row) == width for row in record["table"])
    assert all(isinstance(cell, str) for row in record["table"] for cell in row)
    assert record["pre_text"]
    assert record["post_text"]
    assert all(text and text == text.lower() for text in record["pre_text"] + record["post_text"])
    assert len({len(record["annotation"][key]) for key in TURN_KEYS}) == 1
    assert all(question for question in record["annotation"]["dialogue_break"])
    split = record["annotation"]["qa_split"]
    assert split == sorted(split)
    assert set(split) == ({0, 1} if record["id"].startswith("Double_") else {0})


@each_record
def test_records_of_one_page_print_the_same_page(record: dict[str, Any]) -> None:
    page = pages()[record["filename"]]
    assert all(record[part] == page[part] for part in ("pre_text", "post_text", "table"))


@each_record
def test_literals_are_on_the_page(record: dict[str, Any]) -> None:
    printed = chain(record["pre_text"], record["post_text"], *record["table"])
    numbers = set(NUMBER.findall(" ".join(text.replace("%", " ") for text in printed)))
    for program in record["annotation"]["turn_program"]:
        literals = LITERAL.findall(program)
        assert literals or "table_" in program
        assert {literal.strip("-%") for literal in literals} <= numbers


@each_record
def test_every_program_executes_to_its_answer(record: dict[str, Any]) -> None:
    rows = rows_of(record)
    for _, program, answer, _, _ in turns(record):
        plan = parse_program(program)
        assert to_program(plan) == program
        result = plain(execute(bind_labels(plan, [rows])).result.value)
        if isinstance(result, bool):
            assert answer == ("yes" if result else "no")
        else:
            assert round(float(result), 5) == answer


@each_record
def test_the_shown_answer_is_the_executed_one(record: dict[str, Any]) -> None:
    for _, program, answer, shown, _ in turns(record):
        if isinstance(answer, str):
            assert shown == answer
            continue
        number = Decimal(shown.removesuffix("%"))
        looked_up = "(" not in program
        fraction = shown.endswith("%") and not looked_up
        exact = Decimal(str(answer)) * (100 if fraction else 1)
        assert abs(exact - number) <= Decimal("0.5").scaleb(int(number.as_tuple().exponent)) + Decimal("0.001")


@each_record
def test_the_reader_keeps_questions_and_page(record: dict[str, Any]) -> None:
    conversation = dataset().conversation(record["id"])
    assert list(conversation.questions) == record["annotation"]["dialogue_break"]
    assert conversation.document.id == record["filename"]
    assert [[cell.text for cell in row] for row in conversation.document.tables[0].cells] == record["table"]


@pytest.mark.parametrize(("page", "parts", "total"), TOTALS)
def test_totals_add_up(page: str, parts: tuple[int, ...], total: int) -> None:
    table = pages()[page]["table"]

    def printed(row: int, column: int) -> Decimal:
        number = table[row][column].split("(")[0].strip("$ ")
        return Decimal(0) if number == "-" else Decimal(number)

    columns = [column for column in range(1, len(table[0])) if "(" not in table[0][column]]
    assert columns
    for column in columns:
        assert sum(printed(part, column) for part in parts) == printed(total, column)


def test_sample_has_every_table_shape() -> None:
    tables = {c.document.id: c.document.tables[0] for c in dataset().conversations}
    orientations = Counter(table.orientation for table in tables.values())
    assert orientations["columns"] >= 8
    assert orientations["rows"] >= 2
    assert orientations["neither"] >= 1
    assert {table.header_rows for table in tables.values()} == {0, 1, 2}


def test_sample_has_section_rows_and_duplicate_labels() -> None:
    sections = [row for record in pages().values() for row in record["table"] if row[0] and not any(row[1:])]
    assert len(sections) >= 2
    duplicated = [
        page
        for page, record in pages().items()
        if max(Counter(row[0] for row in record["table"] if row[0]).values()) > 1
    ]
    assert len(duplicated) >= 2


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(r"-\d+ \( \d+ \)", id="negative, doubled"),
        pytest.param(r"\d+\.\d+% \( \d+\.\d+ % \)", id="percent, doubled"),
        pytest.param(r"\( [\d.]+ \) % \(  % \)", id="percent below zero"),
        pytest.param(r"\d+ \( [a-z] \)", id="footnote"),
        pytest.param(r"(\$ )?\.\d+", id="leading point"),
        pytest.param(r"-", id="dash"),
        pytest.param(r"\$ 2014", id="dash read as a year"),
        pytest.param(r"\d+ \( \w+ \) \d+ \( \w+ \)", id="several numbers"),
        pytest.param(r"[\d.]+% \( [\d.]+ % \) to .*", id="range"),
    ],
)
def test_sample_has_every_form_of_cell(form: str) -> None:
    assert any(re.fullmatch(form, cell) for cell in cells())


def test_scales_are_in_corner_label_and_text() -> None:
    captions = re.compile(r"in (millions|thousands|billions)")
    assert any(captions.search(record["table"][0][0]) for record in pages().values())
    assert any(captions.search(row[0]) for record in pages().values() for row in record["table"][1:])
    captioned_in_text_alone = [
        record
        for record in pages().values()
        if captions.search(" ".join(record["pre_text"])) and not captions.search(" ".join(chain(*record["table"])))
    ]
    assert captioned_in_text_alone


def test_sample_has_every_kind_of_turn() -> None:
    programs = " ".join(program for _, program, _, _, _ in all_turns())
    operations = Counter(re.findall(r"(\w+)\(", programs))
    for operation in ("add", "subtract", "multiply", "divide", "greater"):
        assert operations[operation] >= 3
    for operation in ("table_sum", "table_average", "table_max", "table_min"):
        assert operations[operation] >= 1
    constants = set(re.findall(r"const_\w+", programs))
    assert {"const_1", "const_2", "const_3", "const_100", "const_1000", "const_m1"} <= constants
    assert {answer for _, _, answer, _, _ in all_turns() if isinstance(answer, str)} == {"yes", "no"}
    assert sum("(" not in program for _, program, _, _, _ in all_turns()) >= 20
    assert any("%" in program for _, program, _, _, _ in all_turns())


def test_some_answers_are_only_in_the_text() -> None:
    def in_text_alone(record: dict[str, Any], literal: str) -> bool:
        table = NUMBER.findall(" ".join(chain(*record["table"])))
        return literal.strip("-") not in table

    found = [
        program
        for record in records()
        for _, program, _, _, _ in turns(record)
        if "(" not in program and in_text_alone(record, program)
    ]
    assert len(found) >= 8


def test_a_later_turn_may_build_on_several_earlier_ones() -> None:
    assert any(re.search(r"\w+\(#\d, #\d\)", program) for _, program, _, _, _ in all_turns())


def test_hybrid_conversations_repeat_a_single_one() -> None:
    by_id = {record["id"]: record for record in records()}
    doubles = [record for record in records() if record["id"].startswith("Double_")]
    assert len(doubles) >= 2
    for double in doubles:
        single = by_id[f"Single_{double['filename']}-1"]
        assert turns(single) == [turn for turn in turns(double) if turn[-1] == 0]


def test_sample_has_the_worked_examples() -> None:
    worked = [turn[:3] for turn in all_turns()]
    assert (
        "what was the percentage change in net cash from operating activities from 2008 to 2009?",
        "subtract(206588, 181001), divide(#0, 181001)",
        0.14136,
    ) in worked
    options = next(r for r in records() if r["id"] == "Single_QUIL/2007/page_88.pdf-1")
    assert options["annotation"]["dialogue_break"][:3] == [
        "what was the exercise price in 2007?",
        "and in 2006?",
        "what is the difference?",
    ]


def test_sample_documentation_names_every_page() -> None:
    text = (Path(__file__).parents[3] / "docs" / "sample.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(\w+/\d{4}/page_\d+\.pdf)`", text)) == set(pages())
    assert {str(len(records())), str(len(all_turns())), str(len(pages()))} <= set(re.findall(r"\d+", text))
