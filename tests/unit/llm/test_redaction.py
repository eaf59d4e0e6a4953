from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from quaestor.llm.transport import Redactor, redact

KEYS = ("abababac", "abababad-long")


def in_pieces(text: bytes, cuts: list[int], secrets: tuple[str, ...] = KEYS) -> bytes:
    blanking = Redactor(secrets)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [blanking.feed(text[start:end]) for start, end in pairwise(edges)]
    return b"".join(pieces) + blanking.flush()


@given(st.lists(st.sampled_from(["ab", "abababac", "abababad-long", "c", "x", "-lo"])), st.lists(st.integers(0, 60)))
def test_redaction_does_not_depend_on_chunks(words: list[str], cuts: list[int]) -> None:
    text = "".join(words)
    whole = in_pieces(text.encode(), []).decode()
    assert in_pieces(text.encode(), cuts).decode() == whole == redact(text, KEYS)
    assert not any(key in whole for key in KEYS)


@given(st.text())
def test_a_text_without_a_key_is_left_as_it_is(text: str) -> None:
    assert redact(text, ("sk-0123456789",)) == text


def test_a_placeholder_is_not_a_key() -> None:
    assert redact("nonetheless", ("none", "")) == "nonetheless"
