from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from values import a_value

from quaestor.datasets.convfinqa import is_joined
from quaestor.datasets.formats import read_dataset
from quaestor.errors import ProgramError
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.pages import PageNumbers, page_numbers
from quaestor.scoring.taxonomy import OperandSource, missing_literals, turn_kinds

PAGE = PageNumbers(
    table=frozenset(map(Decimal, ["206588", "181001", "13.4"])), text=frozenset(map(Decimal, ["91", "206588"]))
)


def kinds(*programs: str) -> list[tuple[str, OperandSource]]:
    turns = [GoldTurn(program, a_value(0.0), None, 0) for program in programs]
    return [(kind.operation, kind.origin) for kind in turn_kinds(turns, PAGE)]


def test_only_new_operands_count() -> None:
    assert kinds(
        "206588",
        "181001",
        "subtract(206588, 181001)",
        "subtract(206588, 181001), divide(#0, 181001)",
        "subtract(206588, 181001), divide(#0, 181001), multiply(#1, const_100)",
        "subtract(206588, 181001), divide(#0, 91)",
    ) == [
        ("lookup", OperandSource.TABLE),
        ("lookup", OperandSource.TABLE),
        ("subtract", OperandSource.EARLIER),
        ("divide", OperandSource.EARLIER),
        ("multiply", OperandSource.CONSTANTS),
        ("divide", OperandSource.TEXT),
    ]


def test_where_the_second_of_two_questions_begins() -> None:
    turns = [GoldTurn("91", a_value(0.0), None, part) for part in (0, 0, 1, 1)]
    assert [kind.begins_second for kind in turn_kinds(turns, PAGE)] == [False, False, True, False]
    assert all(kind.joined for kind in turn_kinds(turns, PAGE))


@pytest.mark.parametrize(
    ("program", "origin"),
    [
        ("-181001", OperandSource.TABLE),
        ("13.4%", OperandSource.TABLE),
        ("0.134", OperandSource.TABLE),
        ("91", OperandSource.TEXT),
        ("add(181001, 91)", OperandSource.SEVERAL),
        ("add(181001, 5)", OperandSource.NOWHERE),
        ("table_max(sales, none)", OperandSource.TABLE),
        ("divide(const_1, const_4)", OperandSource.CONSTANTS),
    ],
)
def test_classifies_the_origin_of_numbers(program: str, origin: OperandSource) -> None:
    ((_, found),) = kinds(program)
    assert found is origin


def test_unused_step_is_not_an_operand() -> None:
    assert kinds("add(5, 6), subtract(181001, 206588)") == [("subtract", OperandSource.TABLE)]


def test_joined_conversations_are_known_by_their_id_or_their_parts() -> None:
    def joined(conversation: str, part: int) -> bool:
        turns = [GoldTurn("91", a_value(91.0), None, part)]
        return turn_kinds(turns, PAGE, joined=is_joined(conversation))[0].joined

    assert joined("Double_X/2010/page_1.pdf", 0)
    assert joined("X", 1)
    assert not joined("Single_X/2010/page_1.pdf-1", 0)


def test_a_turn_without_a_program_is_of_no_other_kind() -> None:
    turns = [GoldTurn(program, a_value(5.0), None, 0) for program in ("5", "", "add(5, 206588)")]
    found = [(kind.index, kind.operation, kind.origin) for kind in turn_kinds(turns, PAGE)]
    assert found[1] == (1, "no program", OperandSource.UNKNOWN)
    assert [operation for _, operation, _ in found] == ["lookup", "no program", "add"]


def test_missing_literals_leave_constants_out() -> None:
    assert missing_literals("add(5, 206588), multiply(#0, const_7), divide(#1, 6%)", PAGE) == ("5", "6%")


def test_a_program_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(ProgramError):
        kinds("add(5")


@pytest.mark.slow
def test_every_operand_of_the_original_files_is_on_its_page(shared_data: Path) -> None:
    found: Counter[OperandSource] = Counter()
    for name in ("convfinqa_tune.json", "convfinqa_train50.json", "convfinqa_train100.json"):
        gold = read_gold(shared_data / name)
        for conversation in read_dataset(shared_data / name).conversations:
            page = page_numbers(conversation.document)
            found.update(kind.origin for kind in turn_kinds(gold[conversation.id], page))
    assert sum(found.values()) == 1379
    assert found[OperandSource.NOWHERE] == 0
    assert 0.35 < found[OperandSource.TABLE] / 1379 < 0.45
    assert 0.30 < found[OperandSource.EARLIER] / 1379 < 0.40
