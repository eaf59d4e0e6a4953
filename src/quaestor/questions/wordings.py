"""Wordings that are replaced by plainer ones before a question is parsed."""

import re

from quaestor.core.patterns import lazy_regex

_YEAR = r"(?:fy ?|fiscal (?:year )?)?(?:19|20)\d\d"
_AT = r"(?:in|for|of|from|at|during|as of)"
_THAT = r"(?:that|those|it|the one|the (?:amount|value|figure))"
_PORTION = r"(?:percentage|percent|share|portion|proportion|fraction|part)"
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
    (r"\bby how many (?P<money>dollars|usd|euros?|eur|pounds|gbp|yen)\b", r"by how much in \g<money>"),
    # growth
    (r"\bhow (?:many|much) (?:%|percent|pct) (?P<how>more|less|fewer|higher|lower|up|down)\b",
     r"by what percent \g<how>"),
    (r"(?<=% )(?:raise|hike)\b|(?<=percent )(?:raise|hike)\b|\b(?:raise|hike)(?= in (?:%|percent))", "increase"),
    # units
    *(
        (rf"[,(]?\s*(?:\bin )?(?<![\w$])(?:us ?)?\$ ?(?:{short})\b\)?", f" in $ {plain}")
        for short, plain in (("mm?|mn|mln", "millions"), ("k", "thousands"), ("bn?", "billions"))
    ),
    # abbreviations
    (r"\bcash-?flow\b", "cash flow"),
    (r"\bop(?= (?:income|profit|cash|expenses?|costs?|loss)\b)", "operating"),
    # sums
    (r"\b(?:summed(?: up)?|added up|put together|adding (?:them |these |those |it )?up)\b", "altogether"),
    # times
    (rf"\b(?:the )?years? of (?={_YEAR}\b)", ""),
    (r"(?<=(?:19|20)\d\d)['\u2019]s(?=\W*$)", ""),
    # changes and ratios between two times
    (r"\b(?:variations?|variances?|fluctuations?)(?= (?:in|of)\b)", "change"),
    (rf"^how (?:much|large) (?:did|does|do) (?P<what>[^?]+?) {_AT} (?P<new>{_YEAR}) represent "
     rf"(?:in relation|relative|compared) to (?:{_THAT} )?(?:{_AT} )?(?P<old>{_YEAR})\s*\?*$",
     r"what was the ratio of \g<what> in \g<new> to \g<old>?"),
    # what is left
    (r"\bwhat(?:'s| is| was| were| would be) left (?:over )?of (?P<what>[^?]+?) after(?: paying(?: for)?| deducting)?"
     r"(?= [^\d,?])", r"what is \g<what> less"),
    # shares
    (rf"\b(?:what|which|how large an?) {_PORTION} (?:did|does|do) (?P<part>[^?]+?)"
     r" represent (?:in relation to|relative to|out of|of|in) (?P<whole>[^?]+)",
     r"what was \g<part> as a percentage of \g<whole>"),
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
    # what is due in the short and in the long term is the total
    (rf"^(?!.*\btotal\b)(?P<head>.*?)\b(?P<what>[a-z]{{3,}}),? (?:both )?"
     rf"(?:short{_TERM} ?(?:and|\+|&|plus) ?long|long{_TERM} ?(?:and|\+|&|plus) ?short)"
     rf"{_TERM}(?! \w)", r"\g<head>total \g<what>"),
)  # fmt: skip
"""Pairs of a pattern and its replacement."""
_COMPILED = tuple((lazy_regex(pattern, re.IGNORECASE), plain) for pattern, plain in _WORDINGS)


def in_plain_wording(text: str) -> str:
    """Replace wordings of a question by plainer ones.

    >>> in_plain_wording("how much debt, short and long?")
    'how much total debt?'
    """
    for pattern, plain in _COMPILED:
        text = pattern.sub(plain, text)
    return text
