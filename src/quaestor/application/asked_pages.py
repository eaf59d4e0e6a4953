"""What comparisons need of the documents of a labelled file, kept so that these are not read again.

Of the references themselves nothing is kept.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from quaestor.core import serial
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.spec import RunSpec
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.version import digest_of_code
from quaestor.scoring.pages import PageNumbers, page_numbers
from quaestor.store.records import RunRecord

_MADE_BY = ("core", "datasets", "documents", "readers", "scoring")


@dataclass(frozen=True, slots=True)
class AskedPage:
    """A conversation, as far as kinds of its turns are told by it.

    Attributes:
        numbers: Those of the document; conversations about one page share them.
    """

    conversation: str
    joined: bool
    company: str
    page: str
    numbers: PageNumbers


def asked_pages(conversations: Iterable[Conversation]) -> tuple[AskedPage, ...]:
    """Return what is needed of some conversations."""
    # With each its document, which keeps its identity while it is held.
    numbers, found = dict[int, tuple[object, PageNumbers]](), list[AskedPage]()
    for one in conversations:
        document = one.document
        if id(document) not in numbers:
            numbers[id(document)] = document, page_numbers(document)
        found.append(asked_page(one, numbers[id(document)][1]))
    return tuple(found)


def asked_page(conversation: Conversation, numbers: PageNumbers) -> AskedPage:
    """Return what is needed of a conversation, given the numbers of its document."""
    return AskedPage(conversation.id, conversation.joined, conversation.company, conversation.document.id, numbers)


def read_asked(cache: ByteCache, run: RunRecord, digest: str | None) -> tuple[AskedPage, ...] | None:
    """Return what is kept of what a run was asked; None if nothing is kept, or it is of another file."""
    key = _key(run, digest)
    if key is None or (data := cache.get(key)) is None:
        return None
    with suppress(ValueError, TypeError, KeyError, IndexError, InvalidOperation):  # then they are read anew
        kept = json.loads(data)
        if kept["dataset"] == run.dataset_digest:
            pages = [PageNumbers(_numbers(table), _numbers(text)) for table, text in kept["pages"]]
            return tuple(
                AskedPage(conversation, joined, company, page, pages[place])
                for conversation, joined, company, page, place in kept["asked"]
            )
    return None


def keep_asked(cache: ByteCache, run: RunRecord, digest: str | None, asked: Sequence[AskedPage]) -> None:
    """Keep what a run was asked; nothing if the references come from no file."""
    if (key := _key(run, digest)) is None:
        return
    places = {numbers: place for place, numbers in enumerate(dict.fromkeys(one.numbers for one in asked))}
    written = {
        "dataset": run.dataset_digest,
        "pages": [[sorted(map(str, numbers)) for numbers in (page.table, page.text)] for page in places],
        "asked": [[one.conversation, one.joined, one.company, one.page, places[one.numbers]] for one in asked],
    }
    cache.put(key, json.dumps(written).encode())


def _key(run: RunRecord, digest: str | None) -> str | None:
    if digest is None:
        return None
    spec = RunSpec.of_run(run)
    taken = json.dumps([spec.limit, serial.dump(spec.selection) if spec.selection else None])
    return cache_key("asked", digest, taken, digest_of_code(*_MADE_BY))


def _numbers(written: Iterable[str]) -> frozenset[Decimal]:
    return frozenset(map(Decimal, written))
