"""What a question about a filing asks for, read once: its times, its operands, and what it inherits.

Owns the grammar of such questions. Knows no document: which facts the words mean, binding finds out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.terms import SMALL, spans_of_terms, term
from quaestor.ontology.lexicon import LexiconMatch, read_lexicon

INTENTS = (
    "lookup", "text_fact", "unanswerable", "ratio", "growth", "list", "why", "sum", "ranking", "two_part", "change",
    "share", "yesno", "comparison", "description", "ambiguous", "average", "cagr",
)  # fmt: skip
"""What can be asked for."""


@dataclass(frozen=True, slots=True)
class AskedMoment:
    """A time that a question names.

    Attributes:
        start: Its first character.
        end: The character after its last one.
        year: The year, or None if it is relative or not named.
        quarter: The quarter that it is or ends in, or None.
        months: How long it is; 0 for a day; None if that is not named.
        back: Of a relative time, how many years it is before the one that is talked about.
        quarters_back: Likewise, in quarters.
        count: How many years are meant together ("over three years"); 0 for all that there are.
        month: The month of a day that is named, or None.
        latest: Whether the latest is meant.
        to_date: Whether the year to date is meant.
    """

    start: int
    end: int
    year: int | None = None
    quarter: int | None = None
    months: int | None = None
    back: int | None = None
    quarters_back: int | None = None
    count: int | None = None
    month: int | None = None
    latest: bool = False
    to_date: bool = False


@dataclass(frozen=True, slots=True)
class Operand:
    """A span of a question that names something measured.

    Attributes:
        text: Its words.
        terms: Its terms that carry meaning, in order.
        matches: The phrases of the lexicon in `phrase`.
        phrase: All its terms, which `matches` index into.
    """

    text: str
    terms: tuple[str, ...]
    matches: tuple[LexiconMatch, ...]
    phrase: tuple[str, ...]

    @property
    def concepts(self) -> frozenset[str]:
        """The concepts that it may name."""
        return frozenset(concept for match in self.matches for concept in match.concepts)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that it may name."""
        return tuple(measure for match in self.matches for measure in match.measures)


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as it is read by itself.

    Attributes:
        text: As asked.
        moments: The times that it names, in order.
        operands: What it measures: one span, or two that it sets against each other.
        relation: How the operands are related: `ratio` (the first by the second), `sum`, `difference`, `versus`, or "".
        goes_on: Whether it points back to the turn before ("and in 2023?", "that").
    """

    text: str
    moments: tuple[AskedMoment, ...]
    operands: tuple[Operand, ...]
    relation: str
    goes_on: bool

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of all operands."""
        return tuple(term for operand in self.operands for term in operand.terms)


