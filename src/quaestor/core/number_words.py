"""Whole numbers in English words: "twenty-five", "one hundred and five thousand"."""

from quaestor.core.words import words

_SMALL = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: number
    for number, word in zip(
        range(20, 100, 10), "twenty thirty forty fifty sixty seventy eighty ninety".split(), strict=True
    )
}
_GROUPS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
_NONE = frozenset({"no", "none", "nil"})
_FILLER = frozenset({"and", "a"})


def read_number_words(text: str) -> int | None:
    """Return the whole number that a text says in words, or None if it says anything else.

    >>> read_number_words("One hundred and twenty-five thousand")
    125000
    """
    said = words(text)
    if len(said) == 1 and said[0] in _NONE:
        return 0
    counting = [word for word in said if word not in _FILLER]
    if not counting:
        return None
    total = group = 0
    for word in counting:
        if word in _SMALL:
            group += _SMALL[word]
        elif word in _TENS:
            group += _TENS[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in _GROUPS:
            total, group = total + (group or 1) * _GROUPS[word], 0
        else:
            return None
    return total + group
