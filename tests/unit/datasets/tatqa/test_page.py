from collections.abc import Sequence

import pytest
from tatqa_pages import page, tatqa_pages

from quaestor.core.quantity import Scale
from quaestor.datasets.tatqa import place_of_table, read_tatqa_page
from quaestor.documents.document import Paragraph
from quaestor.documents.table import Table
from quaestor.errors import DatasetError


def test_a_page_is_its_table_among_its_paragraphs() -> None:
    document = read_tatqa_page(tatqa_pages()[0], "record 0")
    assert document.id == "1f0c-mill"
    assert [type(block.content) for block in document.blocks] == [Paragraph, Table, Paragraph]
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("pre_text", "Sales by product are shown in the following table."),
        ("post_text", "Flour is sold to bakers."),
        ("post_text", "Bran is sold to stables, mills and the U.S. army."),
    ]
    (table,) = document.tables
    assert [[cell.text for cell in row] for row in table.cells] == tatqa_pages()[0]["table"]["table"]


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        ([], 0),
        (["Rents rose.", "Costs fell."], 0),
        (["Rents", "Rents were as follows:", "Costs fell."], 2),
        (["The table below shows rents.", "(1) Before tax."], 1),
        (["The following table shows rents.", "Costs are in the following table.", "(1) Before tax."], 2),
        (["Tables and chairs are made of oak."], 0),
    ],
)
def test_table_follows_the_last_paragraph_that_introduces_one(texts: Sequence[str], place: int) -> None:
    assert place_of_table(texts) == place


@pytest.mark.parametrize(
    "fields",
    [
        {"table": [["a"]]},
        {"table": {"table": [["a"]]}},
        {"table": {"uid": "x", "table": []}},
        {"table": {"uid": "x", "table": [["a"], 5]}},
        {"table": {"uid": "x", "table": [["a", 5]]}},
        {"table": {"uid": "x", "table": [["\ud800"]]}},
        {"paragraphs": ["text"]},
        {"paragraphs": [{"order": 1}]},
    ],
)
def test_invalid_page_number_is_one_line(fields: dict[str, object]) -> None:
    with pytest.raises(DatasetError) as caught:
        read_tatqa_page({**tatqa_pages()[0], **fields}, "data.json, record 0")
    assert "TAT-QA" in str(caught.value) or "Unicode" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_page_may_lack_paragraphs() -> None:
    document = read_tatqa_page({**tatqa_pages()[0], "paragraphs": None}, "record 0")
    assert (len(document.tables), document.sentences) == (1, ())


@pytest.mark.parametrize(
    ("texts", "scale"),
    [
        (
            ["NOTES TO STATEMENTS (in thousands, except per share data)", "Rents rose.", "They were as follows:"],
            "thousand",
        ),
        (["(Dollars in millions)", "Rents were as follows (in thousands):"], "thousand"),
        (["Rents rose.", "(In millions)"], "million"),
        (["Rents rose.", "Rents of two years (in 000\u2019s)"], "thousand"),
        (["Rents rose.", "Expressed in US $000's except share and per share amounts"], "thousand"),
        (["Rents rose.", "Rents of halls (in millions) are in the note."], None),
        (["Rents rose."], None),
    ],
)
def test_unit_may_be_stated_far_from_the_table(texts: Sequence[str], scale: str | None) -> None:
    record = page("x", [["", "2019", "2018"], ["Rent", "5", "4"]], list(texts), [])
    (table,) = read_tatqa_page(record, "record 0").tables
    assert (table.scale.value if table.scale else None) == scale


def test_caption_of_the_page_applies_to_its_table_and_to_amounts_in_its_sentences() -> None:
    title = f"Acme Ltd. Notes {'to the consolidated financial statements ' * 4}(All amounts expressed in thousands)"
    texts = [title, "Income was $88,848 in 2019, and a share cost $5.25."]
    document = read_tatqa_page(page("x", [["", "2019"], ["Rent", "169"]], texts, []), "record 0")
    assert document.tables[0].scale is Scale.THOUSAND
    scales = [mention.quantity.scale for sentence in document.sentences for mention in sentence.mentions]
    assert scales == [Scale.THOUSAND, Scale.ONE]


def test_column_that_begins_with_percentages_is_in_percent() -> None:
    grid = [
        ["", "2019", "2018"],
        ["Sales", "100.0%", "100.0%"],
        ["Gross profit", "40.0", "50.9"],
        ["Net", "6.9", "8.5"],
    ]
    (table,) = read_tatqa_page(page("x", grid, ["The percentage of sales is as follows:"], []), "record 0").tables
    assert table.scale_at(2, 1) is Scale.PERCENT
