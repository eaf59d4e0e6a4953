"""Every kind of answer by the solvers that ask a model: as a plan with sources, stored and referred to later."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import plan_steps as steps
import pytest
from many_cases import for_each_row
from model_server import Script
from oracle import play_plans
from plan_steps import cell, number
from reflection_bench import APPROVES, look_up, role_of
from scripted import a_row
from solver_bench import SolverRun, run_with_script
from toolboxes import sample_knowledge, sample_pages
from workflow_bench import cells, compute, plan, script_of, table, words

from quaestor.conversation.events import ReplyRejected
from quaestor.core.answer_value import YesNo, amount_words, print_value
from quaestor.core.quantity import Scale
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Extract, Ref, Step
from quaestor.solvers.quoting import quote
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import Call, ReceivedRequest, Reply, structured

PAGE = "NORD/2012/page_41.pdf"

Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("local_models")

SEVERAL = "how much were the total net sales in 2012, and how fast did they grow?"
WHICH = "in which year were the total net sales highest?"
SERIES = cells(1, ["total net sales"], ["all"])
SERIES_QUERY = 'SELECT ?label ?v { ?o kg:rowLabel "total net sales" ; kg:columnLabel ?label ; kg:value ?v }'


def calculate(operation: str, *values: object) -> Call:
    return Call("calculate", {"operation": operation, "values": list(values)})


def of(row: str, year: int) -> Call:
    return Call("query_kg", {"filters": {"row": row, "year": year}})


def final(answer: str, **more: Any) -> Reply:
    return Reply(calls=(Call("final_answer", {"answer": answer, **more}),))


def words_of(*words: str) -> Reply:
    return Reply(calls=(Call("final_answer", {"words": list(words)}),))


def drafted(*steps: Json, **more: Any) -> Json:
    return {"reasoning": "as asked", "steps": list(steps), **more}


def quotes(words: str) -> Json:
    return {"kind": "quote", "words": words}


def works_out(operation: str, *operands: int | str) -> Json:
    names = [operand if isinstance(operand, str) else f"#{operand}" for operand in operands]
    return {"kind": "calculate", "operation": operation, "operands": names}


STATED = "two offshore grid projects were delivered ahead of plan"
SALES = (
    look_up("total net sales, 2012", "1036.8"),
    look_up("total net sales, 2011", "969.7"),
    look_up("total net sales, 2010", "893.7"),
)


HIGHEST: dict[str, list[Json | Reply]] = {
    "workflow": [plan(SERIES, compute(2, "argmax", 1))],
    "sparql": [
        {"reasoning": "as asked", "values": {"sales": {"cells": SERIES_QUERY}}},
        {"reasoning": "", "formula": "argmax(sales)"},
    ],
    "agent": [
        Reply(calls=(Call("query_kg", {"filters": {"row": "total net sales"}}),)),
        Reply(calls=(calculate("argmax", "#1..#3"),)),
        final("#4"),
    ],
    "reflection": [drafted(*SALES, works_out("argmax", 1, 2, 3))],
}
"""The replies of each solver's model to `WHICH`, whose answer is 2012."""

DOCUMENT = sample_pages()[PAGE]
ROW, INCOME, EARLIER = a_row(DOCUMENT, 5), cell(DOCUMENT, 6, 1), cell(DOCUMENT, 6, 2, step=2)
LIMIT = number("900")
RISE = steps.compute(3, "greater", 1, 2)
LISTED = (steps.compute(1, "items", ROW),)


def quote_step(step: int, words: str) -> Extract:
    return quote(DOCUMENT, words).step(step)


DELIVERED = (quote_step(1, STATED),)
CASES: list[tuple[str, Sequence[Step], str]] = [
    (WHICH, (steps.compute(1, "argmax", ROW),), "2012"),
    (
        "in how many years did total net sales exceed 900 million?",
        (steps.compute(1, "above", ROW, LIMIT), steps.compute(2, "count", 1)),
        "2",
    ),
    ("what were the total net sales in each year?", LISTED, "2012: 1036.8; 2011: 969.7; 2010: 893.7"),
    ("why did the sales of power cables grow in 2012?", DELIVERED, STATED),
    (
        "which are the first two product lines?",
        (quote_step(1, "power cables"), quote_step(2, "data cables"), steps.compute(3, "items", 1, 2)),
        "power cables; data cables",
    ),
    ("did operating income rise in 2012?", (INCOME, EARLIER, RISE), "no"),
    (
        "what was operating income in 2012, and by how much in percent did it change? Round to one decimal.",
        (
            INCOME,
            EARLIER,
            steps.compute(3, "subtract", 1, 2),
            steps.compute(4, "divide", 3, 2),
            steps.compute(5, "items", 1, 4),
        ),
        "operating income, 2012: 88.1 million USD; percentage change: -3.8 percent",
    ),
    (
        "did operating income rise in 2012, and why did power cables grow?",
        (INCOME, EARLIER, RISE, quote_step(4, STATED), steps.compute(5, "items", 3, 4)),
        f"no; {STATED}",
    ),
]
"""A question, the steps of its plan, and the answer."""

