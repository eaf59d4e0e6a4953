"""Buckets of time to come: "within one year", "in one to three years", "after 2030", "all years"."""

import re
from dataclasses import dataclass

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {"a": 1} | {word: place for place, word in enumerate(_WORDS, 1)}
_MONTHS = 12
_COUNT = rf"(?:a|{'|'.join(_WORDS)}|[1-9]\d?)"
_UNIT = r"(?:fiscal |calendar )?(?P<{0}>years?|yrs?|months?)"
_PAST = r"(?!\s+(?:ago|earlier|before|old|prior|back))"
_YEAR = r"(?:fy ?|fiscal (?:year )?|calendar (?:year )?)?(?P<year>20\d\d)"
_BUCKETS = re.compile(
    rf"\b(?P<range>(?:after )?(?P<from>{_COUNT})(?: (?:years?|months?))?"
    rf"(?: ?[-\u2013] ?| (?:to|through|and through|and|but within) )"
    rf"(?P<until>{_COUNT}) {_UNIT.format('span')})\b{_PAST}"
    rf"|\b(?P<next>(?:(?:in|within|over|during) )?(?:the )?next (?:(?P<ahead>{_COUNT}) {_UNIT.format('nextspan')}))\b"
    rf"|\b(?P<within>(?:less than|within|inside|no later than|under) (?:the )?"
    rf"(?P<most>{_COUNT}) {_UNIT.format('in')})\b{_PAST}"
    rf"|\b(?P<after>(?:after|beyond|more than|later than|longer than|past) (?:the )?(?P<least>{_COUNT})"
    rf"[ -]{_UNIT.format('out')}(?: (?:out|away|from now|or more))?)\b{_PAST}"
    rf"|\b(?P<since>(?:after|beyond|later than|past) {_YEAR})\b"
    r"|\b(?P<rest>thereafter)\b"
    r"|\b(?P<all>(?:in |over |for |across )?all (?:the |future )?years)\b"
)
_FALLS_DUE = re.compile(
    r"\b(?:due|matur(?:e|es|ing|ity|ities)|commitments?|obligations?|payable|repayments?|schedule[ds]?|minimum|undiscounted)\b"
)
_QUALIFIES = re.compile(r"\b(?:includ\w+|incl|exclud\w+|excl|net of|before|gross of)\b")
"""Before a bucket that only tells what a number includes."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A part of the time to come.

    Attributes:
        start: Its first character in the text.
        end: The character after its last one.
        after: How many months from now it begins.
        until: How many months from now it ends; None if it is open.
        year: The year after which it begins, if that is named instead.
        rest: Whether it is what is left after the parts that are named, whenever they end.
    """

    start: int
    end: int
    after: int = 0
    until: int | None = None
    year: int | None = None
    rest: bool = False

    @property
    def is_all(self) -> bool:
        """Whether all of the time to come is meant."""
        return not self.after and self.until is None and self.year is None and not self.rest

    def covers(self, start: int, end: int) -> bool:
        """Return whether it is named where a span of the text is, or a part of it."""
        return start < self.end and self.start < end

    def begins(self, year: int) -> int:
        """Return how many months from the end of a year it begins."""
        return self.after if self.year is None else _MONTHS * (self.year - year)


def read_bucket(text: str) -> Bucket | None:
    """Return the bucket that a question in lower case names.

    >>> bucket = read_bucket("rent due in the next 12 months")
    >>> bucket.after, bucket.until
    (0, 12)
    """
    found = _BUCKETS.search(text)
    if found is None or (found["all"] and not _FALLS_DUE.search(text)) or _QUALIFIES.search(text[: found.start()]):
        return None
    if found["next"] and not (found["nextspan"].startswith("month") or found["ahead"] in ("a", "one", "1")):
        return None  # "over the next five years": each of them
    return _make_bucket(found)


def bucket_of_label(label: str) -> Bucket | None:
    """Return the bucket that a label of a schedule names.

    >>> bucket = bucket_of_label("Due after 1 year through 5 years")
    >>> bucket.after, bucket.until
    (12, 60)
    """
    lowered = re.sub(r"\s+", " ", label.lower()).strip(" :")
    if (found := _BUCKETS.search(lowered)) is not None:
        return _make_bucket(found)
    if lowered == "total":
        return Bucket(0, len(label))
    if lowered in ("current", "short-term", "short term"):
        return Bucket(0, len(label), 0, _MONTHS)
    if lowered in ("noncurrent", "non-current", "long-term", "long term"):
        return Bucket(0, len(label), _MONTHS)
    return None


def _make_bucket(found: re.Match[str]) -> Bucket:
    if found["range"]:
        until = _months(found["until"], found["span"])
        return Bucket(*found.span(), _months(found["from"], found["span"]), until)
    if found["next"] or found["within"]:
        count, unit = (found["ahead"], found["nextspan"]) if found["next"] else (found["most"], found["in"])
        return Bucket(*found.span(), 0, _months(count, unit))
    if found["after"]:
        return Bucket(*found.span(), _months(found["least"], found["out"]))
    return Bucket(*found.span(), year=int(found["year"]) if found["since"] else None, rest=bool(found["rest"]))


def _months(count: str, unit: str) -> int:
    number = int(count) if count.isdigit() else _NUMBERS[count]
    return number if unit.startswith("month") else _MONTHS * number
