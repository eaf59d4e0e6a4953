"""The thing that a question asks to explain, in its own words: what it is, means or does."""

from functools import lru_cache

from quaestor.core.patterns import lazy_regex

_LEAD = lazy_regex(
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
_FORMS = tuple(
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
    lowered = _LEAD.sub("", " ".join(text.lower().replace("\u2019", "'").split()).rstrip(" ?.!"))
    lowered = _SECOND.sub("", _TAIL.sub("", lowered))
    if _HOW.search(lowered) and not _DEFINES.search(lowered):
        return None
    thing = next((found["thing"] for form in _FORMS if (found := form.fullmatch(lowered))), None)
    if thing is None:
        return None
    thing = _LEAD.sub("", thing).strip(f" {_QUOTES}")
    while (shorter := _DETERMINER.sub("", thing)) != thing:
        thing = shorter.strip(f" {_QUOTES}")
    return None if _NOT_THINGS.search(thing) or not 0 < len(thing.split()) <= _MOST else thing
