"""Financial ratios of the core: complete definitions, and examples that name exactly one ratio."""

import pytest
from many_cases import for_each_row

from quaestor.ontology.core import FinancialRatio, core_triples, find_phrase, question_words, read_core
from quaestor.questions.question import read_question

CORE = read_core()
EXAMPLES = [(ratio, example) for ratio in CORE.ratios for example in ratio.examples]
LINES = {line.name: line for ratio in CORE.ratios for line in (ratio.numerator, ratio.denominator)}


def individuals(kind: str) -> set[str]:
    return {triple.s for triple in core_triples() if triple.p == "rdf:type" and triple.o == kind}


def test_every_line_of_the_ratios_file_is_parsed_and_every_line_item_used() -> None:
    assert individuals("kg:FinancialRatio") == {ratio.name for ratio in CORE.ratios}
    assert individuals("kg:LineItem") == LINES.keys()


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("profit margin", "Net income divided by net sales."),
        ("current ratio", "Current assets divided by current liabilities."),
        ("return on equity", "Net income divided by shareholders' equity."),
        ("effective tax rate", "Provision for income taxes divided by income before income taxes."),
        ("inventory turnover", "Cost of sales divided by inventories."),
    ],
)
def test_definitions(label: str, text: str) -> None:
    assert [ratio.text for ratio in CORE.ratios if ratio.label == label] == [text]


@pytest.mark.parametrize("ratio", CORE.ratios, ids=lambda ratio: ratio.name)
def test_text_of_a_ratio_names_its_operands(ratio: FinancialRatio) -> None:
    numerator, _, denominator = ratio.text.lower().removesuffix(".").partition(" divided by ")
    assert numerator in ratio.numerator.wordings
    assert denominator in ratio.denominator.wordings
    assert ratio.numerator != ratio.denominator
    assert ratio.metric_type in ("percentage", "ratio")


@pytest.mark.parametrize("ratio", CORE.ratios, ids=lambda ratio: ratio.name)
def test_ratio_is_named_by_its_label(ratio: FinancialRatio) -> None:
    assert find_phrase(ratio.label, ratio.matcher) == (0, len(ratio.label))


@for_each_row(EXAMPLES)
def test_an_example_names_its_ratio_and_no_other(ratio: FinancialRatio, example: str) -> None:
    words = question_words(example)
    lengths = {other.name: len(found[0]) for other in CORE.ratios if (found := other.matcher.search(words))}
    assert [name for name in lengths if lengths[name] == max(lengths.values())] == [ratio.name]


@pytest.mark.parametrize(
    "question",
    [
        "what was the net interest margin?",
        "what is the expected return on plan assets?",
        "what was the return on average equity?",
        "what was the return on this investment?",
        "what is the ratio of current assets to current liabilities?",
        "what was the carrying value of the debt?",
        "what was the statutory tax rate?",
    ],
)
def test_returns_none_for_labels_that_are_not_ratios(question: str) -> None:
    assert [ratio.name for ratio in CORE.ratios if ratio.matcher.search(question_words(question))] == []


def test_a_line_items_wordings_are_plain_and_the_preferred_one_comes_first() -> None:
    for line in LINES.values():
        assert line.wordings == tuple(dict.fromkeys(wording.lower().strip() for wording in line.wordings))
    assert LINES["kg:LineNetSales"].wordings[0] == "net sales"
    others = LINES["kg:LineNetSales"].wordings[1:]
    assert [len(wording) for wording in others] == sorted(map(len, others), reverse=True)


@pytest.mark.parametrize("ratio", CORE.ratios, ids=lambda ratio: ratio.name)
def test_every_spelling_of_a_definition_asks_for_a_ratio(ratio: FinancialRatio) -> None:
    for above in ratio.numerator.wordings:
        for below in ratio.denominator.wordings:
            reading = read_question(f"what was the {above} divided by {below} in 2009?")
            assert reading.metric_types()[0].metric_type == "ratio"
