"""The words of a sentence with their stems, read once for all numbers that are in it."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from quaestor.core.words import word_spans
from quaestor.questions.stems import is_of_single_words, meaning_stem, stems

_PER_NUMBER = 5
"""How many words a number counts as that is between a number and a word."""


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """The words of a sentence.

    Attributes:
        begins: Where each word begins, in characters.
        far: How far each is from the beginning of the sentence, and last how far its end is.
        stems: The stems of the words that carry meaning, in order.
        places: The place of the word of each stem among all words.
        single: Whether the stems of any part of the sentence are those of its words.
    """

    text: str
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    far: tuple[int, ...]
    stems: tuple[str, ...]
    places: tuple[int, ...]
    single: bool

    def cuts(self, at: int) -> bool:
        """Return whether a place is inside of a word."""
        last = bisect_left(self.begins, at) - 1
        return last >= 0 and self.ends[last] > at

    def stems_between(self, start: int, end: int) -> tuple[str, ...]:
        """Return the stems of a part of the sentence, as `stems` has them.

        Args:
            start: Where it begins, in characters.
        """
        if not self.single or self.cuts(start) or self.cuts(end):
            return stems(self.text[start:end])
        first, after = bisect_left(self.begins, start), bisect_right(self.ends, end)
        return self.stems[bisect_left(self.places, first) : bisect_left(self.places, max(first, after))]


def stem_distances(text: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Return each stem around a span with its least distance in words; a number between counts as five words.

    Args:
        start: Where the span begins, in characters.
    """
    said = sentence_words(text)
    if said.cuts(start) or said.cuts(end):
        # A word that the span cuts is two.
        said = sentence_words(f"{text[:start]}{' ' * (end - start)}{text[end:]}")
    before, after = bisect_right(said.ends, start), bisect_left(said.begins, end)
    stems_of, places, far = said.stems, said.places, said.far
    last, first, here, there = bisect_left(places, before), bisect_left(places, after), far[before], far[after]
    # The last one before the span is the nearest of them, and the first one behind it.
    nearest = {stem: here - far[place] for stem, place in zip(stems_of[:last], places[:last], strict=True)}
    for stem, place in zip(stems_of[first:], places[first:], strict=True):
        behind = far[place + 1] - there
        if behind < nearest.get(stem, behind + 1):
            nearest[stem] = behind
    return tuple(nearest.items())


@lru_cache(maxsize=64)
def sentence_words(text: str) -> SentenceWords:
    """Return the words of a sentence."""
    # Character by character where a letter becomes two, so that places stay places.
    lowered = low if len(low := text.lower()) == len(text) else "".join(min(c.lower(), c, key=len) for c in text)
    spans = word_spans(lowered)
    said = [lowered[begin:end] for begin, end in spans]
    found = [(stem, place) for place, word in enumerate(said) if (stem := meaning_stem(word)) is not None]
    return SentenceWords(
        text=text,
        begins=tuple([begin for begin, _ in spans]),
        ends=tuple([end for _, end in spans]),
        far=tuple(accumulate([_PER_NUMBER if word[0].isdigit() else 1 for word in said], initial=0)),
        stems=tuple([stem for stem, _ in found]),
        places=tuple([place for _, place in found]),
        single=len(low) == len(text) and is_of_single_words(lowered, said),
    )
