"""A model asked about what the rules leave unclear: types of tables, phrases of the text, labels that are nearly one.

Owns the questions and their typed answers. What an answer may claim is decided by the text, in `proposals`: what is
not borne out is put back to the model once, and left out if it persists.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, TypeVar

from pydantic import Field

from quaestor.documents.document import Document
from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.llm.transcript import turn_context
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.classes import ClassMatch, contexts_of
from quaestor.ontology.labels import plain
from quaestor.ontology.lines import property_lines
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.phrases import noun_phrase_in
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.proposals import objection
from quaestor.prompts import render

_CLEAR = 3.0
"""The score from which the type of a table is clear: a cue in the sentence before it."""
_NEAR = 0.8
_PAIRS_AT_ONCE = 20
_PAGES_AT_ONCE = 8
_CANDIDATES = 5
_REPAIRS = 2
_FAULTS_SHOWN = 10

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProposedClass:
    """The type of one table."""

    table: Annotated[int, Field(description="The number of the table that is asked about.")]
    label: Annotated[str, Field(description="What tables of this type show, in two to four words.")]
    cues: Annotated[list[str], Field(description="Words that stand in or around it, exactly as printed there.")]
    reason: str


@dataclass(frozen=True, slots=True)
class ProposedProperty:
    """A phrase that names what a number is."""

    phrase: Annotated[str, Field(description="One of the phrases that are asked about, unchanged.")]
    reason: str


@dataclass(frozen=True, slots=True)
class PageReading:
    """What a page shows of types."""

    classes: list[ProposedClass] = field(default_factory=list)
    properties: list[ProposedProperty] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MergeVerdict:
    """Which candidate a label is the same as."""

    number: Annotated[int, Field(description="The number of the label.")]
    same: Annotated[int, Field(description="The number of the candidate that means the same, 0 for none.")]
    reason: str


@dataclass(frozen=True, slots=True)
class MergeVerdicts:
    """One verdict for each label."""

    verdicts: list[MergeVerdict]


@dataclass(frozen=True, slots=True)
class UnplacedLabel:
    """A label, and the labels that it may be the same as."""

    label: str
    candidates: tuple[str, ...]
    documents: tuple[str, ...]


async def propose(documents: Iterable[Document], connection: Connection) -> tuple[Proposal, ...]:
    """Returns what a model makes of all that the rules leave unclear, sorted.

    Raises:
        ModelReplyError: A reply could not be used.
        OutageError: The model cannot be asked.
    """
    pages = sorted({document.id: document for document in documents}.values(), key=lambda document: document.id)
    draft = build_ontology(pages)
    turns = asyncio.Semaphore(_PAGES_AT_ONCE)

    async def read(page: Document) -> list[Proposal]:
        async with turns:
            return await _read(page, draft, connection)

    async def judge(questions: Sequence[UnplacedLabel]) -> list[Proposal]:
        async with turns:
            return await _judge(questions, pages, connection)

    asked = [read(page) for page in pages]
    near = list(_near(draft))
    asked += [judge(near[start : start + _PAIRS_AT_ONCE]) for start in range(0, len(near), _PAIRS_AT_ONCE)]
    return _joined(proposal for found in await asyncio.gather(*asked) for proposal in found)


async def propose_lines(document: Document, ontology: Ontology, connection: Connection) -> tuple[Proposal, ...]:
    """Returns the properties that a model holds the unmatched lines of a document to be, as merges.

    Args:
        document: The page.
        ontology: What its lines are matched with.
        connection: The model that is asked.

    Raises:
        ModelReplyError: A reply could not be used.
        OutageError: The model cannot be asked.
    """
    questions = [
        UnplacedLabel(
            line.label, tuple(near.label for near in ontology.nearest(line.label, _CANDIDATES)), (document.id,)
        )
        for table in document.tables
        for line in property_lines(table)
        if ontology.match(line.label) is None
    ]
    questions = list({question.label: question for question in questions if question.candidates}.values())
    if not questions:
        return ()
    found = await _judge(questions, [document], connection)
    taken = {m.property for t in document.tables for x in property_lines(t) if (m := ontology.match(x.label))}
    kept: dict[str, Proposal] = {}
    for proposal in found:
        match = ontology.match(proposal.into)
        # A property heads one line of a page: the first that was proposed for it has it.
        if match and match.property not in taken:
            kept.setdefault(match.property, proposal)
    return _joined(kept.values())


async def _read(page: Document, draft: Ontology, connection: Connection) -> list[Proposal]:
    contexts = contexts_of(page)
    unclear = [table for table in page.tables if _unclear(draft.classify(contexts[table.index]))]
    phrases = list(dict.fromkeys(p for s in page.sentences for _, p in noun_phrase_in(s) if draft.match(p) is None))
    if not unclear and not phrases:
        return []
    prompt = render(
        "ontology/page",
        document=page,
        tables=unclear,
        phrases=phrases,
        classes=[kind.label for kind in draft.classes],
    )

    def proposals(reading: PageReading) -> Iterator[Proposal]:
        for kind in reading.classes:
            yield Proposal("class", kind.label, cues=tuple(kind.cues), documents=(page.id,), reason=kind.reason)
        for item in reading.properties:
            yield Proposal("property", item.phrase, documents=(page.id,), reason=item.reason)

    with turn_context("", page.id, 0):
        reading = await _ask(
            connection, PageReading, prompt, "ONTOLOGY_page", lambda said: _objections(proposals(said), [page])
        )
    return [proposal for proposal in proposals(reading) if objection(proposal, [page]) is None]


async def _judge(
    questions: Sequence[UnplacedLabel], pages: Sequence[Document], connection: Connection
) -> list[Proposal]:
    by_id = {page.id: page for page in pages}

    def proposals(said: MergeVerdicts) -> Iterator[tuple[Proposal, list[Document]]]:
        for verdict in said.verdicts:
            if not 0 < verdict.number <= len(questions):
                continue
            question = questions[verdict.number - 1]
            if 0 < verdict.same <= len(question.candidates):
                into = question.candidates[verdict.same - 1]
                proposal = Proposal("merge", question.label, into, documents=question.documents, reason=verdict.reason)
                yield proposal, [by_id[name] for name in question.documents if name in by_id]

    def faults(said: MergeVerdicts) -> list[str]:
        odd = [
            f"question {v.number} has no candidate {v.same}"
            for v in said.verdicts
            if not 0 < v.number <= len(questions) or not 0 <= v.same <= len(questions[v.number - 1].candidates)
        ]
        return odd + [fault for p, where in proposals(said) for fault in _objections([p], where)]

    prompt = render("ontology/labels", questions=questions)
    with turn_context("", questions[0].label, 0):
        said = await _ask(connection, MergeVerdicts, prompt, "ONTOLOGY_labels", faults)
    return [proposal for proposal, where in proposals(said) if objection(proposal, where) is None]


def _unclear(matches: Sequence[ClassMatch]) -> bool:
    """Whether little speaks for the type of a table, or as much for another one."""
    return matches[0].score < _CLEAR or (len(matches) > 1 and matches[1].score == matches[0].score)


def _near(draft: Ontology) -> Iterator[UnplacedLabel]:
    """Yields the labels of lines that resemble that of a more frequent property, which no rung and no table decides."""
    apart = {frozenset((a.label, a.other)) for a in draft.apart}
    ranked = sorted((p for p in draft.properties if p.lines and p.label), key=lambda p: (-p.lines, p.name))
    rank = {p.name: place for place, p in enumerate(ranked)}
    for found in ranked:
        near = [
            other
            for other in draft.nearest(found.label, _CANDIDATES + 1)
            if other.score >= _NEAR
            and rank.get(other.property, len(rank)) < rank[found.name]
            and frozenset((found.label, other.label)) not in apart
        ]
        if near:
            yield UnplacedLabel(found.label, tuple(other.label for other in near[:_CANDIDATES]), found.documents)


def _objections(proposals: Iterable[Proposal], pages: Sequence[Document]) -> list[str]:
    found = ((proposal, objection(proposal, pages)) for proposal in proposals)
    return [f"{proposal.words}: {against}" for proposal, against in found if against]


def _joined(proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Returns each proposal once, with all documents that it was made for and the first reason."""
    found: dict[tuple[str, str, str], Proposal] = {}
    for p in sorted(proposals):
        key = p.kind, plain(p.label), plain(p.into)
        one = found.setdefault(key, p)
        cues, documents = {*one.cues, *p.cues}, {*one.documents, *p.documents}
        found[key] = replace(one, cues=tuple(sorted(cues)), documents=tuple(sorted(documents)))
    return tuple(sorted(found.values()))


async def _ask(
    connection: Connection, kind: type[T], prompt: str, phase: str, faults: Callable[[T], Sequence[str]]
) -> T:
    """Returns a typed answer; one with faults is put back to the model once, and then taken for what is true of it."""
    # Imported here, as whatever talks to a model is: an ontology is read without one.
    from quaestor.llm.structured.replies import initial_messages
    from quaestor.llm.structured.request import request_structured

    put_back = False

    def check(said: T) -> Sequence[str]:
        nonlocal put_back
        found = [] if put_back else [f"correct this, or leave it out: {fault}" for fault in faults(said)]
        put_back = put_back or bool(found)
        return found[:_FAULTS_SHOWN]

    try:
        reply = await request_structured(
            connection,
            kind,
            initial_messages(render("ontology/system"), prompt),
            name="propose",
            description="What you propose for the ontology.",
            phase=phase,
            attempts=1 + _REPAIRS,
            on_rejected=lambda _: None,
            check=check,
        )
    except ModelReplyError as error:
        raise ModelReplyError(f"{connection.spec.name} gave no usable reply about the ontology: {error}") from error
    return reply.value
