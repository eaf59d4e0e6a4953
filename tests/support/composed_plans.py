"""Questions bound to made-up tables, composed to plans."""

from quaestor.core.answer_value import AnswerValue, Number
from quaestor.facts.table import FactTable, Series
from quaestor.plan.execute import execute
from quaestor.plan.steps import Plan
from quaestor.questions.understanding import INTENTS, read_filing_question
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.embedded.filings.binding import resolve_moments
from quaestor.solvers.embedded.filings.composing import BoundOperand, BoundQuestion, compose
from quaestor.solvers.embedded.filings.composing.changes import asks_for_fall
from quaestor.solvers.embedded.filings.past import read_past_answer

INCOME = [
    ["( in millions )", "2023", "2022", "2021"],
    ["total net sales", "$ 800", "$ 720", "$ 660"],
    ["operating income", "136", "106", "92"],
    ["net income", "$ 60", "$ 75", "$ 65"],
]


SEGMENTS = [
    ["( in millions )", "2023", "2022", "2021"],
    ["net sales by segment :", "", "", ""],
    ["europe", "$ 310", "$ 280", "$ 255"],
    ["americas", "460", "430", "395"],
    ["asia", "30", "10", "10"],
    ["total", "$ 800", "$ 720", "$ 660"],
]


QUARTERS = [
    ["( in millions )", "six months ended june 30 , 2023", "three months ended june 30 , 2023"],
    ["revenue", "$ 410", "$ 230"],
]


SHEET = [
    ["( in millions )", "december 31 , 2023", "december 31 , 2022"],
    ["cash and cash equivalents", "$ 50", "$ 40"],
    ["short-term investments", "30", "20"],
    ["total assets", "$ 900", "$ 800"],
    ["current portion of long-term debt", "$ 20", "$ 10"],
    ["long-term debt, less current portion", "180", "190"],
    ["total shareholders' equity", "$ 400", "$ 380"],
]


TAXES = [
    ["( in millions )", "2023", "2022"],
    ["total net sales", "$ 800", "$ 720"],
    ["cost of products sold", "500", "450"],
    ["operating income", "136", "106"],
    ["income before provision for income taxes", "$ 120", "$ 100"],
    ["provision for income taxes", "30", "20"],
    ["net income", "$ 90", "$ 80"],
]


MEMBERS = [
    ["( in millions )", "2023", "2022"],
    ["net sales :", "", ""],
    ["europe", "$ 310", "$ 280"],
    ["americas", "490", "440"],
    ["total net sales", "$ 800", "$ 720"],
    ["operating income :", "", ""],
    ["europe", "$ 31", "$ 30"],
    ["americas", "105", "76"],
    ["total operating income", "$ 136", "$ 106"],
]


def find(table: FactTable, label: str) -> Series:
    """Return the first series of a label."""
    return next(series for series in table.series if series.line.label.lower() == label)


def ask(
    table: FactTable,
    text: str,
    intent: str,
    labels: tuple[str, ...] = (),
    before: tuple[Plan, ...] = (),
    falls: str = "",
    bound: tuple[BoundOperand, ...] = (),
) -> Plan:
    """Return the likeliest plan for a question whose operands mean the series of some labels."""
    past = tuple(answer for plan in before if (answer := read_past_answer(plan, table)) is not None)
    base = past[0].anchor if past else None
    reading = read_filing_question(text)
    named = iter(labels)
    operands = tuple(
        (BoundOperand(find(table, label), 1.0),) if operand.terms and (label := next(named, "")) else bound
        for operand in reading.operands
    )
    question = BoundQuestion(
        reading, table, {name: float(name == intent) for name in INTENTS}, operands,
        resolve_moments(reading, table, base), base or table.latest, past, asks_for_fall(falls), lambda _: (),
    )  # fmt: skip
    return compose(question)[0].plan


def run(table: FactTable, plan: Plan) -> AnswerValue | None:
    """Return the result of a plan."""
    return execute(with_label_scales(plan, table.document), ()).result.value


def number(table: FactTable, plan: Plan) -> float:
    """Return the number that a plan evaluates to."""
    value = run(table, plan)
    assert isinstance(value, Number)
    return float(value.value)
