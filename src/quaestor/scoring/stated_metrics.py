"""When a stated answer is right: the exact match and the F1 of TAT-QA.

An answer becomes one text: its spans in the order of their characters, each number with four decimals and multiplied by
the answer's scale, other words with the name of the scale behind them. Two texts match where they are the same token
for token, and F1 is that of their sets of tokens. So the spans of a list match in any order, `23.42` percent is
`0.2342`, and a number with another scale is wrong.

What looks odd is the rule: brackets are a minus before digits and points alone, so that `(1,250)` is above zero and
`(900)` below; a percent sign in a span overrules the scale; a lone number without a scale may also be a fraction that
is meant with four decimals; of a number or a count there is no partial F1.

Source: Zhu et al., "TAT-QA: A Question Answering Benchmark on a Hybrid of Tabular and Textual Content in Finance"
(2021), and the evaluation that is published with it.
"""

import math
import re
import string
from collections.abc import Sequence

from quaestor.scoring.gold import StatedAnswer, StatedReference

_FACTORS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "percent": 0.01}
_DROPPED = str.maketrans("", "", "'\"\\$€£¥%(),[]")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_FIRST_NUMBER = re.compile(r"(?P<whole>[+-]?\d+(?:\.\d+)?)|[+-]?\.\d+")
_NUMBER_WITH_WORD = re.compile(r"(?<![\d.])[\d.]++\s?[a-zA-Z]+")
_BELOW_ZERO = re.compile(r"\([\d.\s]+\)")
_PERCENTAGE = re.compile(r"(?<![\d.\s])[\d.\s]++%")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PARTS = frozenset({"arithmetic", "count"})


def exact_match(answer: StatedAnswer | None, reference: StatedReference) -> bool:
    """Return whether an answer is the reference, scale included; none is wrong."""
    wanted = _tokens(_text(reference.answer))
    return any(_tokens(text) == wanted for text in _texts(answer))


def f1_score(answer: StatedAnswer | None, reference: StatedReference) -> float:
    """Return the F1 of an answer, 0 to 1 in hundredths; of a number or a count that is its exact match."""
    if reference.kind in _WITHOUT_PARTS or exact_match(answer, reference):
        return float(exact_match(answer, reference))
    wanted = set(_tokens(_text(reference.answer)))
    return max((_f1(set(_tokens(text)), wanted) for text in _texts(answer)), default=0.0)


def same_scale(answer: StatedAnswer | None, reference: StatedReference) -> bool:
    """Return whether an answer is given in the reference's scale; none is wrong."""
    return answer is not None and bool(answer.spans) and answer.scale == reference.answer.scale


def _texts(answer: StatedAnswer | None) -> Sequence[str]:
    """Return what an answer can be read as."""
    if answer is None or not any(answer.spans):
        return ()
    texts = [_text(answer)]
    if len(answer.spans) == 1 and not answer.scale and "%" not in answer.spans[0] and _is_number(answer.spans[0]):
        number = _number(answer.spans[0])
        texts += [] if number is None else [f"{number:.4f}"]
    return texts


def _text(answer: StatedAnswer) -> str:
    return " ".join(_span(span, answer.scale) for span in sorted(answer.spans))


def _span(span: str, scale: str) -> str:
    number = _number(span) if _is_number(span) else None
    if number is None:
        return f"{span} {scale}" if scale else span
    return f"{number:.4f}" if "%" in span else f"{round(number, 2) * _factor(scale):.4f}"


def _tokens(text: str) -> list[str]:
    """Return the words of a text as they are compared: small, without articles and punctuation, numbers by value."""
    return " ".join(_token(part) for part in text.lower().split(" ")).split()


def _token(text: str) -> str:
    word = text if _is_number(text) else text.translate(_PUNCTUATION)
    return _ARTICLE.sub(" ", str(_number(word)) if _is_number(word) else word)


def _is_number(text: str) -> bool:
    """Return whether a text is a number, with nothing but the name of a scale as its second word."""
    words = " ".join(word.translate(_DROPPED) for word in text.split()).split()
    try:
        return bool(words) and not math.isnan(float(words[0])) and (len(words) == 1 or _factor(words[1]) != 1)
    except ValueError:
        return False


def _number(text: str) -> float | None:
    """Return the first number of a text: its sign, percent sign and scale read, rounded to four decimals."""
    found = _FIRST_NUMBER.search(text.translate(_DROPPED))
    if found is None or found["whole"] is None:
        return None
    word = _NUMBER_WITH_WORD.search(text)
    value = float(found["whole"]) if "." in found["whole"] else int(found["whole"])
    value *= _factor(word[0]) if word else 1
    value *= -1 if _BELOW_ZERO.search(text.strip()) else 1
    return round(value * (0.01 if _PERCENTAGE.search(text.strip()) else 1), 4)


def _factor(word: str) -> float:
    return next((factor for name, factor in _FACTORS.items() if name in word.lower()), 1)


def _f1(answer: set[str], wanted: set[str]) -> float:
    shared = len(answer & wanted)
    precision = shared / len(answer) if answer else 1.0
    recall = shared / len(wanted) if wanted else 1.0
    return round(2 * precision * recall / (precision + recall), 2) if precision + recall else 0.0
