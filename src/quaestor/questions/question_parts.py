"""Splitting several questions about a filing in one by their operands: who audits the company, and since when."""

import re
from collections.abc import Mapping, Sequence

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import spans_of_terms
from quaestor.ontology.lexicon import read_lexicon
from quaestor.questions.listing import asks_for_extreme, asks_for_its_amount
from quaestor.questions.moments import read_moments
from quaestor.questions.splitting import cut_clauses, split_question
from quaestor.questions.understanding import (
    ParsedQuestion,
    QuestionOperand,
    is_filler,
    read_filing_question,
    read_operand,
)

_ASKS = lazy_regex(
    r"^(?:and\s+|so\s+)?(?:(?:since|from|by|at|for|on|in|under|to|until|with)\s+(?:about\s+|roughly\s+)?)?"
    r"(?!(?:what|how)\s+about\b)(?:how|what|who|whom?|when|where|why|which|is|are|was|were|did|does|do|has|have|had|will"
    r"|can|could)(?:'s|'re)?\b|\b(?:tell|remind|show)\s+(?:me|us)\s+(?:how|what|who|when|where|why|which|by)\b"
)
_SAY = lazy_regex(
    r"^(?:say|state|mention|note|tell\s+(?:me|us))\s+(?=(?:when|what|how|which|why|where|who)\b)", re.IGNORECASE
)
_OWNER = lazy_regex(
    r"(?P<owner>(?<![\w&.-])(?!(?:what|who|that|it|how|where|when|there|here|year|quarter|month|period|company)'s)[\w&.-]{1,40}'s)\s+",
    re.IGNORECASE,
)
_MARK = lazy_regex(r",\s|\s?:\s|\s-\s")
_CHOOSES = lazy_regex(r"^(?:and\s+|so\s+)?which\b")
_WANTED = lazy_regex(r"(?:give|show)\s+me\b(?!\s+(?:how|what|which|the)\b)")
"""Instructions for the answer: "give me 2025 to 2029"."""
_AUXILIARY = lazy_regex(r"\b(?:does|did|do|is|are|was|were|has|have|had)\s+")
_PERSONS_AND_TIMES = lazy_regex(
    r"^(?:and\s+|so\s+)?(?:who|when|where|how\s+(?:many|much|big|large|old|long)|since|from)\b"
)
_HOW_MUCH = lazy_regex(r"^(?:by\s+)?how\s+(?:much|many|big|large|far|high)(?:\s+in\s+[\w$%]+(?:\s+terms)?)?$")
_POINTS_BACK = lazy_regex(
    r"\b(?:of\s+(?:it|that|those|these|them|which)|for\s+it|on\s+it|it|its"
    r"|they|them|those|these|that|this|he|she|the\s+one)\b"
)
_BOTH = lazy_regex(
    r"\b(?P<one>non[ -]?gaap|gaap|reported|adjusted|basic|diluted|gross|net|current|direct|indirect|short[ -]term)"
    r"(?P<join>,?\s+(?:and|vs\.?|versus|then|or)\s+(?:the\s+)?)"
    r"(?P<other>non[ -]?gaap|gaap|reported|adjusted|basic|diluted|gross|net|non-?current|indirect|direct|long[ -]term)"
    r"\b(?!\s+of\b)"
)
_ADDED = lazy_regex(r"\b(?:total|sum|together|combined|add(?:ed|ing)?|plus|altogether|all in)\b")
_SUMMED = lazy_regex(r"\b(?:sum|add(?:ed|ing)?|plus|all in)\b")
_KINDS = (
    lazy_regex(r"\b(?:per share|eps|a share)\b"),
    lazy_regex(r"\b(?:margin|rate|ratio|percent(?:age)?|yield|growth|turnover)\b|%"),
    lazy_regex(r"\b(?:average|exercise|purchase|share|stock|unit)?\s?price\b"),
    lazy_regex(r"\b(?:headcount|employees|shares|stores|count|number of)\b"),
)
_PER_SHARE = 0
"""The index in `_KINDS` of amounts per share, which are never added to amounts although a lexicon name may end so."""
_ABOUT_AND_WHY = lazy_regex(
    r"^(?:and\s+|so\s+)?(?:what|how)\s+about\s+(?P<topic>[^,?;]+)[,?;]\s+(?:and\s+)?(?P<why>(?:why|how\s+come)\b.*)$",
    re.IGNORECASE,
)
_COMPLETED_ONE = lazy_regex(r"\bthe\s+([\w-]+\s)one\s+for\s")
"""The form in which the parser completes "the adjusted one"."""
_LISTS = lazy_regex(
    r"^(?:and\s+|please\s+|(?:can|could)\s+you\s+)*(?:list|show|give|report|state|name|display|provide|what\s+(?:were|are))"
    r"(?:\s+(?:me|us|the|its|their))*\b\s*"
)
_SEPARATOR = lazy_regex(r"\s?[,;]\s?(?:and\s|&\s)?|\s(?:and|&|as\swell\sas)\s")
_ENDS = lazy_regex(r"[a-z&]")
_PAIR, _MOST_JOINTS = 2, 11
_WHOLE = lazy_regex(r"\b(?:total|net|gross|operating|revenues?|sales|income|earnings|profit|assets|equity)\b")
"""Words for totals and results, which are not added to others."""
_HOW_MUCH_OF = lazy_regex(r"\bhow (?:much|many|big|large)\b")
_WHEN_EXTREME = lazy_regex(
    r"(?P<when>when|in\s+(?:which|what)\s+(?:fiscal\s+)?(?:year|quarter))\s+(?:(?P<be>was|were|is|are)\s+)?"
    r"(?:it|they|that|this|those|these)\s+(?(be)|(?:was|were|is|are)\s+)"
    r"(?:the\s+)?(?P<most>highest|lowest|largest|smallest|greatest|biggest|best|worst)",
    re.IGNORECASE,
)
_DANGLING_PREPOSITION = lazy_regex(r"\s(?:in|at|for|of|during|over)\s?$")
"""Preposition that remains after a time is removed."""
_EITHER_WAY = lazy_regex(
    r"\b(?:up|higher|better|rise|grow|increase|gain|improve|widen|expand)\s+or\s+\w+\b[^;?]{0,80}?\s(?:and|but)\s+by\s+how\s+much",
    re.IGNORECASE,
)
"""Questions for a direction and an amount, which a signed change answers."""
_IN_ORDER = lazy_regex(r"\s*,?\s+in\s+(?:that|this)\s+order\b", re.IGNORECASE)
_QUALIFIED = lazy_regex(r",\s+(?:on|based\s+on|using|with|from|per|counting)\b", re.IGNORECASE)
"""Begin of a definition or source of the measure before the comma."""
_MOVES = lazy_regex(
    r"\b(?:chang|differ|grow|grew|ratio|percent|ris|rose|fall|fell|drop|declin|decreas|increas|gain|gr?ew|mov|add|improv|up\b|down\b"
    r"|more\b|less\b|fewer\b|higher\b|lower\b|better\b|worse\b|how\b|why\b|which\b|who\b|did\b|do\b|does\b|has\b|have\b|is\b)|%"
)
_MOVED = lazy_regex(
    r"\b(?:change|movement|increase|decrease|growth|rise|decline|drop|fall)s? (?:in|of)\b"
    r"|^(?:(?:and|so) )?(?:by )?(?:how|why) (?:much )?(?:did|has|have) "
    r".+\b(?:chang|develop|evolv|mov|grow|increas|decreas|ris|fall|drop|declin)\w*"
)
"""Questions for the change of each of several joined things."""
_ATTRIBUTES: Mapping[str, str] = {
    "count": r"(?:number|count|quantity)(?: of (?:shares|units|options|awards))?|how many(?: shares| units)?|shares"
    r"|units",
    "price": r"(?:price|strike|(?:fair|grant(?:[ -]date)?|market) value|value per share|cost per share)"
    r"(?: paid)?(?: each| per share)?",
    "rate": r"(?:rate|coupon|yield)",
    "time": r"(?:term|life|lives|maturity|due date|maturity date|age)",
    "amount": r"(?:amount|size|balance|value|principal)",
    "change": r"(?:change|increase|decrease|growth|rise|drop|decline|fall)",
}
"""Nouns for what something has: its number, price, rate, duration, amount and change, by kind."""
_OF_ATTRIBUTE = (
    r"(?:(?:%|percent(?:age)?|pct|total|(?:weighted|wtd)(?:[ -](?:average|avg))?|average|avg|mean|remaining"
    r"|interest|discount|exercise|purchase|grant(?:[ -]date)?|fair|carrying|book|market|stated)\.?[ -]){0,4}"
)
_ATTRIBUTE = "|".join(rf"(?P<{{0}}_{kind}>{noun})" for kind, noun in _ATTRIBUTES.items())
_AND = r"(?:\s*[,;]|\s-)?\s+(?:and|&|plus)\s+(?:also\s+)?(?:(?:the|its|their|at what|what)\s+)?"
_TWO_ATTRIBUTES = lazy_regex(
    rf"^(?P<topic>|.+?(?P<mark>\s?:|,|\s-|)\s+)(?P<one>{_OF_ATTRIBUTE}(?:{_ATTRIBUTE.format('one')})){_AND}"
    rf"(?P<other>(?:effective )?{_OF_ATTRIBUTE}(?:{_ATTRIBUTE.format('other')}))"
    r"(?P<rest>(?:\s+(?:of|for|at|in|on|over|vs)\s+.+)?)$",
    re.IGNORECASE,
)
"""Two attributes of one thing: "vested options: number and average strike", "coupon and size of the bond"."""
_AND_ITS_ATTRIBUTE = lazy_regex(
    rf"^(?P<topic>.+?)(?:{_AND}|\s*,?\s+with\s+(?:an?\s+)?)"
    rf"(?P<other>{_OF_ATTRIBUTE}(?:{_ATTRIBUTE.format('other')}))"
    r"(?P<rest>(?:\s+(?:(?:on|over|vs\.?|from|against|since|during)\s+|in (?=the year|%|percent|\$|dollars)).+)?)$",
    re.IGNORECASE,
)
"""A number and another attribute: "options outstanding and their average strike", "revenue in 2023, and its growth"."""
_BEGINS_WITH_ATTRIBUTE = lazy_regex(
    rf"(?:the\s+)?{_OF_ATTRIBUTE}(?:{'|'.join(_ATTRIBUTES.values())})(?:\s+(?:of|for|on)\s+(?P<whole>.+)|\b)",
    re.IGNORECASE,
)
_ITS_ATTRIBUTE = lazy_regex(
    rf"(?:and\s+)?(?:its|their)\s+{_OF_ATTRIBUTE}(?:{'|'.join(_ATTRIBUTES.values())})", re.IGNORECASE
)
_EXTREME = lazy_regex(
    r"(?:and\s+)?(?:the\s+)?(?:largest|biggest|smallest|highest|lowest|top|leading|longest|shortest)\b"
)
_ENDS_IN_CHANGE = lazy_regex(rf"(?:{_ATTRIBUTES['change']})$")
_COUNTABLE = lazy_regex(
    r"^(?!.*\b(?:number|count|many)\b).*\b(?:shares|options|rsus?|psus?|units|awards|warrants)\b", re.IGNORECASE
)
_ONE_OF_TWO = lazy_regex(
    r"\b(?:between|sum|ratio|product|difference|gap|compare[ds]?|average of|total of|together|combined|added|plus"
    r"|apart from|why|whether|which)\b"
)
"""Words for a single result of several numbers."""
_SAME_PREPOSITION = lazy_regex(
    r"^(?P<before>.+)\b(?P<to>in|on|at|for|by|of|to)\s+(?P<one>[^,]{2,40}?),?\s+(?:and|&)\s+(?P=to)\s+(?P<other>[^,]{2,60})$",
    re.IGNORECASE,
)
"""One number of two things, with a preposition before each: "prices paid for Acme and for Bolt"."""
_AND_SHARE = lazy_regex(
    r"^(?P<whole>[^?]+?)\s*,?\s+(?:and|&)\s+(?:(?:the|its|their|what|which)\s+)?"
    r"(?P<share>(?:%|percent(?:age)?|pct|share|part|portion|proportion)\s+of\s+.+)$",
    re.IGNORECASE,
)
_ONES = lazy_regex(r"(?<=\s)ones?$")
_TOTAL_AND_PART = lazy_regex(
    r"^(?P<topic>.+?)\s*(?:,|:|\s-)\s+(?:in\s+)?(?:total|all)\s*,?\s+(?:and|&)\s+(?P<part>.+)$", re.IGNORECASE
)
_UNIT = r"(?:\$|%|(?:us\s+)?dollars?|usd|euros?|percent(?:age)?|pct)"
_TWO_UNITS = lazy_regex(
    rf"(?<!\w),?\s*(?:in\s+)?(?P<one>{_UNIT})\s*(?:and|&)\s*(?:in\s+)?(?P<other>{_UNIT})(?!\w)", re.IGNORECASE
)
_GIVE_BOTH = lazy_regex(
    r"\s*(?:[,:;]|\s-)\s*(?:(?:please\s+)?(?:give|show|list|state)\s+(?:me\s+)?)?both(?:\s+please)?$", re.IGNORECASE
)
_VERSUS = lazy_regex(r"\s*,?\s*(?:vs\.?|versus|against|compared\s+(?:to|with))\s+(?:in\s+|for\s+)?(?:the\s+|a\s+)?")
_MOST = 12
_LONGEST = 1_000
"""Maximum number of characters; longer texts are not split."""


