from collections.abc import Sequence
from decimal import Decimal

import pytest
from pages import page

from quaestor.conversation.answer import Answer
from quaestor.conversation.meaning import Meaning, describe_selection
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.steps import CellGroup, Compute, Constant, Operand, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.store.records import now

SEGMENTS = page(
    [
        ["( in millions )", "2009", "2008", "2007"],
        ["north america", "$ 120", "$ 100", "$ 90"],
        ["europe", "80", "85", "60"],
        ["asia", "30", "35", "15"],
    ]
)
PROVIDER = GraphProvider.of([SEGMENTS])


def group(text: str, labels: Sequence[str], places: Sequence[tuple[int, int]]) -> CellGroup:
    refs = tuple(CellRef(SEGMENTS.id, 0, row, column) for row, column in places)
    quantities = [SEGMENTS.cell(ref).quantity for ref in refs]
    return CellGroup(text, tuple(labels), tuple(q for q in quantities if q is not None), refs, 0)


def row(index: int) -> CellGroup:
    name = ("", "north america", "europe", "asia")[index]
    return group(name, ("2009", "2008", "2007"), [(index, column) for column in (1, 2, 3)])


def column(index: int) -> CellGroup:
    names = ("north america", "europe", "asia")
    return group(("", "2009", "2008", "2007")[index], names, [(r, index) for r in (1, 2, 3)])


def number(value: str) -> Constant:
    return Constant(Decimal(value), value)


def answered(question: str, *steps: tuple[str, tuple[Operand, ...]], memory: Memory | None = None) -> Answer:
    plan = Plan(tuple(Compute(n, name, operands) for n, (name, operands) in enumerate(steps, 1)))
    before = memory or Memory()
    reading = read_question(question)
    context = TurnContext(SEGMENTS, before, PROVIDER.graph(SEGMENTS), PROVIDER.ontology, question=reading)
    return answer_from_plan(plan, context, question=question)


def after(question: str, answer: Answer, memory: Memory | None = None) -> Memory:
    return (memory or Memory()).add(Turn(question, answer, True, now(), now()))


BEST_YEAR = "in which year from 2007 to 2009 was the turnover of europe highest?"
BEST_LINE = "which segment had the highest revenue in 2008?"
FELL = "which segments declined from 2008 to 2009?"


def test_a_year_that_is_chosen_is_the_period_of_the_answer() -> None:
    answer = answered(BEST_YEAR, ("argmax", (row(2),)))
    assert (str(answer.value), answer.kind, answer.entity) == ("2008", "label", "europe")
    assert (answer.period, answer.metric_type, answer.base) == (Period("year", 2008), "selection", None)
    assert answer.description == "Year with the highest turnover of europe, 2007 to 2009"
    assert answer.formula == "highest(europe {2009: 80; 2008: 85; 2007: 60})"
    assert answer.sources[0] == CellRef(SEGMENTS.id, 0, 2, 2)
    assert answer.variables[0].name == "turnover_of_europe_2009"


def test_in_that_year_is_the_year_that_was_chosen() -> None:
    memory = after(BEST_YEAR, answered(BEST_YEAR, ("argmax", (row(2),))))
    found = resolve(read_question("and in that year, what was the revenue of asia?"), memory).expressions
    assert [expression.means for expression in found if expression.kind == "period"] == ["2008"]


def test_a_line_that_is_chosen_is_the_entity_of_the_answer() -> None:
    answer = answered(BEST_LINE, ("argmax", (column(2),)))
    assert (str(answer.value), answer.entity, answer.period) == ("north america", "north america", Period("year", 2008))
    assert answer.description == "Segment with the highest value in 2008"
    for question in (
        "what was the revenue of that segment in 2009?",
        "what was it in 2009?",
        "what was its revenue?",
    ):
        references = resolve(read_question(question), after(BEST_LINE, answer))
        assert references.focus == "north america"
        assert [found.means for found in references.expressions] == ["north america"]


def test_lines_that_declined_are_listed_and_counted() -> None:
    change = ("subtract", (column(1), column(2)))
    fell = answered(FELL, change, ("below", (Ref(1), number("0"))))
    assert str(fell) == "europe: -5 million; asia: -5 million"
    assert (fell.kind, fell.entity, fell.metric_type) == ("list", "europe and asia", "change")
    assert fell.period == Period("range", 2008, last=2009)
    assert fell.description == "Change in value below 0 from 2008 to 2009"
    memory = after(FELL, fell)
    count = answered("how many is that?", ("count", (Ref(-1),)), memory=memory)
    assert (str(count), count.kind) == ("2", "count")
    assert count.description == "Number of lines with change in value below 0 from 2008 to 2009"
    assert set(count.sources) == set(fell.sources)


@pytest.mark.parametrize(
    ("question", "steps", "description", "shown"),
    [
        ("", [("above", (row(2), number("70")))], "Europe above 70, 2007 to 2009",
         "2009: 80 million; 2008: 85 million"),
        ("", [("above", (row(2), number("70"))), ("count", (Ref(1),))],
         "Number of years with europe above 70, 2007 to 2009", "2"),
        ("", [("largest", (column(1), number("2")))], "The 2 largest of value in 2009",
         "north america: $ 120 million; europe: $ 80 million"),
        ("", [("rank", (column(1), number("2")))], "Line with the second highest value in 2009", "europe"),
        ("", [("percentage_change", (column(1), column(2))), ("largest", (Ref(1), number("1")))],
         "The 1 largest of percentage change in value from 2008 to 2009", "north america: 20.0 %"),
        ("", [("above", (row(2), number("99")))], "Europe above 99, 2007 to 2009", "none"),
        ("", [("labels", (row(2),))], "Europe, 2007 to 2009", "2009; 2008; 2007"),
    ],
)  # fmt: skip
def test_selections_in_words(
    question: str, steps: list[tuple[str, tuple[Operand, ...]]], description: str, shown: str
) -> None:
    answer = answered(question, *steps)
    assert (answer.description, str(answer)) == (description, shown)


def test_average_of_listed_values_is_described() -> None:
    fell = answered(FELL, ("above", (row(2), number("70"))))
    mean = answered("what is their average?", ("average", (Ref(-1),)), memory=after(FELL, fell))
    assert (mean.number, mean.metric_type) == (Decimal("82.5"), "average")
    assert mean.description == "Average of europe above 70, 2007 to 2009"


def test_words_of_a_group_stay_short() -> None:
    cells = tuple(CellRef(SEGMENTS.id, 0, 1, 1) for _ in range(900))
    many = CellGroup("x" * 900, ("y" * 300,) * 900, (Quantity(Decimal(1)),) * 900, cells)
    answer = answered("", ("argmax", (many,)))
    assert len(answer.description) <= 200
    assert len(answer.formula) <= 1000


def test_several_numbers_of_one_period_name_it_once() -> None:
    year = Period("year", 2024)
    sales = [Meaning(key, "value", "Net sales", "Net sales in 2024", (), (year,)) for key in ("first", "second")]
    assert describe_selection("items", sales, "").text == "Net sales in 2024"
