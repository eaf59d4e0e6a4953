"""Every kind of answer by the solvers that ask a model: as a plan with sources, stored and referred to later."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from many_cases import for_each_row
from model_server import Script
from reflection_bench import APPROVES, look_up, role_of
from solver_bench import SolverRun, run_with_script
from toolboxes import sample_knowledge, sample_pages
from workflow_bench import cells, compute, plan, script_of, table, words

from quaestor.conversation.events import ReplyRejected
from quaestor.core.answer_value import YesNo, amount_words, print_value
from quaestor.core.quantity import Scale
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import Call, ReceivedRequest, Reply, structured

PAGE = "NORD/2012/page_41.pdf"

Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("local_models")

SEVERAL = "how much were the total net sales in 2012, and how fast did they grow?"
WHICH = "in which year were the total net sales highest?"
SERIES = cells(1, ["total net sales"], ["all"])
SERIES_QUERY = 'SELECT ?label ?v { ?o kg:rowLabel "total net sales" ; kg:columnLabel ?label ; kg:value ?v }'


def sparql_replies(values: Json, formula: str | None = None, **more: Any) -> list[Json | Reply]:
    """Return the replies of the two phases, or one reply if a value is the answer."""
    first: Json = {"reasoning": "as asked", "values": values, **more}
    if formula is None:
        return [{**first, "answer": next(iter(values), None)}]
    return [first, {"reasoning": "", "formula": formula}]


def calculate(operation: str, *values: object) -> Call:
    return Call("calculate", {"operation": operation, "values": list(values)})


def of(row: str, year: int) -> Call:
    return Call("query_kg", {"filters": {"row": row, "year": year}})


def final(answer: str, **more: Any) -> Reply:
    return Reply(calls=(Call("final_answer", {"answer": answer, **more}),))


def words_of(*words: str) -> Reply:
    return Reply(calls=(Call("final_answer", {"words": list(words)}),))


def calculated(operation: str, *values: object, **more: Any) -> list[Reply]:
    """Return the replies of an agent's model that calculates with the row of total net sales."""
    row = Call("query_kg", {"filters": {"row": "total net sales"}})
    return [Reply(calls=(row,)), Reply(calls=(calculate(operation, *values),)), final("#4", **more)]


def drafted(*steps: Json, **more: Any) -> Json:
    return {"reasoning": "as asked", "steps": list(steps), **more}


def quotes(words: str) -> Json:
    return {"kind": "quote", "words": words}


def works_out(operation: str, *operands: int | str) -> Json:
    names = [operand if isinstance(operand, str) else f"#{operand}" for operand in operands]
    return {"kind": "calculate", "operation": operation, "operands": names}


SALES = (
    look_up("total net sales, 2012", "1036.8"),
    look_up("total net sales, 2011", "969.7"),
    look_up("total net sales, 2010", "893.7"),
)


