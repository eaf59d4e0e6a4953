import pytest
from pages import page
from plan_steps import compute, extract_from_sentence

from quaestor.conversation.describe import describe
from quaestor.conversation.turn import Memory
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import NO_QUESTION, read_question

TEXTS = page(
    [["", "amount"], ["fuel", "5"]],
    before=[
        "rental expense for operating leases was approximately $ 300 million , $ 247 million and $ 212 million during "
        "the years ended december 31 , 2018 , 2017 and 2016 , respectively .",
        "foodservice net sales declined to $ 396 million in 2006 , compared with $ 437 million in 2005 .",
        "net earnings attributable to the company of $ 6.0 billion decreased by $ 932 million in 2017 .",
        "the aggregate fair values of our fuel hedges as of december 31 , 2015 and 2014 were current liabilities "
        "of $ 37.8 million and $ 34.4 million , respectively .",
        "total debt was $ 64 million , $ 7 million of which was current , at december 31 , 2018 .",
        "they were 7 and 8 in 2012 and 2011 .",
        "aggregate rent expense ( all of it ) under operating leases in 2004 and 2003 approximated $ 118 and $ 113 .",
        "operating income operating income increased $ 108 million in 2013 .",
        "rent expense for all leases , except those of a month , was $ 5 in 2013 .",
        "total rent expense charged to the results of operations for all operating leases was $ 5 in 2013 .",
        "the company expects to record costs recognized for grants of $ 5 in 2013 .",
        "equity increased from $ 5 to $ 7 in 2013 .",
    ],
)


@pytest.mark.parametrize(
    ("sentence", "order", "text", "year"),
    [
        (0, 0, "Rental expense for operating leases in 2018", 2018),
        (0, 1, "Rental expense for operating leases in 2017", 2017),
        (1, 0, "Foodservice net sales in 2006", 2006),
        (1, 1, "Foodservice net sales in 2005", 2005),
        (2, 1, "Decrease in net earnings attributable to the company in 2017", 2017),
        (3, 1, "Aggregate fair values of our fuel hedges in 2014", 2014),
        (4, 0, "Total debt in 2018", 2018),
        (5, 1, "Debt in 2011", 2011),
        (6, 1, "Aggregate rent expense under operating leases in 2003", 2003),
        (7, 0, "Increase in operating income in 2013", 2013),
        (8, 0, "Rent expense for all leases in 2013", 2013),
        (9, 0, "Total rent expense charged to the results of operations in 2013", 2013),
        (10, 0, "Costs recognized for grants in 2013", 2013),
        (11, 0, "Equity in 2013", 2013),
        (11, 1, "Equity in 2013", 2013),
    ],
)
def test_a_number_of_the_text_is_named_by_its_clause(sentence: int, order: int, text: str, year: int) -> None:
    question = read_question("how much was the debt that is current?") if sentence == 5 else NO_QUESTION
    described = describe(Plan((extract_from_sentence(TEXTS, sentence, order),)), Memory(), TEXTS, question)
    assert (described.description, described.period and described.period.year) == (text, year)


def test_numbers_of_one_list_have_one_subject_in_several_years() -> None:
    plan = Plan(
        (extract_from_sentence(TEXTS, 0, 0), extract_from_sentence(TEXTS, 0, 1, 2), compute(3, "subtract", 1, 2))
    )
    question = read_question("what was the rental expense in 2018 less that in 2017?")
    described = describe(plan, Memory(), TEXTS, question)
    assert described.description == "Change in rental expense for operating leases from 2017 to 2018"


NOTES = page(
    [["( in millions )", "2008"], ["net revenue", "120"]],
    before=[
        "rent expense was $ 12 million in 2008 and $ 10 million in 2007 .",
        "we had $ 31 million of unsecured debt at december 31 , 2008 .",
        "they were 7 and 8 .",
    ],
)


@pytest.mark.parametrize(
    ("extract", "question", "text", "entity", "year"),
    [
        (extract_from_sentence(NOTES, 0, 0), "", "Rent expense in 2008", "rent expense", 2008),
        (extract_from_sentence(NOTES, 0, 1), "what was the rent in 2007?", "Rent in 2007", "rent", 2007),
        (extract_from_sentence(NOTES, 1, 0), "", "Unsecured debt in 2008", "unsecured debt", 2008),
        (extract_from_sentence(NOTES, 2, 0), "", '"they were 7"', None, None),
        (extract_from_sentence(NOTES, 2, 0), "what does it get?", '"they were 7"', None, None),
    ],
)
def test_a_number_of_the_text_is_named_by_the_words_around_it_or_by_the_question(
    extract: Extract, question: str, text: str, entity: str | None, year: int | None
) -> None:
    described = describe(Plan((extract,)), Memory(), NOTES, read_question(question))
    assert (described.description, described.entity) == (text, entity)
    assert (described.period.year if described.period else None) == year
