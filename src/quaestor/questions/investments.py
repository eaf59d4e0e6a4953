"""Questions about the value of an investment, which a filing's performance graph answers."""

from quaestor.core.patterns import lazy_regex

_AMOUNT = lazy_regex(
    r"(?:\$\s?100\b|\b100 (?:dollars|bucks|usd))(?![.,]?\d)(?! (?:thousand|million|billion|m\b|bn\b|k\b))"
)
_INVESTED = lazy_regex(r"\b(?:invest\w*|put(?:ting)?|stock|shares?|worth|grow\w*|grew|becom\w*|became|reinvest\w*)\b")


def asks_what_became(lowered: str) -> bool:
    """Return whether a lower-case question asks for the later value of a $100 investment.

    >>> asks_what_became("what did $100 invested in 2019 grow to?"), asks_what_became("was the fine $100 million?")
    (True, False)
    """
    return bool(_AMOUNT.search(lowered) and _INVESTED.search(lowered))
