"""Explanations by a model: every number in them is that of a step, and other numbers are rejected."""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import cycle
from typing import Any

import pytest
from reflection_bench import APPROVES, look_up, role_of
from solver_bench import SolverRun, run_with_script
from workflow_bench import compute, plan, script_of, table

from quaestor.conversation.events import ReplyRejected
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import YesNo
from quaestor.core.explanation import Explanation
from quaestor.core.provenance import SentenceRef
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import Call, ReceivedRequest, Reply, structured

PAGE = "NORD/2012/page_41.pdf"
WHY = "why did the sales change?"

pytestmark = pytest.mark.usefixtures("local_models")

SALES = {
    "power cables": ("642.3", "598.7", "561.0"),
    "data cables": ("318.6", "287.4", "251.9"),
    "connectors and fittings": ("97.4", "101.8", "96.5"),
    "total net sales": ("1036.8", "969.7", "893.7"),
    "operating income": ("88.1", "91.6", "79.3"),
}
SENTENCES = [
    ("They went from {#2} to {#1}.", "They went from OLD to NEW."),
    ("YEAR brought a change of {#3} [#4].", "YEAR brought a change of RATE."),
    ("Volumes explain {#4}, or {#3}. [#1, #2]", "Volumes explain GAIN, or RATE."),
    ("It was ${#1} million in FYYEAR, after USD {#2} million dollars.", "It was NEW in FYYEAR, after OLD."),
    ("By {#3} percent, said one of us in the first half.", "By RATE, said one of us in the first half."),
    ("Demand was higher ['higher demand of data centers'] (#1).", "Demand was higher."),
    ('Why: "a price increase of 2.5%", so {#3}%.', 'Why: "a price increase of 2.5%", so RATE.'),
    ("Two projects were early [“Two offshore grid projects”]. By {#4}.", "Two projects were early. By GAIN."),
    ("{#1} is what U.S. Buyers paid. Then, {#2} were.", "NEW is what U.S. Buyers paid. Then, OLD were."),
    ("Growth is {#4} = {#1} - {#2}.", "Growth is GAIN = NEW - OLD."),
]

AMOUNTS = (
    "12 %", "ten percent", "twelve", "1,000", "half", "a dozen", "one million", "1½", "¾", "XIV million", "xiv percent",
    "\u0661\u0662 units", "三", "Ⅻ", "①", "twenty-one", "zero point five", "tenfold", "two thirds", "a third of it",
    "31 December", "2013", "$2012", "2012 million", "20.12", "2012.5", "one percent", "triple", "twice that",
    "hundreds of millions", "1O", "t\u200bwelve", "\uff11\uff12", "\U0001d7cf\U0001d7d0", "5G", "3rd", "1e3", "&#53;",
    '"12 million"', "[12](#1)", "<b>7</b>", "{7}", "{#1.5}", "{#\u0661}", "{#99}", "[#99]", "{#-99}", "{#three}",
    "['sales of 12 million']", "['642.3']", "{#1}5", "#1",
)  # fmt: skip


def of(row: str, year: int) -> Call:
    return Call("query_kg", {"filters": {"row": row, "year": year}})


def calculate(operation: str, *values: object) -> Call:
    return Call("calculate", {"operation": operation, "values": list(values)})


def final(*sentences: str, **more: Any) -> Reply:
    return Reply(calls=(Call("final_answer", {"explanation": list(sentences), **more}),))


def looked_up(row: str = "power cables", year: int = 2012) -> Reply:
    growth = (calculate("percentage_change", "#2", "#1"), calculate("subtract", "#1", "#2"))
    return Reply(calls=(of(row, year), of(row, year - 1), *growth))


def play(*replies: Reply) -> tuple[Turn, ...]:
    return run("agent", *replies, questions=[WHY]).turns


def explained(turn: Turn) -> Explanation:
    assert turn.answer.explanation is not None, turn
    return turn.answer.explanation


def printed(row: str, year: int, text: str) -> str:
    """Return a sentence with the numbers of the page, computed here."""
    new, old = map(Decimal, SALES[row][2012 - year : 2014 - year])
    rate = ((new - old) / old * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)
    words = {name: f"$ {number:,} million" for name, number in {"NEW": new, "OLD": old, "GAIN": new - old}.items()}
    for name, value in {**words, "RATE": f"{rate} %", "YEAR": str(year)}.items():
        text = text.replace(name, value)
    return text


RoleReply = dict[str, Any] | Reply


def by_agent(row: str, year: int, sentences: list[str], **more: Any) -> list[RoleReply]:
    return [looked_up(row, year), final(*sentences, **{"answer": "#3", **more})]