_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": 4}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|[2-9]|10)"
_TIMES = re.compile(
    rf"""
      (?P<range>(?:between|from)?\s*\b(?:fy\s?|fiscal\s+)?(?P<from>(?:19|20)\d\d)\s*(?:-|\u2013|to|through|and|thru)\s*
        (?:fy\s?|fiscal\s+)?'?(?P<until>(?:19|20)?\d\d)\b(?![.,]\d|\s*%))
    | (?P<day>\b(?P<month>{_MONTH})\b\.?\s+(?P<date>[0-3]?\d)(?:st|nd|rd|th)?\b(?:\s*,?\s*(?P<dayyear>(?:19|20)\d\d))?)
    | (?P<monthyear>\b(?P<inmonth>{_MONTH})\b\.?\s+(?P<ofyear>(?:19|20)\d\d)\b)
    | (?P<endmonth>\b(?:at|in|since|by|to|of|until)\s+(?:the\s+)?(?:end\s+of\s+|end-)?(?P<baremonth>{_MONTH})\b(?!\s+\d))
    | \b(?P<q>q(?P<qn>[1-4])|(?P<nq>[1-4])q|(?P<qword>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal\s+)?(?:quarter|qtr))
        (?:\s*(?:of\s+)?(?:fy|fiscal\s*|')?\s?'?(?P<qyear>(?:19|20)?\d\d)\b(?!\s*%|[.,]\d))?
    | \b(?P<h>h(?P<hn>[12])|(?P<nh>[12])h|(?P<hword>first|second|1st|2nd)[\s-]+half|(?:first\s+)?(?:six|6)[\s-]+months?|half[\s-]year|(?:the\s+)?half\b)
        (?:\s*(?:of\s+)?(?:fy|fiscal\s*|')?\s?'?(?P<hyear>(?:19|20)?\d\d)\b(?!\s*%|[.,]\d))?
    | \b(?P<nine>(?:first\s+)?(?:nine|9)[\s-]+months?|9m)\b
    | \b(?P<ytd>ytd|year[\s-]to[\s-]date|so\s+far\s+this\s+year)\b
    | \b(?P<year>(?:fy|fiscal(?:\s+year)?|cy|calendar)\s*'?(?P<fyyear>(?:19|20)?\d\d)|(?P<plainyear>(?:19|20)\d\d)|'(?P<short>\d\d))\b(?!\s*%|[.,]\d)
    | \b(?P<count>(?:over|across|for|in|during)?\s*(?:the\s+|these\s+|those\s+|all\s+|its\s+)*(?:last|past|latest|previous|most\s+recent)?\s*(?P<many>{_COUNT})(?:\s+(?:fiscal\s+|financial\s+)?years?\b(?!\s+(?:ago|earlier|before|prior|back|or|and))(?:\s+shown|\s+presented|\s+reported)?|[\s-]year\b(?!\s*(?:note|bond|term)))|(?:each|every|by|per)\s+(?:fiscal\s+)?year\b|(?:all|the)\s+years\b|year\s+by\s+year)
    | \b(?P<back>(?P<far>{_COUNT})\s+years?\s+(?:ago|earlier|before|prior|back)|(?:a|one|1)?\s*year[\s-]+(?:ago|earlier|before|prior)(?:\s+(?:period|quarter))?|(?:the\s+)?(?:year\s+before|prior[\s-](?:fiscal\s+)?(?:year|period)|previous[\s-](?:fiscal\s+)?year|preceding\s+(?:fiscal\s+)?year|(?P<lastyear>last\s+(?:fiscal\s+|financial\s+)?year))(?:'s)?|the\s+(?:one|time)\s+before|before\s+that)\b
    | \b(?P<qback>last\s+quarter|(?:prior|previous|preceding)\s+quarter|(?:the\s+)?quarter\s+before)\b
    | \b(?P<latest>(?:the\s+)?(?:latest|most\s+recent|current|this|recent)\s+(?:fiscal\s+|financial\s+|reported\s+)?(?:year|period|quarter)(?:[\s-]end)?|this\s+time|right\s+now|latest|currently|most\s+recently|at\s+the\s+moment|now)\b
    | \b(?P<quarter>(?:in\s+|for\s+|during\s+)?(?:the\s+)?(?:quarter|three\s+months|3\s+months)(?:\s+(?:just\s+)?ended)?)\b
    | \b(?P<full>(?:for\s+|over\s+|in\s+)?(?:the\s+)?(?:full|whole|entire)[\s-](?:fiscal\s+)?year)\b
    """,
    re.VERBOSE,
)
_RATIO = (
    re.compile(
        r"(?P<a>.+?)\s*(?:,|-)?\s*\b(?:as|in)\s+(?:an?|the|what)?\s*(?:share|percentage|percent|%|proportion|fraction|part|multiple|portion)\s*(?:of|to)\s+(?P<b>.+)"
    ),
    re.compile(
        r".*?\b(?:what|which|how\s+(?:big|large|much)\s+(?:of\s+)?an?)?\s*\b(?:share|percentage|percent|%|proportion|fraction|part|portion|slice|chunk|bit)\s+of\s+(?P<b>.+?)\s+(?:is|was|were|are|came\s+from|comes\s+from|come\s+from|did|does|do|goes\s+to|went\s+to|went\s+on|went\s+into|made\s+up\s+by|from|in|relates?\s+to|sits?\s+in|has|had|consists?\s+of|belongs?\s+to)\b\s*(?P<a>.+)"
    ),
    re.compile(
        r".*?\bhow\s+much\s+of\s+(?P<b>.+?)\s+(?:is|was|were|are|came\s+from|comes\s+from|come\s+from|goes\s+to|went\s+to|went\s+on|went\s+into|did|does|sits?\s+in|related?\s+to|relates?\s+to|consists?\s+of)\b\s*(?P<a>.+)"
    ),
    re.compile(r"(?:.*?\bratio\s+of\s+)(?P<a>.+?)\s+(?:to|over|and)\s+(?P<b>.+)"),
    re.compile(r"(?P<a>.+?)\s+(?:divided\s+by|relative\s+to|over|to|per|against)\s+(?P<b>.+?)(?:\s+ratio)?"),
    re.compile(
        r".*?\bhow\s+many\s+times\s+(?:over\s+)?(?:does|do|did|is|was|could|would)?\s*(?P<a>.+?)\s+(?:cover|exceed|pay\s+for)s?\s+(?P<b>.+)"
    ),
)
_SUM = re.compile(
    r"(?P<a>.+?)\s*(?:,\s*|\b)(?:plus|and|\+|together\s+with|combined\s+with|added\s+to|counting|including|with)\s+(?P<b>.+)"
)
_DIFFERENCE = re.compile(
    r"(?P<a>.+?)\s*(?:,\s*|\b)(?:less|minus|net\s+of|excluding|excl\.?|ex|without|after\s+deducting|before|after)\s+(?P<b>.+)"
)
_VERSUS = re.compile(
    r"(?P<a>.+?)\s*(?:,\s*|\b)(?:versus|vs\.?|or|than|compared\s+(?:to|with)|against|above|below|and)\s+(?P<b>.+)"
)
_GOES_ON = re.compile(
    r"^\s*(?:and|so|but|then|ok|okay|now|what\s+about|how\s+about|same|also|just|only|on|in|for|as|by)\b"
    r"|\b(?:it|that|this|those|these|they|there|them|one|same|its|both)\b",
)
_FILLERS = SMALL | frozenset(
    """what whats how much many did do does has have had been which who whom when where why can could would should will
    tell me give show please you i we they their them it its he she company firm business group so and but then ok okay
    now about also just only still there here these those than per s any some all each every both either if not no yes
    say says said report reported reports according filing 10-k 10k 10-q document page exactly roughly approximately
    about around terms term put get got go goes went come came make made makes take took work out figure number value
    amount amounts level size total overall altogether long big large small high low higher lower bigger smaller
    up down rise rose risen fall fell fallen grow grew grown growth increase increased decrease decreased change changed
    changes drop dropped decline declined percent percentage pct share ratio proportion fraction average avg mean cagr
    compound annual yoy year-over-year years year fiscal quarter quarterly half months month end ended ending ends at
    million millions billion billions thousand thousands usd dollars dollar money bucks compared versus vs against
    relative between over from since latest last recent current prior previous before earlier ago same period during
    using use based answer round rounded decimals decimal places sum add added plus minus less difference combined
    together list rank name biggest largest smallest highest lowest most least fast faster far spend spent pay paid
    earn earned bring brought let's lets know want need look back quick check please thanks hi hello whether was were
    yield mean means""".split()
)


