"""Questions put to pages with and without their answer, to learn when to decline.

Generated from labelled conversations; only the year of a question may be invented. The kinds of questions without an
answer are:

- `other company`: the question is put to a page of another company;
- `other page`: it is put to another page of the same company;
- `other year`: its year is changed to one that the page does not have;
- `other line`: the line that it names is changed to one of another company's page;
- `line removed`: the lines that its answer needs, and all with the same numbers, are removed from the page.

Only questions that describe the line they need are put to other pages, and only to pages without what they need
(`is_answered_by`). Half of the later questions come first on their new page, half after questions about that page.
Evaluate on other companies than those used for training.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from quaestor.core.provenance import CellRef
from quaestor.documents.assembly import ParagraphPart, SectionPart, TablePart, assemble
from quaestor.documents.document import Document, Paragraph
from quaestor.documents.repairs import RepairKind
from quaestor.documents.table import Table
from quaestor.graph.builder import build_graph
from quaestor.learning.examples import Example, as_program, select_training_examples
from quaestor.learning.labels import Chooser, label_turn
from quaestor.learning.pages import read_pages
from quaestor.ontology.builder import build_ontology
from quaestor.plan.steps import Tree
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.page_numbers import CandidateNumber
from quaestor.solvers.embedded.turn_state import DialogueState

_DISTINCT = 100
"""Two pages that share a larger number state the same fact; smaller ones and years are everywhere."""

_DESCRIBED = 2
"""Least number of words that describe numbers of the page in a question that is answered by a choice."""
Part = SectionPart | ParagraphPart | TablePart
Lines = frozenset[tuple[str, int, int]]
"""Rows (`row`, table, row), columns (`column`, table, column) and sentences (section, index, 0) of a page."""
Kind = Literal["own page", "other company", "other page", "other year", "other line", "line removed"]
KINDS: tuple[Kind, ...] = ("own page", "other company", "other page", "other year", "other line", "line removed")
OWN = KINDS[0]
_TRIES = 8
"""Number of other pages that are tried for a question."""
_NEAR_YEARS = (-1, 1, -2, 2, -3, 3, -5, 5, -8)
_LONGEST_HISTORY = 3


@dataclass(frozen=True, slots=True)
class Need:
    """Number of the page that a question needs.

    Attributes:
        leaf: Index among the numbers of the page; None if any number with these words will do.
        stems: Stems of the question that describe it.
        line: Stems of its row, or of the words before it in a sentence.
        year: Its year; 0 if unknown.
        value: As printed, without its sign.
        again: Indices of all equal numbers of the page.
    """

    leaf: int | None
    stems: frozenset[str]
    line: frozenset[str]
    year: int
    value: float
    again: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnRequirements:
    """Turn with the numbers that it needs.

    Attributes:
        needs: Numbers that it takes from the page; empty if it only uses earlier results.
        known: Indices of the numbers that earlier turns took.
    """

    question: Question
    needs: tuple[Need, ...]
    known: frozenset[int]


def needy_turns(example: Example, page: NumberMatrix) -> Iterator[TurnRequirements]:
    """Yield the turns of a labelled conversation with the numbers that each needs."""
    state, trees, known = DialogueState(), list[Tree](), set[int]()
    for question, gold in zip(map(read_question, example.questions), example.gold, strict=True):
        stems = set(question.stems).union(*(earlier.stems for earlier in state.questions[-1:]))
        label, tree = label_turn(question, gold, trees, state, page, _nearest(page, stems, question.years))
        leaves = [o.index for o in label.outcome.operands if o.kind == "leaf"]
        again = [found for o, found in zip(label.outcome.operands, label.acceptable, strict=True) if o.kind == "leaf"]
        needs = (_need(leaf, question, page, places) for leaf, places in zip(leaves, again, strict=True))
        yield TurnRequirements(question, tuple(needs), frozenset(known))
        known.update(leaves)
        state = state.after(question, label.outcome)
        trees.append(tree)


def choosing_turns(example: Example, page: NumberMatrix) -> Iterator[TurnRequirements]:
    """Yield questions that are answered by a choice of lines, years or cells, with the words of their numbers."""
    for question in map(read_question, example.questions):
        stems = frozenset(stem for stem in question.stems if stem in page.vocabulary)
        need = Need(None, stems, frozenset(), 0, 0.0, ())
        yield TurnRequirements(question, (need,) if len(stems) >= _DESCRIBED else (), frozenset())


def _nearest(page: NumberMatrix, stems: set[str], years: Sequence[int]) -> Chooser:
    def choose(options: Sequence[int]) -> int:
        def fit(place: int) -> tuple[float, bool]:
            leaf = page.leaves[place]
            return len(stems & {*leaf.row, *leaf.column}) + 0.5 * (leaf.year in years), leaf.table >= 0

        return max(options, key=fit)

    return choose


def _need(place: int, question: Question, page: NumberMatrix, again: Sequence[int]) -> Need:
    leaf = page.leaves[place]
    stems = frozenset(question.stems) & described_by(leaf)
    return Need(place, stems, frozenset(leaf.row), leaf.year, abs(float(page.value[place])), tuple(again))


def described_by(leaf: CandidateNumber) -> frozenset[str]:
    """Return all stems that describe a number."""
    return frozenset((*leaf.row, *leaf.column, *leaf.around, *leaf.caption))


def is_answered_by(page: NumberMatrix, needs: Sequence[Need]) -> bool:
    """Return whether a page happens to have what a question needs.

    For each needed number the page must have an equal one, or one of the same year that the same words of the question
    describe, in a line whose label has no further words.

    Args:
        page: The numbers of the page to which the question is put.
        needs: The numbers that the answer needs on the original page.
    """
    return all(_is_met(page, need) for need in needs)


def _is_met(page: NumberMatrix, need: Need) -> bool:
    is_distinct = need.value > _DISTINCT and not _is_year(need.value)
    if is_distinct and np.isclose(np.abs(page.value), need.value, rtol=1e-9).any():
        return True
    return any(_fits(leaf, need) for leaf in page.leaves)


def _fits(leaf: CandidateNumber, need: Need) -> bool:
    if need.year and leaf.year and need.year not in (leaf.year, leaf.other_year):
        return False
    if not need.stems <= described_by(leaf):
        return False
    return leaf.table < 0 or frozenset(leaf.row) <= need.line | need.stems


def _is_year(value: float) -> bool:
    return value == int(value) and 1950 <= value <= 2050


def lines_with(leaves: Iterable[int], page: NumberMatrix) -> Lines:
    """Return the lines of some numbers: a row of a table, a column of a transposed one, or a sentence.

    Args:
        leaves: Indices of the numbers.
        page: All numbers of the page.
    """
    return frozenset(_line(leaf, page) for leaf in leaves)


def _line(place: int, page: NumberMatrix) -> tuple[str, int, int]:
    leaf = page.leaves[place]
    if not isinstance(leaf.source, CellRef):
        return leaf.source.section, leaf.source.sentence, 0
    of_table = (x for x in page.leaves if x.table == leaf.table)
    upright = all(isinstance(x.source, CellRef) and x.line == x.source.row for x in of_table)
    return ("row" if upright else "column"), leaf.table, leaf.line


def without_lines(document: Document, lines: Lines) -> Document:
    """Return a benchmark's page without some of its lines, as if it had been printed without them."""
    parts: list[Part] = []
    section = ""
    for block in document.blocks:
        if block.section != section:
            section = block.section
            parts.append(SectionPart(section))
        content = block.content
        if isinstance(content, Paragraph):
            sentences = tuple(s.text for s in content.sentences if (s.section, s.index, 0) not in lines)
            parts.append(ParagraphPart(sentences))
        elif isinstance(content, Table):
            parts.append(TablePart(_grid(content, lines), caption=content.caption))
    repairs = (cell.repair for table in document.tables for row in table.cells for cell in row)
    lost_dashes = any(repair is not None and repair.kind is RepairKind.DASH_AS_YEAR for repair in repairs)
    return assemble(document.id, parts, lost_dashes=lost_dashes, convention=document.convention)


