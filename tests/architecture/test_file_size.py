"""A file has one reason to exist: one that has grown long has two, and is split by subject."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_LINES = 400


def test_no_file_is_longer_than_one_subject_needs() -> None:
    files = [file for folder in ("src", "tests", "benchmarks") for file in (ROOT / folder).rglob("*.py")]
    assert len(files) > 1_000
    lines = {file.relative_to(ROOT).as_posix(): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}
