from dataclasses import replace

import pytest

from quaestor.application.conversation_filter import ConversationFilter, read_conversations_of_run, read_filtered
from quaestor.core import serial
from quaestor.datasets.dataset import Selection
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.testing.store_records import make_run

FIRST, SECOND = "Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2"


@pytest.mark.parametrize(
    "choice",
    [
        ConversationFilter(),
        ConversationFilter(limit=2),
        ConversationFilter(conversations=[SECOND]),
        ConversationFilter(sample=3),
        ConversationFilter(sample=3, seed=7),
    ],
)
def test_conversations_of_a_run_are_read_from_its_dataset(choice: ConversationFilter) -> None:
    pages, selection = read_filtered(sample_path(), choice)
    spec = RunSpec.of(pages, "embedded", limit=choice.limit, selection=selection)
    run = replace(make_run(), spec=serial.dump(spec), spec_digest=spec.digest)
    again = read_conversations_of_run(sample_path(), run)
    assert again.conversations == pages.conversations
    assert again.digest == pages.digest


def test_conversations_of_a_run_without_selection_are_read_again() -> None:
    pages, _ = read_filtered(sample_path(), ConversationFilter(limit=2))
    spec = serial.dump(RunSpec.of(pages, "embedded", limit=2))
    del spec["selection"]
    assert read_conversations_of_run(sample_path(), replace(make_run(), spec=spec)).digest == pages.digest


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([SECOND, FIRST, SECOND], (FIRST, SECOND)),
        (["single_nord/2012/page_41-2"], (SECOND,)),
        (["NORD/2012/page_41.pdf"], (FIRST, SECOND)),
        (["nord/2012/page_41", FIRST], (FIRST, SECOND)),
    ],
)
def test_conversations_are_named_by_their_ids_or_their_pages(names: list[str], found: tuple[str, ...]) -> None:
    pages, selection = read_filtered(sample_path(), ConversationFilter(conversations=names))
    assert selection == Selection(found)
    assert tuple(conversation.id for conversation in pages.conversations) == found
