"""Pages and ontologies by the names that a person gives them, for all commands that take them."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import InputError, StoreError
from quaestor.evaluation.knowledge import Knowledge
from quaestor.graph.knowledge_graph import Policy
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.turtle import from_triples, from_turtle
from quaestor.store.base import RunStore, open_store

_DIGEST = re.compile(r"[0-9a-f]{64}")


def documents_of(dataset: Dataset) -> Mapping[str, Document]:
    """Returns the pages of a dataset by their ids."""
    return {conversation.document.id: conversation.document for conversation in dataset.conversations}


def find_page(page: str) -> tuple[Dataset, Document]:
    """Returns the page that `DATASET#ID` names, and the dataset that it is in.

    Raises:
        InputError: It names no page.
    """
    path, separator, identity = page.rpartition("#")
    if not separator or not path or not identity:
        raise InputError(f"{page!r} names no page: write DATASET#ID, such as pages.json#AAPL/2009/page_32.pdf")
    dataset = read_dataset(Path(path))
    documents = documents_of(dataset)
    return dataset, documents[identity] if identity in documents else dataset.conversation(identity).document


async def find_ontology(name: str, store: RunStore | str) -> Ontology:
    """Returns the ontology that a file's name or a digest names.

    Args:
        name: As given.
        store: The store, or its URI, which is opened only for a digest.

    Raises:
        InputError: There is no such file, or it is no digest.
        OntologyError: The file says no ontology.
        StoreError: The store does not have it.
    """
    path = Path(name)
    if path.suffix == ".ttl" or path.exists():
        return read_ontology(path)
    if not _DIGEST.fullmatch(name):
        raise InputError(f"{name!r} is neither a file nor the digest of an ontology (64 hexadecimal digits)")
    if isinstance(store, str):
        async with open_store(store, create=False) as opened:
            return await find_ontology(name, opened)
    return from_triples(await store.load_ontology(name), f"the ontology {name[:12]}")


def read_ontology(path: Path) -> Ontology:
    """Returns the ontology of a Turtle file.

    Raises:
        InputError: The file cannot be read.
        OntologyError: It says no ontology.
    """
    try:
        return from_turtle(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not text in UTF-8: an ontology is a Turtle file") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def knowledge_for(dataset: Dataset, ontology: str | None, policy: Policy | None, store: str) -> Knowledge:
    """Returns what a page of a dataset is read with: a given ontology, or that of the dataset's own documents.

    Gaps become properties unless a policy says otherwise.
    """
    if ontology is None:
        return Knowledge.of(documents_of(dataset).values(), policy or "extend")
    return Knowledge(asyncio.run(find_ontology(ontology, store)), policy or "extend")


async def latest_ontology(store: RunStore) -> Ontology:
    """Returns the ontology of the latest run that has one.

    Raises:
        StoreError: No run has one.
    """
    for run in await store.runs():
        if isinstance(digest := run.spec.get("ontology"), str):
            return await find_ontology(digest, store)
    raise StoreError("no run of the store has an ontology: name one with --ontology FILE.ttl or --ontology DIGEST")