def by_workflow(row: str, year: int, sentences: list[str], **more: Any) -> list[RoleReply]:
    taken = (table(1, row, str(year)), table(2, row, str(year - 1)))
    steps = (*taken, compute(3, "subtract", 1, 2), compute(4, "percentage_change", 1, 2))
    return [{**plan(*steps), "explanation": _renumbered(sentences), **more}]


def by_reflection(row: str, year: int, sentences: list[str], **more: Any) -> list[RoleReply]:
    new, old = SALES[row][2012 - year : 2014 - year]
    works = [
        {"kind": "calculate", "operation": name, "operands": ["#1", "#2"]} for name in ("subtract", "percentage_change")
    ]
    steps = [look_up(f"{row}, {year}", new), look_up(f"{row}, {year - 1}", old), *works]
    return [{"reasoning": "", "steps": steps, "explanation": _renumbered(sentences), **more}]


def _renumbered(sentences: list[str]) -> list[str]:
    """Return sentences with step numbers for plans in which the rate is the last step."""
    swapped = {"#3": "#4", "#4": "#3"}
    return [re.sub("#[34]", lambda found: swapped[found[0]], sentence) for sentence in sentences]


def by_sparql(row: str, year: int, sentences: list[str], **more: Any) -> list[RoleReply]:
    names = {"#1": "new", "#2": "old", "#3": "(new - old) / old", "#4": "new - old"}
    query = "SELECT ?v {{ ?o kg:rowLabel '{}' ; kg:year '{}' ; kg:value ?v }}"
    values = {"new": query.format(row, year), "old": query.format(row, year - 1)}
    written = [
        re.sub(
            r"[\[(]((?:#\d(?:, )?)+)[\])]",
            "[new, old]",
            re.sub(r"\{(#\d)\}", lambda f: f"{{{names.get(f[1], f[1])}}}", sentence),
        )
        for sentence in sentences
    ]
    formula = {"reasoning": "", "formula": more.pop("formula", names["#3"]), "explanation": written, **more}
    return [{"reasoning": "", "values": values}, formula]


WRITERS: Mapping[str, Callable[..., list[RoleReply]]] = {
    "agent": by_agent,
    "workflow": by_workflow,
    "sparql": by_sparql,
    "reflection": by_reflection,
}
"""For each solver the function that returns its model's replies for the change of a line with an explanation."""

by_solver = pytest.mark.parametrize("solver", WRITERS)
by_scheme = pytest.mark.parametrize("solver", ["workflow", "sparql", "reflection"])
BESIDE = "did the sales change, and why?"


def run(solver: str, *replies: RoleReply, questions: Sequence[str] = (BESIDE,)) -> SolverRun:
    script = script_of(list(replies))

    def answer(request: ReceivedRequest) -> Reply:
        critic = solver == "reflection" and role_of(request) != "expert"
        return structured(request, APPROVES) if critic else script(request)

    return run_with_script(make_solver(solver), answer, list(questions), PAGE)


@by_solver
@pytest.mark.parametrize("question", [WHY, BESIDE])
def test_numbers_of_explanations_are_those_of_the_page(solver: str, question: str) -> None:
    cases = list(zip(cycle(SALES), cycle((2012, 2011, 2011)), SENTENCES * 2))
    more = {"answer": None} if solver == "agent" and question == WHY else {}
    replies = [
        reply
        for row, year, (sentence, _) in cases
        for reply in WRITERS[solver](row, year, [sentence.replace("YEAR", str(year))], **more)
    ]
    turns = run(solver, *replies, questions=[f"{question} {place}" for place in range(len(cases))]).turns
    for turn, (row, year, (_, wanted)) in zip(turns, cases, strict=True):
        assert explained(turn).text == printed(row, year, wanted)
        kind = "explanation" if question == WHY else "number"
        assert (turn.verified, turn.answer.kind, turn.answer.reason) == (True, kind, None)
        assert all(reference.sources for sentence in explained(turn).sentences for reference in sentence.references)


@by_solver
def test_numbers_without_references_are_rejected_in_explanations(solver: str) -> None:
    amounts = AMOUNTS if solver == "agent" else AMOUNTS[::3]
    replies = [
        reply
        for amount in amounts
        for first in [WRITERS[solver]("power cables", 2012, ["It rose {#3}.", f"It is {amount} of it [#1]."])]
        for reply in (*first, first[-1])
    ]
    turns = run(solver, *replies, questions=[f"{BESIDE} {'x' * place}" for place in range(len(amounts))]).turns
    for amount, turn in zip(amounts, turns, strict=True):
        assert (explained(turn).text, turn.verified) == ("It rose 7.3 %.", True), amount
        assert len(rejected(turn)) == 1, amount
        assert "sentence 2" in (turn.answer.reason or ""), amount


