from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from values import a_value

from quaestor.datasets.convfinqa.ids import is_joined
from quaestor.datasets.formats import read_dataset
from quaestor.errors import ProgramError
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.pages import PageNumbers, page_numbers
from quaestor.scoring.taxonomy import Origin, missing_literals, turn_kinds

PAGE = PageNumbers(
    table=frozenset(map(Decimal, ["206588", "181001", "13.4"])), text=frozenset(map(Decimal, ["91", "206588"]))
)


def kinds(*programs: str) -> list[tuple[str, Origin]]:
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
        ("lookup", Origin.TABLE),
        ("lookup", Origin.TABLE),
        ("subtract", Origin.EARLIER),
        ("divide", Origin.EARLIER),
        ("multiply", Origin.CONSTANTS),
        ("divide", Origin.TEXT),
    ]


@pytest.mark.parametrize(
    ("program", "origin"),
    [
        ("-181001", Origin.TABLE),
        ("13.4%", Origin.TABLE),
        ("0.134", Origin.TABLE),
        ("91", Origin.TEXT),
        ("add(181001, 91)", Origin.SEVERAL),
        ("add(181001, 5)", Origin.NOWHERE),
        ("table_max(sales, none)", Origin.TABLE),
        ("divide(const_1, const_4)", Origin.CONSTANTS),
    ],
)
def test_where_the_numbers_stand(program: str, origin: Origin) -> None:
    ((_, found),) = kinds(program)
    assert found is origin


def test_an_unused_step_is_no_operand() -> None:
    assert kinds("add(5, 6), subtract(181001, 206588)") == [("subtract", Origin.TABLE)]


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
    assert found[1] == (1, "no program", Origin.UNKNOWN)
    assert [operation for _, operation, _ in found] == ["lookup", "no program", "add"]


def test_missing_literals_leave_constants_out() -> None:
    assert missing_literals("add(5, 206588), multiply(#0, const_7), divide(#1, 6%)", PAGE) == ("5", "6%")


def test_a_program_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(ProgramError):
        kinds("add(5")


def test_every_operand_of_the_original_files_stands_on_its_page(shared_data: Path) -> None:
    found: Counter[Origin] = Counter()
    for name in ("convfinqa_tune.json", "convfinqa_train50.json", "convfinqa_train100.json"):
        gold = read_gold(shared_data / name)
        for conversation in read_dataset(shared_data / name).conversations:
            page = page_numbers(conversation.document)
            found.update(kind.origin for kind in turn_kinds(gold[conversation.id], page))
    assert sum(found.values()) == 1379
    assert found[Origin.NOWHERE] == 0
    assert 0.35 < found[Origin.TABLE] / 1379 < 0.45
    assert 0.30 < found[Origin.EARLIER] / 1379 < 0.40
