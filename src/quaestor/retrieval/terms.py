"""The words of labels, sentences and questions by which places are found: stems, and numbers of names."""

import re
from functools import lru_cache

from quaestor.questions.stems import stems

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")
_LONGEST = 4_000
"""Characters of a text that are read: what a longer one says is said in its beginning."""


@lru_cache(maxsize=50_000)
def index_terms(text: str) -> tuple[str, ...]:
    """Return the stems of a text's words of meaning in their order, and then its numbers as they are printed.

    >>> index_terms("The 4.65% notes due in 2046, net of discounts")
    ('note', 'due', 'net', 'discount', '4.65', '2046')
    """
    cut = text[:_LONGEST]
    return (*stems(cut), *(number.strip(".,") for number in _NUMBER.findall(cut)))
