"""What is said to have been done to a number of a sentence: "we produced 1,773 and delivered 1,789 vehicles".

Both are as near to the words of the question otherwise.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from quaestor.core.provenance import SentenceRef
from quaestor.core.words import words
from quaestor.documents.document import Document
from quaestor.questions.question import Question
from quaestor.questions.stems import stem
from quaestor.solvers.embedded.page.matrix import NumberMatrix

_LEADS = re.compile(
    r"\b(?P<verb>[a-z]{3,}ed|sold|built|bought|paid|spent)\s+"
    r"(?:(?:approximately|about|around|roughly|nearly|almost|over|some|only|more than|less than|a total of"
    r"|an aggregate of|an additional|another)\s+)*[$€£]?\s*$",
    re.IGNORECASE,
)
_FORMS = {"sold": "sell", "built": "build", "bought": "buy", "paid": "pay", "spent": "spend"}


def led_by_another(question: Question, leaves: NumberMatrix, document: Document) -> Iterator[int]:
    """Yield the places of the numbers to which another verb leads than to a number beside them that is asked for."""
    asked = {stem(_FORMS.get(word, word)) for word in words(question.lowered)}
    led: dict[tuple[object, ...], dict[int, str]] = defaultdict(dict)
    for place, leaf in enumerate(leaves.leaves):
        if isinstance(source := leaf.source, SentenceRef):
            found = _LEADS.search(document.sentence(source).text, 0, source.start)
            if found is not None:
                verb = found["verb"].lower()
                led[leaves.line[place], leaves.table[place]][place] = stem(_FORMS.get(verb, verb))
    for numbers in led.values():
        if not asked.isdisjoint(numbers.values()):
            yield from (place for place, verb in numbers.items() if verb not in asked)
