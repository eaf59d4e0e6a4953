"""The parts of the time to come that a question or a label names."""

import pytest

from quaestor.questions.buckets import Bucket, bucket_of_label, read_bucket
from quaestor.questions.understanding import read_filing_question


def _bounds(bucket: Bucket | None) -> tuple[int, int | None, int | None] | None:
    return None if bucket is None else (bucket.after, bucket.until, bucket.year)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("securities maturing after ten years", (120, None, None)),
        ("lease payments due after fiscal 2030", (0, None, 2030)),
        ("commitments due more than five years out", (60, None, None)),
        ("rent due in the next 12 months", (0, 12, None)),
        ("notes due within a year", (0, 12, None)),
        ("what is due in one to three years", (12, 36, None)),
        ("total commitments, all years", (0, None, None)),
    ],
)
def test_parts_of_the_time_to_come_are_read(text: str, bounds: tuple[int, int | None, int | None]) -> None:
    assert _bounds(read_bucket(text)) == bounds


@pytest.mark.parametrize(
    "text",
    [
        "amortization over the next five years",
        "sales more than five years ago",
        "revenue in all years",
        "debt including the part due within a year",
    ],
)
def test_other_times_are_not_buckets(text: str) -> None:
    assert read_bucket(text) is None


@pytest.mark.parametrize(
    ("label", "bounds"),
    [
        ("Less Than 1 Year", (0, 12, None)),
        ("1 - 3 Years", (12, 36, None)),
        ("Due after 5 years through 10 years", (60, 120, None)),
        ("Next 12 Months", (0, 12, None)),
        ("Noncurrent", (12, None, None)),
        ("Total debt", None),
    ],
)
def test_labels_of_schedules_are_read(label: str, bounds: tuple[int, int | None, int | None] | None) -> None:
    assert _bounds(bucket_of_label(label)) == bounds


def test_a_part_of_the_time_to_come_is_neither_a_series_of_years_nor_a_name() -> None:
    reading = read_filing_question("securities maturing after ten years")
    assert not reading.moments
    assert reading.terms == ("secur", "matur")
