from long_filing import a_long_filing
from pages import page

from quaestor.application.outline import text_parts


def test_page_is_one_part_with_sentences_and_rows() -> None:
    (part,) = text_parts(page([["", "2012"], ["net sales", "$ 5"]], after=["sales rose ."]))
    assert "Table 0\n | 2012\nnet sales | $ 5" in part.text
    assert part.text.endswith("sales rose .")
    assert (part.number, part.of, part.tables, part.pages) == (1, 1, (0,), None)


def test_long_document_is_split_into_complete_parts_of_similar_size() -> None:
    document = a_long_filing()
    parts = text_parts(document, 2_000)
    assert [part.number for part in parts] == [*range(1, len(parts) + 1)]
    assert max(len(part.text) for part in parts) < 4_000
    text = " ".join(" ".join(part.text.split()) for part in parts)
    assert all(" ".join(sentence.text.split()) in text for sentence in document.sentences)
    assert all(" ".join(cell.text.split()) in text for table in document.tables for row in table.cells for cell in row)


def test_large_table_is_split_between_rows_and_named_in_each_part() -> None:
    document = page([["", "2012"], *([f"line {n}", str(n)] for n in range(300))])
    parts = text_parts(document, 1_000)
    assert len(parts) > 3
    assert all("Table 0" in part.text and part.tables == (0,) for part in parts)