def _grid(table: Table, lines: Lines) -> list[list[str]]:
    rows: Iterable[int] = (row for row in range(len(table.cells)) if ("row", table.index, row) not in lines)
    columns = [c for c in range(len(table.columns)) if ("column", table.index, c) not in lines]
    return [[table.cells[row][column].text for column in columns] for row in rows]


@dataclass(frozen=True, slots=True)
class SyntheticQuestion:
    """Question put to a page.

    Attributes:
        history: Earlier questions, all of which the page answers.
        kind: `own page` if the page has the answer; else the reason why it does not.
    """

    document: Document
    leaves: NumberMatrix
    history: tuple[str, ...]
    question: str
    kind: Kind
    company: str

    @property
    def answerable(self) -> bool:
        """Whether the page has the answer."""
        return self.kind == OWN


@dataclass(frozen=True, slots=True)
class _Page:
    example: Example
    document: Document
    leaves: NumberMatrix
    turns: tuple[TurnRequirements, ...]


def put_questions(examples: Sequence[Example], seed: int = 0) -> list[SyntheticQuestion]:
    """Return the questions of labelled conversations, put to their own pages and to pages that lack the answer.

    Args:
        examples: Conversations with pages, which are also the source of other pages and lines. Independent questions
            are used if the answer is a number, or is given by labels, lists or counts of the table.
    """
    programs, choices = select_training_examples(examples), tuple(_asking_for_choices(examples))
    tables = read_pages([*programs, *choices])
    pages = [
        _Page(example, example.document, leaves, tuple(turns(example, leaves)))
        for part, turns in ((programs, needy_turns), (choices, choosing_turns))
        for example in part
        if example.document is not None
        for leaves in (tables[example.document.digest],)
    ]
    generator = _QuestionGenerator(pages, np.random.default_rng(seed))
    found: dict[tuple[str, tuple[str, ...], str], SyntheticQuestion] = {}
    for page in pages:
        for place in range(len(page.turns)):
            for one in generator.generate(page, place):
                # A page's single and joined conversations have the same questions.
                found.setdefault((one.document.digest, one.history, one.question), one)
    return list(found.values())


