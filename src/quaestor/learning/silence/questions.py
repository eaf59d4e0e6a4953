"""Questions put to pages that do not hold their answer, and to those that do: what silence is learned from.

Made from labelled conversations; nothing in them is made up but the year that a question is put for. Each kind is a way
in which a page can fail a question:

- `other company`: the question is put to a page of another company;
- `other page`: to another page of the same company;
- `other year`: its year is changed to one that the page prints nowhere;
- `other line`: the line that it names is changed to one of another company's page;
- `line removed`: the lines that its answer rests on are removed from the page, and all that print the same numbers.

Only questions that describe the line they need are put elsewhere, and none to a page that has what they need
too (`needs.is_answered_by`). Half of the later questions come first on their page, half after questions that were asked
of it. Who measures takes other companies than those that were learned from.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.graph.builder import build_graph
from quaestor.learning.examples import Example
from quaestor.learning.lessons import as_program, lessons
from quaestor.learning.pages import read_pages
from quaestor.learning.silence.needs import TurnRequirements, choosing_turns, is_answered_by, needy_turns
from quaestor.learning.silence.removing import lines_with, without_lines
from quaestor.ontology.builder import build_ontology
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.page_numbers import CandidateNumber

Kind = Literal["own page", "other company", "other page", "other year", "other line", "line removed"]
KINDS: tuple[Kind, ...] = ("own page", "other company", "other page", "other year", "other line", "line removed")
OWN = KINDS[0]

_TRIES = 8
"""How many pages are looked at for one that does not say what a question needs."""
_NEAR_YEARS = (-1, 1, -2, 2, -3, 3, -5, 5, -8)
_LONGEST_HISTORY = 3


@dataclass(frozen=True, slots=True)
class SyntheticQuestion:
    """A question put to a page.

    Attributes:
        history: The questions before it, all of which the page answers.
        kind: `own page` if the page has the answer; else the way in which it does not.
    """

    document: Document
    leaves: NumberMatrix
    history: tuple[str, ...]
    question: str
    kind: Kind
    company: str

    @property
    def answerable(self) -> bool:
        """Whether the page holds the answer."""
        return self.kind == OWN


@dataclass(frozen=True, slots=True)
class _Page:
    example: Example
    document: Document
    leaves: NumberMatrix
    turns: tuple[TurnRequirements, ...]


def put_questions(examples: Sequence[Example], seed: int = 0) -> list[SyntheticQuestion]:
    """Return the questions of labelled conversations, put to their own pages and, in each possible way, wrongly.

    Args:
        examples: With pages; other pages and lines come from among them. Of independent questions those are used
            whose answer is a number, and those that are answered by labels, lists or counts of the table.
    """
    taught, chosen = lessons(examples), tuple(_asking_for_choices(examples))
    tables = read_pages([*taught, *chosen])
    pages = [
        _Page(example, example.document, leaves, tuple(turns(example, leaves)))
        for part, turns in ((taught, needy_turns), (chosen, choosing_turns))
        for example in part
        if example.document is not None
        for leaves in (tables[example.document.digest],)
    ]
    maker = _Maker(pages, np.random.default_rng(seed))
    found: dict[tuple[str, tuple[str, ...], str], SyntheticQuestion] = {}
    for page in pages:
        for place in range(len(page.turns)):
            for one in maker.all_of(page, place):
                # A page's single and its joined conversation ask the same.
                found.setdefault((one.document.digest, one.history, one.question), one)
    return list(found.values())


def _asking_for_choices(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield the independent questions whose answer the table has, but not as the result of a program."""
    for example in examples:
        asked = zip(example.questions, example.gold, strict=True) if not example.chained else ()
        for place, (question, gold) in enumerate(asked):
            if gold.stated is not None and "table" in gold.stated.source and as_program(gold) is None:
                yield replace(example, id=f"{example.id}#{place}", questions=(question,), gold=(gold,), chained=True)


def balance(synthetic: Sequence[SyntheticQuestion], seed: int = 0) -> list[SyntheticQuestion]:
    """Return questions of which half have an answer: all that have one, and as many others, of each kind alike."""
    chance = np.random.default_rng(seed)
    by_kind = {kind: [question for question in synthetic if question.kind == kind] for kind in KINDS}
    left, chosen = len(by_kind[OWN]), set[int]()
    ways = sorted((kind for kind in KINDS if kind != OWN and by_kind[kind]), key=lambda kind: len(by_kind[kind]))
    for place, kind in enumerate(ways):
        count = min(len(by_kind[kind]), left // (len(ways) - place))
        chosen |= {id(by_kind[kind][n]) for n in chance.permutation(len(by_kind[kind]))[:count]}
        left -= count
    return [question for question in synthetic if question.answerable or id(question) in chosen]


@dataclass(slots=True)
class _Maker:
    """Puts the turns of some pages to others."""

    pages: Sequence[_Page]
    chance: np.random.Generator
    ontology: object = field(default_factory=lambda: build_ontology(()))

    def all_of(self, page: _Page, place: int) -> Iterator[SyntheticQuestion]:
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
                asked = len(other.turns) - 1
                count = int(self.chance.integers(1, min(asked, _LONGEST_HISTORY) + 1)) if asked else 0
                history = other.example.questions[:count] if self.chance.random() < 0.5 else ()
                yield SyntheticQuestion(
                    other.document, other.leaves, history, turn.question.text, kind, other.example.company
                )
                return

    def _some(self, pages: Sequence[_Page]) -> list[_Page]:
        order = self.chance.permutation(len(pages))[:_TRIES]
        return [pages[place] for place in order]

    def _other_year(self, page: _Page, turn: TurnRequirements, before: tuple[str, ...]) -> Iterator[SyntheticQuestion]:
        """One year that the question names is changed; near ones first, as people ask."""
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
        """The label that the question names, changed to one of another company, of which the page has no word."""
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
    """Return the label of a number's row as it is printed; "" of a number in a sentence."""
    source = leaf.source
    return page.document.table(source.table).rows[source.row].label if isinstance(source, CellRef) else ""
