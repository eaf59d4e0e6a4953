"""Wordings that mean the same as plainer ones, as data: a question is read in the plainer ones.

Owns no reading: each wording is replaced by one that the readers know.
"""

import re

_TERM = r"(?:[- ]term)?"
_CURRENCY = (
    r"(?:foreign )?(?:currenc(?:y|ies)|fx|forex|exchange(?: rates?)?)"
    r"(?: (?:effects?|moves?|movements?|impacts?|changes?|swings?|fluctuations?))?"
)
_WITHOUT = (
    r"(?:excluding|excl\.?|ex|without|w/o|ignoring|adjusted for"
    r"|(?:leaving|strip(?:ping|ped)?|taking) out|leaving aside)"
)
_WORDINGS: tuple[tuple[str, str], ...] = (
    # how many
    (r"^(?:and |so )?(?:#|no\.|nr\.?) of\b", "how many"),
    (r"(?:(?<![\w#])#|\bno\.|\bnr\.?|\bnum\.?)\s?(?:of\b|(?=shares\b|employees\b|stores\b|options\b))", "number of"),
    # growth
    (r"\bhow (?:many|much) (?:%|percent|pct) (?P<how>more|less|fewer|higher|lower|up|down)\b",
     r"by what percent \g<how>"),
    (r"(?<=% )(?:raise|hike)\b|(?<=percent )(?:raise|hike)\b|\b(?:raise|hike)(?= in (?:%|percent))", "increase"),
    # units
    *(
        (rf"[,(]?\s*(?:\bin )?(?<![\w$])(?:us ?)?\$ ?(?:{said})\b\)?", f" in $ {plain}")
        for said, plain in (("mm?|mn|mln", "millions"), ("k", "thousands"), ("bn?", "billions"))
    ),
    # what is written short
    (r"\bcash-?flow\b", "cash flow"),
    (r"\bop(?= (?:income|profit|cash|expenses?|costs?|loss)\b)", "operating"),
    # sums
    (r"\b(?:summed(?: up)?|added up|put together|adding (?:them |these |those |it )?up)\b", "altogether"),
    # causes
    (r"^(?P<what>[^?]*?[^?,;\s-])\s*[,;-]+\s*(?:and |but )?(?:why|how come)(?: (?:is|was) (?:that|this|it))?\s*\??$",
     r"why \g<what>"),
    (r"\bwhat(?:'s| is| was| are| were) (?:driving|behind)\b", "what drove"),
    # growth without the effect of currencies
    (rf"\b{_WITHOUT}[- ](?:(?:the|any|all) )?(?:(?:effects?|impact) of )?{_CURRENCY}(?!\w)"
     r"(?! (?:gains?|loss|losses|contracts?|hedg\w+|translation))"
     rf"|\bwith {_CURRENCY} (?:stripped|taken|left) out\b"
     r"|\b(?:at|in) (?:unchanged|steady|stable|fixed|flat) (?:currencies|exchange rates)\b|\b(?:in|at) cc\b",
     "in constant currency"),
    # what is due soon and what is due late is all of it
    (rf"^(?!.*\btotal\b)(?P<head>.*?)\b(?P<what>[a-z]{{3,}}),? (?:both )?"
     rf"(?:short{_TERM} ?(?:and|\+|&|plus) ?long|long{_TERM} ?(?:and|\+|&|plus) ?short)"
     rf"{_TERM}(?! \w)", r"\g<head>total \g<what>"),
)  # fmt: skip
"""A pattern, and what it is replaced by."""
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in _WORDINGS)


def in_plain_wording(text: str) -> str:
    """Return a question in plainer words, if it has some of the others.

    >>> in_plain_wording("how much debt, short and long?")
    'how much total debt?'
    """
    for pattern, plain in _COMPILED:
        text = pattern.sub(plain, text)
    return text
