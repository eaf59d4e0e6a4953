"""Explanations by quotation: whole sentences of a filing, without headings and marks before them."""

import re
from collections.abc import Iterator, Sequence

from quaestor.core.explanation import MOST_SENTENCES
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import SentenceRef
from quaestor.facts.sentences import SentenceIndex
from quaestor.facts.table import FactTable
from quaestor.plan.steps import Compute, Extract, Plan, Ref

_BEFORE = lazy_regex(
    r"(?P<heading>(?:[A-Z][\w&,'\u2019-]* ){1,6})(?=(?i:(?P=heading)))"  # Gross Margin Gross margin rose
    r"|[\u2022\u25aa\u25e6\u25cf\u00b7*\u2020\u2021]\s*|\(?[1-9]\)?\s(?=(?:The|This|These|In|Includes|For|On|We|Our|As)\s)"
)
"""Headings, bullets and footnote marks that are parsed as the beginning of a sentence."""
_ELSEWHERE = lazy_regex(r"\W*(?:(?:please )?(?:refer|see)\b|for (?:more|additional|further) )", re.IGNORECASE)
"""Sentences that only refer to another place."""
_ENDS = lazy_regex(r"[.!?:;][\"\u201d\u2019')\]]*\s*$")
_GOES_ON = lazy_regex(
    r"(?:In addition|Additionally|Also|Further|Furthermore|Moreover|However|These|This|Such|The (?:increase|decrease|"
    r"change|decline|growth|remaining|remainder)|Partially|Offsetting|Excluding|Both)\b"
)
"""Beginnings of sentences that continue the reasons of the previous one."""


def quotes_prose(plan: Plan) -> bool:
    """Return whether a plan quotes several sentences, none of which introduces a list."""
    texts = [step.text or "" for step in plan.extracts]
    return len(texts) > 1 and not any(text.rstrip().endswith(":") for text in texts)


def explain_by_quoting(plan: Plan, table: FactTable, label: str) -> Plan:
    """Return a plan that explains with the whole sentences that another plan quotes, and their continuation.

    Args:
        plan: A plan that only quotes sentences of the filing.
        label: The topic of the sentences.
    """
    index = table.sentences
    sources = (step.source for step in plan.extracts if isinstance(step.source, SentenceRef))
    quoted = [index.places[source.section, source.sentence] for source in sources]
    chosen = [place for place in quoted if not _ELSEWHERE.match(index.sentences[place].text)] or quoted
    if list(_find_continuation(chosen[0], index))[: len(chosen) - 1] == chosen[1:]:
        chosen = [chosen[0], *_find_continuation(chosen[0], index)]
    wholes = list(dict.fromkeys(tuple(_find_pieces(place, index)) for place in chosen))[:MOST_SENTENCES]
    steps: list[Extract] = []
    templates = []
    for whole in wholes:
        extracts = [_extract_sentence(len(steps) + at, place, table, label) for at, place in enumerate(whole, 1)]
        steps += extracts
        templates.append(" ".join(f"{{#{step.id}}}" for step in extracts))
    explained = Compute(len(steps) + 1, "explain", tuple(Ref(step.id) for step in steps))
    return Plan((*steps, explained), plan.thought, tuple(templates))


def _find_pieces(place: int, index: SentenceIndex) -> Sequence[int]:
    """Return a sentence with the parts that a page break or a list has cut off."""
    first = last = place
    while first > 0 and place - first < 2 and _is_cut(first - 1, index):
        first -= 1
    while last - place < 2 and _is_cut(last, index):
        last += 1
    return range(first, last + 1)


def _is_cut(place: int, index: SentenceIndex) -> bool:
    """Return whether a sentence is cut off and continues in the next one."""
    if place + 1 >= len(index.sentences) or index.section[place] != index.section[place + 1]:
        return False
    return not _ENDS.search(index.sentences[place].text) and index.sentences[place + 1].text.lstrip()[:1].islower()


def _find_continuation(place: int, index: SentenceIndex) -> Iterator[int]:
    """Yield the sentences of a paragraph that continue one."""
    for after in range(place + 1, len(index.sentences)):
        text = index.sentences[after].text
        if index.paragraph[after] != index.paragraph[place]:
            return
        if _GOES_ON.match(text):
            yield after
        elif not _ELSEWHERE.match(text):
            return


def _extract_sentence(id: int, place: int, table: FactTable, label: str) -> Extract:
    sentence = table.sentences.sentences[place]
    start = len(sentence.text) - len(sentence.text.lstrip())
    end = len(sentence.text.rstrip())
    before = _BEFORE.match(sentence.text, start)
    start = before.end() if before is not None and before.end() < end else start
    source = SentenceRef(table.document.id, sentence.section, sentence.index, start, end)
    return Extract(id, source, label, None, text=sentence.text[start:end])
