"""The cost of reading grows linearly with the file, and is limited if a library's cost grows faster."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hostile_files import LINEAR, attributes, form_in_itself, forms_in_forms, packed_pdf, pdf_of_strings

from quaestor.errors import QuaestorError, ReadingLimitError
from quaestor.readers.content import FileContent
from quaestor.readers.limited import ReadingLimits, read_limited
from quaestor.readers.registry import find_reader

_TIMES_AS_LARGE = 4
_MOST_GROWTH = 11
"""Maximum growth of the cost for a file four times as large; quadratic cost grows 16 times, and timing is noisy."""


@pytest.mark.very_slow
@pytest.mark.parametrize("name", LINEAR)
def test_cost_grows_linearly_with_the_file(name: str) -> None:
    make, size = LINEAR[name]
    _cost(name, make(size // 10))  # warm up imports and caches
    smaller = min(_cost(name, make(size)) for _ in range(2))
    larger = min(_cost(name, make(_TIMES_AS_LARGE * size)) for _ in range(2))
    assert larger < _MOST_GROWTH * smaller


def _cost(name: str, data: bytes) -> float:
    content, began = FileContent(Path(name), data), time.process_time()
    reader = find_reader(content)
    assert reader is not None
    with suppress(QuaestorError):
        reader.read(content)
    return time.process_time() - began


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("name", "make", "setting"),
    [
        ("attributes.html", lambda: attributes(200_000), "read_seconds"),
        ("forms.pdf", lambda: forms_in_forms(8), None),
        ("itself.pdf", form_in_itself, None),
        ("strings.pdf", lambda: pdf_of_strings(3_000_000), None),
        ("packed.pdf", lambda: packed_pdf(400 << 20), None),
    ],
)
def test_expensive_files_end_at_a_limit(name: str, make: Callable[[], bytes], setting: str | None) -> None:
    with pytest.raises(ReadingLimitError) as raised:
        read_limited(FileContent(Path(name), make()), ReadingLimits(memory=400 << 20, seconds=1))
    assert raised.value.path == name
    assert raised.value.setting in ({setting} if setting else {"read_seconds", "read_memory_mb"})
