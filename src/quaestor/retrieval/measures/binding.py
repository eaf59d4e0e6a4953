"""A measure that is asked for, bound to the cells that it is computed from: or what of it the document does not print.

Owns which lines are taken, and what is left to others: a measure of which a table or a sentence says something that is
not the statements', and a line that is only asked for its average.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.words import words
from quaestor.documents.combining import file_of
from quaestor.documents.document import Document
from quaestor.ontology.core import read_core
from quaestor.ontology.lexicon import Figure, Measure, figures_of, read_measures
from quaestor.ontology.line_matching import caption_key
from quaestor.questions.measures import AskedMeasure
from quaestor.retrieval.measures.arithmetic import asked_formula, put_in, word_formula
from quaestor.retrieval.measures.company import statements_asked
from quaestor.retrieval.measures.lines import FEW_TABLES, StatementRow, figure_rows, statement_line
from quaestor.retrieval.measures.moments import Moment, moments_asked, moments_of
from quaestor.retrieval.measures.printed import is_in_sentences, is_spoken_of, printed_cell, printed_rows, prints_amount
from quaestor.retrieval.measures.times import PeriodFinder, Times

_BALANCE = "balance sheet"
_LINE = "Line"

_Lines = Mapping[str, Sequence[StatementRow]]


@dataclass(frozen=True, slots=True)
class ResolvedMeasure:
    """A measure and the cells that it is computed from.

    Attributes:
        formula: Arithmetic over the names of `cells`, as `plan.expressions` reads it.
        cells: The number that each name stands for.
        terms: The measure at each of its times, likewise.
        read_as: What is computed, in the document's words.
        direct: Whether each figure is one line, found by its name.
    """

    asked: AskedMeasure
    formula: str
    cells: Mapping[str, CellRef]
    terms: tuple[str, ...]
    times: Times
    read_as: str
    direct: bool


@dataclass(frozen=True, slots=True)
class MissingInputs:
    """A measure that the document does not have all figures of, or not at the time that is asked for.

    Attributes:
        lacking: The figures that no statement prints.
        reason: Why it is not computed, in words, where that is another reason.
    """

    asked: AskedMeasure
    lacking: tuple[Figure, ...] = ()
    reason: str = ""


def bound_measure(document: Document, asked: AskedMeasure) -> ResolvedMeasure | MissingInputs | None:
    """Return what a measure is computed from; None if that is not for the statements to say.

    Args:
        document: What is asked about; of an excerpt the whole is looked at.
    """
    whole = document.whole or document
    if asked.measure is not None and asked.another:
        return MissingInputs(asked, reason=f"ask for it and for {asked.another} separately")
    statements = statements_asked(whole, (*asked.owners, *asked.others))
    if statements is None:
        return None if asked.measure is None else _of_another(whole, asked, asked.measure)
    if not statements:
        return MissingInputs(asked, reason="the files cover several companies; name one")
    found = [_bound(_Binder(whole, rows, asked)) for rows in statements]
    return next((one for one in found if isinstance(one, ResolvedMeasure)), found[0])


def _bound(binder: "_Binder") -> ResolvedMeasure | MissingInputs | None:
    """What a measure, or a line, is computed from; or taken from where the document prints it."""
    measure, asked = binder.asked.measure, binder.asked
    if measure is None:
        found = binder.of_line() if binder.rows else None
        # An average may be printed as such; of a growth rate no label is in the way.
        return None if isinstance(found, MissingInputs) and asked.form == "average" else found
    own = binder.called_like(measure)
    if not own:
        return _not_printed(binder, measure)
    if _names_amount(binder.document, asked, measure, own):
        return None
    printed = binder.printed(measure)
    if printed is None and measure.formula and binder.rows:
        computed = binder.computed(measure.formula, read_measures().figures)
        return computed if isinstance(computed, ResolvedMeasure) else None
    return printed


def _not_printed(binder: "_Binder", measure: Measure) -> ResolvedMeasure | MissingInputs | None:
    """What a measure is computed from that no line is called like."""
    if measure.lacks:
        return None if is_in_sentences(binder.document, measure) else MissingInputs(binder.asked, reason=measure.lacks)
    found = binder.computed(measure.formula, read_measures().figures)
    if isinstance(found, ResolvedMeasure) or any(row.statement for row in binder.rows):
        return found
    # Of a short text without statements the sentences may have both figures of a ratio.
    is_ratio = any(ratio.label == measure.label for ratio in read_core().ratios)
    spoken = (
        is_ratio and len(binder.document.tables) <= FEW_TABLES and any(s.mentions for s in binder.document.sentences)
    )
    if spoken or is_spoken_of(binder.document, measure):
        return None
    return found if binder.rows else MissingInputs(binder.asked, reason="no statement with its figures was found")


def _of_another(document: Document, asked: AskedMeasure, measure: Measure) -> MissingInputs | None:
    """What is said of a measure of a part, or of another kind; None if the document may print it."""
    if len(figures_of(measure.formula)) == 1 or is_spoken_of(document, measure):
        return None
    owners = " ".join((*asked.owners, *asked.others))
    return MissingInputs(
        asked, reason=f'it is only computed for the whole company, but the question mentions "{owners}"'
    )


def _names_amount(document: Document, asked: AskedMeasure, measure: Measure, rows: Sequence[tuple[int, int]]) -> bool:
    """Whether the words that name a percentage are those of an amount that is printed: "gross margin", in dollars."""
    if measure.metric_type != "percentage" or asked.form != "value" or not prints_amount(document, rows):
        return False
    labels = {" ".join(words(document.table(table).rows[row].label.lower())) for table, row in rows}
    return " ".join(words(asked.wording)) in labels


@dataclass
class _Binder:
    """A measure, or a line, on its way to its cells."""

    document: Document
    rows: Sequence[StatementRow]
    asked: AskedMeasure
    lacking: dict[str, Figure] = field(default_factory=dict)
    direct: bool = True

    def called_like(self, measure: Measure) -> Sequence[tuple[int, int]]:
        """The table and the row of each line that is called like a measure, of several files those of this one."""
        found = printed_rows(self.document, measure)
        files = {file_of(self.document, CellRef(self.document.id, row.table, 0, 0)) for row in self.rows[:1]}
        return [at for at in found if not files or file_of(self.document, CellRef(self.document.id, *at, 0)) in files]

    def printed(self, measure: Measure) -> ResolvedMeasure | None:
        """The measure where the document prints it for all times that are asked for, one number for each."""
        if measure.metric_type == "percentage" and self.asked.form != "value":
            return None  # rounded percentages are not compared
        figures = [read_measures().figures[name] for name in figures_of(measure.formula)]
        balances = {figure.statement == _BALANCE for figure in figures}
        times_asked = PeriodFinder(
            moments_of(self.document, self.rows), flows=False in balances, balances=True in balances
        )
        for times in times_asked.of(self.asked):
            own = self.called_like(measure)
            cells = [printed_cell(self.document, measure, self.asked.wording, moment, own) for moment in times]
            named = {f"{_LINE}_{place}": cell for place, cell in enumerate(cells) if cell is not None}
            if len(named) == len(times):
                first = next(iter(named.values()))
                label = self.document.table(first.table).rows[first.row].label
                formula = asked_formula(self.asked, list(named), times)
                return ResolvedMeasure(
                    self.asked, formula, named, tuple(named), times, f'the line "{label}"', direct=True
                )
        return None

    def of_line(self) -> ResolvedMeasure | MissingInputs:
        """A line of a statement that is called by its name, in whichever words."""
        called = self.asked.line
        line, key = statement_line(called), caption_key(called)
        known = next((f for f in read_measures().figures.values() if line in f.lines and not f.several), None)
        if known is not None:
            figure = Figure(_LINE, called, known.statement, known.lines, known.captions)
        else:
            own = [row for row in self.rows if key in row.keys or (line and row.line == line)]
            if not own:
                return MissingInputs(self.asked, reason=f'no statement has a line "{called}"')
            statement = next((row for row in own if key in row.keys[:1]), own[0]).statement
            figure = Figure(_LINE, called, statement, (line,) if line else (), frozenset({key}))
        return self.computed(_LINE, {_LINE: figure})

    def computed(self, formula: str, figures: Mapping[str, Figure]) -> ResolvedMeasure | MissingInputs:
        """What a formula over figures comes to at the times that are asked for."""
        lines: dict[str, Sequence[StatementRow]] = {}
        text = self._expand_formula(formula, figures, lines)
        if text is None:
            known = any(row.statement for row in self.rows)
            lacking = (figure if known else replace(figure, statement="") for figure in self.lacking.values())
            return MissingInputs(self.asked, tuple(lacking))
        balances = {row.statement == _BALANCE for rows in lines.values() for row in rows}
        moments = moments_of(self.document, self.rows)
        for times in PeriodFinder(moments, flows=False in balances, balances=True in balances).of(self.asked):
            if self._means_nothing_of(times):
                continue
            if (found := self._at(times, text, lines)) is not None:
                return found
        return MissingInputs(self.asked, reason=self._why(lines, moments))

    def _means_nothing_of(self, times: Times) -> bool:
        measure = self.asked.measure
        return measure is not None and measure.whole_years and not all(moment.is_year for moment in times)

    def _expand_formula(
        self, formula: str, figures: Mapping[str, Figure], lines: dict[str, Sequence[StatementRow]]
    ) -> str | None:
        """A formula over figures that statements print, whose lines are added to `lines`; None if one is lacking."""
        formulas = {name: self._figure(figures[name], figures, lines) for name in figures_of(formula)}
        found = {name: text for name, text in formulas.items() if text is not None}
        return put_in(formula, found) if len(found) == len(formulas) else None

    def _figure(
        self, figure: Figure, figures: Mapping[str, Figure], lines: dict[str, Sequence[StatementRow]]
    ) -> str | None:
        """A figure as a formula: a line of a statement, or what it is made of."""
        if rows := figure_rows(figure, self.rows):
            lines[figure.name] = rows
            self.direct = self.direct and not figure.several
            return f"abs({figure.name})" if figure.magnitude and not figure.several else figure.name
        if figure.made_of:
            before, made = dict(self.lacking), dict(lines)
            if (text := self._expand_formula(figure.made_of, figures, made)) is not None:
                lines.update(made)
                self.direct = False
                return f"({text})"
            self.lacking = before
        self.lacking[figure.name] = figure
        return None

    def _at(self, times: Times, formula: str, lines: _Lines) -> ResolvedMeasure | None:
        """The formula at some times, if each of its figures is printed for all of them."""
        chosen = {name: self._rows_at(name, rows, times) for name, rows in lines.items()}
        cells: dict[str, CellRef] = {}
        terms: list[str] = []
        for place, moment in enumerate(times):
            own = {name: dict(self._cells(f"{name}_{place}", rows, moment)) for name, rows in chosen.items()}
            if not all(own.values()):
                return None
            for found in own.values():
                cells |= found
            sums = {name: next(iter(c)) if len(c) == 1 else f"({' + '.join(c)})" for name, c in own.items()}
            terms.append(put_in(formula, sums))
        words = {name: " plus ".join(row.label for row in rows) for name, rows in chosen.items()}
        words = {name: f"({labels})" if len(chosen[name]) > 1 else labels for name, labels in words.items()}
        whole = asked_formula(self.asked, terms, times)
        return ResolvedMeasure(self.asked, whole, cells, tuple(terms), times, word_formula(formula, words), self.direct)

    def _rows_at(self, name: str, rows: Sequence[StatementRow], times: Times) -> Sequence[StatementRow]:
        """The lines that a figure is taken from at some times: the first that has all, or those that are added up."""
        figure = read_measures().figures.get(name)
        if figure is not None and figure.several:
            return [row for row in rows if any(self._cell(row, moment) is not None for moment in times)]
        return next(([row] for row in rows if all(self._cell(row, moment) is not None for moment in times)), [])

    def _cells(self, name: str, rows: Sequence[StatementRow], moment: Moment) -> Iterator[tuple[str, CellRef]]:
        for number, row in enumerate(rows):
            if (cell := self._cell(row, moment)) is not None:
                yield f"{name}_{number}", cell

    def _cell(self, row: StatementRow, moment: Moment) -> CellRef | None:
        """The amount that a line has for a time."""
        period = moment.balance if row.statement == _BALANCE else moment.flow
        table = self.document.table(row.table)
        for cell in table.cells[row.row][1:]:
            column = table.columns[cell.ref.column]
            if cell.quantity is None or Scale.PERCENT in (cell.quantity.scale, column.scale):
                continue
            if period is not None and (column.period or table.period_at(row.row, cell.ref.column)) == period:
                return cell.ref
        return None

    def _why(self, lines: _Lines, moments: Sequence[Moment]) -> str:
        """Why there is no time that has all figures."""
        measure, periods = self.asked.measure, self.asked.periods
        if measure is not None and measure.whole_years and not any(moment.is_year for moment in moments):
            return "it is not defined for part of a year"
        if len(periods) == 1 and self.asked.form == "value":
            for rows in lines.values():
                balance = rows[0].statement == _BALANCE
                times = moments_asked(moments, periods[0], flows=not balance, balances=balance)
                if not any(self._cell(row, moment) is not None for row in rows for moment in times):
                    return f'the {rows[0].statement or "table"} has no "{rows[0].label}" for that period'
        return "some of its figures are missing for that period"
