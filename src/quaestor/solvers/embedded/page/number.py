"""One number of a page with all that describes it, in the words and signs that questions are compared with."""

import math
from dataclasses import dataclass

import numpy as np

from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import counted


@dataclass(frozen=True, slots=True)
class CandidateNumber:
    """A number of the page with what describes it.

    A table whose columns name the properties is read turned: the line is then a column, the place a row.

    Attributes:
        source: Its cell or span.
        label: For people: "net revenue, 2008", or the words around it.
        row: The stems of its line's label, or of the words just before it in a sentence.
        column: The stems of the label across, or of the words just after it.
        around: The stems of all that surrounds it: headings, caption, cells of words; or the whole sentence.
        caption: The stems of the table's caption and of the sentence before the table.
        year: The year that it belongs to; 0 if none is named.
        other_year: Another year that its labels name ("notes due 2015", a row and a column with one each); else 0.
        years: The years that its sentence names, each with its distance in words.
        lead: Code of the word that leads to it in a sentence; 0 none of them, or a cell.
        moved: A verb of change leads to it: "increased $ 13 million".
        boundary: 1 its labels speak of the end of a period, -1 of its beginning, 0 of neither.
        power: The power of ten that it counts in, by its print, its labels or the caption; nan for a percentage.
        table: The table's index; -1 in a sentence.
        line: The line in the grid; or the sentence's place on the page.
        place: The place in the line; or the number's place in the sentence.
        distances: For a number in a sentence, each word of meaning and how many words away it is at least.
        label_scale: The scale that its labels name, as `Extract.label_scale`.
        label_unit: The unit that they name, likewise.
    """

    quantity: Quantity
    source: Source
    label: str
    row: tuple[str, ...]
    column: tuple[str, ...]
    around: tuple[str, ...]
    year: int
    table: int
    line: int
    place: int
    total: bool
    power: float
    caption: tuple[str, ...] = ()
    other_year: int = 0
    years: tuple[tuple[int, int], ...] = ()
    lead: int = 0
    moved: bool = False
    boundary: int = 0
    distances: tuple[tuple[str, int], ...] = ()
    label_scale: Scale | None = None
    label_unit: str | None = None

    @property
    def counts(self) -> Dimension:
        """What it counts, as its print or else its labels say."""
        return counted(self.quantity, self.label_scale, self.label_unit)


def power_of_ten_of(quantity: Quantity, label: Scale | None = None) -> float:
    """Return the power of ten that a number counts in; nan for a percentage.

    Args:
        label: The scale that its labels name.
    """
    return _POWERS[quantity.scale if quantity.scale is not Scale.ONE else label or Scale.ONE]


_POWERS = {scale: math.nan if scale is Scale.PERCENT else float(np.log10(float(scale.factor))) for scale in Scale}