@lru_cache(maxsize=4096)
def _is_filler(word: str) -> bool:
    return word in _FILLER_TERMS or word[0].isdigit() or word == "%"


_FILLER_TERMS = frozenset(term(word) for word in _FILLERS)


@lru_cache(maxsize=512)
def read_filing_question(text: str) -> Reading:
    """Return what a question asks for, read by itself."""
    lowered = re.sub(r"\s+", " ", text.lower().replace("\u2019", "'")).strip(" ?!.")
    moments = tuple(_moments(lowered))
    rest = lowered
    for moment in reversed(moments):
        rest = f"{rest[: moment.start]} {rest[moment.end :]}"
    rest = re.sub(r"\s+", " ", rest).strip(" ,?")
    relation, parts = _split(rest)
    return Reading(text, moments, tuple(map(read_operand, parts)), relation, bool(_GOES_ON.search(lowered)))


def read_operand(text: str) -> Operand:
    """Return what a span of a question names."""
    phrase = tuple(found for _, _, found in spans_of_terms(text))
    matches = read_lexicon().find(phrase)
    named = {place for match in matches for place in range(match.start, match.end)}
    kept = tuple(found for place, found in enumerate(phrase) if place in named or not _is_filler(found))
    return Operand(text, kept, matches, phrase)


