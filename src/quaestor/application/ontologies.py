"""Finds ontologies by name, and the ontology to use for documents.

An ontology is named by a Turtle file, or by the digest of a stored one or at least its first six digits.
"""

from pathlib import Path

from quaestor.application.files import named_in_errors
from quaestor.core.patterns import lazy_regex
from quaestor.errors import InputError, StoreError
from quaestor.graph.knowledge_graph import Policy
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.turtle import ontology_from_triples, ontology_from_turtle
from quaestor.settings import Settings
from quaestor.store.base import RunStore, open_store

OWN = "own"
"""The name of the ontology learned from a file's own documents, if another is set."""

_DIGEST = lazy_regex(r"[0-9a-f]{6,64}")


async def find_ontology(name: str, store: RunStore | str) -> Ontology:
    """Return the ontology of a file name or digest; if the store is a URI, it is opened only for a digest."""
    path = Path(name)
    if path.suffix == ".ttl" or path.exists():
        return read_ontology(path)
    if not _DIGEST.fullmatch(name):
        raise InputError(f"{name!r} is neither a file nor the digest of a stored ontology (at least six digits)")
    if isinstance(store, str):
        async with open_store(store, create=False) as opened:
            return await find_ontology(name, opened)
    return ontology_from_triples(
        await store.load_ontology(await _whole_digest(name, store)), f"the ontology {name[:12]}"
    )


async def _whole_digest(prefix: str, store: RunStore) -> str:
    """Return the only stored digest with this prefix, else the prefix itself."""
    found = [stored.digest for stored in await store.ontologies() if stored.digest.startswith(prefix)]
    if len(found) > 1:
        raise InputError(f"{len(found)} ontologies start with {prefix!r}: {', '.join(d[:16] for d in found[:5])}")
    return found[0] if found else prefix


def read_ontology(path: Path) -> Ontology:
    """Read the ontology in a Turtle file."""
    try:
        with named_in_errors(path, "read"):
            return ontology_from_turtle(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not valid UTF-8: an ontology is a Turtle file") from error


async def ontology_or_latest(settings: Settings) -> Ontology:
    """Return the ontology in the settings, else that of the latest run with one."""
    if is_set(settings):
        return await find_ontology(str(settings.ontology), settings.store)
    async with open_store(settings.store, create=False) as opened:
        for run in await opened.runs():
            if isinstance(digest := run.spec.get("ontology"), str):
                return await find_ontology(digest, opened)
    raise StoreError("no run in the store has an ontology: give a file or a digest")


def is_set(settings: Settings) -> bool:
    """Return whether the settings name an ontology other than that of the documents themselves."""
    return settings.ontology not in (None, OWN)


def policy_of(settings: Settings) -> Policy:
    """Return the policy for labels missing in the ontology; by default they become properties."""
    return settings.policy or "extend"
