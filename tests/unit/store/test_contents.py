import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.errors import StoreError
from quaestor.store.contents import (
    content_digest,
    pack_text,
    pack_triples,
    text_to_triples,
    triples_to_text,
    unpack_content,
)


def pack_against(base: bytes, begin: int, between: bytes, end: int) -> bytes:
    """Return a text as packed by version 0.2: a prefix of the base, new text, and a suffix of the base."""
    dictionary = base if len(base) <= 1 << 15 else base[begin : len(base) - end][: 1 << 15]
    deflate = zlib.compressobj(6, zdict=dictionary)
    return begin.to_bytes(4) + end.to_bytes(4) + deflate.compress(between) + deflate.flush()


@given(st.binary(max_size=300))
def test_packed_content_is_restored(raw: bytes) -> None:
    assert unpack_content(pack_text(raw).data, len(raw)) == raw


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: b"\0" * len(data), lambda data: b""])
def test_damaged_data_are_refused(damage: object) -> None:
    assert callable(damage)
    page = b"net sales 1,234\n" * 50
    for packed, base in ((pack_text(page).data, None), (pack_against(page, len(page), b"and more", 0), page)):
        with pytest.raises(StoreError):
            unpack_content(damage(packed), len(page) + (8 if base else 0), base)


def test_decompressed_size_is_limited() -> None:
    with pytest.raises(StoreError, match="101"):
        unpack_content(pack_text(b"x" * 10_000_000).data, 100)


@given(st.lists(st.tuples(st.text(), st.text(), st.text())))
def test_triples_are_restored_sorted(triples: list[tuple[str, str, str]]) -> None:
    assert text_to_triples(triples_to_text(triples)) == tuple(sorted(set(triples)))


@given(st.lists(st.tuples(*[st.text(st.characters(codec="utf-8"), max_size=2)] * 3)))
def test_triples_are_packed_one_subject_at_a_time_to_the_same_text(triples: list[tuple[str, str, str]]) -> None:
    packed, count = pack_triples(iter(triples))
    raw = unpack_content(packed.data, packed.size)
    assert raw.decode() == triples_to_text(triples)
    assert (packed.digest, count) == (content_digest(raw), len(set(triples)))
