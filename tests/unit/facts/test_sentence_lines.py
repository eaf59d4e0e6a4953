"""Numbers in running text become lines of the table of facts."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.assembly import HeadingPart, ParagraphPart, assemble
from quaestor.facts.lines import FactLine, Moment
from quaestor.facts.table import FactTable, build_facts


def read_text(*sentences: str) -> FactTable:
    cover = ParagraphPart(("Annual report for the fiscal year ended December 31, 2024",))
    return build_facts(assemble("10-K", [cover, HeadingPart("Notes"), ParagraphPart(sentences)]))


def amounts(line: FactLine) -> list[tuple[float, Moment | None]]:
    return [(float(cell.quantity.value), cell.moment) for cell in line.cells]


def test_numbers_listed_for_several_years_are_one_line() -> None:
    table = read_text("Advertising expenses for 2024, 2023 and 2022 were $5 million, $4 million and $3 million.")
    (line,) = table.sentence_lines
    assert [value for value, _ in amounts(line)] == [5, 4, 3]
    assert [moment.year for _, moment in amounts(line) if moment] == [2024, 2023, 2022]
    assert line.label == "Advertising expenses"
    (series,) = table.series
    assert series.cells[Moment(2023, 4, 12)].scale is Scale.MILLION
    assert table.at[line.cells[1].ref] == ((series, Moment(2023, 4, 12)),)


def test_numbers_with_different_subjects_are_different_lines() -> None:
    table = read_text("We employ 1,200 people, and 30% of them work in Canada, which has 12 sites.")
    assert [line.label for line in table.sentence_lines] == [
        "We employ people",
        "them work in Canada",
        "which has sites",
    ]
    assert table.sentence_lines[0].path_terms >= {"employ", "peopl", "canada", "site"}


def test_numbers_of_one_time_are_different_lines() -> None:
    table = read_text("The dividend rose from $1.50 to $1.60 per share.")
    assert [amounts(line)[0][0] for line in table.sentence_lines] == [1.5, 1.6]


def test_short_clause_continues_the_one_before_it() -> None:
    table = read_text("Total taxes were $21 million, a fall of $2 million.")
    assert [line.label for line in table.sentence_lines] == ["Total taxes", "Total taxes were a fall"]


def test_numbers_in_names_are_not_amounts() -> None:
    assert read_text("See Note 5 and Form 10-K on the 737-8.").sentence_lines == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "We make the Model 3, and the RTX 40 Series.",
        "Model 3 is a sedan.",
        "The union (IAM 837) rejected it.",
        "Consolidated Balance Sheets 54",
        "Restrictive covenants.........7",
    ],
)
def test_numbers_in_names_are_not_counts(sentence: str) -> None:
    assert read_text(sentence).sentence_lines == ()


def test_new_subject_has_no_words_of_the_one_before_it() -> None:
    table = read_text("We had $5 million of cash from operations and paid $3 million of dividends.")
    assert [line.label for line in table.sentence_lines] == ["We had cash from operations", "paid dividends"]


def test_numbers_of_years_to_come_are_one_line() -> None:
    table = read_text(
        "Losses of $7 million, $34 million and $13 million will expire in 2030, 2031 and 2032, respectively."
    )
    (line,) = table.sentence_lines
    assert [moment.year for _, moment in amounts(line) if moment] == [2030, 2031, 2032]


def test_parentheticals_between_commas_name_nothing() -> None:
    table = read_text("The fair value of the notes, based on Level 2 inputs, was $88 million.")
    assert [line.label for line in table.sentence_lines] == ["fair value of the notes"]


@pytest.mark.parametrize(
    "sentence", ["Our 20 largest tenants left.", "Opened 12 stores.", "In Ohio 1,200 people work."]
)
def test_subject_at_the_start_of_a_sentence_counts(sentence: str) -> None:
    assert len(read_text(sentence).sentence_lines) == 1


def test_sentences_are_found_apart_from_tables() -> None:
    table = read_text("We employ 1,200 people.")
    assert table.sentence_postings["peopl"] == (0,)
    assert "peopl" not in table.postings
    assert table.rarity("absent") > table.rarity("peopl")


def test_table_in_running_text_is_not_a_sentence() -> None:
    rows = "Phones $ 46 $ 45 $ 115 $ 116 Tablets 7 8 16 15 Services 26 23 52 46 Total $ 79 $ 76 $ 183 $ 177"
    table = read_text(f"Net sales were as follows (in millions): {rows}.", "Phones sold well.")
    assert not table.sentence_lines
    assert [sentence.text for sentence in table.sentences.sentences][-1] == "Phones sold well."
