"""Financial ratios: divisions that have a name, and the line items of which they are made.

The ratios themselves, with their definitions, are individuals of `core.ttl`; that a page prints the figures which one
needs is for others to find out.
"""

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LineItem:
    """A figure of a financial statement.

    Attributes:
        name: `kg:LineNetSales`.
        wordings: What statements call it, the one that is meant first where a page has several.
    """

    name: str
    wordings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FinancialRatio:
    """A division that has a name.

    Attributes:
        name: `kg:RatioProfitMargin`.
        label: What it is called first of all.
        text: Its definition, in a sentence.
        phrases: How it is called, in the notation of `ontology/patterns.py`.
        examples: Questions that ask for it; each is matched by it.
        matcher: All its phrases, over `question_words`.
        metric_type: `percentage` where pages print it as one, else `ratio`.
    """

    name: str
    label: str
    text: str
    phrases: tuple[str, ...]
    examples: tuple[str, ...]
    matcher: re.Pattern[str] = field(repr=False, compare=False)
    metric_type: str
    numerator: LineItem
    denominator: LineItem
