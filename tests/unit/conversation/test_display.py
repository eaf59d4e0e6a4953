from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import a_record
from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_entries, show_number, show_source
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import ListItem, Number, ValueList
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.datasets.convfinqa import read_conversation
from quaestor.plan.steps import Compute, Extract, Plan, Ref, Step
from quaestor.questions.instructions import RequestedForm
from quaestor.questions.question import read_question
from quaestor.solvers.answering import build_answer

DOCUMENT = read_conversation(a_record(), "here").document
PAGE = DOCUMENT.id
REVENUE, COSTS = CellRef(PAGE, 0, 1, 1), CellRef(PAGE, 0, 2, 1)


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (Answer(None), "no answer"),
        (Answer(a_value(True)), "yes"),
        (Answer(a_value(False)), "no"),
        (Answer(a_value("13.7"), Scale.PERCENT), "13.7 %"),
        (Answer(a_value("0.5"), Scale.PERCENT, metric_type="ratio"), "0.5 %"),
        (Answer(a_value("0.141363"), metric_type="percentage_change"), "14.1 %"),
        (Answer(a_value("-1.5"), metric_type="percentage_change"), "-150.0 %"),
        (Answer(a_value("0.4567"), metric_type="ratio"), "45.7 %"),
        (Answer(a_value("1.4567"), metric_type="percentage"), "145.7 %"),
        (Answer(a_value("13.7"), Scale.PERCENT, metric_type="percentage"), "13.7 %"),
        (Answer(a_value("2.4567"), metric_type="ratio"), "2.46"),
        (Answer(a_value("5.2"), Scale.MILLION, "USD"), "$ 5.2 million"),
        (Answer(a_value(7), unit="years"), "7 years"),
        (Answer(a_value(206588), Scale.MILLION, sources=(REVENUE,)), "206,588 million"),
        (Answer(a_value(25587), metric_type="product", sources=(REVENUE, COSTS)), "25,587"),
        (Answer(a_value("0.5"), unit="USD", metric_type="ratio"), "$ 0.5"),
        (Answer(a_value("20.7435887"), Scale.MILLION, "USD", metric_type="ratio"), "$ 20.74 million"),
        (Answer(a_value(Decimal(1) / Decimal(3))), "0.3333"),
        (Answer(a_value("0.0000123456")), "0.000012"),
        (Answer(a_value("72.0")), "72.0"),
        (Answer(a_value("1E+5")), "100,000"),
        (Answer(a_value("2.63"), unit="USD", in_ones=True, form=RequestedForm(Scale.MILLION, 2)), "$ 2.63"),
        (Answer(a_value("2630000"), unit="USD", in_ones=True, form=RequestedForm(Scale.MILLION, 2)), "$ 2.63 million"),
    ],
)
def test_numbers_are_displayed_in_common_notation(answer: Answer, shown: str) -> None:
    assert show_number(answer) == shown


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40), st.booleans())
def test_displayed_number_is_parsed_back(value: Decimal, change: bool) -> None:
    answer = Answer(Number(value), metric_type="percentage_change" if change else "value")
    shown = Decimal(show_number(answer).removesuffix(" %").replace(",", ""))
    assert shown == pytest.approx(value * 100 if change else value, rel=Decimal("0.05"), abs=Decimal("0.05"))


def test_a_cell_is_row_column_and_text() -> None:
    shown = show_source(COSTS, DOCUMENT)
    assert (shown.place, shown.span) == ("operating costs | 2008", "$ -435 ( 435 )")


def test_a_sentence_has_its_span() -> None:
    sentence = DOCUMENT.sentences[1].text
    start = sentence.index("$ 91")
    shown = show_source(SentenceRef(PAGE, "pre_text", 1, start, start + 12), DOCUMENT)
    assert (shown.place, shown.span, shown.text) == ("pre text, sentence 2", "$ 91 million", sentence)


def test_cell_without_labels_is_described_by_position_from_one() -> None:
    document = read_conversation(a_record(table=[["", "5"], ["", "7"]]), "here").document
    assert show_source(CellRef(document.id, 0, 1, 1), document).place.startswith("row 2 | ")


def test_each_entry_of_a_list_is_shown_by_itself() -> None:
    entries = (ListItem("2024", Decimal(3)), ListItem("2023", Decimal(2), Scale.PERCENT))
    listed = Answer(ValueList(entries), Scale.MILLION, "USD")
    assert show_entries(listed) == ("2024: $ 3 million", "2023: 2 %")
    assert "; ".join(show_entries(listed)) == show_number(listed)
    assert show_entries(Answer(None)) == ("no answer",)


def test_an_amount_for_each_share_is_shown_in_ones() -> None:
    amount, shares = Quantity(Decimal(134661), Scale.MILLION, "USD"), Quantity(Decimal(15408095), Scale.THOUSAND)
    steps = (Extract(1, REVENUE, "", amount), Extract(2, COSTS, "", shares), Compute(3, "divide", (Ref(1), Ref(2))))
    answer = Answer(a_value("0.0087396"), Scale.THOUSAND, "USD", plan=Plan(steps))
    assert show_number(answer) == "$ 8.7396"


def test_a_difference_of_shares_is_shown_in_percent_a_difference_of_amounts_is_not() -> None:
    taken = [Extract(n, cell, "", Quantity(Decimal(v))) for n, cell, v in ((1, REVENUE, "3"), (2, COSTS, "12"))]
    shares = [Compute(3, "percentage", (Ref(1), Ref(2))), Compute(4, "percentage", (Ref(2), Ref(2)))]
    cases: tuple[tuple[tuple[Step, ...], str], ...] = (
        ((*taken, *shares, Compute(5, "subtract", (Ref(3), Ref(4)))), "-75.0 %"),
        ((*taken, Compute(3, "subtract", (Ref(1), Ref(2)))), "-9"),
    )
    for steps, shown in cases:
        answer = build_answer(Plan(steps), Memory(), DOCUMENT, read_question("what is the difference in percent?"))
        assert (show_number(answer).split()[0], answer.metric_type) == (shown.split()[0], "change")
        assert answer.fraction is ("%" in shown)
