"""What a question asks for if its answer is words: a cause, a meaning, parts, a way, a time, a place, a person.

`selection.read_answer_kind` decides whether the answer is words. Some forms may also ask for a number or for lines of a
table ("what is goodwill?", "what does it include?"); for these the page decides.
"""

import re
from functools import lru_cache
from typing import Literal

from quaestor.core.patterns import lazy_regex
from quaestor.questions.question import Question
from quaestor.questions.selection import read_answer_kind

AskedWords = Literal[
    "cause", "meaning", "parts", "left_out", "way", "often", "time", "place", "person", "table", "ground", "rest"
]
"""What a question asks for; `ground` is the object of its last words ("what is it based on?")."""

_LEAD = (
    r"^(?:(?:and|so|then|now|but|also|ok|okay|please|well)\b[\s,]*)*"
    r"(?:(?:in|for|during|as of|at)\s[^?,]{0,40}, )?"
)
_BE = r"(?:is|are|was|were)"
_FORMS: tuple[tuple[AskedWords, str], ...] = (
    ("often", r"how (?:often|frequently)\b"),
    ("cause", r"why\b|how (?:come|so)\b"),
    ("cause", r"what (?:caused?|led|drove|drives|impacted|affected|influenced|resulted in|results in"
              r"|contributed to)\b"),
    (
        "cause",
        rf"what (?:{_BE}|factors?|reasons?|drivers?)\s+(?:the\s+)?(?:(?:primary|main|key|major)\s+)?"
        r"(?:reasons?|causes?|drivers?|factors?|rationale|drove|caused|led|affect\w*|influence\w*|contribut\w*"
        r"|impacted)\b",
    ),
    (
        "table",
        r"what (?:(?:kind|type)s? of )?(?:\w+ ){0,3}(?:does|do|did) (?:the|this|these) (?:\w+ )?tables? (?:\w+ ){0,2}"
        r"(?:show|represent|summari[sz]e|present|provide|display|include|detail|reflect|illustrate|contain"
        r"|describe|disclose)",
    ),
    ("left_out", rf"what (?:{_BE}|does|do|did) (?:(?!of\b)[\w'&-]+ ){{0,6}}?(?:excluded?|not included?|left out)\b"),
    ("parts", rf"what (?:{_BE}) (?:\w+ )?(?:included?|comprised)\b"),
    ("parts", r"what (?:does|do|did) .+\b(?:consists?|comprises?|composed|includes?|contains?)(?: of| primarily"
              r" of)?(?: primarily| mainly)?\s*\??$"),
    ("parts", rf"what {_BE} .+\b(?:composed|comprised|made up) of\s*\??$"),
    ("meaning", r"what (?:does|do|did) .+\b(?:mean|stand for|represent|refer to|describe|indicate|measure)\b"),
    ("meaning", rf"what (?:{_BE}|'s) (?:the |a )?(?:meaning|definition|purpose|nature|objective) of\b|what"
                rf" {_BE} meant by\b|define\b"),
    ("way", rf"(?:how|in what (?:way|manner)) (?:{_BE}|do|does|did|has|have|had|can|could|should|would"
            rf"|will)\b(?! (?:much|many))"),
    ("time", r"(?:when|since when|until when|from when)\b"),
    ("place", r"(?:where|in which (?:countries|country|market|regions?)|in what countries)\b"),
    ("person", r"(?:who|whom|whose)\b|by whom\b"),
    (
        "ground",
        rf"what (?:{_BE}|do|does|did|has|have|had) .+? (?P<behind>based on|due to|attributable to|related to|relate to"
        r"|attributed to|caused by|driven by|influenced by|affected by|defined as|classified as|recogni[sz]ed"
        r" as|recorded as"
        r"|reported as|referred to(?: as)?|used for|limited to|engaged in|rely on|depend on|subject to"
        r"|reclassified to"
        r"|result from|results? in|derived from|for|from|to|on|in|with|as)\s*\??$",
    ),
    ("rest", r"what (?:did|does|do|has|have|had) (?!.*\b(?:cost|total|amount|represent|equal|earn|pay|spend|receive"
             r"|record|come|add|make|generate|report|lose|contribute|change|increase|decrease|grow|rise|fall|sum|average"
             r"|account|yield|bring|sell|buy|own|owe|drop|decline|gain|hold|raise)\b)"),
    ("rest", r"what (?:types?|kinds?|methods?|program|plan|information|charges|business|market|symbol|currency"
             r"|activities)\b"),
    (
        "rest",
        rf"what {_BE} (?:the |its |their |another )?(?:\w+(?:'s)? ){{0,2}}(?:symbol|name|types|kinds|methods?"
        rf"|basis|policy|policies|impacts|effects|implications?|assumptions?|activities|sources"
        r"|conditions|criteria|steps?|focus|role|responsibilit\w+|strategy|goals?|projections?|results?"
        r" of)\b(?! of (?:the )?total)",
    ),
)  # fmt: skip
_COMPILED = tuple((asked, lazy_regex(_LEAD + rf"(?:{form})")) for asked, form in _FORMS)
_DEFINED = lazy_regex(rf"{_LEAD}what (?:{_BE}|'s) (?:an? |the (?:term |company's )?)?(?P<term>[^?,]{{2,60}}?)\s*\?*$")
_MEASURED = lazy_regex(
    r"\b(?:19|20)\d\d\b|\b(?:total|amount|value|number|percent\w*|rate|price|balance|change|increase|decrease"
    r"|difference|average|sum|cost of|year|quarter|its|their|it|that|this|they|those|these|per|of)\b"
)


