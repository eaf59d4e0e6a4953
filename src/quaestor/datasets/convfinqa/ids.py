"""What an id of ConvFinQA tells: `Double_MRO/2007/page_134.pdf-1` is part 1 of two questions about a page of MRO.

A solver is shown the page only: the rest of the id betrays the question.
"""

import re

_ID = re.compile(r"(?:(?:Single|Double)_)?(?P<page>.+?)(?:-[0-9]+)?", re.DOTALL)


def page_of(conversation: str) -> str:
    """Return the page that a conversation's id names: `MRO/2007/page_134.pdf`."""
    found = _ID.fullmatch(conversation)
    return found["page"] if found else ""


def company_of(conversation: str) -> str:
    """Return the ticker in a conversation's id: `MRO`."""
    return conversation.removeprefix("Single_").removeprefix("Double_").partition("/")[0]


def is_joined(conversation: str) -> bool:
    """Return whether an id is that of a conversation joined from two questions ("Double")."""
    return conversation.startswith("Double_")
