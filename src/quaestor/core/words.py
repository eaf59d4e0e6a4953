"""Words of questions, labels and sentences: how a text is cut into them, their singular, the numbers among them.

They differ in what they hold together, and each is needed: a stem is made of a plain word, "s&p" and "year-end" are
turns of phrase, "and/or" names one thing, and a model that looks for "long-term debt" may write it without the hyphen.
"""

import re
from functools import lru_cache

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:,\d{3})*(?:\.\d+)?|[%$]")
_COMPOUND = re.compile(r"[a-z0-9$%&]+(?:[.,'&-][a-z0-9]+)*%?")
_NAME = re.compile(r"[a-z][a-z&'-]*[a-z]|[a-z]")
_TERM = re.compile(r"[a-z][a-z0-9&'./-]*[a-z0-9]|[a-z]|\d[\d.,/]*%?|&|[,;:?|()]")
_LABEL_WORD = re.compile(r"[a-z0-9&.%$']+|\[[a-z]+\]")
_CAPTION_WORD = re.compile(r"[a-z]+(?:&[a-z]+)*|[0-9]+(?:\.[0-9]+)?|%")
_SEARCH_WORD = re.compile(r"[a-z0-9&]+")
_IDENTIFIER_PART = re.compile(r"[a-z0-9]+")

NUMBER_WORDS = {
    word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), start=1)
}
"""The small numbers in words."""

SCALE_WORDS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
"""The powers of ten in words, in the singular."""


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[str, ...]:
    """Return the words, numbers and the signs `%` and `$` of a text, in lower case and in order.

    >>> words("The S&P's year-end value, in $: 1,000")
    ('the', 's', "p's", 'year', 'end', 'value', 'in', '$', '1,000')
    """
    return tuple(_WORD.findall(text.lower()))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where each of the `words` of a text of lower case begins and ends."""
    return [word.span() for word in _WORD.finditer(text)]


def compounds(text: str) -> tuple[str, ...]:
    """Return the words of a text of lower case as they are written, with hyphens and signs, and its numbers.

    >>> compounds("the s&p's year-end value, in $: 1,000")
    ('the', "s&p's", 'year-end', 'value', 'in', '$', '1,000')
    """
    return tuple(_COMPOUND.findall(text))


def compound_spans(text: str) -> list[tuple[int, int]]:
    """Return where each of the `compounds` of a text begins and ends."""
    return [word.span() for word in _COMPOUND.finditer(text)]


def names(text: str) -> tuple[str, ...]:
    """Return the words of letters of a text of lower case, those with a hyphen or an ampersand in one.

    A quarter or an index without its number is what later questions call it: "q1" is `q`, "s&p500" is `s&p`.

    >>> names("the s&p500 at year-end q1")
    ('the', 's&p', 'at', 'year-end', 'q')
    """
    return tuple(_NAME.findall(text))


def terms(text: str) -> list[str]:
    """Return the words and marks of a text of lower case, words that a slash or a point joins in one.

    >>> terms("volume/weather, in the u.s (net)")
    ['volume/weather', ',', 'in', 'the', 'u.s', '(', 'net', ')']
    """
    return _TERM.findall(text)


def label_words(text: str) -> list[str]:
    """Return the words of a label of lower case, a sign in square brackets as one.

    >>> label_words("income [loss], net of u.s. tax")
    ['income', '[loss]', 'net', 'of', 'u.s.', 'tax']
    """
    return _LABEL_WORD.findall(text)


def caption_words(text: str) -> list[str]:
    """Return the words of a line's caption of lower case, its numbers and percent signs; all other marks part words.

    >>> caption_words("sg&a, 4.5% of long-term sales")
    ['sg&a', '4.5', '%', 'of', 'long', 'term', 'sales']
    """
    return _CAPTION_WORD.findall(text)


def identifier_parts(text: str) -> list[str]:
    """Return the runs of letters and digits of a text of lower case, of which a name for programs is made.

    >>> identifier_parts("s&p 500, year-end")
    ['s', 'p', '500', 'year', 'end']
    """
    return _IDENTIFIER_PART.findall(text)


@lru_cache(maxsize=1024)
def search_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in the singular, each once, in their order; hyphens and points part words.

    >>> search_words("Long-term debts, S&P debt")
    ('long', 'term', 'debt', 's&p')
    """
    return tuple(dict.fromkeys(singular(word) for word in _SEARCH_WORD.findall(text.casefold())))


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return a word without its plural ending; words that are no plural stay."""
    if word.startswith("[") and len(word) > 2:
        return f"[{singular(word[1:-1])}]"
    if len(word) < 4 or not word.isalpha() or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word