def asks_several(text: str) -> bool:
    """Return whether a text has several questions, each of which needs a separate answer.

    >>> asks_several("did sales go up or down, and by how much?"), asks_several("net income 2020 vs 2019?")
    (False, True)
    """
    if len(text) <= _LONGEST and _EITHER_WAY.search(text):
        return len(split_question(text)) > 2
    return len(split_question(text)) > 1 or len(split_filing_question(text)) > 1


def split_filing_question(text: str) -> tuple[str, ...]:
    """Split a text into its questions; return only the text itself if it is a single question.

    Each part is self-contained, or refers to the part before it like a question of a conversation.

    >>> split_filing_question("What is the total RPO in 2024, and how much of it is current?")
    ('What is the total RPO in 2024', 'how much of the total RPO is current in 2024')
    """
    if len(text) > _LONGEST:
        return (text,)
    question = re.sub(r"\s+", " ", text.replace("\u2019", "'")).strip(" ?!.")
    for split in (
        _split_cause,
        _split_clauses,
        _split_times,
        _split_attributes,
        _split_complements,
        _split_qualifiers,
        _split_measures,
        _split_owned,
    ):
        parts = split(question)
        if 1 < len(parts) <= _MOST:
            return tuple(parts)
    return (text,)


def _split_cause(question: str) -> list[str]:
    """Split "what about Asia, how come it's so big"."""
    found = _ABOUT_AND_WHY.match(question)
    return [question] if found is None else [question[: found.end("topic")], _complete(found["why"], found["topic"])]


