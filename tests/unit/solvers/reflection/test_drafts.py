"""Drafts as models write them: accepted and rejected forms; no text breaks the parser."""

import json
from decimal import Decimal
from typing import Any

import pytest
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page
from reflection_bench import IN_2008, NEW, OLD, calculate, change, draft, look_up
from solver_bench import context_of

from quaestor.conversation.turn import Memory
from quaestor.core import serial
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.plan.validate import validate
from quaestor.solvers.reflection.drafts import Draft, examine_draft, parse_draft, read_claim, without_grouped
from quaestor.solvers.reflection.evidence import examine_plan
from quaestor.solvers.reflection.numbers import NumberIndex

NUMBERS, DOCUMENT = NumberIndex(context_of().graph), context_of().document


def quotes(words: str) -> dict[str, str]:
    return {"kind": "quote", "words": words}


def kinds(written: Any, question: str = "what was it?") -> list[str]:
    read = serial.load(Draft, written)
    parsed = parse_draft(read, question, NUMBERS, DOCUMENT)
    assert parsed.faults == ()
    found = examine_draft(parsed, question, Memory(), NUMBERS)
    return [finding.kind for finding in found]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (14.1, "14.1"),
        ("14.1%", "14.1 percent"),
        ("14.1 %", "14.1 percent"),
        ("1,234", "1234"),
        ("$ 5.2 million", "5.2 million"),
        ("( 435 )", "-435"),
        ("-435", "-435"),
        ("Yes", "yes"),
        (False, "no"),
    ],
)
def test_printed_forms_of_an_answer_are_read(answer: Any, words: str) -> None:
    claim = read_claim(answer)
    assert claim is not None
    assert claim.words == words


def test_most_likely_place_is_used_without_a_given_one() -> None:
    read = parse_draft(
        serial.load(Draft, draft(look_up("cash at beginning of year, 2008", 69993), answer=69993)),
        "",
        NUMBERS,
        DOCUMENT,
    )
    (step,) = read.plan.steps
    assert isinstance(step, Extract)
    assert step.label == "cash at beginning of year, 2008"


def test_a_given_number_needs_no_place() -> None:
    given_rate = draft(look_up("rate of the question", "7.25"), answer=7.25)
    assert kinds(given_rate) == ["ungrounded"]
    assert kinds(given_rate, "at a rate of 7.25, what was it?") == []


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (change(), []),
        (change(result="14.136 %"), []),
        (change(result=0.14136, answer=14.14), []),
        (change(result=0.14136), ["arithmetic"]),
        (change(result="14.1"), []),
        (change(result=14.2), ["arithmetic"]),
        (change(result=0.1514), ["arithmetic"]),
        (change(result=1414), ["arithmetic"]),
        (draft(look_up(IN_2008, "181001", "T0R1C1"), answer=181001), ["misplaced"]),
        (draft(look_up(IN_2008, 206588, "T0R1C3"), answer=206588), ["misplaced"]),
        (draft(OLD, calculate("add", "#1", "12345.5", result=193346.5), answer=193346.5), ["ungrounded"]),
        (draft(OLD, calculate("add", "#1", "206588", result=387589), answer=387589), ["misplaced"]),
        # rounded intermediate result: 0.14 * 100 is 14, the exact result is 14.136
        (
            draft(
                NEW,
                OLD,
                calculate("subtract", "#1", "#2", result=25587),
                calculate("divide", "#3", "#2", result="0.14"),
                calculate("multiply", "#4", 100, result="14"),
                answer=14,
            ),
            [],
        ),
        (draft(OLD, calculate("divide", "#1", 0, result=1), answer=1), ["no result"]),
    ],
)
def test_places_and_arithmetic_are_checked(written: Any, found: list[str]) -> None:
    assert kinds(written, "tell me, in hundreds.") == found


TABLE = (
    ("( in millions )", "2008", "2007"),
    ("domestic sales", "60", "50"),
    ("foreign sales", "40", "30"),
    ("total sales", "100", "80"),
    ("margin", "25 %", "20 %"),
)


def step(number: int, row: int, column: int) -> Extract:
    found = PAGE.graph.observations[(row - 1) * 2 + column - 1]
    return Extract(number, found.source, found.label, found.quantity)


DOCUMENT = page(TABLE)
PAGE = NumberIndex(GraphProvider.of([DOCUMENT]).graph(DOCUMENT))
THOUSAND = Constant(Decimal(1000), "1000")


