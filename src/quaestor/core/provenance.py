"""Location of a number in a document: a table cell or a span of a sentence."""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import ConfigDict

_STRICT = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


@dataclass(frozen=True, slots=True)
class CellRef:
    """Cell of a table.

    Attributes:
        document: The document's id (`MRO/2007/page_134.pdf`).
        table: The table's index in the document, from 0.
        row: The cell's row in the printed grid, from 0, including header rows.
        column: The cell's column in the printed grid, from 0, including the label column.
    """

    __pydantic_config__ = _STRICT

    document: str
    table: int
    row: int
    column: int
    kind: Literal["cell"] = field(default="cell", kw_only=True)


@dataclass(frozen=True, slots=True)
class SentenceRef:
    """Span of a sentence.

    Attributes:
        section: The id of its section; on a ConvFinQA page `pre_text` (above the table) or `post_text` (below it).
        sentence: The sentence's index in its section, from 0.
        start: First character of the span in the sentence, from 0.
        end: The character after the last one.
    """

    __pydantic_config__ = _STRICT

    document: str
    section: str
    sentence: int
    start: int
    end: int
    kind: Literal["sentence"] = field(default="sentence", kw_only=True)


Source = CellRef | SentenceRef
