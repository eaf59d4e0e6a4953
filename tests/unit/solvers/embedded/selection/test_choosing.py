"""Single questions that choose cells of a page."""

import pytest
from choices import QUARTERS, REGIONS, answer_texts
from many_cases import for_each_row

_ALONE = (
    ("in which year were total net sales highest?", "2012"),
    ("in which year was the tax rate the second highest?", "2012"),
    ("when was the tax rate the lowest?", "2011"),
    ("in which year was freight largest?", "2010"),
    ("between 2010 and 2011, which year had higher sales in the south region?", "2011"),
    ("which region had the highest net sales in 2012?", "north region"),
    ("which region had the lowest net sales in 2010?", "overseas"),
    ("which regions declined in 2012?", "south region"),
    ("which region grew the most from 2010 to 2012?", "overseas"),
    ("list the two largest regions in 2011", "north region: 450; south region: 320"),
    ("how many years did total net sales exceed $850 thousand?", "2"),
    ("how many years did total net sales exceed $850,000?", "2"),
    ("how many years was the tax rate above 30 %?", "2"),
    ("in which years was the tax rate below 30%?", "2011"),
    ("in which year was net income negative?", "2011"),
    ("which years did freight exceed 200 thousand?", "2012; 2010"),
    ("in which years did wages fall?", "2012"),
    ("how many regions exceeded 250 thousand in 2012?", "2"),
    ("what are the components of total operating expenses?", "freight; wages"),
    ("how many components are there under net sales?", "3"),
    ("which years does the table show?", "2012; 2011; 2010"),
    ("did freight fall in 2012?", "no"),
    ("which regions grew by more than 10 % in 2012?", "north region"),
    ("in which years did wages rise by more than 10%?", "2011"),
    ("which regions fell by more than 5% in 2012?", "south region"),
    ("did sales in the south region fall in 2012?", "yes"),
    ("did total net sales exceed 900 thousand in 2011?", "no"),
    ("was freight higher in 2010 than in 2012?", "yes"),
    ("what was the best year for net income?", "2012"),
    ("year with the highest wages?", "2011"),
    ("what was the biggest expense in 2012?", "wages"),
    ("who had the highest sales?", "north region"),
    ("rank the regions by net sales in 2012", "north region: 500; south region: 300; overseas: 120"),
    ("list all regions", "north region; south region; overseas"),
    ("which expense was larger in 2012, freight or wages?", "wages"),
    ("which lines add up to total net sales?", "north region; south region; overseas"),
    ("how often did net income fall below zero?", "1"),
    ("second largest region in 2012?", "south region"),
    ("what are the years with a rate above 30%?", "2012; 2010"),
)


@for_each_row(_ALONE)
def test_selected_items(question: str, answer: str) -> None:
    assert answer_texts(REGIONS, question) == [answer]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("in which quarter was the high price highest?", "fourth quarter"),
        ("how many quarters had low prices below $28?", "2"),
        ("which quarters had a high price above $33?", "second quarter; fourth quarter"),
    ],
)
def test_parts_of_a_year(question: str, answer: str) -> None:
    assert answer_texts(QUARTERS, question) == [answer]
