"""Facts of several files of different companies, a table for each company."""

from collections.abc import Sequence
from dataclasses import replace

from quaestor.core.provenance import CellRef
from quaestor.documents.combining import files_of
from quaestor.documents.document import Document
from quaestor.facts.table import FactTable, build_facts
from quaestor.retrieval.company_name import may_be_of_one_company


def build_company_facts(document: Document) -> tuple[FactTable, ...]:
    """Return the facts of each company that the files of a document are of; a single table if it is one company."""
    whole = document.whole or document
    groups = _group_files(whole)
    if len(groups) < 2:
        return (build_facts(whole),)
    return tuple(build_facts(_part_of(whole, group), part=True) for group in groups)


def _group_files(document: Document) -> list[list[str]]:
    """Return the files of a document, those that may be of one company together."""
    groups: list[list[str]] = []
    for file in files_of(document):
        own = next((group for group in groups if may_be_of_one_company(document, group[0], file)), None)
        if own is None:
            groups.append([file])
        else:
            own.append(file)
    return groups


def _part_of(document: Document, files: Sequence[str]) -> Document:
    paths = {section.id: section.path for section in document.sections}
    part = document.excerpt(block.order for block in document.blocks if paths[block.section][:1][0] in files)
    tables = {table.index for table in part.tables}
    facts = (
        fact for fact in document.facts
        if (fact.source.table in tables if isinstance(fact.source, CellRef) else paths[fact.source.section][0] in files)
    )  # fmt: skip
    return replace(part, facts=tuple(facts))