CASES: list[tuple[str, dict[str, Sequence[Json | Reply]], str]] = [
    (
        WHICH,
        {
            "workflow": [plan(SERIES, compute(2, "argmax", 1))],
            "sparql": sparql_replies({"sales": {"cells": SERIES_QUERY}}, "argmax(sales)"),
            "agent": calculated("argmax", "#1..#3"),
            "reflection": [drafted(*SALES, works_out("argmax", 1, 2, 3))],
        },
        "2012",
    ),
    (
        "in how many years did total net sales exceed 900 million?",
        {
            "workflow": [plan(SERIES, compute(2, "above", 1, [900]), compute(3, "count", 2))],
            "sparql": sparql_replies({"sales": {"cells": SERIES_QUERY}}, "count(above(sales, 900))"),
            "agent": [*calculated("above", "#1..#3", 900)[:2], Reply(calls=(calculate("count", "#4"),)), final("#5")],
            "reflection": [drafted(*SALES, works_out("above", 1, 2, 3, "900"), works_out("count", 4))],
        },
        "2",
    ),
    (
        "what were the total net sales in each year?",
        {
            "workflow": [plan(SERIES)],
            "sparql": sparql_replies({"sales": {"cells": SERIES_QUERY}}),
            "agent": calculated("items", "#1..#3"),
            "reflection": [drafted(*SALES, works_out("items", 1, 2, 3))],
        },
        "2012: 1036.8; 2011: 969.7; 2010: 893.7",
    ),
    (
        "why did the sales of power cables grow in 2012?",
        {
            "workflow": [plan(words(1, "Two offshore  grid projects were delivered ahead of plan"))],
            "sparql": sparql_replies({"why": {"words": "two offshore grid projects were delivered ahead of plan."}}),
            "agent": [words_of("Two offshore grid  projects were delivered ahead of plan")],
            "reflection": [drafted(quotes("Two offshore grid  projects were delivered ahead of plan"))],
        },
        "two offshore grid projects were delivered ahead of plan",
    ),
    (
        "which are the first two product lines?",
        {
            "workflow": [plan(words(1, "power cables"), words(2, "data cables"), compute(3, "items", 1, 2))],
            "sparql": sparql_replies({"a": {"words": "power cables"}, "b": {"words": "data cables"}}, "items(a, b)"),
            "agent": [words_of("power cables", "data cables")],
            "reflection": [drafted(quotes("power cables"), quotes("data cables"), works_out("items", 1, 2))],
        },
        "power cables; data cables",
    ),
    (
        "did operating income rise in 2012?",
        {
            "workflow": [
                plan(
                    table(1, "operating income", "2012"),
                    table(2, "operating income", "2011"),
                    compute(3, "greater", 1, 2),
                )
            ],
            "sparql": sparql_replies(
                {
                    "new": "SELECT ?v { ?o kg:rowLabel 'operating income' ; kg:year '2012' ; kg:value ?v }",
                    "old": "SELECT ?v { ?o kg:rowLabel 'operating income' ; kg:year '2011' ; kg:value ?v }",
                },
                "new > old",
            ),
            "agent": [
                Reply(calls=(of("operating income", 2012), of("operating income", 2011))),
                Reply(calls=(calculate("greater", "#1", "#2"),)),
                final("#3"),
            ],
            "reflection": [
                drafted(
                    look_up("operating income, 2012", "88.1"),
                    look_up("operating income, 2011", "91.6"),
                    works_out("greater", 1, 2),
                )
            ],
        },
        "no",
    ),
    (
        "what was operating income in 2012, and by how much in percent did it change? Round to one decimal.",
        {
            "workflow": [
                plan(
                    table(1, "operating income", "2012"),
                    table(2, "operating income", "2011"),
                    compute(3, "percentage_change", 1, 2),
                    compute(4, "items", 1, 3),
                )
            ],
            "sparql": sparql_replies(
                {
                    "new": "SELECT ?v { ?o kg:rowLabel 'operating income' ; kg:year '2012' ; kg:value ?v }",
                    "old": "SELECT ?v { ?o kg:rowLabel 'operating income' ; kg:year '2011' ; kg:value ?v }",
                },
                "items(new, (new - old) / old)",
            ),
            "agent": [
                Reply(calls=(of("operating income", 2012), of("operating income", 2011))),
                Reply(calls=(calculate("percentage_change", "#2", "#1"),)),
                final("#1, #3"),
            ],
            "reflection": [
                drafted(
                    look_up("operating income, 2012", "88.1"),
                    look_up("operating income, 2011", "91.6"),
                    works_out("percentage_change", 1, 2),
                    works_out("items", 1, 3),
                )
            ],
        },
        "operating income, 2012: 88.1 million USD; percentage change: -3.8 percent",
    ),
    (
        "did operating income rise in 2012, and why did power cables grow?",
        {
            "workflow": [
                plan(
                    table(1, "operating income", "2012"),
                    table(2, "operating income", "2011"),
                    compute(3, "greater", 1, 2),
                    words(4, "two offshore grid projects were delivered ahead of plan"),
                    compute(5, "items", 3, 4),
                )
            ],
            "sparql": sparql_replies(
                {
                    "new": "SELECT ?v { ?o kg:rowLabel 'operating income' ; kg:year '2012' ; kg:value ?v }",
                    "old": "SELECT ?v { ?o kg:rowLabel 'operating income' ; kg:year '2011' ; kg:value ?v }",
                    "why": {"words": "two offshore grid projects were delivered ahead of plan"},
                },
                "items(new > old, why)",
            ),
            "agent": [
                Reply(calls=(of("operating income", 2012), of("operating income", 2011))),
                Reply(calls=(calculate("greater", "#1", "#2"),)),
                words_of("#3", "two offshore grid projects were delivered ahead of plan"),
            ],
            "reflection": [
                drafted(
                    look_up("operating income, 2012", "88.1"),
                    look_up("operating income, 2011", "91.6"),
                    works_out("greater", 1, 2),
                    quotes("two offshore grid projects were delivered ahead of plan"),
                    works_out("items", 3, 4),
                )
            ],
        },
        "no; two offshore grid projects were delivered ahead of plan",
    ),
]  # fmt: skip
"""A question, the replies of each solver's model, and the answer."""

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
@pytest.mark.parametrize(("question", "replies", "expected"), CASES, ids=[case[0] for case in CASES])
def test_every_kind_of_answer(
    solver: str, question: str, replies: dict[str, Sequence[Json | Reply]], expected: str
) -> None:
    turn = play(solver, script_of(replies[solver]), question).turn
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


