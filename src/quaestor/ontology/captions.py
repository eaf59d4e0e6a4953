"""The words of a line's caption that tell which line of a statement it is.

Forgives more than the ladder of `labels`, so it names lines of unseen companies and joins no labels of an ontology.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from quaestor.core.stop_words import CAPTION_FILLERS
from quaestor.core.words import caption_words, singular

_SIGN = (
    r"(?:loss(?:es)?|gains?|income|expenses?|benefits?|earnings|deficit|decreases?|increases?|charges?|credits?"
    r"|provision|used in|used for|provided by|reductions?|additions?)"
)
_SIGNS = re.compile(rf"/?\s?\(\s?{_SIGN}\s?\)\s?/?")
_EITHER_WAY = re.compile(
    r"(?:net )?(?:\(?\s?(?:increases?|decreases?)\s?\)?\s?(?:/|or|and)?\s?\(?\s?(?:increases?|decreases?)\s?\)?"
    r"|changes?) (?=in\b)"
)
_POSSESSIVE = re.compile(r"'s\b|(?<=s)'(?!\w)")

_PHRASES = tuple(
    (needle, re.compile(rf"\b(?:{pattern})"), said)
    for needle, pattern, said in (
        ("u.", r"u\.\s?s\.?(?![a-z])", "us "),
        ("united", r"united states(?: of america)?\b", "us "),
        ("non us", r"non us\b", "nonus"),
        ("current", r"(?:non|not) current\b", "noncurrent"),
        ("long term", r"long term\b", "noncurrent"),
        ("controlling", r"non controlling interests?\b", "noncontrolling interest"),
        ("minority", r"minority interests?\b", "noncontrolling interest"),
        ("tax", r"pre ?tax\b", "before tax"),
        ("income tax", r"income tax(?:es)?\b", "tax"),
        ("per ", r"per (?:common|ordinary) share\b|per share of common stock\b", "per share"),
        ("health", r"health ?care\b", "health care"),
        ("trade", r"trade ?names?\b", "trade name"),
        ("cash", r"non ?cash\b", "noncash"),
        (" of ", r"(?:beginning|start) of (?:the )?(?:fiscal )?(?:year|period)\b", "beginning year"),
        ("end", r"end of (?:the )?(?:fiscal )?(?:year|period)\b|(?:fiscal )?year end\b", "end year"),
        (" the ", r"(?:during|for|in) the (?:fiscal )?(?:current )?(?:year|period)\b", " "),
        (" poor s", r"standard (?:&|and) poor s\b", "s&p"),
        ("s & p", r"s & p\b", "s&p"),
    )
)
"""Words that are in whatever a pattern matches, the pattern, and what is read instead.

