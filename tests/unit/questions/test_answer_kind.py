"""The kind of answer that a question asks for."""

from hypothesis import given
from hypothesis import strategies as st
from many_cases import for_each_row

from quaestor.questions.selection import read_answer_kind

_QUESTIONS = {
    "number": (
        "what were net sales in 2012?",
        "and in 2011?",
        "what was the highest price in 2012?",
        "what is the second highest award?",
        "what percentage increase does this represent?",
        "how many shares were repurchased in 2015?",
        "how many years is the amortization period?",
        "what is the total expenses in 2019?",
        "what are total minimum payments for operating leases?",
        "what is the year on year change in the rate between 2018 and 2019?",
        "",
        "what growth rate does this represent?",
        "what is the difference between the highest and lowest?",
    ),
    "label": (
        "in which year was net income highest?",
        "which year was highest?",
        "which segment had the highest sales in 2012?",
        "what is the largest component of total assets?",
        "which country had the lowest revenue?",
        "when was the dividend the largest?",
        "which segment grew the most?",
        "between 2018 and 2019, which year had higher sales?",
    ),
    "labels": (
        "which years did net sales exceed $10,000 thousand?",
        "which segments declined?",
        "list the three largest expenses",
        "what are the components of total revenue?",
        "which years does the table show?",
        "in which year was net income negative?",
        "in which years was operating income calculated?",
        "in which year was rent less than 20 thousand?",
        "what does free cash flow consist of?",
        "what are the three largest segments?",
        "which quarters were above $0.30?",
        "what types of leases are there?",
    ),
    "count": (
        "how many years did sales exceed $10,000 thousand?",
        "how many years exceeded 3 %?",
        "how many components are there under alternative investments?",
        "how many segments declined?",
    ),
    "yes_no": (
        "did operating leases fall?",
        "was that more than in 2011?",
        "has the rate increased?",
        "did net income exceed 5 million in 2012?",
        "was there a decline in sales?",
    ),
    "numbers": (
        "what were sales and costs in 2012 respectively?",
        "what are the respective rates in 2018 and 2019?",
    ),
    "span": (
        "why did sales fall?",
        "where is the company located?",
        "how is ebitda calculated?",
        "who approved the statements?",
        "what caused the increase?",
    ),
}


@for_each_row([(text, kind) for kind, texts in _QUESTIONS.items() for text in texts])
def test_the_kind_of_a_question(text: str, kind: str) -> None:
    assert read_answer_kind(text).kind == kind


_WORDS = st.sampled_from(
    "which what who when how many often did was is are the a year years segments regions expense had have rank list "
    "name highest lowest second three exceed less than 5 % million in 2012 since of or , net loss sales fall rose "
    "more".split()
)


@given(st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=12).map(" ".join)))
def test_any_text_has_a_kind(text: str) -> None:
    kind = read_answer_kind(text.lower())
    assert (kind.selection is None) or kind.kind in ("yes_no", "label", "labels", "count")
