"""Items among which a question chooses."""

import pytest

from quaestor.questions.selection import read_selection


@pytest.mark.parametrize(
    ("text", "form", "among", "noun", "measure"),
    [
        ("in which year was net income highest?", "choice", "periods", "year", "net income"),
        ("which segment had the highest sales?", "choice", "items", "segment", "the sales"),
        ("how many years did rent exceed 20?", "count", "periods", "year", "rent"),
        ("how many quarters were above 3 %?", "count", "periods", "quarter", ""),
        ("which countries declined?", "choice", "items", "country", ""),
        ("which years does the table show?", "members", "periods", "year", "the show"),
        ("did operating leases fall?", "yes_no", "periods", "", "operating leases"),
    ],
)
def test_items_to_select_from(text: str, form: str, among: str, noun: str, measure: str) -> None:
    read = read_selection(text)
    assert read is not None
    assert (read.form, read.among, read.noun, read.measure) == (form, among, noun, measure)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("what are the components of total revenue?", "total revenue"),
        ("how many components are there under alternative investments?", "alternative investments"),
        ("what items make up current assets?", "current assets"),
        ("what does free cash flow consist of?", "free cash flow"),
        ("how many components of deferred tax assets exceeded $50 thousand in 2019?", "deferred tax assets"),
        ("which segment had the highest sales in 2012?", ""),
    ],
)
def test_whole_of_a_selection(text: str, whole: str) -> None:
    read = read_selection(text)
    assert read is not None
    assert read.whole == whole


@pytest.mark.parametrize(
    "text",
    ["what was the highest price?", "how many years is the period?", "what were sales?", "was the decline 5?", ""],
)
def test_other_questions_choose_nothing(text: str) -> None:
    assert read_selection(text) is None


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("which was larger in 2012, freight or wages?", ("freight", "wages")),
        (
            "which is higher, research and development or selling, general and administrative?",
            ("research and development", "selling, general and administrative"),
        ),
    ],
)
def test_alternatives_may_have_commas(question: str, options: tuple[str, str]) -> None:
    selection = read_selection(question)
    assert selection is not None
    assert selection.options == options