@pytest.mark.parametrize(
    ("question", "plan", "found"),
    [
        ("what was the change in total sales from 2007 to 2008?", ((3, 1), (3, 2), ("subtract", 1, 2)), []),
        ("what was the change in total sales from 2007 to 2008?", ((3, 2), (3, 1), ("subtract", 1, 2)), ["order"]),
        ("what was the change in total sales from 2007 to 2008?", ((3, 1), (3, 2), ("multiply", 1, 2)), ["operation"]),
        ("what percent is that?", ((3, 1), (3, 2), ("subtract", 1, 2), ("divide", 3, 1)), ["base"]),
        ("what percent is that?", ((3, 1), (3, 2), ("subtract", 1, 2), ("divide", 3, 2)), []),
        ("what portion of total sales was domestic in 2008?", ((1, 1), (3, 1), ("divide", 1, 2)), []),
        ("what portion of total sales was domestic in 2008?", ((1, 1), (3, 1), ("divide", 2, 1)), ["part"]),
        ("what were the total sales in 2008?", ((3, 1),), []),
        ("what were the total sales in 2008?", ((3, 2),), ["period"]),
        ("what were the total sales in 2008?", ((1, 1),), ["line"]),
        ("what was the sum of the two?", ((3, 1), (4, 1), ("add", 1, 2)), ["scale"]),
        ("what was that?", ((3, 1), ("multiply", 1, THOUSAND)), ["scale"]),
        ("what was that in thousands?", ((3, 1), ("multiply", 1, THOUSAND)), []),
    ],
)
def test_plan_is_checked_against_the_question(question: str, plan: Any, found: list[str]) -> None:
    steps = tuple(
        step(number, *line)
        if isinstance(line[0], int)
        else Compute(number, line[0], tuple(Ref(o) if isinstance(o, int) else o for o in line[1:]))
        for number, line in enumerate(plan, 1)
    )
    assert [finding.kind for finding in examine_plan(Plan(steps), question, Memory(), PAGE)] == found


VALUES = st.one_of(
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False),
    st.text(max_size=12),
    st.sampled_from(["181001", "5%", "#1"]),
)
STEPS = st.one_of(
    st.builds(
        look_up, st.text(max_size=20), VALUES, st.sampled_from(["", "T0R1C2", "T9R9C9", "PRE0", "POST9", "here"])
    ),
    st.builds(
        lambda operation, operands, result: calculate(operation, *operands, result=result),
        st.sampled_from("add divide exp greater percentage_change average argmax rank above count items".split()),
        st.lists(st.one_of(VALUES, st.sampled_from(["#1", "#2", "#-1", "#0", "#9"])), min_size=1, max_size=3),
        st.one_of(VALUES, st.booleans()),
    ),
    st.builds(quotes, st.sampled_from(["2008", "net cash", "barges", "", "x" * 9000])),
)


@settings(max_examples=share(150), deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=5), VALUES, st.sampled_from([None, "one", "percent", "million"]))
def test_any_draft_is_a_plan_or_refused(steps: list[Any], answer: Any, scale: str | None) -> None:
    read = serial.load(Draft, json.loads(json.dumps(draft(*steps, answer=answer, scale=scale))))
    understood = parse_draft(read, "what was it?", NUMBERS, DOCUMENT)
    if understood.faults:
        return
    assert len(understood.plan.steps) == len(steps) == len(understood.claims)
    examine_draft(understood, "what was it?", Memory(), NUMBERS)
    pruned = without_grouped(understood.plan)
    assert len(pruned.steps) <= len(steps)
    assert not validate(pruned, 0)


@pytest.mark.parametrize(("elsewhere", "taken"), [("7", True), ("0", False)])
def test_a_dash_is_zero_in_a_table_that_prints_no_zeros(elsewhere: str, taken: bool) -> None:
    document = page([["", "2008", "2007"], ["sales", "9", "8"], ["fees", elsewhere, "-"]])
    numbers = NumberIndex(GraphProvider.of([document]).graph(document))
    written = serial.load(Draft, draft(look_up("fees, 2007", 0, "T0R2C2"), answer=0))
    parsed = parse_draft(written, "fees in 2007?", numbers, document)
    sources = [step.source for step in parsed.plan.steps if isinstance(step, Extract)]
    assert (sources == [numbers.graph.text_cells[0].source]) is taken
