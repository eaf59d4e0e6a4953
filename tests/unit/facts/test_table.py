"""Properties of the whole document in its facts."""

from pathlib import Path

from inline_xbrl import filing, number

import quaestor
from quaestor.core.quantity import Scale
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.facts.table import build_facts, find_full_names
from quaestor.plan.steps import Extract, Plan
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.embedded.filings.composing.formulas import extract_cell

COVER: list[DocumentPart] = [
    HeadingPart("Nord Corporation", 1),
    TablePart(
        (
            ("Title of each class", "Trading Symbol", "Name of each exchange"),
            ("Common Stock, $0.01 par value", "NRD", "Nasdaq"),
        )
    ),
    ParagraphPart(("We had 400 employees in Norway.",)),
]


def test_company_is_recognised_by_name_and_ticker() -> None:
    assert build_facts(assemble("10-K", COVER)).company >= {"nord", "nrd"}


def test_numbers_of_a_sentence_are_found_by_its_place() -> None:
    table = build_facts(assemble("10-K", COVER))
    ((place, lines),) = table.lines_of_sentence.items()
    assert [table.line(line).sentence for line in lines] == [table.sentences.sentences[0].text]
    assert place == (table.sentences.sentences[0].section, table.sentences.sentences[0].index)


def test_scale_of_a_tag_overrides_labels(tmp_path: Path) -> None:
    granted = number("3,221,842", "us-gaap:SharesGranted", unit="shares")
    revenue = number("575", scale="6")
    rows = f"<tr><td>Revenue</td><td>{revenue}</td></tr><tr><td>Granted</td><td>{granted}</td></tr>"
    head = "<tr><td>(in millions)</td><td>2024</td></tr>"
    path = tmp_path / "nord.html"
    path.write_text(filing(f"<p>Annual report</p><table>{head}{rows}</table>"), encoding="utf-8")
    table = build_facts(quaestor.open(str(path), settings=quaestor.Settings(keep_asked=False)).document)
    cells = {line.label: line.cells[0] for line in table.lines}
    assert cells["Revenue"].amount == 575e6
    assert (cells["Granted"].amount, cells["Granted"].unit) == (3_221_842, None)
    (series,) = (series for series in table.series if series.line.label == "Granted")
    step = extract_cell(cells["Granted"], series, table)
    (labelled,) = with_label_scales(Plan((step,)), table.document).steps
    assert isinstance(labelled, Extract)
    assert labelled.counts.scale is Scale.ONE


def test_abbreviation_is_expanded_to_the_words_before_it() -> None:
    texts = [
        "Revenue of Europe, Middle East, and Africa (EMEA) rose.",
        'Contracts of Global Services ("BGS") are long.',
        "The Company (SEC) is not abbreviated so.",
    ]
    assert find_full_names(texts) == {"EMEA": "Europe, Middle East, and Africa (EMEA)", "BGS": "Global Services (BGS)"}