def _asking_for_choices(examples: Iterable[Example]) -> Iterator[Example]:
    """Independent questions whose answer is in the table but is not the result of a program."""
    for example in examples:
        questions = zip(example.questions, example.gold, strict=True) if not example.chained else ()
        for place, (question, gold) in enumerate(questions):
            if gold.stated is not None and "table" in gold.stated.source and as_program(gold) is None:
                yield replace(example, id=f"{example.id}#{place}", questions=(question,), gold=(gold,), chained=True)


def balance(synthetic: Sequence[SyntheticQuestion], seed: int = 0) -> list[SyntheticQuestion]:
    """Return all questions with an answer, and as many without one, evenly from each kind."""
    chance = np.random.default_rng(seed)
    by_kind = {kind: [question for question in synthetic if question.kind == kind] for kind in KINDS}
    remaining, chosen = len(by_kind[OWN]), set[int]()
    ways = sorted((kind for kind in KINDS if kind != OWN and by_kind[kind]), key=lambda kind: len(by_kind[kind]))
    for place, kind in enumerate(ways):
        count = min(len(by_kind[kind]), remaining // (len(ways) - place))
        chosen |= {id(by_kind[kind][n]) for n in chance.permutation(len(by_kind[kind]))[:count]}
        remaining -= count
    return [question for question in synthetic if question.answerable or id(question) in chosen]


@dataclass(slots=True)
class _QuestionGenerator:
    """Puts the turns of some pages to other pages."""

    pages: Sequence[_Page]
    chance: np.random.Generator
    ontology: object = field(default_factory=lambda: build_ontology(()))

    def generate(self, page: _Page, place: int) -> Iterator[SyntheticQuestion]:
        turn, before = page.turns[place], page.example.questions[:place]
        yield SyntheticQuestion(page.document, page.leaves, before, turn.question.text, OWN, page.example.company)
        if not turn.needs or not all(need.stems for need in turn.needs[:1]):
            return
        for kind in ("other company", "other page"):
            yield from self._put_elsewhere(page, turn, kind)
        yield from self._other_year(page, turn, before)
        if turn.needs[0].leaf is not None:
            yield from self._other_line(page, turn, turn.needs[0].leaf, before)
            yield from self._line_removed(page, turn, before)

    def _put_elsewhere(self, page: _Page, turn: TurnRequirements, kind: Kind) -> Iterator[SyntheticQuestion]:
        company, same = page.example.company, kind == "other page"
        others = [
            other
            for other in self.pages
            if (other.example.company == company) is same and other.document.digest != page.document.digest
        ]
        for other in self._some(others):
            if not is_answered_by(other.leaves, turn.needs):
                last = len(other.turns) - 1
                count = int(self.chance.integers(1, min(last, _LONGEST_HISTORY) + 1)) if last else 0
                history = other.example.questions[:count] if self.chance.random() < 0.5 else ()
                yield SyntheticQuestion(
                    other.document, other.leaves, history, turn.question.text, kind, other.example.company
                )
                return

    def _some(self, pages: Sequence[_Page]) -> list[_Page]:
        order = self.chance.permutation(len(pages))[:_TRIES]
        return [pages[place] for place in order]

    def _other_year(self, page: _Page, turn: TurnRequirements, before: tuple[str, ...]) -> Iterator[SyntheticQuestion]:
        """The question with one year changed, preferably to a near one."""
        years = [year for year in turn.question.years if str(year) in turn.question.text]
        if not years or turn.question.relative_periods:
            return
        printed = _printed(page.document)
        year = years[int(self.chance.integers(len(years)))]
        near = [new for step in _NEAR_YEARS if not _is_printed(new := year + step, printed)]
        if near:
            new = near[int(self.chance.integers(min(3, len(near))))]
            question = turn.question.text.replace(str(year), str(new))
            yield SyntheticQuestion(page.document, page.leaves, before, question, "other year", page.example.company)

    def _other_line(
        self, page: _Page, turn: TurnRequirements, place: int, before: tuple[str, ...]
    ) -> Iterator[SyntheticQuestion]:
        """The question with its label changed to one of another company; the page lacks half of its words or more."""
        own_label = _row_label(page, page.leaves.leaves[place]).lower()
        if not stems(own_label) or own_label not in turn.question.lowered:
            return
        for other in self._some([other for other in self.pages if other.example.company != page.example.company]):
            labels = [label for leaf in other.leaves.leaves if (label := _row_label(other, leaf)) and stems(label)]
            label = labels[int(self.chance.integers(len(labels)))].lower() if labels else ""
            new = [stem for stem in stems(label) if stem not in page.leaves.vocabulary]
            if new and 2 * len(new) >= len(stems(label)) and not any(map(str.isdigit, label)):
                question = turn.question.lowered.replace(own_label, label)
                yield SyntheticQuestion(
                    page.document, page.leaves, before, question, "other line", page.example.company
                )
                return

    def _line_removed(
        self, page: _Page, turn: TurnRequirements, before: tuple[str, ...]
    ) -> Iterator[SyntheticQuestion]:
        removed = lines_with(
            {leaf for need in turn.needs for leaf in (need.leaf, *need.again) if leaf is not None}, page.leaves
        )
        if removed & lines_with(turn.known, page.leaves):
            return
        document = without_lines(page.document, removed)
        leaves = build_number_matrix(build_graph(document, self.ontology, "extend"))  # type: ignore[arg-type]
        if len(leaves) and not is_answered_by(leaves, turn.needs):
            yield SyntheticQuestion(document, leaves, before, turn.question.text, "line removed", page.example.company)


def _printed(document: Document) -> str:
    cells = (cell.text for table in document.tables for row in table.cells for cell in row)
    return " ".join((*(sentence.text for sentence in document.sentences), *cells))


def _is_printed(year: int, text: str) -> bool:
    return str(year) in text or f"'{year % 100:02}" in text


def _row_label(page: _Page, leaf: CandidateNumber) -> str:
    """Printed label of a number's row; "" for a number in a sentence."""
    source = leaf.source
    return page.document.table(source.table).rows[source.row].label if isinstance(source, CellRef) else ""