def _split_clauses(question: str) -> list[str]:
    """Split a question into clauses that ask, each with the topic and the time of the first."""
    cut = cut_clauses(question)
    first, *rest = [_SAY.sub("", clause.strip(" ,?-")) for clause in cut] or [question]
    if not rest or _WANTED.match(rest[0].lower()):
        return [question]
    if not read_operand(first.lower()).terms:
        # "how many was that, and at what price?" refers to the previous turn
        return [first, *rest] if _PERSONS_AND_TIMES.match(first.lower()) else [question]
    asks = _ASKS.search(first.lower()) is not None
    if not asks and (marked := _MARK.search(first)) and _asks_about_topic(first, marked):
        topic = first[: marked.start()]  # "buybacks, how much and at what price"
        back = _POINTS_BACK if marked[0].strip() != "," else None
        return [first, *(_complete(one, first) if back and back.search(one) else f"{topic}, {one}" for one in rest)]
    if len(rest) == 1 and _HOW_MUCH.match(rest[0].lower()) and not (asks and _PERSONS_AND_TIMES.match(first.lower())):
        chosen = _CHOOSES.match(first.lower()) and asks_for_its_amount(f"{rest[0]} was it")
        # "did sales grow, and by how much?" is one question; "which segment earned more, and how much?" is not.
        return [first, "how much was it"] if chosen else [question]
    if not asks and not any(character.isalpha() or character == ";" for character in _read_joint(question, cut)):
        return [question]  # "in short, what"
    completed = asks or _own_terms(rest[0])
    return [first, *(_complete(clause, first) if completed else clause for clause in rest)]