The words are looked for first: that takes a twentieth of the time, and thousands of captions have none of them.
"""

_SAME = {
    variant: said
    for said, variants in {
        "shareholder": "stockholder shareowner",
        "share": "stock",
        "income": "earning profit",
        "increase": "addition",
        "decrease": "reduction decline",
        "cancelled": "canceled cancellation",
        "forfeited": "forfeiture",
        "nonvested": "unvested",
        "amortization": "amortisation",
        "unrecognized": "unrecognised",
        "expected": "assumed estimated",
        "disposal": "disposition",
        "lapse": "expiration expiry",
        "purchase": "repurchase",
        "purchased": "repurchased",
        "average": "avg",
        "%": "percent percentage",
        "revised": "revision",
    }.items()
    for variant in variants.split()
}

_BRACKETS = re.compile(r"\s?[(\[][^()\[\]]*[)\]]?")
_OPENING = re.compile(r"^(?:(?:less|add|plus|deduct|and|of which|adjustments?|memo)\s?[:,-]?\s+|[-*.:]+\s*)+")
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DATES = re.compile(
    rf"\b(?:as (?:of|at)|at|on|for|in|through|until|by|due|maturing|matures|expiring"
    rf"|(?:for )?(?:the )?(?:fiscal )?years? (?:ended|ending)|ended|ending)?"
    rf"\s?(?:{_MONTH}\.? [0-9]{{1,2}}(?:,? (?:19|20)[0-9]{{2}})?|{_MONTH},? (?:19|20)[0-9]{{2}}"
    rf"|(?:19|20)[0-9]{{2}}(?:\s?(?:-|to|through|and)\s?(?:19|20)?[0-9]{{2,4}})?)\b"
)
_AMOUNTS = re.compile(
    r"\(?(?:of |at |up to |from )?\$\s?[0-9][0-9,.]{0,30}(?: (?:thousand|million|billion))?( per share)?"
    r"|[0-9][0-9.]{0,30}(?: [0-9]/[0-9])?\s?%(?:\s?(?:-|to)\s?[0-9.]{1,30}\s?%)?"
)
_CLAUSE = re.compile(
    r"(?:,|;|\s-)?\s(?:net of|including|inclusive of|includes|less|primarily|principally|which|see note|other than"
    r"|consisting of)\s.*$"
    r"|;.*$"
)
_OTHER_FIGURE = re.compile(
    r"\b(?:excluding|exclusive|before|after|per|without|except|average|pro ?forma|interest|percent|pre-?tax|period)\b|%"
)
"""Words that make a clause or a bracket part of the name: an average of loans is not the loans."""

_NET = re.compile(r"(?:,|\s?-)?\s(?:net|total|as reported|reported|at year end|and other|approximate|approximately)$")
_TOTAL = re.compile(
    r"^(?:total|aggregate|consolidated|approximate|gross total|net total|combined|the company's|our)\s+"
)


@lru_cache(maxsize=1024)
def caption_key(caption: str) -> str:
    """Return the words that tell what a caption names, each once and three or more sorted; equal keys name one line.

    >>> caption_key("Earnings (loss) before income taxes") == caption_key("pre-tax income")
    True
    """
    text = caption.casefold()
    if " in" in text:
        text = _EITHER_WAY.sub("change ", text)
    if "(" in text:
        text = _SIGNS.sub(" ", text)
    text = " ".join(_POSSESSIVE.sub("", text).replace("-", " ").replace("/", " ").split())
    for needle, pattern, said in _PHRASES:
        if needle in text:
            text = pattern.sub(said, text)
    words = dict.fromkeys(_SAME.get(word, word) for word in map(singular, caption_words(text)))
    telling = [word for word in words if word not in CAPTION_FILLERS] or list(words)
    return " ".join(sorted(telling) if len(telling) > 2 else telling)  # a sales return is no return on sales


def readings(caption: str) -> Iterator[str]:
    """Yield what a caption says with ever less around the name: its brackets, dates, amounts and clauses left out."""
    text = " ".join(caption.casefold().split())
    if _BRACKETS.fullmatch(text):  # "(in thousands)" names no line
        return
    yield text
    for shorten in (_unbracketed, _opened, _undated, _main_clause, _unqualified, _last_level):
        shorter = " ".join(shorten(text).split()).strip(" ,;:-*.")
        if re.search("[a-z]{2}", shorter) and shorter != text:
            text = shorter
            yield text


def _unbracketed(text: str) -> str:
    return _BRACKETS.sub(lambda found: found[0] if _OTHER_FIGURE.search(found[0]) else " ", _SIGNS.sub(" ", text))


def _opened(text: str) -> str:
    return _OPENING.sub("", text)


def _undated(text: str) -> str:
    return _AMOUNTS.sub(" ", _DATES.sub(" ", text))


def _main_clause(text: str) -> str:
    cut = _CLAUSE.sub("", text)
    return text if _OTHER_FIGURE.search(text[len(cut) :]) else cut


def _unqualified(text: str) -> str:
    return _TOTAL.sub("", _NET.sub("", text))


def _last_level(text: str) -> str:
    return text.rpartition(": ")[2]


def undated(caption: str) -> bool:
    """Whether a caption names dates or amounts of its own: two lines that differ in them alone are of one kind."""
    text = _unbracketed(" ".join(caption.casefold().split()))
    return _undated(text) != text


def head_words(caption: str) -> tuple[str, ...]:
    """Return the words of the shortest reading of a caption, in their order and in the singular.

    None of what names two things at once: "cash / debt" is no debt.
    """
    *_, shortest = ("", *readings(caption))
    if " / " in shortest or "$" in shortest:
        return ()
    return tuple(map(singular, caption_words(shortest)))
