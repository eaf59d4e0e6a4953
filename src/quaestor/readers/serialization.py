"""Serialization of documents, used by the cache.

The format is JSON, so an entry cannot contain code. Values that follow from the position (which cell of which table)
are not stored, and values that a filing repeats a thousand times are stored once. Loading a filing of a hundred
tables therefore takes a fraction of the time of reading it (`python -m benchmarks.files`).
"""

import gc
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, fields, replace
from datetime import date
from decimal import Decimal
from typing import Any

from quaestor.core.number_conventions import NumberConvention
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.document import Block, Document, Mention, Paragraph, Section, SectionHeading, Sentence
from quaestor.documents.facts import Fact, PrintedFact, TaggedNumber
from quaestor.documents.repairs import DocumentWarning, Repair, RepairKind, WarningKind
from quaestor.documents.table import Cell, Header, Table, TableRole

_Written = list[Any]
_PERIOD = tuple(field.name for field in fields(Period) if field.name != "ends")
_FACT = tuple(field.name for field in fields(Fact))
_SCALES = {scale.value: scale for scale in Scale}


def document_bytes(document: Document) -> bytes:
    """Serialize a whole document, so that `document_of` restores an equal one.

    Raises:
        ValueError: The document is an excerpt, or the reference of a number does not match its position.
    """
    if document.whole is not None:
        raise ValueError(f"{document.id}: an excerpt cannot be written; write the whole document")
    writer = _Writer(document.id)
    blocks = [writer.block(block) for block in document.blocks]
    sections = [[section.id, section.path] for section in document.sections]
    # The order matters: writing blocks and headers registers the periods and quantities that are written last.
    headers = [[h.label, h.levels, writer.period(h.period), h.scale, h.unit] for h, _ in writer.headers]
    written = {
        "id": document.id,
        "sections": sections,
        "blocks": blocks,
        "warnings": [
            [w.kind, w.table, w.row, w.count, w.detail, _repair(w.repair) if w.repair else None]
            for w in document.warnings
        ],
        "convention": list(astuple(document.convention)),
        "facts": [[_source(tagged.source), _fact(tagged.fact)] for tagged in document.facts],
        "quantities": [[str(q.value), q.scale, q.unit, q.text] for q in writer.quantities],
        "periods": [
            [*(getattr(period, name) for name in _PERIOD), ends.isoformat() if ends else None]
            for period, ends in writer.periods
        ],
        "headers": headers,
    }
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def document_of(data: bytes) -> Document:
    """Return the document that `document_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `document_bytes`.
    """
    try:
        with _pause_collector():
            return _document(json.loads(data.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError, KeyError, LookupError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"these bytes are not a document: {type(error).__name__}") from error


def printed_bytes(printed: Iterable[PrintedFact]) -> bytes:
    """Serialize printed facts, so that `printed_of` restores equal ones."""
    written = [[_fact(one.fact), one.text, one.negative, one.in_table] for one in printed]
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def printed_of(data: bytes) -> tuple[PrintedFact, ...]:
    """Return the printed facts that `printed_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `printed_bytes`.
    """
    try:
        return tuple(
            PrintedFact(_read_fact(fact), text, negative, in_table)
            for fact, text, negative, in_table in json.loads(data.decode("utf-8", "surrogatepass"))
        )
    except (ValueError, TypeError, KeyError, LookupError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"these bytes are not printed facts: {type(error).__name__}") from error


@contextmanager
def _pause_collector() -> Iterator[None]:
    """Pause the garbage collector, which would double the time for values that have no cycles."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _document(written: dict[str, Any]) -> Document:
    if not isinstance(id := written["id"], str):
        raise TypeError("a document's id must be text")
    reader = _Reader(written)
    return Document(
        id,
        tuple(Section(id, tuple(path)) for id, path in written["sections"]),
        tuple(reader.block(order, block) for order, block in enumerate(written["blocks"])),
        tuple(
            DocumentWarning(WarningKind(kind), table, row, count, detail, _read_repair(repair))
            for kind, table, row, count, detail, repair in written["warnings"]
        ),
        tuple(TaggedNumber(_read_source(source), _read_fact(fact)) for source, fact in written["facts"]),
        convention=NumberConvention(*written["convention"]),
    )


@dataclass(slots=True)
class _Writer:
    """Serializes blocks; repeated quantities, periods and headers are stored once and referred to by index."""

    id: str
    quantities: dict[Quantity, int] = field(default_factory=dict)
    periods: dict[tuple[Period, date | None], int] = field(default_factory=dict)
    headers: dict[tuple[Header, date | None], int] = field(default_factory=dict)

    def block(self, block: Block) -> _Written:
        content = block.content
        place: _Written = [block.section, block.page, block.anchor]
        match content:
            case SectionHeading():
                return ["h", *place, content.text, content.level]
            case Paragraph():
                return ["p", *place, [self._sentence(sentence) for sentence in content.sentences]]
            case Table():
                return ["t", *place, *self._table(content)]

    def period(self, period: Period | None) -> int | None:
        # Equality of periods ignores their last day.
        return None if period is None else self.periods.setdefault((period, period.ends), len(self.periods))

    def _quantity(self, quantity: Quantity) -> int:
        return self.quantities.setdefault(quantity, len(self.quantities))

    def _header(self, header: Header) -> int:
        self.period(header.period)
        ends = header.period.ends if header.period else None
        return self.headers.setdefault((header, ends), len(self.headers))

    def _sentence(self, sentence: Sentence) -> _Written:
        mentions: _Written = []
        for mention in sentence.mentions:
            ref = mention.ref
            if ref != SentenceRef(self.id, sentence.section, sentence.index, ref.start, ref.end):
                raise ValueError(f"{self.id}: a number of sentence {sentence.index} has another place")
            mentions += (self._quantity(mention.quantity), ref.start, ref.end)
        periods: _Written = []
        for period, start, end in sentence.periods:
            periods += (self.period(period), start, end)
        return [sentence.section, sentence.index, sentence.text, mentions, periods]

    def _table(self, table: Table) -> _Written:
        numbers: _Written = []
        for row, cells in enumerate(table.cells):
            for column, cell in enumerate(cells):
                if cell.ref != CellRef(self.id, table.index, row, column):
                    raise ValueError(f"{self.id}: a cell of table {table.index} has another place")
                if cell.quantities or cell.repair or cell.misread is not None:
                    repair = _repair(cell.repair) if cell.repair else None
                    places = [self._quantity(quantity) for quantity in cell.quantities]
                    numbers.append([row, column, places, repair, cell.misread])
        return [
            table.index,
            [[cell.text for cell in cells] for cells in table.cells],
            numbers,
            [self._header(header) for header in table.rows],
            [self._header(header) for header in table.columns],
            table.header_rows,
            table.orientation,
            table.caption,
            table.scale,
            table.unit,
            table.title,
            self.period(table.period),
            table.role,
        ]


class _Reader:
    """Restores blocks; repeated quantities, periods and headers are created once."""

    def __init__(self, written: dict[str, Any]) -> None:
        self._id: str = written["id"]
        self._quantities = [
            Quantity(Decimal(value), _SCALES[scale], unit, text) for value, scale, unit, text in written["quantities"]
        ]
        self._periods = [
            replace(Period(*period), ends=date.fromisoformat(ends)) if ends else Period(*period)
            for *period, ends in written["periods"]
        ]
        self._headers = [
            Header(label, tuple(levels), self._period(period), _scale(scale), unit)
            for label, levels, period, scale, unit in written["headers"]
        ]

    def block(self, order: int, written: _Written) -> Block:
        kind, section, page, anchor, *content = written
        match kind:
            case "h":
                return Block(SectionHeading(*content), order, section, page, anchor)
            case "p":
                return Block(Paragraph(tuple(map(self._sentence, content[0]))), order, section, page, anchor)
            case "t":
                return Block(self._table(content), order, section, page, anchor)
        raise ValueError(f"unknown kind of block {kind!r}")

    def _period(self, place: int | None) -> Period | None:
        return None if place is None else self._periods[place]

    def _sentence(self, written: _Written) -> Sentence:
        section, index, text, mentions, periods = written
        return Sentence(
            section,
            index,
            text,
            tuple(
                Mention(self._quantities[quantity], SentenceRef(self._id, section, index, start, end))
                for quantity, start, end in _split_in_threes(mentions)
            ),
            tuple((self._periods[period], start, end) for period, start, end in _split_in_threes(periods)),
        )

    def _table(self, written: _Written) -> Table:
        index, texts, numbers, rows, columns, header_rows, orientation, *described = written
        caption, scale, unit, title, period, role = described
        read: dict[tuple[int, int], tuple[tuple[Quantity, ...], Repair | None, str | None]] = {
            (row, column): (tuple([self._quantities[place] for place in places]), _read_repair(repair), misread)
            for row, column, places, repair, misread in numbers
        }
        id, none = self._id, ((), None, None)
        cells = tuple(
            tuple(
                [
                    Cell(text, CellRef(id, index, row, column), *read.get((row, column), none))
                    for column, text in enumerate(line)
                ]
            )
            for row, line in enumerate(texts)
        )
        heads = self._headers
        return Table(
            index,
            cells,
            tuple([heads[place] for place in rows]),
            tuple([heads[place] for place in columns]),
            header_rows,
            orientation,
            caption,
            _scale(scale),
            unit,
            title,
            self._period(period),
            TableRole(role),
        )


def _split_in_threes(flat: Sequence[Any]) -> Sequence[tuple[Any, Any, Any]]:
    return list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))


def _scale(written: str | None) -> Scale | None:
    return None if written is None else _SCALES[written]


def _repair(repair: Repair) -> _Written:
    return [repair.kind, repair.detail]


def _read_repair(written: _Written | None) -> Repair | None:
    return None if written is None else Repair(RepairKind(written[0]), written[1])


def _source(source: Source) -> _Written:
    if isinstance(source, CellRef):
        return ["c", source.document, source.table, source.row, source.column]
    return ["s", source.document, source.section, source.sentence, source.start, source.end]


def _read_source(written: _Written) -> Source:
    kind, *place = written
    return CellRef(*place) if kind == "c" else SentenceRef(*place)


def _fact(fact: Fact) -> _Written:
    return [
        str(value) if isinstance(value, Decimal) else value.isoformat() if isinstance(value, date) else value
        for value in (getattr(fact, name) for name in _FACT)
    ]


def _read_fact(written: _Written) -> Fact:
    fields = dict(zip(_FACT, written, strict=True))
    fields["value"] = None if fields["value"] is None else Decimal(fields["value"])
    fields["start"] = None if fields["start"] is None else date.fromisoformat(fields["start"])
    fields["end"] = date.fromisoformat(fields["end"])
    fields["dimensions"] = tuple((axis, member) for axis, member in fields["dimensions"])
    return Fact(**fields)
