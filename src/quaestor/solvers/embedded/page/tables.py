"""The leaves of tables: each number of a body with its headings, whichever way the table is turned."""

import re
from collections.abc import Iterator, Mapping, Sequence

from quaestor.core.quantity import Quantity, Scale
from quaestor.graph.facts import Axis, Observation, TableFact
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.comparison import boundary
from quaestor.questions.stems import stems, stems_of_parts
from quaestor.retrieval.everyday import spelled_out
from quaestor.solvers.embedded.page.number import CandidateNumber, power_of_ten_of

_TOTAL = "total"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def numbers_of_tables(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in the body of a table."""
    openings = {table.index: _opening(table, graph) for table in graph.tables}
    axes: Mapping[int, Axis] = {table.index: table.axis for table in graph.tables}
    words: dict[tuple[int, int], list[str]] = {}
    for cell in graph.text_cells:
        line = _line(cell.source.row, cell.source.column, axes[cell.source.table])
        words.setdefault((cell.source.table, line), []).append(cell.text)
    for seen in graph.observations:
        axis = axes[seen.source.table]
        line = _line(seen.source.row, seen.source.column, axis)
        yield _leaf(seen, axis, words.get((seen.source.table, line), ()), openings[seen.source.table])


def _opening(table: TableFact, graph: KnowledgeGraph) -> str:
    """The heading over a table and the sentence before it: they say what it shows where its lines name only years."""
    start, stop = table.lead
    before = (graph.sentences[place].text for place in range(stop - 1, start - 1, -1))
    sentence = next((text for text in before if stems(text)), "")
    return " ".join((*graph.path_of(table.section)[-1:], sentence))


def _line(row: int, column: int, axis: Axis) -> int:
    return row if axis == "rows" else column


def _leaf(seen: Observation, axis: Axis, words: Sequence[str], opening: str) -> CandidateNumber:
    """The leaf of an observation; `words` are the cells of its line that hold words."""
    upright = axis == "rows"
    line, across = (seen.row, seen.column) if upright else (seen.column, seen.row)
    # What is added up is below a rule, often without a word: amounts in a line without a label are totals.
    unnamed = upright and not line.label
    row, column = stems(_TOTAL if unnamed else spelled_out(line.label)), stems(spelled_out(across.label))
    caption = stems(f"{seen.caption} {opening}")
    labels, year = f"{_TOTAL if unnamed else seen.row.label} {seen.column.label}", seen.year or 0
    quantity = _scaled(seen.quantity, seen.label_scale)
    return CandidateNumber(
        quantity=quantity,
        source=seen.source,
        label=seen.label,
        row=row,
        column=column,
        around=stems_of_parts((*map(spelled_out, (*line.levels, *across.levels)), seen.caption, *words)) + row + column,
        caption=caption,
        year=year,
        other_year=_other_year(f"{labels} {' '.join(words)}", year),
        boundary=boundary(labels),
        power=power_of_ten_of(quantity, seen.label_scale),
        table=seen.source.table,
        line=_line(seen.source.row, seen.source.column, axis),
        place=seen.source.column if upright else seen.source.row,
        total="total" in labels.split(),
        label_scale=seen.label_scale,
        label_unit=seen.label_unit,
    )


def _scaled(quantity: Quantity, header: Scale | None) -> Quantity:
    """A percent sign in the header makes a bare number a percentage; other captions stay with the table."""
    if header is Scale.PERCENT and quantity.scale is Scale.ONE and quantity.unit is None:
        return Quantity(quantity.value, Scale.PERCENT, quantity.unit, quantity.text)
    return quantity


def _other_year(labels: str, year: int) -> int:
    return next((int(found) for found in _YEAR.findall(labels) if int(found) != year), 0)
