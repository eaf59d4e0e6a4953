"""Answers as a frame: the same columns in pandas and in polars, exact to the last digit."""

import sys
from decimal import Decimal

import pytest
from pages import page

import quaestor
from quaestor import Answers
from quaestor.errors import SettingsError
from quaestor.library.answered import COLUMNS

QUESTIONS = [
    "what was the exercise price in 2007?",
    "and in 2006?",
    "what was the percentage change?",
    "what was the exercise price in 1987?",
]


@pytest.fixture(scope="module")
def answers() -> Answers:
    return quaestor.open("sample#QUIL/2007/page_88.pdf").ask(QUESTIONS)


def test_both_have_the_same_columns_of_the_same_types(answers: Answers) -> None:
    import polars

    for some in (answers, answers[:1], answers[3:], Answers()):
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


def test_a_number_is_exact_as_text_and_a_float_to_compute_with(answers: Answers) -> None:
    frame = answers.to_polars()
    exact = [None if text is None else Decimal(text) for text in frame["exact"]]
    assert exact == [answer.number for answer in answers]
    assert len(str(exact[2])) > 20
    assert frame["number"].to_list()[:2] == [48.65, 33.2]
    assert answers.to_pandas()["number"].sum() == pytest.approx(48.65 + 33.2 + 0.46536, abs=1e-4)


def test_what_is_missing_is_missing(answers: Answers) -> None:
    first, *_, last = answers.to_polars().to_dicts()
    assert (first["formula"], first["reason"], first["unit"]) == (None, None, "USD")
    assert first["sources"] == "exercise price | 2007: $ 48.65"
    assert (last["answer"], last["kind"], last["number"], last["exact"]) == ("no answer", "none", None, None)
    assert last["reason"]
    assert answers.to_pandas()["number"].isna().tolist() == [False, False, False, True]


def test_a_quotient_beside_a_large_amount_stays_exact() -> None:
    large = "123,456,789,012,345"
    asked = quaestor.open(page([["", "2010", "2009"], ["assets", large, "7"]])).ask(
        ["what were assets in 2010?", "what were assets in 2009?", "what is the first divided by the second?"]
    )
    exact = asked.to_pandas()["exact"].tolist()
    assert exact[0] == large.replace(",", "")
    assert [Decimal(text) for text in exact] == [one.number for one in asked]
    assert asked.to_polars()["exact"].to_list() == exact


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_where_it_is_not_installed_one_line_says_what_to_do(
    name: str, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SettingsError) as raised:
        getattr(answers, f"to_{name}")()
    assert f"pip install 'quaestor[{name}]'" in str(raised.value)
