"""Questions that compute with earlier answers or their parts: "the second minus the first", "half of answer 3".

`read_conversion` reads questions that only convert the last answer: "what is that in percent?". A form has to match the
whole text, which excludes "the first quarter", "the two segments" and "what was rent in thousands?".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from quaestor.core.currencies import NAME, currency_called
from quaestor.core.parsing import parse_cell
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Quantity, Scale, scale_called
from quaestor.core.words import NUMBER_WORDS
from quaestor.documents.unit_phrases import SCALE_WORD

_PLACES = MappingProxyType(
    {word: place for place, words in enumerate((
        ("first", "former", "1st"), ("second", "2nd", "other"), ("third", "3rd"), ("fourth", "4th"), ("fifth", "5th"),
        ("sixth",), ("seventh",), ("eighth",), ("ninth",), ("tenth",),
    )) for word in words} | {"last": -1, "latter": -1}
)  # fmt: skip
_MANY: Mapping[str, int] = MappingProxyType({word: many for word, many in NUMBER_WORDS.items() if 2 <= many <= 12})

_NUMBER = "|".join(_MANY)
_OF_THEM = rf"(?: of (?:them|these|those|the (?:{_NUMBER})))?"
_VALUE = r"(?:one|value|number|figure|amount|item)"
_NOUN = rf"(?: (?:{_VALUE}s?|(?P<answers>(?:answer|result)s?)))?{_OF_THEM}"
_ORDINAL = rf"(?:\d{{1,40}}|one|{_NUMBER})"
_ANSWER = (
    r"(?:(?:the )?(?:answers?|results?)(?: (?:of|to) (?:questions?|turns?))?|(?:questions?|turns?))"
    r" (?:(?:number|no\.?) )?"
)
_TERMS: Mapping[str, re.Pattern[str]] = MappingProxyType({
    name: re.compile(pattern) for name, pattern in {
        # "other" without an article is a line of a table.
        "place": rf"(?:the |(?!other\b))(?P<place>{'|'.join(_PLACES)})(?: (?:{_NUMBER}))?{_NOUN}",
        "all": rf"(?:both{_NOUN}|(?:all (?:of )?)?(?:the|all|these|those) (?:{_NUMBER}){_NOUN}"
               r"|all(?: of)?(?: (?:them|these|those))?)".replace("(?P<answers>", "(?:"),
        "numbered": rf"(?:{_ANSWER}#?|#){_ORDINAL}(?:(?:, ?| )(?:and )?(?:{_ANSWER})?#?{_ORDINAL}){{0,11}}",
        "range": rf"(?:{_ANSWER}#?|#)(?P<from>\d{{1,40}}) ?(?:-|to|through) ?#?(?P<to>\d{{1,40}})",
        "answers": r"(?:all (?:of )?)?(?:(?:the|these|those|my) )?(?:previous )?answers(?: so far)?",
        "before": rf"the (?:previous|prior|preceding) (?:{_VALUE}|answer|result)",
        "that": rf"(?:that|this|it)(?: (?:{_VALUE}|answer|result))?|the (?:answer|result)",
        "them": r"(?:them|these|those)",
        "given": r"[-+]?[$€£¥]? ?\d[\d,.]*(?:e[-+]?\d{1,6})?(?: ?(?:%|[a-z]{1,12}))?",
    }.items()
})  # fmt: skip
"""Operands: parts of a list by place, answers by number, the last answer, or a given number."""

_LEAD = re.compile(
    r"(?:(?:and|so|then|now|but|ok|okay|please|also)\b[ ,]{0,3}){0,4}"
    r"(?:(?:what(?: (?:is|was|are|were|about|would be)|'s|s)|how (?:much (?:is|was|are)|about)"
    r"|(?:(?:can|could) you )?(?:give|tell|show)(?: me)?|calculate|compute) )?"
)
_TOGETHER = re.compile(r" (?:up|together|combined|added up|in (?:total|sum|all))$")
_RELATIVE = r"(?:percentage|percent|%|relative)"


def _one_of(words: Mapping[str, str]) -> str:
    return "|".join(f"(?P<{name or 'none'}>{pattern})" for name, pattern in words.items())


_OF_ALL: Mapping[str, str] = MappingProxyType({
    "sum": r"(?:the )?(?:sum|total)|add(?: up)?|sum(?: up)?|total(?: up)?",
    "average": r"(?:the )?(?:average|mean)",
    "divide": r"(?:the )?(?:ratio|quotient)|divide",
    "subtract": r"(?:the )?difference",
    "multiply": r"(?:the )?product|multiply",
    "percentage_change": rf"(?:the )?{_RELATIVE} (?:change|growth|difference|increase|decrease)",
    "change": r"(?:the )?(?:change|increase|decrease)",
    "argmax": r"(?:the )?(?:highest|largest|biggest|greatest|maximum)",
    "argmin": r"(?:the )?(?:lowest|smallest|least|minimum)",
})  # fmt: skip
_BETWEEN: Mapping[str, str] = MappingProxyType({
    "sum": r"plus|\+|added to|together with",
    "subtract": r"minus|less|-|net of",
    "multiply": r"times|multiplied by|\*",
    "divide": r"divided by|over|to|relative to|/",
    "percentage": rf"(?:as|in) (?:a )?(?:{_RELATIVE}|share) of",
    "": "and",
})  # fmt: skip
_FACTORS: Mapping[str, tuple[str, int]] = MappingProxyType({
    "double": ("multiply", 2), "twice": ("multiply", 2), "triple": ("multiply", 3), "half": ("divide", 2),
    "halve": ("divide", 2), "a third": ("divide", 3), "a quarter": ("divide", 4), "a tenth": ("divide", 10),
})  # fmt: skip
_OPERATION = re.compile(rf"(?:{_one_of(_OF_ALL)})(?: (?:of|between|for|in|from))? ")
_ALONE = re.compile(rf"(?P<sum>{_OF_ALL['sum']})|(?P<average>{_OF_ALL['average']})")
_JOINT = re.compile(rf" (?:{_one_of(_BETWEEN)}) ")
_WITH = re.compile(r" (?:and|to|over|by|with|from) ")
_TAKEN = re.compile(r"(?:subtract|deduct|take) ")
_BY_WORD = re.compile(rf"(?P<word>{'|'.join(_FACTORS)}) (?:of )?")
_PERCENT_OF = re.compile(r"(?P<factor>\d{1,40}(?:\.\d{1,40})?)(?: ?%| percent) of ")
_WHICH = re.compile(
    r"which (?:one )?(?:of (?P<a>.{1,40}) )?(?:is|was) (?:the )?"
    r"(?:(?P<argmax>(?P<more>larger|higher|bigger|greater|more)|largest|highest|biggest|greatest|most)"
    r"|(?P<argmin>(?P<fewer>smaller|lower|less|fewer)|smallest|lowest|least))"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WITH_EXPONENT = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?(?:e[-+]?\d{1,6})?")
_THEM = frozenset({"them", "these", "those"})
_LONGEST = 200
_MOST_ANSWERS = 1_000
NO_PLACE = 10**12
"""Place of an answer that no conversation has."""


@dataclass(frozen=True, slots=True)
class AnswerArithmetic:
    """Question about earlier answers, or about the parts of one.

    Attributes:
        places: Their indexes from 0; negative ones count from the end. Empty for all.
        count: The number of parts that the answer must have; 0 if not given.
        operation: The name of an operation of `quaestor.plan.operations`; "" to repeat the parts unchanged.
        answers: Whether `places` are answers of the conversation instead of parts of an answer.
        factor: A given number, used as the second operand.
        inverse: Whether `factor` is the first operand.
        of_list: Whether the question is about the whole last list.
    """

    places: tuple[int, ...]
    count: int = 0
    operation: str = ""
    answers: bool = False
    factor: Quantity | None = None
    inverse: bool = False
    of_list: bool = False


@dataclass(frozen=True, slots=True)
class _Term:
    places: tuple[int, ...]
    count: int = 0
    answers: bool = False
    given: Quantity | None = None


@lru_cache(maxsize=1024)
def read_answer_arithmetic(text: str) -> AnswerArithmetic | None:
    """Read a lower-case question about earlier answers or their parts; return None for any other question.

    >>> read_answer_arithmetic("and the sum of the first two?")
    AnswerArithmetic(places=(0, 1), count=0, operation='sum', answers=False, factor=None, inverse=False, of_list=False)
    >>> read_answer_arithmetic("what was the first quarter?")
    """
    if len(text) > _LONGEST:
        return None
    request = " ".join(text.split()).rstrip(" ?.!")
    request = request[len(lead[0]) if (lead := _LEAD.match(request)) else 0 :]
    if (alone := _ALONE.fullmatch(request)) is not None:
        return AnswerArithmetic((), operation=_find_name(alone), of_list=True)
    together = _TOGETHER.search(request)
    request = request[: together.start()] if together else request
    forms = (parts for form in _list_forms(request) if (parts := _read_form(form)) is not None)
    return next((_add_up(parts) if together else parts for parts in forms), None)


def _add_up(parts: AnswerArithmetic) -> AnswerArithmetic:
    return replace(parts, operation=parts.operation or "sum")


@dataclass(frozen=True, slots=True)
class _Form:
    """Way to read a question.

    Attributes:
        terms: The words for the operands.
        compares: Whether to choose one of two.
    """

    terms: tuple[str, ...]
    operation: str = ""
    factor: Quantity | None = None
    compares: bool = False


def _list_forms(request: str) -> Iterator[_Form]:
    """Yield the ways to read a question: a term, a term before or after an operation, or an operation on two terms."""
    yield _Form((request,))
    for joint in _JOINT.finditer(request):
        yield _Form((request[: joint.start()], request[joint.end() :]), _find_name(joint))
    if operation := _OPERATION.match(request):
        rest = request[operation.end() :]
        yield _Form((rest,), _find_name(operation))
        for joint in _WITH.finditer(rest):
            yield _Form((rest[: joint.start()], rest[joint.end() :]), _find_name(operation))
    if match := _TAKEN.match(request):
        less, _, whole = request[match.end() :].partition(" from ")
        yield _Form((whole, less), "subtract")
    if by_word := _BY_WORD.match(request):
        name, times = _FACTORS[by_word["word"]]
        yield _Form((request[by_word.end() :],), name, Quantity(Decimal(times)))
    if percent := _PERCENT_OF.match(request):
        yield _Form((request[percent.end() :],), "multiply", Quantity(Decimal(percent["factor"]) / 100))
    if which := _WHICH.fullmatch(request):
        compares = bool(which["more"] or which["fewer"])
        yield _Form((which["a"],) if which["a"] else (), "argmax" if which["argmax"] else "argmin", None, compares)


def _find_name(found: re.Match[str]) -> str:
    name = next(name for name, hit in found.groupdict().items() if hit)
    return "" if name == "none" else name


def _read_form(form: _Form) -> AnswerArithmetic | None:
    """Read a form; return None if one of its terms is unknown."""
    read = [term for text in form.terms if (term := _read_term(text)) is not None]
    named = [term for term in read if term.given is None]
    operation, answers = form.operation, {term.answers for term in named}
    places = tuple(place for term in named for place in term.places)
    again = len(set(places)) < len(places) and min(places) < 0  # "it to it"
    if len(read) < len(form.terms) or len(answers) > 1 or again:
        return None
    if len(named) < len(read):
        return _read_with_number(operation, read, named)
    if not operation and (not _THEM.isdisjoint(form.terms) or (answers == {True} and places == (-1,))):
        return None  # "what is it?"
    if len(named) == 2 and not all(term.places for term in named):
        return None  # "both minus the first"
    count = max((term.count for term in named), default=0) or 2 * form.compares
    if form.factor is not None:
        return AnswerArithmetic(places, count, operation, answers == {True}, form.factor) if len(places) == 1 else None
    if operation in ("change", "percentage_change"):
        # from the first to the second
        places, operation = places[::-1] or (1, 0), "subtract" if operation == "change" else operation
        count = count or (0 if named[0].places else 2)
    return AnswerArithmetic(places, count, operation, answers == {True})


def _read_with_number(operation: str, read: Sequence[_Term], named: Sequence[_Term]) -> AnswerArithmetic | None:
    """Read an operation on one answer or part and a given number; return None for anything else."""
    if len(read) != 2 or len(named) != 1 or len(named[0].places) != 1 or not operation:
        return None
    before, behind = read
    inverse = before.given is not None
    if operation in ("change", "percentage_change"):
        # from the first to the second
        inverse, operation = not inverse, "subtract" if operation == "change" else operation
    return AnswerArithmetic(
        named[0].places, named[0].count, operation, named[0].answers, before.given or behind.given, inverse
    )


def _read_term(text: str) -> _Term | None:
    """Read words as answers, parts or a number; return None for anything else."""
    name, found = next(
        ((name, match) for name, form in _TERMS.items() if (match := form.fullmatch(text))), (None, None)
    )
    if found is None:
        return None
    match name:
        case "given":
            return _read_number(text)
        case "numbered":
            written = re.findall(rf"\b{_ORDINAL}\b", text)
            return _name_answers([int(word) if word.isdigit() else NUMBER_WORDS[word] for word in written])
        case "range":
            first, last = sorted((int(found["from"]), int(found["to"])))
            return _name_answers(range(first, last + 1) if last - first < _MOST_ANSWERS else [last])
        case "answers" | "that" | "before":
            return _Term({"that": (-1,), "before": (-2,)}.get(name, ()), answers=True)
    places, count = _read_places(text)
    many = name == "place" and found["answers"] is not None and (len(places) > 1 or places[0] >= 0)
    return _Term(places, count, answers=many)


def _name_answers(numbers: Sequence[int]) -> _Term:
    return _Term(tuple(number - 1 if 0 < number < _MOST_ANSWERS else NO_PLACE for number in numbers), answers=True)


def _read_number(text: str) -> _Term | None:
    """Read a number, as `1e400` or as documents print it; return None for years and other texts."""
    if _YEAR.fullmatch(text):
        return None
    if _WITH_EXPONENT.fullmatch(text):
        return _Term((), given=Quantity(Decimal(text), text=text))
    found = parse_cell(text)
    return _Term((), given=found[0]) if len(found) == 1 and found[0].text == text else None


def _read_places(text: str) -> tuple[tuple[int, ...], int]:
    """Return the places that words name, and the number of parts that they imply."""
    named, _, whole = text.partition(" of ")
    words, together = named.split(), next((_MANY[word] for word in whole.split() if word in _MANY), 0)
    many = next((_MANY[word] for word in words if word in _MANY), 0)
    place = next((_PLACES[word] for word in words if word in _PLACES), None)
    if place is None:
        return (), 2 if "both" in words else many or together
    if not many:
        return (place,), 2 if {"former", "latter", "other"} & set(words) else together
    return tuple(range(-many, 0) if place < 0 else range(many)), together


_CONVERSION_LEAD = r"(?:(?:and|so|then|now|but|ok|okay|well|please|or)\b[\s,]*)*"
_CONVERTED = (
    r"(?:that|this|it|the (?:last |same |above )?(?:answer|result|number|amount|figure|value|change|difference|sum))"
)
_CONVERSION_ASKED = (
    rf"(?:(?:what(?: is|'s| was| would be| about)?|how much (?:is|was|would)|how about) {_CONVERTED}(?: be)?"
    rf"|(?:(?:can|could|would) you )?(?:please )?(?:convert|express|give|show|state|put|say|write)(?: me)? {_CONVERTED}"
    r"|what about|how about|how much|what)?"
)
_CONVERSION_FORM = lazy_regex(
    rf"{_CONVERSION_LEAD}{_CONVERSION_ASKED}\s*(?:(?:expressed|stated|measured|given)\s+)?"
    r"(?:in|to|into|as)\s+(?:a\s+)?(?:(?:full|whole|single|u\.?s\.?)\s+)*"
    rf"(?:(?P<to>{SCALE_WORD})(?:\s+(?:of\s+)?(?P<money>(?:u\.?s\.? )?{NAME}))?"
    r"|(?P<percent>per ?cent(?:age)?s?(?: terms)?|%)|(?P<ones>dollars)|ones|units)"
    r"(?:,?\s*(?:please|instead|then|now))*[\s?.!]*"
)


@dataclass(frozen=True, slots=True)
class QuestionConversion:
    """Requested form of the last answer.

    Attributes:
        to: The scale; `Scale.ONE` for dollars or single items.
        currency: The named currency, or None.
    """

    to: Scale
    currency: str | None = None


@lru_cache(maxsize=1024)
def read_conversion(text: str) -> QuestionConversion | None:
    """Read a lower-case question that only converts the last answer; return None for any other question.

    >>> read_conversion("and in billions of dollars?").to.value
    'billion'
    >>> read_conversion("what was rent in thousands?")
    """
    found = _CONVERSION_FORM.fullmatch(" ".join(text.split()))
    if found is None:
        return None
    if found["percent"]:
        return QuestionConversion(Scale.PERCENT)
    currency = currency_called(found["money"] or found["ones"] or "")
    return QuestionConversion(scale_called(found["to"] or "") or Scale.ONE, currency)
