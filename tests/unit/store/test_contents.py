import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_records import GRAPH

from quaestor.errors import StoreError
from quaestor.store.contents import (
    MAX_DEPTH,
    Bases,
    Content,
    content_digest,
    names_of_prompt,
    pack_content,
    pack_triples,
    text_to_triples,
    triples_to_text,
    unpack_content,
)


def content(raw: bytes, depth: int = 0) -> Content:
    return Content(content_digest(raw), raw, depth)


@given(st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=40), st.integers(0, 300))
def test_what_is_packed_comes_back(raw: bytes, base: bytes, between: bytes, at: int) -> None:
    for text, other in ((raw, base), (base[:at] + between + base[at:], base), (base[:at], base), (raw, raw)):
        packed = pack_content(text, content(other))
        assert unpack_content(packed.data, len(text), packed.base.raw if packed.base else None) == text
        alone = pack_content(text)
        assert (unpack_content(alone.data, len(text)), alone.base) == (text, None)


def test_a_text_is_packed_against_one_like_it_however_long() -> None:
    draw = random.Random(1)
    for size in (2_000, 30_000, 300_000):
        page = draw.randbytes(size // 2).hex().encode()
        packed = pack_content(page[: size // 3] + b"another question" + page[size // 3 :], content(page))
        assert packed.base is not None
        assert len(packed.data) < 60
    assert pack_content(draw.randbytes(1000), content(page)).base is None


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: b"\0" * len(data), lambda data: b""])
def test_damaged_data_are_refused(damage: object) -> None:
    assert callable(damage)
    page = b"net sales 1,234\n" * 50
    for packed, base in ((pack_content(page), None), (pack_content(page + b"and more", content(page)), page)):
        with pytest.raises(StoreError):
            unpack_content(damage(packed.data), len(page) + (8 if base else 0), base)


def test_no_more_is_inflated_than_was_packed() -> None:
    with pytest.raises(StoreError, match="101"):
        unpack_content(pack_content(b"x" * 10_000_000).data, 100)


def test_a_base_is_the_likest_text_that_may_still_be_one() -> None:
    bases, names = Bases(), names_of_prompt("prompt", "c1", 0, "ANSWER")
    assert bases.find(names) is None
    first, second = content(b"first"), content(b"second", 1)
    bases.hold(names, first)
    bases.hold(names, second)
    assert bases.find(names) == second
    # Another turn begins from the first of its phase, another conversation too; replies are apart.
    assert bases.find(names_of_prompt("prompt", "c1", 1, "ANSWER")) == first
    assert bases.find(names_of_prompt("prompt", "c2", 0, "ANSWER")) == first
    assert bases.find(names_of_prompt("prompt", "c2", 0, "PLAN")) == first
    assert bases.find(names_of_prompt("response", "c1", 0, "ANSWER")) is None
    bases.hold(names, content(b"deep", MAX_DEPTH))
    assert bases.find(names) == first


def test_no_more_bases_are_held_than_there_is_room_for() -> None:
    bases, large = Bases(), bytes(3 << 20)
    for number in range(8):
        bases.hold([(str(number),)], content(large))
    assert [number for number in range(8) if bases.find([(str(number),)])] == [3, 4, 5, 6, 7]


def test_a_graph_has_one_text_in_any_order() -> None:
    assert triples_to_text(reversed(GRAPH)) == triples_to_text([*GRAPH, *GRAPH])
    assert text_to_triples(triples_to_text(GRAPH)) == GRAPH
    assert text_to_triples(triples_to_text([])) == ()


@given(st.lists(st.tuples(st.text(), st.text(), st.text())))
def test_any_triples_come_back_sorted(triples: list[tuple[str, str, str]]) -> None:
    assert text_to_triples(triples_to_text(triples)) == tuple(sorted(set(triples)))


@given(st.lists(st.tuples(*[st.text(st.characters(codec="utf-8"), max_size=2)] * 3)))
def test_triples_are_packed_one_subject_at_a_time_to_the_same_text(triples: list[tuple[str, str, str]]) -> None:
    packed = pack_triples(sorted(set(triples)))
    raw = unpack_content(packed.data, packed.size)
    assert raw.decode() == triples_to_text(triples)
    assert (packed.digest, packed.count) == (content_digest(raw), len(set(triples)))
