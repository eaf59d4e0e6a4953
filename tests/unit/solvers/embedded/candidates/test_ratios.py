"""Named ratios are expanded to a division if the page has the parts but not the ratio."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.turn_state import expand_ratio


def expanded(question: str, page: NumberMatrix) -> str:
    return expand_ratio(read_question(question), page).text


def leaves(*rows: list[str], text: tuple[str, ...] = ()) -> NumberMatrix:
    document = page(rows, text)
    return build_number_matrix(build_graph(document, build_ontology([document]), "strict"))


HEAD = ["( in millions )", "2015", "2014"]
SALES = ["net revenues", "$ 900", "$ 840"]
INCOME = ["net income", "$ 81", "$ 77"]
INCOMES = leaves(HEAD, SALES, ["cost of sales", "500", "480"], INCOME)
MARGIN = "what was the profit margin in 2015?"
SPELLED = "what was the net income divided by net revenue in 2015?"


def test_a_name_is_spelled_out_in_the_words_of_the_page() -> None:
    assert expanded(MARGIN, INCOMES) == SPELLED


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("net earnings ( loss )", "net earnings"),
        ("consolidated net income", "net income"),
        ("net income attributable to nord inc .", "net income"),
        ("net profit", "net profit"),
        ("net income per share", None),
        ("net income attributable to noncontrolling interests", None),
        ("net loss", None),
        ("adjusted net income", None),
    ],
)
def test_qualified_labels_match_and_other_figures_do_not(label: str, expected: str | None) -> None:
    found = expanded(MARGIN, leaves(HEAD, SALES, [label, "81", "77"]))
    assert found == (MARGIN if expected is None else SPELLED.replace("net income", expected))


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("net sales", "net sales"),
        ("total revenues", "revenue"),
        ("revenues , net", "net revenue"),
        ("sales", "sales"),
        ("operating revenues", "operating revenue"),
        ("cost of sales", None),
        ("sales per store", None),
    ],
)
def test_the_wording_of_the_page_is_used(label: str, expected: str | None) -> None:
    found = expanded(MARGIN, leaves(HEAD, [label, "900", "840"], INCOME))
    assert found == (MARGIN if expected is None else SPELLED.replace("net revenue", expected))


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("earnings ( loss ) before income taxes", "earnings before income taxes"),
        ("income before provision for income taxes", "income before provision for income taxes"),
        ("income after income taxes", None),
    ],
)
def test_sign_in_brackets_is_ignored(label: str, expected: str | None) -> None:
    question, table = (
        "what was the effective tax rate?",
        (["provision for income taxes", "39", "33"], [label, "12", "9"]),
    )
    found = expanded(question, leaves(HEAD, *table))
    assert found == (f"what was the provision for income taxes divided by {expected}?" if expected else question)


@pytest.mark.parametrize(("label", "found"), [("inventories , net", True), ("net inventories", False)])
def test_net_is_accepted_only_after_the_name(label: str, found: bool) -> None:
    question = "what was the inventory turnover in 2015?"
    spelled = expanded(question, leaves(HEAD, ["cost of goods sold", "500", "480"], [label, "70", "65"]))
    assert (spelled == "what was the cost of goods sold divided by inventories in 2015?") is found


def test_of_several_figures_the_preferred_is_used() -> None:
    both = leaves(HEAD, ["operating revenues", "950", "880"], SALES, ["net sales", "890", "830"], INCOME)
    assert expanded(MARGIN, both) == SPELLED.replace("net revenue", "net sales")
    utility = leaves(HEAD, ["operating revenues", "950", "880"], SALES, INCOME)
    assert expanded(MARGIN, utility) == SPELLED.replace("net revenue", "operating revenue")


@pytest.mark.parametrize(
    "row",
    [
        ["profit margin", "9.0%", "9.2%"],
        ["net profit margin ( % )", "9.0", "9.2"],
        ["margin on net profit", "9.0%", "9.2%"],
        ["net income margin", "9.0%", "9.2%"],
    ],
    ids=lambda row: row[0],
)
def test_a_ratio_that_the_page_prints_is_looked_up(row: list[str]) -> None:
    assert expanded(MARGIN, leaves(HEAD, SALES, INCOME, row)) == MARGIN


def test_a_ratio_that_a_sentence_states_is_looked_up() -> None:
    stated = leaves(HEAD, SALES, INCOME, text=("our margin of profit before and after all was 9.0% in 2015 .",))
    assert expanded(MARGIN, stated) == MARGIN
    silent = leaves(HEAD, SALES, INCOME, text=("the margin of error was 9.0% in 2015 .",))
    assert expanded(MARGIN, silent) == SPELLED


def test_other_printed_ratio_does_not_prevent_the_expansion() -> None:
    other = leaves(HEAD, SALES, INCOME, ["gross profit margin", "45.0%", "43.0%"])
    assert expanded(MARGIN, other) == SPELLED


def test_an_amount_of_the_same_name_is_looked_up_unless_the_percentage_is_asked_for() -> None:
    amounts = leaves(HEAD, ["gross margin", "400", "360"], ["net sales", "900", "840"])
    assert expanded("what was the gross margin in 2015?", amounts) == "what was the gross margin in 2015?"
    percent = expanded("what was the 2015 gross margin percent?", amounts)
    assert percent == "what was the 2015 gross margin divided by net sales?"


def test_a_common_size_statement_has_no_amounts_to_divide() -> None:
    shares = leaves(["", "2015", "2014"], ["net sales", "100.0%", "100.0%"], ["net income", "9.0%", "9.2%"])
    assert expanded(MARGIN, shares) == MARGIN


def test_figures_of_sentences_and_columns_are_used() -> None:
    texts = ("net income rose from $ 77 million to $ 81 million .", "we had $ 900 million in net sales in 2015 .")
    assert expanded(MARGIN, leaves(["", "2015"], ["stores", "12"], text=texts)) == SPELLED.replace(
        "net revenue", "net sales"
    )
    turned = leaves(["year", "net sales", "net income"], ["2015", "900", "81"], ["2014", "840", "77"])
    assert expanded(MARGIN, turned) == SPELLED.replace("net revenue", "net sales")
    segments = leaves(["", "net sales", "net income"], ["north", "500", "51"], ["south", "400", "30"])
    assert expanded("what is the net margin of north?", segments) == (
        "what is the net income divided by net sales of north?"
    )
    apart = ("net income per share was $ 0.81 .", "sales of land brought $ 900 million in 2015 .")
    assert expanded(MARGIN, leaves(["", "2015"], ["stores", "12"], text=apart)) == MARGIN


BALANCE = leaves(
    HEAD,
    ["total current assets", "400", "380"],
    ["total assets", "1000", "950"],
    ["total current liabilities", "200", "210"],
    ["total liabilities", "600", "590"],
    ["total shareholders 2019 equity", "400", "360"],
    ["income before income taxes", "120", "110"],
    ["income tax expense ( benefit )", "39", "33"],
    INCOME,
)


@pytest.mark.parametrize(
    ("question", "spelled"),
    [
        ("And the Current Ratio?", "and the current assets divided by current liabilities?"),
        ("what is the current ratio of nord?", "what is the current assets divided by current liabilities of nord?"),
        ("in 2014, what was the roa?", "in 2014, what was the net income divided by total assets?"),
        (
            "what was the company's effective income tax rate in 2014?",
            "what was the company's income tax expense divided by income before income taxes in 2014?",
        ),
        (
            "what was the roa in the first half of 2014?",
            "what was the net income divided by total assets in the first half of 2014?",
        ),
        ("calculate the debt ratio", "calculate the total liabilities divided by total assets"),
        ("what was the 2014 debt/asset ratio?", "what was the 2014 total liabilities divided by total assets?"),
        (
            "what is the effective tax rate, in percentage?",
            "what is the income tax expense divided by income before income taxes, in percentage?",
        ),
    ],
)
def test_ratios_of_other_kinds(question: str, spelled: str) -> None:
    assert expanded(question, BALANCE) == spelled


@pytest.mark.parametrize(
    "question",
    [
        "by how much did the current ratio increase in 2015?",
        "what was the change in the current ratio?",
        "what was the average current ratio of the two years?",
        "what is the current ratio divided by 2?",
        "what is the current ratio less the debt ratio?",
        "what portion of the debt ratio is that?",
        "was the current ratio in 2015 higher than in 2014?",
        "what is the adjusted current ratio?",
        "what is the current ratio covenant?",
        "what is the current ratio of debt to equity?",
        "what is the current ratio and the debt ratio?",
        "what was the expected rate of return on assets?",
        "based on the effective tax rate, what is the income after taxes?",
        "what is the quick ratio?",
        "what were the current assets?",
        "",
    ],
)
def test_other_questions_are_unchanged(question: str) -> None:
    assert expanded(question, BALANCE) == question


@given(st.text(max_size=200), st.sampled_from(["", "profit margin", "NET MARGIN %", "gross profit margin"]), st.text())
def test_any_text_is_expanded_or_unchanged(before: str, name: str, after: str) -> None:
    question = " ".join(f"{before}{name}{after}".split())
    found = expanded(question, INCOMES)
    assert found == question or " divided by " in found


def test_question_is_unchanged_on_a_page_without_numbers() -> None:
    assert expanded(MARGIN, leaves(["", "2015"], ["net income", "-"], ["net sales", "-"])) == MARGIN
