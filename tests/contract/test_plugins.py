"""Built-in solvers, readers, datasets and references keep the contracts that `quaestor.testing` checks."""

from collections.abc import Callable
from pathlib import Path

import pytest
from filing_questions import write_filings, write_questions
from made_up import a_record, write_dataset
from pdf_files import PdfPage, pdf_of
from tatqa_pages import write_tatqa
from workbooks import write_workbook

from quaestor.datasets.convfinqa import OriginalFormat
from quaestor.datasets.filings import FilingQuestions
from quaestor.datasets.tatqa import TatqaFormat
from quaestor.readers.delimited import DelimitedReader
from quaestor.readers.html.reader import HtmlReader
from quaestor.readers.markdown import MarkdownReader
from quaestor.readers.pdf.reader import PdfReader
from quaestor.readers.plain_text import PlainTextReader
from quaestor.readers.registry import DocumentReader
from quaestor.readers.workbook.reader import WorkbookReader
from quaestor.scoring.references.convfinqa import OriginalReferences
from quaestor.scoring.references.tatqa import TatqaReferences
from quaestor.solvers.registry import solver_names, solver_spec
from quaestor.testing import ScriptedModel, check_dataset, check_reader, check_references, check_solver

ROWS = [["in millions", "2009", "2008"], ["rent", "5", "4"], ["wages", "6", "5"], ["taxes", "2", "1"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", solver_names())
def test_solvers_keep_their_contract(name: str) -> None:
    spec = solver_spec(name)
    model = ScriptedModel(lambda request: "I cannot say.") if spec.takes_model else None
    turns = check_solver(spec, model=model)
    assert all((turn.answer.value is not None) == (name in ("embedded", "cascade")) for turn in turns)


def write_html(path: Path) -> None:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
    path.write_text(f"<html><body><p>Costs</p><table>{rows}</table></body></html>")


def write_pdf(path: Path) -> None:
    page = PdfPage()
    page.text(40, 40, "Costs", 12, bold=True)
    for number, (label, *cells) in enumerate(ROWS):
        page.row(80 + 12 * number, label, cells, (300, 400))
    path.write_bytes(pdf_of([page]))


def write_text(path: Path) -> None:
    path.write_text("Costs\n\nRent was $ 5 million in 2009 and $ 4 million in 2008.\n")


def write_markdown(path: Path) -> None:
    lines = ["# Costs", "", *("| " + " | ".join(row) + " |" for row in [ROWS[0], ["---"] * 3, *ROWS[1:]])]
    path.write_text("\n".join(lines))


def write_csv(path: Path) -> None:
    path.write_text("\n".join(",".join(row) for row in ROWS))


def write_book(path: Path) -> None:
    write_workbook(path, {"Costs": ROWS})


@pytest.mark.parametrize(
    ("reader", "write"),
    [
        (HtmlReader, write_html),
        (DelimitedReader, write_csv),
        (MarkdownReader, write_markdown),
        (PlainTextReader, write_text),
        pytest.param(PdfReader, write_pdf, marks=pytest.mark.slow),
        pytest.param(WorkbookReader, write_book, marks=pytest.mark.slow),
    ],
)
def test_readers_keep_their_contract(
    reader: type[DocumentReader], write: Callable[[Path], None], tmp_path: Path
) -> None:
    write(tmp_path / "costs")
    document = check_reader(reader, tmp_path / "costs")
    assert document.tables or reader is PlainTextReader


def test_the_format_of_convfinqa_and_its_references_keep_their_contract(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "pages.json", a_record(), a_record("Single_NORD/2012/page_41.pdf-2"))
    check_references(OriginalReferences, path, check_dataset(OriginalFormat, path))


@pytest.mark.slow
def test_the_format_of_tatqa_and_its_references_keep_their_contract(tmp_path: Path) -> None:
    path = write_tatqa(tmp_path)
    check_references(TatqaReferences, path, check_dataset(TatqaFormat, path))


def test_the_format_of_questions_about_filings_keeps_its_contract(tmp_path: Path) -> None:
    check_dataset(FilingQuestions, write_questions(write_filings(tmp_path)))