@lru_cache(maxsize=1024)
def words_asked(text: str) -> AskedWords | None:
    """Return what a lower-case question asks for in words, or None.

    >>> words_asked("why did sales fall in 2018?")
    'cause'
    >>> words_asked("what were sales in 2018?")
    """
    text = " ".join(text.split())
    kind = read_answer_kind(text).kind
    found = next((name for name, form in _COMPILED if form.search(text)), None)
    if kind == "span":
        return found or "rest"
    return found if kind in ("number", "labels") and found not in (None, "time", "place", "person", "way") else None


def term_asked(text: str) -> str | None:
    """Return the term whose meaning a lower-case question may ask for; None if it asks for a number.

    >>> term_asked("what is goodwill?")
    'goodwill'
    >>> term_asked("what is the total of rent?")
    """
    found = _DEFINED.search(" ".join(text.split()))
    return None if found is None or _MEASURED.search(found["term"]) else found["term"]


def words_behind(text: str) -> str | None:
    """Return the last words of a lower-case question that lead to its answer: "due to", "based on"."""
    form = next(form for name, form in _COMPILED if name == "ground")
    found = form.search(" ".join(text.split()))
    return found["behind"] if found else None


_GREETING = re.compile(
    r"(?:(?:hello|hi|hey|hiya|good (?:morning|afternoon|evening|day)|thanks?|thank you|thx|cheers|bye|goodbye|please"
    r"|ok|okay|great|cool|nice|perfect|help|test)(?: (?:there|you|all|so much|very much|a lot|again|everyone))*"
    r"[\s,.!?]*)+"
)
_SUM = re.compile(
    r"(?:what(?: is|'s|s) |calculate |compute )?\(?\s*\d{1,2}(?:\s*[-+*/x\u00d7\u00f7^]\s*\d{1,2})+\s*\)?\s*=?\s*\??"
)
_WHY = re.compile(r"(?:and |but |so |then |ok |well ){0,5}(?:why\b.*|how (?:so|come)\b.*)")
_MEANING = re.compile(
    r"(?:and |so )?(?:what (?:does|do|did) .+ (?:mean|stand for)|define .+"
    r"|what(?: is|'s) (?:the |a )?(?:meaning|definition) of .+)\s*[?.!]*"
)
_WHO = re.compile(r"(?:and )?(?:who|who's|whom) .+")
_FORMS_WITHOUT_NUMBER = (
    (_GREETING, "it is a greeting or a remark"),
    (_SUM, "this is arithmetic"),
    (_WHY, "a reason is not a number"),
    (_MEANING, "a meaning is not a number"),
    (_WHO, "a person is not a number"),
)


def why_no_number(question: Question) -> str | None:
    """Return the reason why a question does not ask for a number on a page; None if it may.

    >>> why_no_number(Question("why?"))
    'a reason is not a number'
    >>> why_no_number(Question("and in 2010?"))
    """
    lowered = " ".join(question.lowered.split())
    if question.periods and _SUM.fullmatch(lowered):
        return None
    return next((reason for form, reason in _FORMS_WITHOUT_NUMBER if form.fullmatch(lowered)), None)


