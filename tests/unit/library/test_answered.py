"""Answers in a REPL, `rich`, notebooks and data frames, for any text on the page."""

import io
import json
import sys
from decimal import Decimal

import pytest
from elements import ALLOWED, elements_of
from hypothesis import given
from hypothesis import strategies as st
from pages import page
from rich.console import Console

import quaestor
from quaestor import Answer, Answers
from quaestor.errors import SettingsError
from quaestor.library.answered import COLUMNS

QUESTIONS = ["what was the exercise price in 2007?", "what was the change from 2005?"]
ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</td></table><h1>done</h1>",
    '" onmouseover="alert(1)',
    "\x1b[2J\x1b]0;owned\x07",
    "\u202edetrever",
    "$x^2$ \\(y\\)",
)


@pytest.fixture(scope="module")
def answers() -> Answers:
    return quaestor.open("sample#QUIL/2007/page_88.pdf").ask(QUESTIONS)


def rich_text(shown: object) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(shown)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_answers_are_a_sequence(answers: Answers) -> None:
    price, change = answers
    assert [*answers] == [price, change] == [*answers[:]]
    assert isinstance(answers[1:], Answers)
    assert (answers[-1], len(answers), change in answers) == (change, 2, True)
    assert answers == Answers([price, change])
    assert hash(answers) == hash(Answers([price, change]))
    assert answers != (price, change)
    assert repr(Answers()) == "[]"


def test_a_repl_shows_a_line_for_each(answers: Answers) -> None:
    first, second = repr(answers).splitlines()
    assert first.startswith("[<'what was the exercise price in 2007?': $ 48.65, ")
    assert second.startswith(" <'what was the change from 2005?': $ 20.70, ")
    assert str(answers) == "$ 48.65\n$ 20.70"
    assert repr(answers[1].answer).startswith("<$ 20.70 = 48.65 - 27.95, ")
    assert repr(Answer(None)) == "<no answer>"


def test_rich_shows_arithmetic_and_places(answers: Answers) -> None:
    text = rich_text(answers[1])
    assert "$ 20.70 = 48.65 - 27.95" in text
    assert "  exercise price | 2005: $ 27.95" in text
    table = rich_text(answers)
    assert table.count("\n") == 3
    assert "48.65 - 27.95" in table
    assert "sample#QUIL/2007/page_88.pdf" in rich_text(quaestor.open("sample#QUIL/2007/page_88.pdf"))


def test_a_notebook_shows_the_table_with_its_source_cells_marked(answers: Answers) -> None:
    html = answers[1]._repr_html_()
    assert [mark.text_content() for mark in elements_of(html) if mark.tag == "mark"] == ["$ 48.65", "$ 27.95"]
    assert "$ 20.70</b> = 48.65 - 27.95" in html
    assert "from exercise price | 2007: $ 48.65; exercise price | 2005: $ 27.95" in html
    assert answers._repr_html_() == answers[0]._repr_html_() + html
    # A look-up is shown without arithmetic.
    assert "$ 48.65</b><br>" in answers[0]._repr_html_()
    assert "48.65 - 27.95" in answers[1].answer._repr_html_()


def test_a_sentence_is_shown_with_its_words_marked() -> None:
    answer = quaestor.open("sample#NORD/2012/page_41.pdf").ask(
        ["what were net sales of power cables in 2012?", "why did they grow?"]
    )[1]
    (mark,) = (found for found in elements_of(answer._repr_html_()) if found.tag == "mark")
    assert mark.text_content() == answer.display


def test_a_withheld_answer_shows_no_arithmetic(answers: Answers) -> None:
    withheld = quaestor.open(answers[0].page).ask(QUESTIONS, options={"abstain_below": 1.0})[1]
    assert (str(withheld), withheld.number) == ("no answer", None)
    for shown in (withheld._repr_html_(), rich_text(withheld), repr(withheld.answer)):
        assert "48.65 -" not in shown
        assert "no answer" in shown


