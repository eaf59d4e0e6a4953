"""Texts that are packed are those that were added, each found where it stood first."""

import random

import pytest

from quaestor.core.texts import Texts


def test_they_are_what_a_list_of_them_is() -> None:
    draw = random.Random(7)
    added = [
        chr(draw.choice([97, 233, 0x1F600, 0, 0xD800])) * draw.randrange(4) + str(draw.randrange(300))
        for _ in range(900)
    ]
    texts = Texts(added)
    assert list(texts) == added
    assert (texts[-1], texts[3:9:2]) == (added[-1], added[3:9:2])
    assert texts.distinct == len(set(added))
    assert all(texts.find(text) == added.index(text) for text in added)
    assert texts.find("absent") is None
    assert "absent" not in texts
    assert added[5] in texts
    with pytest.raises(IndexError):
        texts[len(texts)]


def test_one_that_is_known_has_its_place() -> None:
    texts = Texts()
    assert [texts.place(text) for text in ("a", "", "a", "b", "")] == [0, 1, 0, 2, 1]
    assert list(texts) == ["a", "", "b"]
