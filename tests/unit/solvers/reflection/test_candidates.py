"""What a question is likely about, and what of a page each role is shown."""

from collections.abc import Mapping

import pytest
from pages import page
from remembered import looked_up
from solver_bench import context_of

from quaestor.conversation.turn import Memory, Turn
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.prompts import render
from quaestor.solvers.reflection.candidates import likely, likely_lines, shown_numbers, shown_sources

TABLE = (
    ("( in millions )", "2008", "2007"),
    ("sales of cables to customers of other segments", "60", "50"),
    ("sales", "40", "30"),
    ("cost of sales", "25", "20"),
    ("rent", "5", "4"),
)
DOCUMENT = page(TABLE, before=["the company makes cables .", "rent was 5 in 2008 ."])
GRAPH = GraphProvider.of([DOCUMENT]).graph(DOCUMENT)


@pytest.mark.parametrize(
    ("question", "before", "first"),
    [
        ("what were sales in 2008?", (), 2),
        ("what was the cost of sales?", (), 3),
        ("what were the sales of cables to other segments?", (), 1),
        (
            "what was the percentage change over the year before?",
            (looked_up("what was the rent in 2008?", "rent", 2008),),
            4,
        ),
    ],
)
def test_the_line_that_is_named_comes_first(question: str, before: tuple[Turn, ...], first: int) -> None:
    memory = Memory()
    for turn in before:
        memory = memory.add(turn)
    assert likely(question, memory, DOCUMENT, GRAPH).rows[0] == (0, first)


def lines(shown: Mapping[str, object]) -> list[str]:
    return render("reflection/page", page=shown).splitlines()


def test_each_role_is_shown_what_its_duty_needs() -> None:
    rent = next(n for n in GRAPH.observations if n.source.row == 4)
    plan = Plan((Extract(1, rent.source, rent.label, rent.quantity),))
    numbers, taken = (lines(shown) for shown in (shown_numbers(DOCUMENT), shown_sources(DOCUMENT, plan)))
    assert not any("the company makes cables" in line for line in numbers)
    assert any(line.startswith("R4 | rent") for line in numbers)
    assert taken[2:] == ["| C0 | C1 | C2", "R0 | ( in millions ) | 2008 | 2007", "R4 | rent | 5 | 4"]


def test_a_page_of_which_nothing_is_taken_says_so() -> None:
    plan = Plan((Compute(1, "add", (Ref(-1), Ref(-2))),))
    assert lines(shown_sources(DOCUMENT, plan)) == [f"The page {DOCUMENT.id}, what the draft takes of it: nothing"]


def test_a_long_label_is_cut_between_words() -> None:
    label = "plans for the equity compensation of employees that were approved by security holders in their meeting"
    document = page((("", "2008"), (label, "5")))
    context = context_of(document)
    (line,) = likely_lines("what was the equity compensation?", context)
    shown = line.removeprefix("T0R1 (").removesuffix(" ...)")
    assert label.startswith(f"{shown} ")
    assert len(shown) > 60


def test_the_sentence_that_leads_to_a_table_is_shown_though_it_prints_no_number() -> None:
    said = ["the company makes cables .", "the maturities of debt are as follows :"]
    document = page((("", "amount"), ("2014", "5"), ("2015", "6")), before=said, after=["it pays them ."])
    assert [line for line in lines(shown_numbers(document)) if line.startswith(("PRE", "POST"))] == [f"PRE1: {said[1]}"]
