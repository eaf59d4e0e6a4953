"""Conditions of a question on the numbers to choose from: to be the highest, to exceed a limit, to have fallen."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from quaestor.core.number_forms import read_number_words
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale, scale_called
from quaestor.core.words import NUMBER_WORDS
from quaestor.documents.unit_phrases import SCALE_WORD

Test = Literal["above", "below", "at_least", "at_most", "equal_to"]
Extreme = Literal["largest", "smallest"]
Move = Literal["rose", "fell", "changed"]


@dataclass(frozen=True, slots=True)
class Limit:
    """Number to compare with.

    Attributes:
        scale: The stated multiplier, or `Scale.ONE`.
        unit: A currency code such as `USD`, or None.
    """

    test: Test
    value: Decimal
    scale: Scale = Scale.ONE
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition on numbers; parts that are None or 0 do not apply.

    Attributes:
        place: The rank from the extreme: 1 for the highest, 2 for the second highest.
        many: The number of results for a question such as "the three largest".
        limit: The number to compare with.
        move: The direction of the change between two periods. With an `extreme`, the size of the change is ranked:
            "grew the most".
        compared: Whether the extreme is a comparative ("higher"), which asks to choose between two.
        than: The stated object of the comparison: "higher than in 2011".
        spans: The spans of its words in the question.
    """

    extreme: Extreme | None = None
    place: int = 1
    many: int = 0
    limit: Limit | None = None
    move: Move | None = None
    compared: bool = False
    than: str = ""
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def asked(self) -> bool:
        """Whether there is any condition."""
        return bool(self.extreme or self.limit or self.move)


_UP = r"highest|largest|biggest|greatest|most|maximum|best|strongest|longest|top|peak(?:ed)?|richest|priciest|costliest"
_DOWN = r"lowest|smallest|least|fewest|minimum|worst|weakest|shortest|cheapest|poorest|bottom"
_MORE = r"higher|larger|bigger|greater|more|better|stronger|longer"
_LESS = r"lower|smaller|less|fewer|worse|weaker|shorter"
_PLACES = "second third fourth fifth sixth".split()
_PLACE = r"(?:(?P<place>second|third|fourth|fifth|sixth|2nd|3rd|4th|5th|6th)[\s-]+)?"
_COUNT = rf"(?:{'|'.join(NUMBER_WORDS)}|\d{{1,2}})"
DEGREE = rf"(?:(?:{'|'.join(_PLACES)}|2nd|3rd|4th|5th|6th)[\s-]+)?(?:{_UP}|{_DOWN})"
"""Pattern without groups for a superlative: "second highest"."""
_EXTREME = lazy_regex(
    rf"\b{_PLACE}(?:(?P<before>{_COUNT})\s+)?(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b"
    rf"(?:\s+(?P<after>{_COUNT})\b(?!\s*(?:%|percent|million|thousand|billion|years?|months?|quarters?)))?"
)
_COMPARED = lazy_regex(
    rf"\b(?:(?P<up>{_MORE})|(?P<down>{_LESS}))\b(?!\s*tha[nt]\s+(?:[$(\d]|{_COUNT}\b))"
    r"(?:(?:\s+(?:in|for|at|during|on)\s+(?:\w+\s+){0,3}?\w+)?\s*\bthan\b\s*(?P<than>[^?]*))?"
)
_ASKS_WHETHER = lazy_regex(
    r"^(?:(?:and|so|then|now|but|also|ok|okay|please|well)\b[\s,]*)*(?:did|do|does|was|were|is|are|has|have|had)\b"
)
_AGAINST = lazy_regex(
    r"\b(?:(?P<up>above|ahead of|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|outweigh(?:s|ed)?)|(?P<down>below|beneath"
    r"|short of))\s+(?P<than>[^?]+)"
)
"""Comparisons by a verb or a preposition, which only count in yes-or-no questions."""
_NAMES_DEGREE = lazy_regex(
    r"\bmaximum (?:\w+ )?(?:exposure|potential)|minimum (?:\w+ )?lifespan|"
    r"\b(?:at (?:the )?(?:most|least|best|worst)|most (?:recent|of)\b|minimum (?:lease|rental|payments?|future)"
    r"|more[- ]likely|less[- ]than|no (?:more|less)|peak (?:load|demand)|top[- ]line|bottom[- ]line|best estimate)"
)
"""Phrases in which a word of degree is part of a name or an idiom."""

