"""Reference answers about whole documents: quaestor's own format, FinanceBench's and DocFinQA's.

Judges' verdicts are in a separate file beside the questions (`scoring.gold.read_verdicts`).
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from quaestor.core.quantity import Scale
from quaestor.errors import DatasetError
from quaestor.scoring.filing_answers import PERCENT, Evidence, FilingReference, ReferenceAnswer, WantedNumber
from quaestor.scoring.gold import Answers, ByRecord, GoldFile, GoldTurn, all_or_none, first_record

_FIELDS = frozenset({"value", "scale", "unit", "values", "label", "text", "yes", "none", "any_of", "parts"})
_SCALES = {str(scale): scale for scale in Scale} | {"": Scale.ONE, "one": Scale.ONE}
_DISTINCTIVE = 100
_LARGEST = 1e30
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_PRINTED = re.compile(r"\d[\d,]*(?:\.\d+)?")
_QUOTED = re.compile(r"['\"\u2018\u201c]([^'\"\u2019\u201d]{20,})['\"\u2019\u201d]")
_ONE_NUMBER = re.compile(
    r"(?:(?P<sign>[-(\u2212])\s*)?(?:(?P<currency>US\$|[$\u20ac\u00a3])\s*)?(?P<minus>-?)"
    r"(?P<number>\d[\d,]*(?:\.\d+)?|\.\d+)(?:\s*\))?"
    r"(?:\s*(?P<unit>%|percent|x|times|thousand|million|billion|bn|mn?))?(?:\s+(?:USD|dollars))?\.?",
    re.IGNORECASE,
)
_CURRENCIES = {"$": "USD", "us$": "USD", "\u20ac": "EUR", "\u00a3": "GBP"}
_SHORT = {"m": "million", "mn": "million", "bn": "billion"}
_ASKED_SCALE = re.compile(
    r"\b(?:in|usd|dollars?|\$)(?:\s*us)?(?:\s*(?:usd|\$|dollars?|eur))?\s*(?P<scale>thousand|million|billion)s?\b", re.I
)
_YES_NO = re.compile(r"(?P<word>yes|no)\b[\s.,:;-]*(?P<rest>.*)", re.IGNORECASE | re.DOTALL)


class FilingReferences:
    """Format of lines with `file`, `conversation`, `turn`, `kind`, `answer` and `where`."""

    name = "filings"

    def recognises(self, content: object) -> bool:
        """Return whether the first record of a file has the fields of this format."""
        return {"file", "conversation", "turn", "question"} <= first_record(content).keys()

    def read(self, file: GoldFile) -> Answers:
        """Return the answers of each conversation, or None for a conversation without answers."""
        found: dict[str, list[GoldTurn | None]] = {}
        for where, record in file.records():
            conversation = record.get("conversation")
            if not isinstance(conversation, str) or not conversation:
                raise DatasetError(f"{where}: a question has no conversation")
            found.setdefault(conversation, []).append(_turn(record, where) if "answer" in record else None)
        return {name: all_or_none(turns, f"{file.name} ({name})") for name, turns in found.items()}


class FinanceBenchReferences:
    """Format of lines with `financebench_id`, `question`, `answer` and `evidence`."""

    name = "financebench"

    def recognises(self, content: object) -> bool:
        """Return whether the first record of a file has the fields of this format."""
        return {"financebench_id", "doc_name", "question"} <= first_record(content).keys()

    def read(self, file: GoldFile) -> Answers:
        """Return the answers of a file by question id."""
        found: dict[str, tuple[GoldTurn, ...] | None] = {}
        for name, where, record in file.named("financebench_id", "a question"):
            if "answer" not in record:
                found[name] = None
                continue
            wanted = read_text_reference(record.get("answer"), str(record.get("question")), where)
            parts = record.get("evidence")
            of_file = [one for one in parts if isinstance(one, Mapping)] if isinstance(parts, list) else []
            pages = frozenset(
                page + 1
                for one in of_file
                if isinstance(page := one.get("evidence_page_num", one.get("page_number")), int)
                and one.get("doc_name", record.get("doc_name")) == record.get("doc_name")
            )
            kind = str(record.get("question_type") or wanted.form)
            found[name] = (_gold(FilingReference(wanted, kind, Evidence(pages))),)
        return found


class DocFinqaReferences(ByRecord):
    """Format with a list of records with `Context`, `Question` and `Answer`."""

    name = "docfinqa"

    def recognises(self, content: object) -> bool:
        """Return whether the first record of a file has the fields of this format."""
        return first_record(content).keys() >= {"Context", "Question"}

    def read_each(self, file: GoldFile) -> Iterator[tuple[str, tuple[GoldTurn, ...] | None]]:
        """Yield the id and the answers of each record."""
        for place, (where, record) in enumerate(file.records(), file.first):
            if "Answer" not in record:
                yield f"docfinqa-{place}", None
                continue
            wanted = read_text_reference(record.get("Answer"), str(record.get("Question")), where)
            yield f"docfinqa-{place}", (_gold(FilingReference(wanted, wanted.form)),)


def _turn(record: Mapping[str, object], where: str) -> GoldTurn:
    wanted = read_reference_answer(record.get("answer"), f"{where}: 'answer'")
    place = record.get("where")
    evidence = _evidence(place, wanted) if isinstance(place, str) and place else Evidence()
    return _gold(FilingReference(wanted, str(record.get("kind") or wanted.form), evidence))


def _gold(reference: FilingReference) -> GoldTurn:
    return GoldTurn("", reference.wanted.value, None, 0, filing=reference)


def read_reference_answer(answer: object, where: str) -> ReferenceAnswer:
    """Parse a reference answer in quaestor's own format."""
    if not isinstance(answer, Mapping) or not answer.keys() & (_FIELDS - {"scale", "unit"}):
        raise DatasetError(f"{where} must be an object with one of {', '.join(sorted(_FIELDS - {'scale', 'unit'}))}")
    if unknown := answer.keys() - _FIELDS:
        raise DatasetError(f"{where} has an unknown field {min(map(str, unknown))!r}")
    number = _number(answer, where) if "value" in answer else None
    several = {
        name: _several(answer[name], f"{where}: {name!r}") for name in ("any_of", "parts", "values") if name in answer
    }
    words = {name: answer.get(name) for name in ("label", "text", "none")}
    if wrong := next((name for name, text in words.items() if name in answer and not isinstance(text, str)), None):
        raise DatasetError(f"{where}: {wrong!r} must be text")
    yes = answer.get("yes")
    if yes is not None and not isinstance(yes, bool):
        raise DatasetError(f"{where}: 'yes' must be true or false")
    label, text, none = (None if found is None else str(found) for found in words.values())
    found = {"entries" if name == "values" else name: parts for name, parts in several.items()}
    return ReferenceAnswer(**found, none=none, label=label, yes=yes, number=number, text=text)


