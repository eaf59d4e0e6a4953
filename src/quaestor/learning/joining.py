"""More second questions: conversations about one page, joined as ConvFinQA joins two of its own.

How the second question of a joined conversation begins is seldom shown: one turn in fifteen, and it asks otherwise than
a first question and than one that goes on. Owns what can be behind what. Of such a conversation that turn alone is
learned from.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from quaestor.learning.examples import Example


def rejoin_conversations(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield conversations of two parts each, whose `second` is the place of the question where the second begins.

    The parts of each joined conversation the other way round, and single questions about one page behind each other.

    Args:
        examples: Labelled; those with an unknown second part stay as they are.
    """
    pages = defaultdict[str, list[Example]](list)
    for example in examples:
        if example.second:
            yield _join(example, slice(example.second, None), example, slice(example.second))
        elif len(example.questions) == 1 and example.document is not None:
            pages[example.document.id].append(example)
    for alone in pages.values():
        for before, after in zip(alone, (*alone[1:], *alone[:1]), strict=True):
            if before.questions != after.questions:
                yield _join(before, slice(None), after, slice(None))


def _join(before: Example, first: slice, after: Example, second: slice) -> Example:
    questions, gold = before.questions[first], before.gold[first]
    return replace(
        after,
        questions=(*questions, *after.questions[second]),
        gold=(*gold, *after.gold[second]),
        joined=True,
        second=len(questions),
    )