def _asks_about_topic(first: str, marked: re.Match[str]) -> bool:
    """Return whether a question about a topic follows it: "buybacks, how much", "the notes: when do they mature"."""
    remainder = first[marked.end() :]
    if not _ASKS.search(remainder.lower()):
        return False
    named = marked[0].strip() != "," and _PERSONS_AND_TIMES.match(remainder.lower()) is not None
    return not _own_terms(remainder) or (named and bool(_own_terms(first[: marked.start()])))


def _read_joint(question: str, clauses: Sequence[str]) -> str:
    """Return the text between the first two clauses of a question."""
    end = len(clauses[0])
    return question[end : question.find(clauses[1], end)]


def _split_times(question: str) -> list[str]:
    """Split one thing at two times: "net income 2020 vs 2019".

    >>> _split_times("net income FY20 vs FY19")
    ['net income FY20', 'net income FY19']
    """
    lowered = question.lower()
    times = list(read_moments(lowered))
    if len(times) != 2 or _MOVES.search(lowered):
        return [question]
    one, other = times
    before, between, after = question[: one.start], lowered[one.end : other.start], question[other.end :]
    if not _VERSUS.fullmatch(between) or after.strip() or not read_operand(before.lower()).terms:
        return [question]
    return [question[: one.end].strip(), f"{before.rstrip()} {question[other.start : other.end].strip()}"]