by_solver = pytest.mark.parametrize("solver", ["workflow", "sparql", "agent", "reflection"])
by_scheme = pytest.mark.parametrize("solver", ["workflow", "sparql", "reflection"])
"""Solvers whose prompt offers kinds other than numbers only if the question may ask for them."""


def play(solver: str, script: Script, *questions: str) -> SolverRun:
    """Run a solver with a script; critics, if there are any, approve."""

    def answer(request: ReceivedRequest) -> Reply:
        critic = solver == "reflection" and role_of(request) != "expert"
        return structured(request, APPROVES) if critic else script(request)

    return run_with_script(make_solver(solver), answer, questions, PAGE)


def rounded(number: Decimal, scale: Scale, unit: str | None) -> str:
    return amount_words(round(number, 1), scale, unit)


@by_solver
@pytest.mark.parametrize(("question", "planned", "expected"), CASES, ids=[case[0] for case in CASES])
def test_every_kind_of_answer(solver: str, question: str, planned: Sequence[Step], expected: str) -> None:
    turn = play_plans(solver, PAGE, [question], planned).turn
    assert turn.error is None, turn.error
    assert turn.verified
    assert turn.answer.value is not None
    assert print_value(turn.answer.value, own=rounded) == expected
    assert turn.answer.sources


def test_results_for_several_lines_are_named_by_the_lines() -> None:
    lines = [of(row, year) for row in ("power cables", "data cables") for year in (2011, 2012)]
    growth = [calculate("percentage_change", "#1", "#2"), calculate("percentage_change", "#3", "#4")]
    replies = [Reply(calls=(*lines, *growth, calculate("argmax", "#5", "#6"))), final("#8")]
    turn = play("agent", script_of(replies), "power cables or data cables, which grew faster?").turn
    assert (str(turn.answer), turn.verified) == ("data cables", True)
    margins = [calculate("percentage", f"#{part}", f"#{whole}") for part, whole in ((1, 3), (2, 4))]
    cells = [of(row, year) for row in ("operating income", "total net sales") for year in (2012, 2011)]
    both = [Reply(calls=(*cells, *margins)), final("#5, #6")]
    turn = play("agent", script_of(both), "operating margin 2012 vs 2011?").turn
    assert str(turn.answer) == "2012: 8.4973 %; 2011: 9.4462 %"


@pytest.mark.parametrize(
    "reply",
    [
        {"answer": "#1, yes", "words": [STATED]},
        {"answer": "#1; Yes", "explanation": [f"Two were early ['{STATED}']."]},
    ],
)
def test_list_may_contain_a_yes_or_no_stated_by_the_page(reply: Json) -> None:
    question = "what were power cables in 2012, and was any project early?"
    looked_up = Reply(calls=(of("power cables", 2012),))
    turn = play("agent", script_of([looked_up, Reply(calls=(Call("final_answer", reply),))]), question).turn
    assert (turn.error, turn.verified) == (None, True)
    assert str(turn.answer) == "power cables, 2012: $ 642.3 million; yes"
    assert len(turn.answer.sources) == 2


def test_unsupported_yes_or_no_in_a_list_is_rejected() -> None:
    question = "what were power cables in 2012, and was any project early?"
    looked_up = Reply(calls=(of("power cables", 2012),))
    turn = play("agent", script_of([looked_up, final("#1, yes"), final("#1")]), question).turn
    (fault,) = [fault for event in turn.events if isinstance(event, ReplyRejected) for fault in event.faults]
    assert "nothing states yes" in fault