_NUMBER = (
    r"(?P<sign>-|minus |negative |\()?\s?(?:us|c|a|hk|s)?(?P<unit>[$€£¥]|usd |eur |gbp )?\s?(?P<minus>-)?"
    rf"(?P<number>\d[\d,]{{0,30}}(?:\.\d+)?|\.\d+"
    rf"|(?:{'|'.join(NUMBER_WORDS)}|zero|twenty|fifty|(?:a|one) hundred)\b)\)?"
    rf"\s?(?P<scale>%|(?:{SCALE_WORD}|percent|per cent|pct|k|mm?|cr)\b)?"
)
_TESTS: tuple[tuple[Test, str], ...] = (
    ("at_least", r"at least|no less than|not less than|a minimum of|no fewer than"),
    ("at_most", r"at most|no more than|not more than|a maximum of|not exceed(?:ing)?|up to"),
    (
        "above",
        r"exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|(?:(?:more|greater|higher|larger|bigger) (?:in \w+ )?than)\s?"
        r"|in excess of|above|over|beyond|upwards of",
    ),
    ("below", r"(?:(?:less|lower|smaller|fewer) (?:in \w+ )?than)\s?|below|under|beneath|short of"),
    ("equal_to", r"exactly|equal to|equals?"),
)
_NO_TIME = r"(?!\s*-?\s*(?:months?|years?|days?|weeks?|quarters?|hours?)\b)"
"""Excludes limits of time: "up to three months" is the name of a column. With "exceeds 0.5 years" a limit is meant."""
_LIMITS = (
    ("above", lazy_regex(rf"\b(?:exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?)\s+{_NUMBER}(?!\d)")),
    *((test, lazy_regex(rf"\b(?:{form})\s*{_NUMBER}(?!\d){_NO_TIME}")) for test, form in _TESTS),
)
_OR_MORE = lazy_regex(rf"{_NUMBER}\s+or (?P<way>more|less|higher|lower|above|below|over|under|fewer)\b")
_NEGATIVE = lazy_regex(
    r"\b(?:negative|below zero|less than zero|under zero|(?:a|net|at a) loss(?:es)?(?= *(?:\?|$|(?:in|for|during)\b))"
    r"|loss-?making|in the red)\b"
)
_POSITIVE = lazy_regex(r"\b(?:positive|above zero|(?:more|greater|higher) than zero|profitable|in the black)\b")
_ROSE = lazy_regex(
    r"\b(?:increas(?:e|es|ed|ing)|ris(?:e|es|ing|en)|rose|gr[oe]w(?:s|n|ing)?|growth|gain(?:s|ed)?|climb(?:s|ed)?"
    r"|improv(?:e|es|ed)|(?:went|gone|go|going) up|expand(?:s|ed)?|jump(?:s|ed)?)\b"
)
_FELL = lazy_regex(
    r"\b(?:decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fall(?:s|en|ing)?(?! (?:due|within|under))|fell"
    r"|dropp?(?:s|ed|ing)?|shr[aiu]nk"
    r"|(?:went|gone|go|going) down|reduc(?:e|es|ed)|lost ground|worsen(?:s|ed)?)\b"
)
_CHANGED = lazy_regex(r"\b(?:chang(?:e|es|ed|ing)|mov(?:e|ed)|var(?:y|ied)|differ(?:ed)?)\b")
_BEFORE_NOUN = lazy_regex(r"\b(?:the|an?|any|net|total|percentage|no|of)\s+$")
_BEHIND_NOUN = lazy_regex(r"\s+(?:in|of)\b")
_PERCENT = frozenset({"%", "percent", "per cent", "pct"})
_UNITS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "usd": "USD", "eur": "EUR", "gbp": "GBP"}


