"""Instructions in a question about its answer: unit, scale, rounding, and the statement to use."""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.documents.table import TableRole

_ANSWER = r"(?:the|your) (?:answer|result|response)"
_STATEMENT_NAMES = (
    (TableRole.BALANCE_SHEET, r"balance sheets?|statements? of financial (?:position|condition)"),
    (TableRole.CASH_FLOWS, r"cash[ -]flows? statements?|statements? of cash[ -]flows?"),
    (TableRole.COMPREHENSIVE_INCOME, r"statements? of comprehensive (?:income|loss)"),
    (TableRole.INCOME_STATEMENT, r"income statements?|statements? of (?:operations|income|earnings)|p ?& ?l"),
    (TableRole.EQUITY, r"statements? of (?:(?:share|stock)holders' )?equity|equity statements?"),
    (TableRole.SEGMENTS, r"segment (?:notes?|tables?|disclosures?)"),
    (TableRole.NON_GAAP, r"(?:non-gaap )?reconciliations?"),
)  # fmt: skip
_PLACES = tuple(
    (role, lazy_regex(
        r",?\s*(?:\((?:as )?)?\b(?:as (?:shown|reported|stated|presented|printed) )?(?:on|in|from|per|using|use|see"
        rf"|under|by|according to|based on)\s+(?:the\s+|its\s+|their\s+)?(?:consolidated\s+)?(?:{names})(?!\w)\)?"
    ))
    for role, names in _STATEMENT_NAMES
)  # fmt: skip
_UNIT_WORDS = (
    ("percent", r"%|percent(?:age)?(?: terms)?|pct"),
    ("points", r"(?:basis |percentage )?points|bps"),
    (
        "amount",
        r"(?:(?:us ?|u\.s\. ?)?(?:\$|usd|dollars?)(?: terms)?\s*)?(?:thousands?|millions?|billions?|mm|mn|bn)"
        r"(?:\s+(?:of\s+)?(?:us ?|u\.s\. ?)?(?:usd|dollars?))?"
        r"|(?:us ?|u\.s\. ?)?(?:\$|usd|dollars?|cents|money)(?: terms)?",
    ),
)
_UNITS = tuple(
    (unit, lazy_regex(
        r",?\s*(?:\b(?:answer|report|express(?:ed)?|state|give|show)\s+"
        rf"(?:it |this |that |{_ANSWER} )?)?"
        rf"(?<!\w)(?:in|as an?|as)\s+(?:{words})(?![\w%]|\s+of\b)"
    ))
    for unit, words in _UNIT_WORDS
)  # fmt: skip
_DIGITS = lazy_regex(
    rf",?\s*\b(?:(?:and )?round(?:ed|ing)?(?: it| that| {_ANSWER})?(?: off)?\s+)?(?:to\s+(?:the\s+nearest\s+"
    r"(?P<nearest>whole number|integer|dollar|cent|thousand|million|billion|percent|tenth|hundredth)"
    r"|(?P<count>one|two|three|four|[0-4])\s+(?:decimals?(?:\s+places?)?|d\.?p\.?|digits?|places?))"
    r"|(?:(?:with|to|using)\s+)?(?P<plain>no|zero|one|two|three|four|[0-4])\s+decimals?(?:\s+places?)?\b"
    r"|without\s+decimals?(?:\s+places?)?\b)(?:\s+or\s+better)?"
)
_SPACES = lazy_regex(r"\s+")
_SCALES = (
    (Scale.THOUSAND, lazy_regex(r"thousand")),
    (Scale.MILLION, lazy_regex(r"million|mm|mn")),
    (Scale.BILLION, lazy_regex(r"billion|bn")),
    (Scale.PERCENT, lazy_regex(r"%|percent|pct")),
)
_COUNTS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4}
_NEAREST = {"tenth": 1, "hundredth": 2, "cent": 2}
_SENTENCE = lazy_regex(
    r"\s*(?:(?:and|please|then|also)[\s,]+)*"
    r"(?:(?:calculate|compute|round|use|using|express|report|state|provide|assume|define|explain)\b"
    r"|(?:answer|give|show)\s+(?!me\b)|if\b|.{0,60}?\bis (?:defined|calculated|computed) (?:as|by)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RequestedForm:
    """Requested form of an answer.

    Attributes:
        scale: The scale of its numbers; None to leave it unchanged.
        decimals: The number of decimals; None to leave it unchanged.
    """

    scale: Scale | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Instructions:
    """Instructions of a question.

    Attributes:
        rest: The question without them.
        role: The statement to take the number from.
        unit: `percent`, `points` or `amount`, or "".
        form: The requested form of the answer; None if not given.
    """

    rest: str
    role: TableRole | None = None
    unit: str = ""
    form: RequestedForm | None = None


@lru_cache(maxsize=1024)
def read_instructions(text: str) -> Instructions:
    """Read the instructions of a question.

    >>> read_instructions("what was capex in usd millions, to one decimal?").form
    RequestedForm(scale=<Scale.MILLION: 'million'>, decimals=1)

    Args:
        text: In lower case.
    """
    role: TableRole | None = None
    unit = ""
    text = _SPACES.sub(" ", text)
    digits = _DIGITS.search(text)
    text = _DIGITS.sub(" ", text)
    for name, pattern in _PLACES:
        if pattern.search(text):
            role, text = role or name, pattern.sub(" ", text)
    named = digits["nearest"] if digits is not None else None
    scale = _scale_of(named or "")
    for kind, pattern in _UNITS:
        if found := pattern.search(text):
            scale = scale or _scale_of(found[0])
            unit, text = unit or kind, pattern.sub(" ", text)
    decimals = None
    if digits is not None:
        count = digits["count"] or digits["plain"] or "no"
        decimals = _NEAREST.get(named, 0) if named else _COUNTS[count] if count in _COUNTS else int(count)
    form = None if scale is None and decimals is None else RequestedForm(scale, decimals)
    return Instructions(text, role, unit, form)


def _scale_of(words: str) -> Scale | None:
    return next((scale for scale, pattern in _SCALES if pattern.search(words)), None)


def without_instructions(question: str) -> str:
    """Remove the instructions that follow a question."""
    sentence, mark, rest = question.partition("?")
    return f"{sentence}{mark}" if mark and is_instruction(rest) else question


def with_instructions_last(question: str) -> str:
    """Move an instruction that introduces a question with a colon behind it.

    >>> with_instructions_last("Answer in USD millions: what was rent?")
    'what was rent? Answer in USD millions.'
    """
    instruction, colon, rest = question.partition(":")
    if not colon or not rest.rstrip().endswith("?") or "?" in instruction or not is_instruction(instruction):
        return question
    return f"{rest.strip()} {instruction.strip()}."


def is_instruction(sentence: str) -> bool:
    """Return whether a sentence after a question is only an instruction for its answer.

    >>> is_instruction("Calculate it from the averages. Round to two decimals."), is_instruction("What was rent?")
    (True, False)
    """
    return not sentence.rstrip().endswith("?") and _SENTENCE.match(sentence) is not None
