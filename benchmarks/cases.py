"""Answers about small documents rebuilt from bug reports: `python -m benchmarks.cases [FOLDER] [NAME ...] [--list]`.

Each `NAME` in the folder comes with a `NAME.expected.jsonl`, whose header explains the verdicts. Prints, for each kind
of `reading_kinds.md` and for each format, how many questions are right or rightly refused, wrongly refused, and wrong:
surely (with a confidence of at least 80 %) or not. With `--list` also prints each question that is not right.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import quaestor
from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import Text, YesNo, number_of
from quaestor.core.quantity import Scale
from quaestor.errors import QuaestorError

_FOLDER = Path("../shared/data/cases")
_SURE = 0.8
_TOLERANCE = Decimal("0.0005")
_PRINTED_PERCENT = Decimal("0.05")
"""Rounding tolerance of a printed percentage, in percentage points."""

_KINDS = {
    "K1 bracketed numbers": (62, 70),
    "K2 conventions of numbers": (3, 4, 10, 22, 47, 52),
    "K3 signs": (1, 2, 46, 54),
    "K4 other periods": (6, 31, 41, 56, 71),
    "K5 empty lines": (7, 16, 42, 48, 55, 57),
    "K7 unknown periods": (33, 50, 59, 60),
    "K8 units and scales": (11, 14, 20, 45, 61, 67, 68),
    "K9 alike lines": (17, 63, 64, 65),
    "K10 label columns": (5, 8),
    "K11 two heading rows": (58,),
    "K12 short labels": (40,),
    "K13 formulas": (9,),
    "K14 long tables": (26, 51),
    "K15 columns of PDF": (18, 19, 25),
}
_KIND_OF = {number: kind for kind, numbers in _KINDS.items() for number in numbers}


_OTHER_VALUES = re.compile(r".*\b(?:or|also)\b(?:(?!never).)*")
"""Matches a note that lists other acceptable values, up to the list of unacceptable ones."""
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a question."""

    name: str
    expected: dict[str, Any]
    answer: Answer | None
    shown: str

    @property
    def kind(self) -> str:
        """The kind of failure that the document reproduces."""
        number = re.match(r"c([0-9]+)", self.name)
        return _KIND_OF.get(int(number[1]), "others") if number else "others"

    @property
    def verdict(self) -> str:
        """The verdict: `right`, `refused`, `sure` or `unsure`."""
        refused = self.answer is None or self.answer.value is None
        if refused:
            allowed = self.expected["value"] is None or "refus" in self.expected["note"]
            return "right" if allowed else "refused"
        assert self.answer is not None
        if _is_right(self.expected, self.answer):
            return "right"
        confidence = self.answer.confidence
        if confidence is None or confidence >= _SURE:
            return "sure"
        return "right" if self.expected["note"].startswith("ambiguous") else "unsure"


def _is_right(expected: dict[str, Any], answer: Answer) -> bool:
    others = _OTHER_VALUES.search(expected["note"])
    values = [expected["value"], *(_NUMBER.findall(others[0].replace(",", "")) if others else ())]
    return any(_is_value({**expected, "value": value}, answer) for value in values)


def _is_value(expected: dict[str, Any], answer: Answer) -> bool:
    wanted = expected["value"]
    match answer.value:
        case YesNo(value):
            return str(wanted) == ("yes" if value else "no")
        case Text(value):
            return str(wanted) == value
    if wanted is None or (number := number_of(answer.value)) is None:
        return False
    if expected.get("currency") not in (None, answer.unit):
        return False
    amount = Decimal(str(wanted))
    if expected["unit"] == "%":
        found = number if answer.scale is Scale.PERCENT else number * 100
    else:
        amount *= Scale(expected["scale"]).factor
        found = number * (answer.scale.factor if answer.scale is not Scale.PERCENT else 1)
    tolerance = _PRINTED_PERCENT if expected["unit"] == "%" else Decimal(0)
    return abs(found - amount) <= max(abs(amount) * _TOLERANCE, tolerance)


def ask_cases(folder: Path, names: Sequence[str] = ()) -> Iterator[Outcome]:
    """Ask the questions of each document, and yield the outcomes."""
    settings = quaestor.Settings(keep_asked=False)
    for path in sorted(folder.glob("*.expected.jsonl")):
        name = path.name.removesuffix(".expected.jsonl")
        if names and not name.startswith(tuple(names)):
            continue
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for before, line in pairwise(lines):
            if line["note"] == "same":
                line["note"] = before["note"]
        try:
            page = quaestor.open(str(folder / name), settings=settings)
        except QuaestorError as error:
            yield from (Outcome(name, line, None, f"{error}") for line in lines)
            continue
        conversation = page.conversation()
        for line in lines:
            if line.get("new"):
                conversation = page.conversation()
            try:
                answered = conversation.ask(line["question"])
            except QuaestorError as error:
                yield Outcome(name, line, None, f"{error}")
            else:
                yield Outcome(name, line, answered.answer, str(answered.display))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=_FOLDER)
    parser.add_argument("names", nargs="*", help="only documents whose names begin so")
    parser.add_argument("--list", action="store_true", help="print each question that is not answered right")
    wanted = parser.parse_args()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in ask_cases(wanted.folder, wanted.names):
        verdict = outcome.verdict
        for group in ("all", outcome.kind, Path(outcome.name).suffix[1:]):
            table[group][verdict] += 1
        if wanted.list and verdict != "right":
            sure = outcome.answer.confidence if outcome.answer is not None else None
            reference = f"{outcome.expected['value']} {outcome.expected['scale']} {outcome.expected['unit'] or ''}"
            printed = f"{outcome.shown} ({sure or 0:.0%})".replace("\n", " ")
            print(f"{verdict:8}{outcome.name:28} {outcome.expected['question']} | {reference} | {printed:.160}")
    print(f"{'':28}{'questions':>10}{'right':>8}{'%':>6}{'refused':>9}{'unsure':>8}{'sure':>6}")
    for group, counts in sorted(table.items(), key=lambda item: (item[0] != "all", item[0][0] != "K", item[0])):
        questions, right = counts.total(), counts["right"]
        row = f"{questions:10}{right:8}{100 * right / questions:6.1f}"
        print(f"{group:28}{row}{counts['refused']:9}{counts['unsure']:8}{counts['sure']:6}")


if __name__ == "__main__":
    main()
