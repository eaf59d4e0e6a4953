"""The lines of a document's numbers: rows of tables, and numbers of sentences."""

import re
from dataclasses import dataclass

from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.terms import terms
from quaestor.documents.table import TableRole
from quaestor.facts.moments import Moment


@dataclass(frozen=True, slots=True)
class FactCell:
    """A number of a line.

    Attributes:
        scale: What one unit of it stands for, by its print or its labels.
        unit: What it counts, likewise; or None.
        moment: When it is; or None if that is not known.
        column: What its column is called beside the period, as terms: a member, "change", "total".
        change: Whether its column is of changes: such a number is not of the line itself.
        members: By its tag, the members that it is narrowed to.
    """

    ref: Source
    quantity: Quantity
    scale: Scale
    unit: str | None
    moment: Moment | None
    column: tuple[str, ...]
    change: bool = False
    concept: str = ""
    members: tuple[str, ...] = ()

    @property
    def amount(self) -> float:
        """The number in ones of its unit; a percentage as a fraction."""
        return float(self.quantity.value) * float(self.scale.factor)


_LOSS, _INCOME = terms("loss income")
_EARNED = re.compile(r":(?:Net|Operating)?IncomeLoss|:ProfitLoss|:EarningsPerShare")


@dataclass(frozen=True, slots=True)
class FactLine:
    """One line of a table, or the numbers of a sentence about one thing.

    Attributes:
        place: Its place among the lines of the document.
        path: The labels above it, outermost first.
        table: The index of its table; of a sentence a number below 0.
        title: What the table is called and the sentence that leads to it; of a sentence the one before it.
        heading: The headings of the section that it is in, the last ones.
        cells: Its numbers, from left to right.
        concept: What most of its numbers are by their tags, else by its label; or "".
        concept_share: How likely it is of the concept: 1 by tags, less by its label.
        members: The members that most of its numbers are narrowed to, by their tags.
        sentence: The whole sentence that its numbers are in, or "".
    """

    place: int
    label: str
    path: tuple[str, ...]
    table: int
    title: str
    heading: str
    role: TableRole
    cells: tuple[FactCell, ...]
    concept: str = ""
    concept_share: float = 0.0
    members: tuple[str, ...] = ()
    sentence: str = ""
    years: frozenset[int] = frozenset()

    @property
    def tagged(self) -> bool:
        """Whether the concept is by tags."""
        return bool(self.concept) and any(cell.concept for cell in self.cells)

    @property
    def label_terms(self) -> tuple[str, ...]:
        """The terms of its own label; a loss is called income too, as it is in other years."""
        own = terms(self.label)
        return (*own, _INCOME) if _LOSS in own and _INCOME not in own and _EARNED.search(self.concept) else own

    @property
    def path_terms(self) -> frozenset[str]:
        """The terms of the labels above it, or of its whole sentence."""
        return frozenset(term for label in (*self.path, self.sentence) for term in terms(label))

    @property
    def above_terms(self) -> frozenset[str]:
        """The terms of the labels above it."""
        return frozenset(term for label in self.path for term in terms(label))

    @property
    def title_terms(self) -> frozenset[str]:
        """The terms of the title of its table and of the headings over it."""
        return frozenset((*terms(self.title), *terms(self.heading)))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """When its numbers are, each once."""
        return tuple(dict.fromkeys(cell.moment for cell in self.cells if cell.moment is not None))