@pytest.mark.parametrize("attack", ATTACKS, ids=ascii)
def test_any_text_is_a_text_value(attack: str) -> None:
    grid = [["", f"2010 {attack}", "2009"], [f"net sales {attack}", "$ 120", f"100 {attack}"], ["rent", "5", "4"]]
    document = page(grid, [f"sales were $ 77 in 2008 {attack} ."])
    opened = quaestor.open(document)
    found = opened.ask(["what were net sales in 2010?", "what was rent in 2009?", "what were sales in 2008?"])
    assert found[0].number == Decimal(120)
    shown = [found._repr_html_(), opened._repr_html_(), document.tables[0]._repr_html_()]
    for html in shown:
        assert_harmless(html)
    for line in (
        repr(found),
        str(found),
        rich_text(found),
        rich_text(found[0]),
        rich_text(opened),
        repr(document.tables),
    ):
        assert not set("\x1b\x07\u202e") & set(line)
    for place in opened.find("net sales"):
        assert not set("\x1b\x07\u202e") & set(repr(place))


def assert_harmless(html: str) -> None:
    """Assert that HTML has only allowed elements and attributes, and can be encoded as JSON."""
    json.dumps(html, ensure_ascii=False).encode()
    for element in elements_of(html):
        assert element.tag in ALLOWED
        assert set(element.attrib) <= {"class", "style", "scope", "start"}


@given(text=st.text(max_size=40))
def test_any_text_of_a_cell_is_shown_as_text(text: str) -> None:
    document = page([["", "2010"], [text, "5"], ["rent", text]])
    assert_harmless(document.tables[0]._repr_html_())


PRICES = [
    "what was the exercise price in 2007?",
    "and in 2006?",
    "what was the percentage change?",
    "what was the exercise price in 1987?",
]


@pytest.fixture(scope="module")
def asked_prices() -> Answers:
    return quaestor.open("sample#QUIL/2007/page_88.pdf").ask(PRICES)


def test_pandas_and_polars_frames_have_equal_columns_and_types(asked_prices: Answers) -> None:
    import polars

    for some in (asked_prices, asked_prices[:1], asked_prices[3:], Answers()):
        one, other = some.to_pandas(), some.to_polars()
        assert list(one.columns) == other.columns == [*COLUMNS]
        assert [str(kind) for kind in one.dtypes] == [
            {str: "str", float: "float64", bool: "bool"}[kind] for kind in COLUMNS.values()
        ]
        assert other.dtypes == [
            {str: polars.String, float: polars.Float64, bool: polars.Boolean}[kind] for kind in COLUMNS.values()
        ]
        assert len(one) == len(other) == len(some)
        rows = one.astype(object).where(one.notna(), None).to_dict("records")
        assert rows == other.to_dicts()


def test_a_number_is_exact_as_text_and_a_float_to_compute_with(asked_prices: Answers) -> None:
    frame = asked_prices.to_polars()
    exact = [None if text is None else Decimal(text) for text in frame["exact"]]
    assert exact == [answer.number for answer in asked_prices]
    assert len(str(exact[2])) > 20
    assert frame["number"].to_list()[:2] == [48.65, 33.2]
    assert asked_prices.to_pandas()["number"].sum() == pytest.approx(48.65 + 33.2 + 0.46536, abs=1e-4)


def test_missing_values_are_null(asked_prices: Answers) -> None:
    first, *_, last = asked_prices.to_polars().to_dicts()
    assert (first["formula"], first["reason"], first["unit"]) == (None, None, "USD")
    assert first["sources"] == "exercise price | 2007: $ 48.65"
    assert (last["answer"], last["kind"], last["number"], last["exact"]) == ("no answer", "none", None, None)
    assert last["reason"]
    assert asked_prices.to_pandas()["number"].isna().tolist() == [False, False, False, True]


def test_a_quotient_beside_a_large_amount_stays_exact() -> None:
    large = "123,456,789,012,345"
    answers = quaestor.open(page([["", "2010", "2009"], ["assets", large, "7"]])).ask(
        ["what were assets in 2010?", "what were assets in 2009?", "what is the first divided by the second?"]
    )
    exact = answers.to_pandas()["exact"].tolist()
    assert exact[0] == large.replace(",", "")
    assert [Decimal(text) for text in exact] == [one.number for one in answers]
    assert answers.to_polars()["exact"].to_list() == exact


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_missing_package_is_reported_in_one_line(
    name: str, asked_prices: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SettingsError) as raised:
        getattr(asked_prices, f"to_{name}")()
    assert f"pip install 'quaestor[{name}]'" in str(raised.value)
