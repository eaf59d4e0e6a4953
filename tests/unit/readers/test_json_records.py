"""Records of a JSON file, found in one pass, equal those of `json.loads`."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.errors import DatasetError
from quaestor.readers import json_records
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.json_records import JsonOutline, JsonRecords, find_outline

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
"""With texts of all characters, also those that JSON is made of."""


def outline_of(data: bytes) -> JsonOutline | None:
    return find_outline(io.BytesIO(data), 1 << 20)


def parsed(data: bytes, outline: JsonOutline) -> Any:
    """Return the JSON value composed of its records."""
    found = {}
    for key, places in outline.parts.items():
        records = list(JsonRecords(Path("made up"), io.BytesIO(data), [places]))
        found[key] = records if places.listed else records[0]
    return found[""] if outline.kind == "list" else found


@pytest.mark.slow
@given(st.lists(VALUES) | st.dictionaries(st.text(), VALUES), st.booleans(), st.sampled_from([None, 1]))
def test_records_equal_those_of_json_loads(value: Any, ascii: bool, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=ascii, indent=indent).encode("utf-8", "surrogatepass")
    outline = outline_of(data)
    assert outline is not None
    assert parsed(data, outline) == value


@pytest.mark.parametrize("chunk", [1, 2, 7])
def test_outline_does_not_depend_on_chunk_boundaries(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_records, "_CHUNK", chunk)
    value = [{"a": '[{,"é\\'}, 12345, -1.5e10, True, None, [], {}, "x" * 50, [1, [2]]]
    data = b"\xef\xbb\xbf \n" + json.dumps(value, ensure_ascii=False).encode() + b"\n "
    outline = outline_of(data)
    assert outline is not None
    assert parsed(data, outline) == value


@given(st.binary(max_size=40) | st.text(alphabet='[]{}",:0 1aé\\ntrue', max_size=30).map(str.encode))
def test_json_scalar_has_no_outline(data: bytes) -> None:
    try:
        value = json.loads(data) if json.detect_encoding(data) in ("utf-8", "utf-8-sig") else None
    except ValueError:
        value = None
    outline = outline_of(data)
    assert (outline is not None) == isinstance(value, list | dict)
    if outline is not None:
        assert parsed(data, outline) == value


def test_too_large_file_has_no_outline() -> None:
    assert find_outline(io.BytesIO(b"[" + b"1," * 100 + b"1]"), 100) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32-le", "gzip"])
def test_records_of_a_file_in_any_form_that_json_has(tmp_path: Path, encoding: str) -> None:
    text = '[{"id": "é"}, {"id": "b"}]'
    data = gzip.compress(text.encode()) if encoding == "gzip" else text.encode(encoding)
    (tmp_path / "some.json").write_bytes(data)
    content = read_content(tmp_path / "some.json")
    assert content.outline is not None
    records = content.records(content.outline.parts.values())
    assert list(records) == [{"id": "é"}, {"id": "b"}] == records[:]
    assert records[-1] == {"id": "b"}
    assert [records.is_object(place) for place in range(2)] == [True, True]
    with pytest.raises(IndexError):
        records[2]


def test_file_changed_while_reading_is_refused_but_a_replaced_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text('[{"a": 1}, {"a": 2}]')
    content = FileContent(path)
    assert content.outline is not None
    records = content.records(content.outline.parts.values())
    (tmp_path / "other.json").write_text('["quite another one"]')
    (tmp_path / "other.json").replace(path)
    assert list(records) == [{"a": 1}, {"a": 2}]
    path.write_text('[{"a": 1}, {"a": 2}]')
    content = FileContent(path)
    assert content.outline is not None
    records = content.records(content.outline.parts.values())
    path.write_text('[{"a": 1}, {"a": 3}]')
    assert records[0] == {"a": 1}
    with pytest.raises(DatasetError):
        records[1]
