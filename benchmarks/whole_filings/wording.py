"""Rewrites questions in everyday words: "how much did rent change in 2024?" for its change from 2023 to 2024."""

import re

_FORMS = (
    (r"what was the change in (.+) from \d{4} to (\d{4})", r"how much did \1 change in \2"),
    (r"what was the percentage change in (.+) from \d{4} to (\d{4})", r"by how much did \1 change in \2, in percent,"),
    (r"what percentage of (.+) was (.+) in (\d{4})", r"how much of \1 was \2 in \3, in percent,"),
    (r"what was (.+) in (\d{4})", r"how much was \1 in \2"),
)


def in_everyday_words(text: str) -> str:
    """Rewrite a question from `benchmarks.whole_filings.questions` in everyday words.

    >>> in_everyday_words("what was the change in rent from 2023 to 2024 according to LEASES?")
    'how much did rent change in 2024 according to LEASES?'
    """
    for form, everyday in _FORMS:
        worded, found = re.subn(form, everyday, text, count=1)
        if found:
            return worded.replace(",?", "?")
    return text