@by_scheme
def test_explanation_may_cite_passages_only(solver: str) -> None:
    cites = {"workflow": "[p4]", "sparql": "[early]", "reflection": "[POST0]"}
    sentences = [f"Two projects were early. {cites[solver]}"]
    silent = {"explanation": sentences}
    replies: dict[str, list[RoleReply]] = {
        "workflow": [{**plan(), **silent}],
        "sparql": [
            {"reasoning": "", "values": {"early": {"words": "p4"}}},
            {"reasoning": "", "formula": None, **silent},
        ],
        "reflection": [{"reasoning": "", "steps": [], **silent}],
    }
    turn = run(solver, *replies[solver], questions=[WHY]).turn
    assert (explained(turn).text, turn.verified) == ("Two projects were early.", True)
    (source,) = turn.answer.sources
    assert isinstance(source, SentenceRef)
    assert source.start == 0
    last = replies[solver][-1]
    assert isinstance(last, dict)
    judged = run(solver, *replies[solver][:-1], {**last, "verdict": "yes"})
    assert (judged.turn.answer.value, explained(judged.turn).text) == (YesNo(True), "Two projects were early.")
    left = [*replies[solver][:-1], *[{**last, "explanation": ["It rose by 7 %."]}] * 2]
    nothing = run(solver, *left, questions=[WHY]).turn
    assert (nothing.answer.value, nothing.answer.explanation, nothing.error) == (None, None, None)


def rejected(turn: Turn) -> list[str]:
    return [fault for event in turn.events if isinstance(event, ReplyRejected) for fault in event.faults]


@pytest.mark.parametrize(
    ("sentences", "fault"),
    [
        (["It rose by {#3}.", "Customers like it."], "sentence 2 has no source"),
        (["It rose by {#3} [#9]."], "sentence 1 names step #9, which there is not"),
        (["It fell ['two pirates sank the cables']."], "is not on the page"),
        (["It rose. [#3]"] * 7, "sentence 7 is one too many"),
        (["{#3}"], "has no words"),
    ],
)
def test_model_is_informed_once_why_a_sentence_is_omitted(sentences: list[str], fault: str) -> None:
    (turn,) = play(looked_up(), final(*sentences, answer="#3"), final("It rose by {#3}.", answer="#3"))
    assert fault in rejected(turn)[0]
    assert (explained(turn).text, turn.answer.reason) == ("It rose by 7.3 %.", None)


def test_empty_explanation_is_not_an_answer() -> None:
    (turn,) = play(looked_up(), *[final("It rose by 7 %.")] * 2)
    assert (turn.answer.value, turn.answer.explanation, turn.error) == (None, None, None)
    assert "7" not in (turn.answer.reason or "")


def test_yes_or_no_may_be_supported_by_a_cited_passage() -> None:
    (turn,) = play(final("Yes, two were early ['Two offshore grid projects were delivered ahead'].", answer="yes"))
    assert (turn.answer.value, turn.verified, explained(turn).text) == (YesNo(True), True, "Yes, two were early.")
    assert len(turn.answer.sources) == 1


def test_a_threshold_that_no_page_prints_is_shown_as_assumed() -> None:
    judged = Reply(calls=(*looked_up().calls, calculate("greater", "#3", 0.05), calculate("identity", 12.5)))
    sentences = ("It grew {#3}, above the threshold, and far from {#6} [#5].",)
    (turn,) = play(judged, final(*sentences, answer="#5", assumption="growth above that of inflation is fast"))
    assert explained(turn).text == "It grew 7.3 %, above the threshold, and far from 12.5."
    reason = turn.answer.reason or ""
    assert reason.startswith("assuming growth above that of inflation is fast")
    assert "0.05" in reason
    assert "12.5" in reason
    assert not rejected(turn)


@pytest.mark.parametrize(
    ("formula", "assumed"),
    [
        ("new * 0 + 12", "12"),
        ("new + 3", "3"),
        ("new / new * 7", "7"),
        ("new ** 0 * 7", "7"),
        ("new * 4", None),
        ("(new + old) / 2", None),
        ("1 - old / new", None),
    ],
)
def test_small_number_used_as_an_amount_is_reported(formula: str, assumed: str | None) -> None:
    replies = by_sparql("power cables", 2012, [])
    replies[1] = {**replies[1], "explanation": [f"{{{formula}}} was it."]}  # type: ignore[dict-item]  # no reply
    reason = str(run("sparql", *replies).turns[0].answer.reason)
    assert ("the model assumes" in reason) == (assumed is not None)
    assert assumed is None or f" {assumed}, which no page prints" in reason


@by_scheme
def test_lone_surrogate_in_an_explanation_is_replaced(solver: str) -> None:
    replies = WRITERS[solver]("power cables", 2012, ["It \ud800 rose {#3}."])
    assert explained(run(solver, *replies).turns[0]).text == "It ? rose 7.3 %."