def _several(answers: object, where: str) -> tuple[ReferenceAnswer, ...]:
    if not isinstance(answers, list) or not answers:
        raise DatasetError(f"{where} must be a list of answers")
    return tuple(read_reference_answer(one, f"{where}, entry {number}") for number, one in enumerate(answers, 1))


def _number(answer: Mapping[str, object], where: str) -> WantedNumber:
    value, unit, scale = answer["value"], answer.get("unit"), answer.get("scale") or ""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise DatasetError(f"{where}: 'value' must be a number")
    if not isinstance(unit, str) or not unit:
        advice = "such as 'USD', 'percent', 'ratio' or 'shares'"
        raise DatasetError(f"{where} has a value without a unit: add 'unit', {advice}")
    if not isinstance(scale, str) or scale not in _SCALES:
        raise DatasetError(f"{where}: 'scale' must be empty or one of thousand, million, billion")
    return WantedNumber(Decimal(str(value)), unit, _SCALES[scale])


def read_text_reference(answer: object, question: str, where: str) -> ReferenceAnswer:
    """Parse a textual reference answer: a number in the unit that the question names, yes or no, or prose."""
    if isinstance(answer, bool) or not isinstance(answer, str | int | float) or not str(answer).strip():
        raise DatasetError(f"{where}: the answer must be text or a number")
    text = str(answer).strip()
    if (found := _ONE_NUMBER.fullmatch(text)) is not None:
        return ReferenceAnswer(number=_stated_number(found, question))
    if (match := _YES_NO.match(text)) is not None:
        return ReferenceAnswer(yes=match["word"].lower() == "yes", text=match["rest"].strip() or None)
    return ReferenceAnswer(text=text)


def _stated_number(found: re.Match[str], question: str) -> WantedNumber:
    value = Decimal(found["number"].replace(",", ""))
    value = -value if found["sign"] or found["minus"] else value
    unit = (found["unit"] or "").lower()
    if unit in ("%", "percent"):
        return WantedNumber(value, PERCENT)
    requested_scale = _ASKED_SCALE.search(question)
    scale = _SCALES.get(_SHORT.get(unit, unit)) if unit not in ("", "x", "times") else None
    if scale is None and requested_scale is not None:
        scale = _SCALES[requested_scale["scale"].lower()]
    return WantedNumber(value, _CURRENCIES.get((found["currency"] or "").lower(), ""), scale)


def _evidence(where: str, wanted: ReferenceAnswer) -> Evidence:
    """Return the evidence from an annotator's note: its numbers, else the answer's numbers, else a quote."""
    numbers = _distinctive(Decimal(text.replace(",", "")) for text in _PRINTED.findall(where))
    numbers = numbers or _distinctive(_numbers_of(wanted))
    quoted = _QUOTED.search(where)
    text = quoted[1] if quoted else wanted.text or ""
    return Evidence(numbers=numbers) if numbers else Evidence(text=text)


def _distinctive(numbers: Iterator[Decimal]) -> frozenset[Decimal]:
    """Return the numbers that rarely occur by chance: no small numbers and no years."""
    return frozenset(
        abs(number)
        for number in numbers
        if abs(number) >= _DISTINCTIVE and not (number == int(number) and _FIRST_YEAR <= abs(number) <= _LAST_YEAR)
    )


def _numbers_of(wanted: ReferenceAnswer) -> Iterator[Decimal]:
    if wanted.number is not None:
        yield wanted.number.value
    for one in (*wanted.any_of, *wanted.parts, *wanted.entries):
        yield from _numbers_of(one)
