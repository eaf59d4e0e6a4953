"""Questions about earlier answers than the last one."""

import numpy as np
import pytest
from composed_plans import ask, number

from quaestor.documents.assembly import TablePart, assemble
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, build_facts
from quaestor.questions.understanding import INTENTS, read_filing_question
from quaestor.solvers.embedded.filings.binding import resolve_moments
from quaestor.solvers.embedded.filings.past import mix_with_repetition


@pytest.mark.parametrize(
    ("question", "intent", "expected"),
    [
        ("what's the gap between the two?", "change", 770),
        ("difference?", "change", 770),
        ("and the gap between these two a year earlier?", "change", 710),
        ("add the two for 2022", "sum", 730),
        ("the second as % of the first", "ratio", 30 / 800),
        ("ratio of the first to the second", "ratio", 800 / 30),
        ("share?", "share", 30 / 800),
        ("growth of the former?", "growth", 80 / 720),
        ("both as percent of net income", "ratio", 830 / 60),
        ("and the rest?", "lookup", 770),
        ("excluding that?", "lookup", 770),
    ],
)
def test_questions_refer_to_the_last_two_answers(table: FactTable, question: str, intent: str, expected: float) -> None:
    sales = ask(table, "total net sales in 2023?", "lookup", ("total net sales",))
    part = ask(table, "of which asia?", "lookup", ("asia",), before=(sales,))
    plan = ask(table, question, intent, ("net income",), before=(part, sales))
    assert number(table, plan) == pytest.approx(expected)


def test_the_rest_of_a_ratio_is_the_whole_without_the_part(table: FactTable) -> None:
    sales = ask(table, "total net sales in 2023?", "lookup", ("total net sales",))
    share = ask(table, "asia as % of total net sales?", "ratio", ("asia", "total net sales"), before=(sales,))
    assert number(table, ask(table, "and the rest?", "lookup", before=(share, sales))) == 770


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("operating margin in each?", (Moment(2023, 4, 3), Moment(2022, 4, 3))),
        ("cash in those two years?", (Moment(2023, 4, 3), Moment(2022, 4, 3))),
        ("the full years", (Moment(2023, 4, 12), Moment(2022, 4, 12))),
        ("at the start of that year?", (Moment(2021, 4, 0),)),
        ("same quarter last year?", (Moment(2021, 4, 3),)),
        ("cash, then and a year earlier", (Moment(2022, 4, 3), Moment(2021, 4, 3))),
        ("gross margin that quarter", (Moment(2022, 4, 3),)),
        ("now for europe", ()),
    ],
)
def test_times_of_earlier_answers_are_repeated(table: FactTable, question: str, expected: tuple[Moment, ...]) -> None:
    trail = (Moment(2023, 4, 3), Moment(2022, 4, 3))
    assert resolve_moments(read_filing_question(question), table, trail[1], trail) == expected


def test_numbers_of_another_kind_are_skipped_in_sums() -> None:
    rows = (("( in millions , except per share )", "2023"), ("dividends", "$ 40"), ("buybacks", "60"))
    price = (("", "2023"), ("average price paid per share", "$ 20.50"))
    filing = build_facts(assemble("a", [TablePart(rows), TablePart(price)]))
    labels = ("dividends", "average price paid per share", "buybacks")
    past = tuple(ask(filing, f"{label} in 2023?", "lookup", (label,)) for label in labels)
    assert number(filing, ask(filing, "both together?", "sum", before=past)) == 100


@pytest.mark.parametrize(
    ("question", "intent"), [("the gap?", "change"), ("operating margin in each?", "list"), ("cash in each?", "list")]
)
def test_references_to_two_answers_show_what_is_asked_for(question: str, intent: str) -> None:
    shares = np.full(len(INTENTS), 1 / len(INTENTS))
    mixed = mix_with_repetition(shares, read_filing_question(question), "lookup")
    assert INTENTS[int(np.argmax(mixed))] == intent
