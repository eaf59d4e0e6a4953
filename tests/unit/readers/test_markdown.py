import time
from contextlib import suppress
from pathlib import Path

import pytest

from quaestor.documents.document import Document
from quaestor.errors import DocumentError
from quaestor.readers.content import read_content
from quaestor.readers.markdown import MarkdownReader

REPORT = """---
title: left out
---
# Annual report of Acme

Intro with **bold** sales of $5 million in 2023[^1]. Costs fell,
as [told](https://acme.example) ![chart](https://acme.example/a.png) before.

Balance sheets
==============

Consolidated balance sheets

| (in millions) | 2023 | 2022 |
|---|---:|---:|
| Cash \\| bank | $ 1,200 | $ 1,100 |
| Debt | (600) |

```
| code | x |
|---|---|
```
- item one 5%
2. item two
> quoted words

<script>alert("| a | b |")</script>
***
"""


def read(tmp_path: Path, text: str, name: str = "a.md") -> Document:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    content = read_content(path)
    assert MarkdownReader().recognises(content)
    return MarkdownReader().read(content)


def test_headings_tables_and_text(tmp_path: Path) -> None:
    document = read(tmp_path, REPORT)
    assert [(section.path, section.level) for section in document.sections] == [
        (("Annual report of Acme",), 1),
        (("Balance sheets",), 1),
    ]
    (table,) = document.tables
    assert (table.title, table.scale) == ("Consolidated balance sheets", "million")
    assert [[cell.text for cell in row] for row in table.cells] == [
        ["(in millions)", "2023", "2022"], ["Cash | bank", "$ 1,200", "$ 1,100"], ["Debt", "(600)", ""],
    ]  # fmt: skip
    assert [sentence.text for sentence in document.sentences] == [
        "Intro with bold sales of $5 million in 2023 (1).", "Costs fell, as told before.",
        "item one 5%", "2. item two", "quoted words",
    ]  # fmt: skip
    assert [block.anchor for block in document.blocks] == [
        "line 4", "lines 6-7", "lines 9-10", "lines 14-17", "line 23", "line 24", "line 25",
    ]  # fmt: skip


def test_a_pipe_table_makes_any_text_markdown(tmp_path: Path) -> None:
    assert read(tmp_path, "net sales\n\n| | 2023 |\n|:--|--:|\n| rent | 5 |\n", "notes.txt").tables


def test_line_under_words_is_not_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Net sales\n---------\nrose | fell\n")
    assert not MarkdownReader().recognises(read_content(path))


@pytest.mark.parametrize(
    "sign", ["[", "*", "_", "`", "|", "> ", "- ", "<a ", "![[", "# ", "\\", "<!--", "[a](<", "~~~\n"]
)
def test_time_is_linear_in_the_text(tmp_path: Path, sign: str) -> None:
    text = "# a\n" + sign * (60_000 // len(sign)) + "x\n"
    started = time.process_time()
    with suppress(DocumentError):  # a too long heading is refused
        read(tmp_path, text)
    assert time.process_time() - started < 2
