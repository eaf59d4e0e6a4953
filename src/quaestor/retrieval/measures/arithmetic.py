"""What is wanted of a measure, as a formula over its terms, and a formula in the words of a document.

How a formula is read, `plan.expressions` says.
"""

import re
from collections.abc import Mapping, Sequence

from quaestor.questions.measures import AskedMeasure
from quaestor.retrieval.measures.times import Times

_NAME = re.compile(r"[A-Z]\w*")
_WORDS = (("-", "less"), ("+", "plus"), ("/", "divided by"), ("*", "times"))


def put_in(formula: str, names: Mapping[str, str]) -> str:
    """Return a formula with each name of a figure replaced.

    Args:
        formula: Arithmetic over names.
    """
    return _NAME.sub(lambda found: names[found[0]], formula)


def asked_formula(asked: AskedMeasure, terms: Sequence[str], times: Times) -> str:
    """Return the formula of what is wanted.

    Args:
        times: Those, the earliest first where they are compared.
    """
    first, last = f"({terms[0]})", f"({terms[-1]})"
    match asked.form:
        case "change" | "average_change":
            change = f"{last} - {first}"
            return change if asked.form == "change" else f"({change}) / {times[-1].year - times[0].year}"
        case "percentage_change":
            return f"({last} - {first}) / {first}"
        case "growth_rate":
            return f"({last} / {first}) ** (1 / {times[-1].year - times[0].year}) - 1"
        case "higher" | "lower":
            # The time that is named first is the one that is asked about; alone it is the later one.
            turned = bool(asked.periods[1:]) and asked.periods[0].year == times[0].year
            one, other = (first, last) if turned else (last, first)
            return f"{one} > {other}" if asked.form == "higher" else f"{one} < {other}"
        case "average":
            return f"avg({', '.join(terms)})"
    return terms[0] if len(terms) == 1 else f"items({', '.join(terms)})"


def word_formula(formula: str, labels: Mapping[str, str]) -> str:
    """Return a formula as people say it.

    Args:
        formula: Arithmetic over names.
    """
    words = re.sub(r"abs\((\w+)\)", r"\1", formula)
    for sign, word in _WORDS:
        words = words.replace(f" {sign} ", f" {word} ")
    text = put_in(words, labels)
    inner = text[1:-1]
    return inner if text == f"({inner})" and not {"(", ")"} & set(inner) else text