@by_solver
def test_selected_items_can_be_referred_to(solver: str) -> None:
    questions = ("what were the total net sales in each year?", "and in which year were they lowest?")
    turns = play_plans(solver, PAGE, questions, LISTED, (steps.compute(1, "argmin", Ref(-1)),)).turns
    assert [turn.error for turn in turns] == [None, None]
    assert str(turns[1].answer.value) == "2010"
    assert turns[1].verified


@by_scheme
def test_model_given_numbers_only_gets_all_kinds_when_it_finds_no_number(solver: str) -> None:
    run = play_plans(solver, PAGE, ["what is said of the growth of cables?"], DELIVERED)
    assert str(run.turn.answer.value) == STATED
    assert len(run.requests) == (3 if solver == "reflection" else 2)
    assert not any(isinstance(event, ReplyRejected) for event in run.turn.events)


@by_solver
def test_model_given_all_kinds_cannot_request_another_kind(solver: str) -> None:
    other: dict[str, Json | Reply] = {
        "workflow": {**plan(), "no_answer": "other"},
        "sparql": {"reasoning": "", "values": [], "no_answer": "other"},
        "agent": Reply(calls=(Call("final_answer", {"no_answer": "other"}),)),
        "reflection": drafted(no_answer="other"),
    }
    run = play(solver, script_of([other[solver], *HIGHEST[solver]]), WHICH)
    assert str(run.turn.answer.value) == "2012"


@by_scheme
def test_prompt_for_a_number_mentions_no_other_kinds(solver: str) -> None:
    body = str(play(solver, script_of([]), "what were the total net sales in 2012?").requests[0].body)
    assert "no_answer is other" in body
    assert not [word for word in ("argmax", "quote", "letter by letter", "assumption'") if word in body]


@pytest.mark.parametrize("answer", ["#1, #2", "#1 and #2.", "#1..#2", ["#1", "#2"]])
def test_agent_answer_with_several_steps_is_a_list(answer: object) -> None:
    looked_up = Reply(calls=(of("total net sales", 2012), of("total net sales", 2011)))
    turn = play("agent", script_of([looked_up, Reply(calls=(Call("final_answer", {"answer": answer}),))]), SEVERAL).turn
    assert turn.answer.value is not None
    assert print_value(turn.answer.value) == "2012: 1036.8; 2011: 969.7"
    assert (len(turn.answer.sources), turn.answer.scale, turn.verified) == (2, Scale.MILLION, True)


@pytest.mark.parametrize("answer", ["#1, #9", "#1; net sales"])
def test_agent_list_with_an_invalid_step_is_rejected(answer: str) -> None:
    calls = Reply(calls=(of("total net sales", 2012),))
    run = play("agent", script_of([calls, final(answer), final("#1")]), SEVERAL)
    assert str(run.turn.answer.number) == "1036.8"
    assert any(isinstance(event, ReplyRejected) for event in run.turn.events)


@pytest.mark.parametrize("passages", [1, 2])
@pytest.mark.parametrize(("answer", "yes"), [("no", False), ("Yes.", True), (True, True)])
def test_agent_may_answer_yes_or_no_from_a_passage(answer: object, yes: bool, passages: int) -> None:
    words = ["Two offshore grid projects were delivered ahead of plan", "higher demand of data centers"][:passages]
    reply = Reply(calls=(Call("final_answer", {"answer": answer, "words": words}),))
    turn = play("agent", script_of([reply]), "did projects end as planned?").turn
    assert (turn.answer.value, turn.error, turn.verified) == (YesNo(yes), None, True)
    assert len(turn.answer.sources) == passages


@by_solver
def test_missing_answer_is_shown_with_its_reason(solver: str) -> None:
    why, none = "there is no line of barges", {"no_answer": "not_on_page"}
    silent = Reply(calls=(Call("final_answer", {**none, "explanation": why}),))
    replies: dict[str, list[Json | Reply]] = {
        "workflow": [{"thought_process": why, "steps": [], **none}],
        "sparql": [{"reasoning": why, "values": [], **none}],
        "agent": [silent, silent],  # the first time, missing look-ups are questioned
        "reflection": [{**drafted(**none), "reasoning": why}],
    }
    turn = play(solver, script_of(replies[solver]), "in which year were the sales of barges highest?").turn
    assert (turn.error, turn.answer.value) == (None, None)
    assert why in str(turn.answer.reason)