def _split_attributes(question: str) -> list[str]:
    """Split two attributes of one thing.

    >>> _split_attributes("options outstanding and their average strike")
    ['number of options outstanding', 'average strike of options outstanding']
    """
    if _ONE_OF_TWO.search(question.lower()):
        return [question]
    two = _TWO_ATTRIBUTES.match(question)
    if two is not None and _attribute_kind(two, "one") != _attribute_kind(two, "other"):
        topic, rest = two["topic"].strip(" ,:-"), two["rest"]
        if two["mark"] and topic:
            return [f"{_of_topic(two[name], topic)}{rest}" for name in ("one", "other")]
        return [f"{two['topic']}{two[name]}{rest}" for name in ("one", "other")]
    found = _AND_ITS_ATTRIBUTE.match(question)
    if found is None or not read_operand(found["topic"].lower()).terms or _ASKS.search(found["topic"].lower()):
        return [question]
    topic, whole = found["topic"], found["topic"]
    if _attribute_kind(found, "other") == "price" and _COUNTABLE.search(topic):
        topic = f"number of {topic}"
    elif attribute := _BEGINS_WITH_ATTRIBUTE.match(topic):
        whole = attribute["whole"] or ""  # "term of the leases and the discount rate"
    other = _of_topic(found["other"], whole) if whole else found["other"]
    return [topic, f"{other}{found['rest']}"]


def _split_complements(question: str) -> list[str]:
    """Split one thing in two units, of two things, or in total and in part.

    >>> _split_complements("price paid for Acme and for Bolt"), _split_complements("rent, growth in $ and %")
    (['price paid for Acme', 'price paid for Bolt'], ['rent, growth in $', 'rent, growth in %'])
    """
    if _ONE_OF_TWO.search(question.lower()):
        return [question]
    if units := _TWO_UNITS.search(question):
        before, after = question[: units.start()].rstrip(), question[units.end() :]
        return [f"{before} in {units[name]}{after}" for name in ("one", "other")]
    if (found := _SAME_PREPOSITION.match(question)) and not all(
        any(True for _ in read_moments(found[name].lower())) for name in ("one", "other")
    ):
        other = _ONES.sub(found["one"].split()[-1], found["other"])  # "on operating leases and on finance ones"
        return [f"{found['before']}{found['to']} {thing}" for thing in (found["one"], other)]
    if (found := _AND_SHARE.match(question)) and not _ASKS.search(found["whole"].lower()):
        return [found["whole"], found["share"]]  # the share refers to the first part
    if found := _TOTAL_AND_PART.match(question):
        return [f"total {found['topic']}", f"{found['topic']}, {found['part']}"]
    return [question]


def _attribute_kind(found: re.Match[str], name: str) -> str:
    return next(kind for kind in _ATTRIBUTES if found[f"{name}_{kind}"])


def _of_topic(attribute: str, topic: str) -> str:
    joint = "in" if _ENDS_IN_CHANGE.search(attribute.lower()) else "of"
    return f"{attribute} {joint} {topic}"


def _split_qualifiers(question: str) -> list[str]:
    """Split "GAAP and non-GAAP EPS"."""
    found = _BOTH.search(question.lower())
    if found is None or found["one"] == found["other"] or _ADDED.search(question.lower()):
        return [question]
    before, after = question[: found.start()], question[found.end() :]
    whole = read_operand(f"{before} {after}".lower())
    if not whole.matches or read_filing_question(f"{before} {after}").relation:
        return [question]
    return [
        re.sub(r"\s+", " ", f"{before}{word}{after}").strip()
        for word in (
            question[found.start("one") : found.end("one")],
            question[found.start("other") : found.end("other")],
        )
    ]