STATED = "two offshore grid projects were delivered ahead of plan"


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
    question, responses, _ = CASES[2]
    later: dict[str, list[Json | Reply]] = {
        "workflow": [plan(compute(1, "argmin", -1))],
        "sparql": sparql_replies({"sales": "result_0"}, "argmin(sales)"),
        "agent": [Reply(calls=(calculate("argmin", "#-1"),)), final("#1")],
        "reflection": [drafted(works_out("argmin", -1))],
    }
    replies: list[Json | Reply] = [*responses[solver], *later[solver]]
    turns = play(solver, script_of(replies), question, "and in which year were they lowest?").turns
    assert [turn.error for turn in turns] == [None, None]
    assert str(turns[1].answer.value) == "2010"
    assert turns[1].verified


def decline_first(solver: str, replies: Sequence[Json | Reply]) -> Script:
    """Return a model that declines to give anything but a number unless the prompt allows it."""
    left = iter(replies)
    fields = {"workflow": {"thought_process": "", "steps": []}, "sparql": {"reasoning": "", "values": []}}
    fields["reflection"] = drafted()

    def answer(request: ReceivedRequest) -> Reply:
        whole = "\n".join((request.system, *request.prompts, *request.results))
        if "no_answer is other" in whole and "letter by letter" not in whole:
            return structured(request, {**fields[solver], "no_answer": "other"})
        following = next(left)
        return following if isinstance(following, Reply) else structured(request, following)

    return answer


@by_scheme
def test_model_given_numbers_only_gets_all_kinds_when_it_finds_no_number(solver: str) -> None:
    question, replies, expected = "what is said of the growth of cables?", CASES[3][1][solver], CASES[3][2]
    run = play(solver, decline_first(solver, replies), question)
    assert str(run.turn.answer.value) == expected
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
    run = play(solver, script_of([other[solver], *CASES[0][1][solver]]), WHICH)
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
    run = play(solver, script_of([reply, *CASES[0][1][solver]]), WHICH)
    assert run.turn.error is None, run.turn.error
    assert str(run.turn.answer.value) == "2012"
    critics = int(solver == "reflection")
    assert len(run.requests) == 1 + critics + len(CASES[0][1][solver])


@pytest.mark.parametrize(
    "formula",
    ["rank(sales, 100000)", "argmax(900)", "argmax(argmax(sales))", "count(" * 50],
)
def test_invalid_list_formula_is_returned_for_repair(formula: str) -> None:
    first, last = CASES[0][1]["sparql"]
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
