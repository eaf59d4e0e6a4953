"""The entity in focus: what the conversation is about with a question, and what each expression takes as its thing."""

import re
from collections.abc import Sequence

from quaestor.conversation.memory import Memory
from quaestor.conversation.references.expressions import Expression
from quaestor.conversation.references.lineage import Result
from quaestor.questions.question import Question, names_in

_ANOTHER_SIDE = re.compile(r"\b(?:and|than|versus|compared|less|minus|plus|or|exceed\w*)\b")
"""Between an expression and the name of a thing: the name belongs to something else that is compared."""


def find_focus(asked: Question, memory: Memory) -> tuple[str | None, bool]:
    """Return the entity that the question is about, and whether that is another one than before.

    It is the known entity whose words the question has; without any, the entity of the latest answer, unless the
    question names something that no turn has named: that is a new entity, which no answer is about yet.
    """
    current = memory.entity_in_focus
    entities = dict.fromkeys(turn.answer.entity for turn in reversed(memory.turns) if turn.answer.entity)
    named = [entity for entity in entities if (words := names_in(entity.lower())) and words <= asked.names]
    if named:
        best = max(named, key=lambda entity: len(names_in(entity.lower())))
        return best, best != current
    said = frozenset().union(*(earlier.names for earlier in memory.asked))
    said |= frozenset().union(*(names_in(entity.lower()) for entity in entities))
    if asked.names and not asked.names & said:
        return None, True
    return current, False


def in_focus_of(
    expression: Expression, asked: Question, before: frozenset[str], focus: frozenset[str]
) -> frozenset[str]:
    """Return the words of the thing that an expression is about where it names none.

    A thing that the question names governs its expressions ("this change of the company"), but not those that it is
    compared with: "this percentage and that of the company".
    """
    if not before or focus == before:
        return focus or before
    text = asked.lowered
    places = [match.start() for word in focus for match in re.finditer(rf"\b{re.escape(word)}", text)]
    behind = [place for place in places if place >= expression.end]
    between = text[expression.end : min(behind)] if behind else text[max(places, default=0) : expression.start]
    return before if _ANOTHER_SIDE.search(between) else focus


def named_thing(said: frozenset[str], latest: Sequence[Result]) -> frozenset[str]:
    """Return the words of the thing that a question turns to, by the results before it; else of the latest result's.

    Args:
        said: All words of the question, singular.
        latest: The distinct results, the latest first; not empty.
    """
    current = latest[0].things
    for result in latest[1:]:
        own = result.things - current
        if own and current - result.things and own <= said:
            return result.things
    return current
