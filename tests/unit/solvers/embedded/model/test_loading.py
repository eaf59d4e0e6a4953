import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from quaestor.errors import ModelError
from quaestor.solvers.embedded.filings.loading import MATCHER_FILE, load_filing_weights, locate_weights
from quaestor.solvers.embedded.loading import ANSWERABLE_FILE, CHOICES_FILE, WEIGHT_FILES, load_weights
from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS

SHIPPED = SHIPPED_WEIGHTS


@pytest.mark.parametrize(
    "row", [[10_000, 0.5], *(pytest.param(row, marks=pytest.mark.slow) for row in ([0, 0.5, 1], ["a", "b"], [[0]], 3))]
)
def test_invalid_signature_weights_are_refused(tmp_path: Path, row: object) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(SHIPPED, folder)
    signature = json.loads((folder / "signature.json").read_text(encoding="utf-8"))
    signature["features"][next(iter(signature["features"]))] = row
    (folder / "signature.json").write_text(json.dumps(signature), encoding="utf-8")
    with pytest.raises(ModelError, match=r"signature\.json"):
        load_weights(folder)


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("idf.json", "weight", {"rent": "much"}),
        ("references.json", "extra", {"bias": float("nan")}),
        ("ranker.json", "mean", [{}]),
        ("ranker.json", "mean", [1.0, 2.0]),
        ("signature.json", "intercept", [1.0]),
        ("calibration.json", "intercept", 10**400),
    ],
)
def test_invalid_or_missing_numbers_are_reported_in_one_line(
    tmp_path: Path, file: str, key: str, value: object
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(SHIPPED, folder)
    written = json.loads((folder / file).read_text(encoding="utf-8"))
    (folder / file).write_text(json.dumps({**written, key: value}), encoding="utf-8")
    with pytest.raises(ModelError) as raised:
        load_weights(folder)
    assert "damaged" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", gzip.compress(b"{}"), gzip.compress(b'{"classes": [], "weights": []}'), gzip.compress(b"1" * 9)[:-4]],
)
@pytest.mark.parametrize("name", ["intents", "series"])
def test_damaged_weights_for_filings_are_reported_in_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(SHIPPED, folder)
    locate_weights(folder / "filings", name).write_bytes(content)
    with pytest.raises(ModelError, match="filings") as raised:
        load_filing_weights(folder)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"PK", gzip.compress(b"{}")])
def test_a_damaged_matcher_is_reported_in_one_line(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(SHIPPED, folder)
    (folder / "filings" / MATCHER_FILE).write_bytes(content)
    with pytest.raises(ModelError, match="filings") as raised:
        load_filing_weights(folder)
    assert "\n" not in str(raised.value)


def test_the_card_has_the_digest_of_the_shipped_files() -> None:
    digest = hashlib.sha256()
    for name in (*WEIGHT_FILES, CHOICES_FILE, ANSWERABLE_FILE):
        digest.update((SHIPPED / name).read_bytes())
    assert json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))["digest"] == digest.hexdigest()