def read_condition(text: str) -> Condition:
    """Read the condition of a lower-case question.

    >>> read_condition("in which year was the tax rate the second highest?").place
    2
    >>> str(read_condition("how many years did sales exceed $10,000 thousand?").limit.value)
    '10000'
    """
    limit, spans = _find_limit(text)
    rest = _blank_out(text, spans)
    for name in _NAMES_DEGREE.finditer(rest):
        rest = _blank_out(rest, [name.span()])
    move, moved = _find_move(rest)
    if move == "changed" and not _EXTREME.search(rest):
        move, moved = None, ()
    if limit is not None:
        if moved and (_is_noun(rest, *moved[0]) or not text[moved[0][1] : spans[0][0] if spans else 0].strip()):
            move, moved = None, ()
        return Condition(limit=limit, move=move, spans=(*spans, *moved))
    found = _EXTREME.search(rest)
    compared = _COMPARED.search(rest) if found is None else None
    if found is None and compared is None and _ASKS_WHETHER.match(rest):
        compared = _AGAINST.search(rest)
    degree = found or compared
    if degree is None:
        return Condition(move=move, spans=moved)
    many = 0
    if found is not None:
        # "top three" and "three largest" are several; "the one largest" is a single one
        count_words = found["after"] or found["before"]
        many = _read_count(count_words) if count_words else 0
    place = _read_place(found["place"]) if found is not None else 1
    extreme: Extreme = "largest" if degree["up"] else "smallest"
    than = (compared["than"] or "").strip() if compared is not None else ""
    return Condition(extreme, place, many, None, move, compared is not None, than, (degree.span(), *moved))


def _find_limit(text: str) -> tuple[Limit | None, list[tuple[int, int]]]:
    if found := _OR_MORE.search(text):
        up = found["way"] in ("more", "higher", "above", "over")
        limit = _read_limit(found, "at_least" if up else "at_most")
        if limit is not None:
            return limit, [found.span()]
    for test, form in _LIMITS:
        found = form.search(text)
        limit = _read_limit(found, test) if found else None
        if found and limit is not None:
            return limit, [found.span()]
    for test, sign in (("below", _NEGATIVE), ("above", _POSITIVE)):
        if found := sign.search(text):
            # "a net loss" also names what is negative
            spans = [] if "loss" in found[0] and "making" not in found[0] else [found.span()]
            return Limit("below" if test == "below" else "above", Decimal(0)), spans
    return None, []


def _read_limit(found: re.Match[str], test: Test) -> Limit | None:
    """Read the limit of a comparison with a number; return None if the number is a year."""
    number = found["number"]
    if number[0].isdigit() or number[0] == ".":
        if re.fullmatch(r"(?:19|20)\d\d", number) and not found["unit"] and not found["scale"]:
            return None
        value = Decimal(number.replace(",", ""))
    else:
        known = read_number_words(number)
        if known is None:
            return None
        value = Decimal(known)
    below = bool(found["sign"] and found["sign"].strip() != "(") or bool(found["minus"])
    below = below or (found["sign"] == "(" and found[0].rstrip().endswith(")"))
    named = found["scale"] or ""
    scale = Scale.PERCENT if named in _PERCENT else scale_called(named) or Scale.ONE
    unit = _UNITS.get((found["unit"] or "").strip())
    return Limit(test, -value if below else value, scale, unit)


def _find_move(text: str) -> tuple[Move | None, tuple[tuple[int, int], ...]]:
    for name, form in (("rose", _ROSE), ("fell", _FELL), ("changed", _CHANGED)):
        if found := form.search(text):
            move: Move = "rose" if name == "rose" else "fell" if name == "fell" else "changed"
            return move, (found.span(),)
    return None, ()


def _is_noun(text: str, start: int, end: int) -> bool:
    """Return whether a word for a change is a noun: "the net increase in cash"."""
    return _BEFORE_NOUN.search(text[:start]) is not None or _BEHIND_NOUN.match(text[end:]) is not None


def _read_count(text: str) -> int:
    return int(text) if text.isdigit() else NUMBER_WORDS[text]


def _read_place(text: str | None) -> int:
    if not text:
        return 1
    return int(text[0]) if text[0].isdigit() else _PLACES.index(text) + 2


def _blank_out(text: str, spans: list[tuple[int, int]]) -> str:
    """Replace the words at some spans with spaces."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