_POLITE_LEAD = lazy_regex(
    r"^(?:(?:and|so|then|now|but|also|ok|okay|please|well|exactly|quickly|briefly|pls)\b[\s,]*"
    r"|(?:can|could|would) you (?:please )?|(?:please )?tell me (?=what|how)|i'd like to know "
    r"|(?:describe |explain )?in (?:a|one|two|plain|simple|your own|a few) (?:sentences?|words?|terms?|english)"
    r"(?: or two)?[\s,]*)+"
)
_TAIL = lazy_regex(
    r"(?:(?<![\s,])[\s,]++(?:please|pls|exactly|briefly|here|by the way"
    r"|in (?:a|one|a few|plain|simple) (?:sentences?|words?)|according to .{1,40}"
    r"|in (?:this|the) (?:filing|report|document)|in broad terms"
    r"|how (?:do|does) (?:they|it) define it|at [\w&'.-]++)){1,4}$"
)
_DOES = (
    r"do(?:es)?(?: for (?:a living|a business))?|mean(?: .*)?|stand for|offers?|sells?|makes?|refers? to|represents?"
)
_EXPLANATION_FORMS = tuple(
    lazy_regex(form)
    for form in (
        r"what (?:exactly )?(?:do|does) (?:they|it|we|the \w+|[\w&'.+-]+) (?:mean by|call) (?P<thing>.{1,80})",
        rf"what (?:exactly )?(?:do|does) (?P<thing>.{{1,80}}?) (?:{_DOES})",
        r"what (?P<thing>.{1,80}?) (?:does|offers|means|stands for|is|are)(?: about)?",
        r"what (?:exactly )?(?:business|industry|line of business) (?:are|is|do|does) (?P<thing>.{1,80}?)(?: in)?",
        r"what (?:kind|sort|type) of (?:company|business|firm) (?:is|are) (?P<thing>.{1,80})",
        r"(?:what|who) ?(?:exactly )?(?:is|are|'s|s) (?P<thing>.{1,80}?)(?: exactly)?",
        r"(?:how (?:do|does) (?:they|it|we|the \w+|[\w&'.+-]+) |define |how (?:is|are) )(?:define |defines )?"
        r"(?P<thing>.{1,80}?)(?: defined)?",
        r"(?:explain|describe|define|tell me about|tell me)(?: briefly| to me| what| what is meant by| the term)?"
        r" (?P<thing>.{1,80}?)(?: (?:is|are|offers|does|means|stands for))?(?: to me)?",
    )
)
_DEFINES = lazy_regex(r"\b(?:define[sd]?|definition)\b")
_HOW = lazy_regex(r"^how\b")
_SECOND = lazy_regex(r",? and (?:what|where|how|who|why|when)\b.*$")
_DETERMINER = lazy_regex(r"^(?:an?|the|their|its|our|those|these|that|this|term)\s+")
_NOT_THINGS = lazy_regex(
    r"^(?:in|behind|left|meant|off|on|going)\b"
    r"|\b(?:about|of which|how many|how much|total|number|percent\w*|(?:19|20)\d\d|the main|due to|made of|up|down)\b"
)
_QUOTES = "\"'\u201c\u201d\u2018\u2019"
_MOST = 6
"""Maximum number of words in the name of a thing."""


@lru_cache(maxsize=1024)
def find_explained(text: str) -> str | None:
    """Return what a question asks to explain, in lower case, or None.

    >>> find_explained("Please explain what Blue Box is."), find_explained("In one sentence, what does Acme do?")
    ('blue box', 'acme')
    >>> find_explained("How do they define take rate?"), find_explained("what is the number of shares?")
    ('take rate', None)
    """
    lowered = _POLITE_LEAD.sub("", " ".join(text.lower().replace("\u2019", "'").split()).rstrip(" ?.!"))
    lowered = _SECOND.sub("", _TAIL.sub("", lowered))
    if _HOW.search(lowered) and not _DEFINES.search(lowered):
        return None
    thing = next((found["thing"] for form in _EXPLANATION_FORMS if (found := form.fullmatch(lowered))), None)
    if thing is None:
        return None
    thing = _POLITE_LEAD.sub("", thing).strip(f" {_QUOTES}")
    while (shorter := _DETERMINER.sub("", thing)) != thing:
        thing = shorter.strip(f" {_QUOTES}")
    return None if _NOT_THINGS.search(thing) or not 0 < len(thing.split()) <= _MOST else thing