def _split(text: str) -> tuple[str, tuple[str, ...]]:
    """Return how a text relates two operands, and their words; "" and the text itself if it does not."""
    for pattern in _RATIO:
        if (found := pattern.fullmatch(text)) and _names(found["b"]):
            return "ratio", (found["a"], found["b"])
    for name, pattern in (("difference", _DIFFERENCE), ("sum", _SUM), ("versus", _VERSUS)):
        found = pattern.fullmatch(text)
        if found and _names(found["a"]) and _names(found["b"]):
            return name, (found["a"], found["b"])
    return "", (text,)


def _names(text: str) -> bool:
    """Whether a text names something that can be measured, or points to what was."""
    return bool(read_operand(text).terms)


def _moments(text: str) -> Iterator[AskedMoment]:
    for match in _TIMES.finditer(text):
        found = _moment(match)
        if found is not None:
            yield found


def _moment(match: re.Match[str]) -> AskedMoment | None:
    at, of = match.span(), match.groupdict()
    if of["range"]:
        first, last = int(of["from"]), _year(of["until"]) or 0
        first, last = min(first, last), max(first, last)  # "2021 and 2020"
        if not 0 < last - first < 12:
            return AskedMoment(*at, year=first)
        return AskedMoment(*at, year=last, back=last - first, count=last - first + 1)
    if of["day"]:
        return AskedMoment(*at, year=_year(of["dayyear"]), month=_month(of["month"]), months=0)
    if of["monthyear"]:
        return AskedMoment(*at, year=_year(of["ofyear"]), month=_month(of["inmonth"]))
    if of["endmonth"]:
        return AskedMoment(*at, month=_month(of["baremonth"]), months=0)
    if of["q"]:
        quarter = int(of["qn"] or of["nq"] or _ORDINALS[of["qword"]])
        return AskedMoment(*at, year=_year(of["qyear"]), quarter=quarter, months=3)
    if of["h"]:
        half = int(of["hn"] or of["nh"] or _ORDINALS.get(of["hword"] or "first", 1))
        return AskedMoment(*at, year=_year(of["hyear"]), quarter=2 * half, months=6)
    if of["nine"]:
        return AskedMoment(*at, quarter=3, months=9)
    if of["ytd"]:
        return AskedMoment(*at, to_date=True)
    if of["year"]:
        return AskedMoment(*at, year=_year(of["fyyear"] or of["plainyear"] or of["short"]))
    if of["count"]:
        many = of["many"]
        return AskedMoment(*at, count=0 if many is None else _NUMBERS.get(many) or int(many))
    if of["back"]:
        far = of["far"]
        return AskedMoment(*at, back=1 if far is None else _NUMBERS.get(far) or int(far), latest=bool(of["lastyear"]))
    if of["qback"]:
        return AskedMoment(*at, quarters_back=1, months=3)
    if of["latest"]:
        return AskedMoment(*at, latest=True)
    if of["quarter"]:
        return AskedMoment(*at, months=3)
    if of["full"]:
        return AskedMoment(*at, months=12)
    return None


def _year(digits: str | None) -> int | None:
    return None if digits is None else int(digits) if len(digits) == 4 else 2000 + int(digits)


def _month(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1