def _split_measures(question: str) -> list[str]:
    """Split measures that are not meant to be added: "net income and EPS", "list assets, debt and equity"."""
    question = _IN_ORDER.sub("", question)
    both = _GIVE_BOTH.search(question)
    question = question[: both.start()] if both else question
    if _QUALIFIED.search(question):
        return [question]  # "return on assets, on year-end assets"
    reading = read_filing_question(question)
    if reading.relation == "versus" and (
        both or _COMPLETED_ONE.search(reading.operands[-1].text)
    ):  # "reported vs the adjusted one"
        operands = reading.operands if all(operand.matches for operand in reading.operands) else ()
    elif reading.relation in ("", "sum") and not (reading.total_asked or _SUMMED.search(question.lower())):
        operands = _find_listed(reading.whole.text)
        if each := _ask_for_each(question, operands or reading.operands):
            return each
        if not (len(operands) > _PAIR or _LISTS.match(question.lower()) or _are_separate(question.lower(), operands)):
            operands = _read_different(reading)
    else:
        operands = ()
    if not operands:
        return [question]
    time = _find_time(question)
    names = [_LISTS.sub("", _COMPLETED_ONE.sub("\\1", operand.text).strip(" ,")) for operand in operands]
    return [_with_time(_DANGLING_PREPOSITION.sub("", re.sub(r"\s+", " ", name)).strip(" ,"), time) for name in names]


def _split_owned(question: str) -> list[str]:
    """Split measures of one owner.

    >>> _split_owned("Acme's revenue and operating income for 2022")
    ["Acme's revenue in 2022", "Acme's operating income in 2022"]
    """
    if (found := _OWNER.search(question)) is None:
        return [question]
    parts = _split_measures(question[: found.start()] + question[found.end() :])
    return [f"{found['owner']} {part}" for part in parts] if len(parts) > 1 else [question]


def _ask_for_each(question: str, operands: Sequence[QuestionOperand]) -> list[str]:
    """Split a question for the change of several things into one for each; empty for other questions.

    >>> split_filing_question("how did sales and rent change from 2022 to 2023?")
    ('how did sales change from 2022 to 2023', 'how did rent change from 2022 to 2023')
    """
    names = [_topic(operand.text) for operand in operands if operand.terms]
    if len(names) < _PAIR:
        return []
    lowered = question.lower()
    begin, end = lowered.find(names[0].split()[0]), lowered.rfind(names[-1]) + len(names[-1])
    before, after = question[: max(begin, 0)], question[end:]
    if begin < 0 or end < begin or not _MOVED.search(f"{before}it{after}".lower()) or _own_terms(f"{before} {after}"):
        return []
    return [f"{before}{name}{after}" for name in names]


def _read_different(reading: ParsedQuestion) -> tuple[QuestionOperand, ...]:
    """Return operands joined by "and" if each has a different kind, such as shares bought and their price."""
    kinds = {_kind(operand) for operand in reading.operands}
    different = reading.relation == "sum" and len(kinds) == len(reading.operands) and " and " in reading.text.lower()
    return reading.operands if different and all(operand.matches for operand in reading.operands) else ()


def _find_listed(text: str) -> tuple[QuestionOperand, ...]:
    """Return the measures of an enumeration, whose lexicon names may contain "and" or commas themselves.

    Of the possible splits, those that end in "and" are preferred, then the one with the fewest measures.
    """
    joints = [*_SEPARATOR.finditer(text)][:_MOST_JOINTS]
    begins, ends = [0, *(joint.end() for joint in joints)], [*(joint.start() for joint in joints), len(text)]
    ways: list[list[tuple[QuestionOperand, ...]]] = [[()]]
    for stop in range(1, len(begins) + 1):
        ways.append([])
        for start in range(stop):
            operand = read_operand(text[begins[start] : ends[stop - 1]])
            if len(operand.matches) == 1 and _is_named(operand):
                ways[stop] += [(*way, operand) for way in ways[start] if all(_is_other(operand, one) for one in way)]
    listed = [way for way in ways[-1] if len(way) > 1]
    whole = read_operand(text)
    alike = all(len({_kind(operand) == _PER_SHARE for operand in way}) == 1 for way in listed)
    if not listed or (alike and len(joints) == 1 and len(whole.matches) == 1 and whole.concepts and _is_named(whole)):
        return ()  # "total liabilities and equity" is a single line
    if len(joints) == 1 and not joints[0][0].strip(" ,;") and any(_uses_concept(*way) for way in listed):
        return ()  # "inventory turnover, average inventory"
    last = joints[-1].end()
    return min(listed, key=lambda way: (not (_ENDS.search(joints[-1][0]) and text[last:] == way[-1].text), len(way)))