HOSTILE: dict[str, list[Json | Reply]] = {
    "reflection": [
        drafted(quotes("barges are sold to pirates")),
        drafted(quotes("642.3")),
        drafted(*SALES, works_out("argmax", 1, 2, 3, "5")),
        drafted(*SALES, works_out("argmax", 4)),
        drafted(*SALES, works_out("sum", 1, 2, 3), works_out("argmax", 4)),
        drafted(works_out("argmax", *["#1"] * 10**4)),
        drafted(*[quotes("power cables")] * 1000),
    ],
    "agent": [
        words_of("barges are sold to pirates"),
        words_of("642.3"),
        words_of(*["power cables"] * 10**4),
        final("2012", words=["2012"]),
        final("#1..#3"),
        Reply(calls=(Call("final_answer", {"words": [["power cables"]]}),)),
        Reply(calls=(Call("final_answer", {"words": "power " * 10**4}),)),
    ],
    "workflow": [
        plan(words(1, "barges are sold to pirates")),
        plan(words(1, "642.3")),
        plan(cells(1, ["barges"], ["all"]), compute(2, "argmax", 1)),
        plan(SERIES, compute(2, "rank", 1, [10**5])),
        plan(SERIES, compute(2, "argmax", 2)),
        plan(SERIES, compute(2, "divide", 1, [0])),
        plan(table(1, "total net sales", "2012"), compute(2, "argmax", 1)),
        plan(words(1, "power cables"), compute(2, "sum", 1, 1)),
        plan(*[cells(n, ["all"], ["all"]) for n in range(1, 100)]),
        plan(SERIES, compute(2, "items", *[1] * 10**4)),
    ],
    "sparql": [
        {"values": {"a": {"words": "barges are sold to pirates"}}, "answer": "a"},
        {"values": {"a": {"words": "642.3"}}, "answer": "a"},
        {"values": {"a": {"cells": "SELECT ?v { SERVICE <http://127.0.0.1/> { ?o kg:value ?v } }"}}, "answer": "a"},
        {"values": {"a": {"cells": "SELECT ?v { ?o kg:value ?v } ; DROP ALL"}}, "answer": "a"},
        {"values": {"a": {"cells": "SELECT (SUM(?v) AS ?s) { ?o kg:value ?v }"}}, "answer": "a"},
        {"values": {"a": {"cells": "SELECT ?o { ?o a kg:Table }"}}, "answer": "a"},
        {"values": {"a": {"cells": "SELECT ?v { ?o kg:rowLabel 'barges' ; kg:value ?v }"}}, "answer": "a"},
        {"values": {"a": {"cells": "SELECT ?v { ?o kg:value ?v }", "words": "power cables"}}, "answer": "a"},
    ],
}  # fmt: skip


@for_each_row([(s, reply) for s, replies in HOSTILE.items() for reply in replies])
def test_invalid_plan_is_returned_with_the_error(solver: str, reply: Json | Reply) -> None:
    run = play(solver, script_of([reply, *HIGHEST[solver]]), WHICH)
    assert run.turn.error is None, run.turn.error
    assert str(run.turn.answer.value) == "2012"
    critics = int(solver == "reflection")
    assert len(run.requests) == 1 + critics + len(HIGHEST[solver])


@pytest.mark.parametrize(
    "formula",
    ["rank(sales, 100000)", "argmax(900)", "argmax(argmax(sales))", "count(" * 50],
)
def test_invalid_list_formula_is_returned_for_repair(formula: str) -> None:
    first, last = HIGHEST["sparql"]
    run = play("sparql", script_of([first, {"reasoning": "", "formula": formula}, last]), WHICH)
    assert str(run.turn.answer.value) == "2012"
    assert run.phases == ["PLAN", "CALCULATE", "CALCULATE_repair_1"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (WHICH, "2012"),
        ("how many years did total net sales exceed $900 million?", "2"),
        ("did operating income rise in 2012?", "no"),
        ("which segments declined?", "connectors and fittings"),
    ],
)
def test_reflection_gives_the_kinds_of_answers_of_its_expert(question: str, expected: str) -> None:
    solver = make_solver("reflection", {"expert": "embedded", "expert_options": {"answers": "all"}})
    conversation = Conversation("made up", sample_pages()[PAGE], (question,))
    (turn,) = asyncio.run(answer_conversation(conversation, solver, sample_knowledge()))
    assert str(turn.answer.value) == expected
    assert turn.answer.reason is None
    assert turn.verified