def _uses_concept(one: QuestionOperand, other: QuestionOperand) -> bool:
    """Return whether the formula of a measure has a concept of another operand."""
    formulas = (read_lexicon().measures[name].formula for name in one.measures)
    return any(formula is not None and not other.concepts.isdisjoint(formula.concepts()) for formula in formulas)


def _is_other(one: QuestionOperand, other: QuestionOperand) -> bool:
    """Return whether two operands have no concept and no measure in common."""
    return one.concepts.isdisjoint(other.concepts) and set(one.measures).isdisjoint(other.measures)


def _are_separate(question: str, operands: Sequence[QuestionOperand]) -> bool:
    """Return whether the named measures are not meant to be added: earnings and assets, margins and amounts, lists."""
    kinds = {_kind(operand) for operand in operands}
    whole = any(_WHOLE.search(operand.text) for operand in operands)
    return len(kinds) > 1 or (whole and _HOW_MUCH_OF.search(question) is None)


def _is_named(operand: QuestionOperand) -> bool:
    """Return whether the lexicon has all words of an operand that carry meaning."""
    named = {place for match in operand.matches for place in range(match.start, match.end)}
    return all(place in named or is_filler(found) for place, found in enumerate(operand.phrase))


def _kind(operand: QuestionOperand) -> int:
    return next((place for place, kind in enumerate(_KINDS) if kind.search(operand.text)), len(_KINDS))


def _complete(clause: str, first: str) -> str:
    """Complete a clause with the topic and the time of the first one if it lacks them."""
    if (match := _WHEN_EXTREME.fullmatch(clause)) is not None:
        return f"{match['when']} was it {match['most']}"  # it refers to the times of the previous answer
    back = _POINTS_BACK.search(clause.lower())
    extreme = asks_for_extreme(first) or _EXTREME.match(first.lower()) is not None
    if extreme and (asks_for_its_amount(clause) or _ITS_ATTRIBUTE.fullmatch(clause)):
        return clause  # "which was largest, and how much was it?" refers to the winner
    if back is not None:
        word = back[0].split()
        lead = f"{word[0]} " if len(word) > 1 and word[0] in ("of", "for", "on") else ""
        clause = f"{clause[: back.start()]}{lead}{_topic(first)}{clause[back.end() :]}"
    elif not _own_terms(clause):
        return clause  # "and since when?" refers to the previous answer
    return _with_time(clause, _find_time(first))


def _own_terms(clause: str) -> Sequence[str]:
    return read_filing_question(clause).whole.terms


def _topic(clause: str) -> str:
    """Return the words of a clause from its first to its last term that names something."""
    lowered = clause.lower()
    times = [(moment.start, moment.end) for moment in read_moments(lowered)]
    named = [
        (begin, end)
        for begin, end, found in spans_of_terms(lowered)
        if not is_filler(found) and not any(a < end and begin < b for a, b in times)
    ]
    if not named:
        return clause
    begin, end = named[0][0], named[-1][1]
    words = clause[begin:end]
    for a, b in reversed(times):
        if begin <= a and b <= end:
            words = f"{clause[begin:a].rstrip()} {clause[b:end].lstrip()}"
    before = re.search(r"\b(?:the|its|total|their)\s+(?:total\s+)?$", clause[:begin].lower())
    words = _AUXILIARY.sub("", words)
    return f"{clause[before.start() : begin]}{words}" if before else words


def _find_time(clause: str) -> str:
    """Return the only time that a clause names; "" for several times or a span of years."""
    found = list(read_moments(clause.lower()))
    if len(found) != 1 or (found[0].count is not None and found[0].year is not None):
        return ""
    return clause[found[0].start : found[0].end].strip()


def _with_time(clause: str, time: str) -> str:
    if not time or any(True for _ in read_moments(clause.lower())):
        return clause
    dated = re.match(r"(?:in|at|for|during|over|by|since|of|from|between|as of)\b", time.lower())
    return f"{clause} {time}" if dated else f"{clause} in {time}"
