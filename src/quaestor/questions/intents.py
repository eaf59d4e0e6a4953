"""Intents of questions, predicted by linear classifiers trained on labelled questions."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import spans_of_terms, terms
from quaestor.ontology.lexicon import read_lexicon
from quaestor.questions.moments import MomentQuery
from quaestor.questions.understanding import ParsedQuestion, is_filler

_FORMS: Mapping[str, str] = {
    "lookup": "value", "text_fact": "value", "unanswerable": "value", "ambiguous": "value", "ratio": "ratio",
    "share": "ratio", "comparison": "compare", "yesno": "compare",
}  # fmt: skip
"""Common form of intents that only the document can tell apart; any other intent is its own form."""

_WORD = lazy_regex(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[%$?/&+()-]")


@dataclass(frozen=True)
class QuestionClassifier:
    """Linear classifier with a weight for each feature of a question and each class.

    Attributes:
        classes: The predicted classes: `INTENTS`, or the kinds of answers.
        rows: The row of each feature in `matrix`.
        matrix: The weights, of shape (features, classes).
        by_terms: Whether the terms of the question are features, too.
    """

    classes: tuple[str, ...]
    rows: Mapping[str, int]
    matrix: NDArray[np.float32]
    by_terms: bool = False

    def classify(self, reading: ParsedQuestion, *, before: str) -> NDArray[np.float64]:
        """Return the probability of each class.

        Args:
            before: The intent of the previous question; "" for the first one of a conversation.
        """
        features = question_features(reading, before=before, by_terms=self.by_terms)
        rows = [self.rows[found] for found in features if found in self.rows]
        logits = self.matrix[rows].sum(axis=0).astype(np.float64)
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), np.float64)


def question_features(reading: ParsedQuestion, *, before: str, by_terms: bool = False) -> Iterator[str]:
    """Yield the distinct features of a question for a classifier."""
    words, first = _skeleton(reading), not before
    found = {"bias", f"first={first}", f"relation={reading.relation}", f"goes_on={reading.goes_on}"}
    for length in (1, 2, 3, 4):
        found |= {f"w={' '.join(words[place : place + length])}" for place in range(len(words) - length + 1)}
        found.add(f"begin={' '.join(words[:length])}")
        found.add(f"end={' '.join(words[-length:])}")
    found.add(f"length={min(len(words) // 2, 8)}")
    found.add(f"moments={min(len(reading.moments), 3)}")
    found.add(f"operands={len(reading.operands)}")
    slots = "+".join(sorted(reading.slots))
    found |= {f"slots={slots}", f"unit={reading.unit}", f"each={bool(reading.each)}"}
    form = _FORMS.get(before, before) or "-"
    found |= {f"before={form}", f"before={form} slots={slots}", f"before={form} begin={words[0] if words else ''}"}
    if reading.relation:
        empty = [place for place, operand in enumerate(reading.operands) if not operand.terms]
        found |= {f"relation={reading.relation} {word}" for word in words if word in _RELATED}
        found |= {f"relation={reading.relation} without={empty}", f"relation={reading.relation} first={first}"}
    for measure in reading.whole.measures:
        computed = read_lexicon().measures[measure].formula is not None
        found |= {f"measure={measure}", f"measure computed={computed}", f"measure computed={computed} first={first}"}
    if reading.whole.concepts:
        found.add("concept")
    text = reading.operation_text.replace("\u2019", "'")
    asks = next(name for name, pattern in _ASKS if pattern.search(text))
    cues = [name for name, pattern in _CUES if pattern.search(text)] or ["none"]
    several = len(reading.moments) > 1 or any(moment.count is not None for moment in reading.moments)
    kinds = [f"asks={asks}", f"unit={reading.unit}", f"several={several}", f"relation={reading.relation}"]
    kinds.append(f"first={first}")
    for cue in cues:
        found |= {f"cue={cue}", *(f"cue={cue} {kind}" for kind in kinds), f"cue={cue} before={form}"}
        found |= {f"cue={cue} asks={asks} unit={reading.unit}", f"cue={cue} asks={asks} several={several}"}
        found.add(f"cue={cue} asks={asks} measure={'measure' in reading.slots} first={first}")
    found.add("cues=" + "+".join(cues))
    found |= {f"asks={asks} {kind}" for kind in kinds[1:]}
    if by_terms:
        known = terms(text)
        found |= {f"term={one}" for one in known} | {f"last={one}" for one in known[-1:]}
        found |= {f"concept={name}" for name in reading.whole.concepts}
    yield from sorted(found)


_START = r"^(?:(?:and|so|but|then|ok|okay|now|also|by|at|for|in|on|roughly|about)[\s,]+)*"
_ASKS = tuple(
    (name, lazy_regex(_START + pattern))
    for name, pattern in (
        ("whether", r"(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could(?! you)|any|anything)\b"),
        ("why", r"(?:why|how come|reasons?|what(?:'s| is| was) behind"
                r"|what (?:drove|caused|explains?|led|hurt|helped|pushed|happened))\b"),
        ("how fast", r"how (?:fast|quickly)\b"), ("how much", r"how (?:much|many|big|large|high|far|low)\b"),
        ("how", r"how\b"),
        ("which", r"(?:which|who's the (?:\w+ )?\w+est)\b"), ("who", r"who"), ("when", r"(?:when|where|since when)\b"),
        ("what", r"what"), ("name", r"(?!(?:list|give|show|name|rank|split|break|add|compare|please|could you)\b)"),
        ("order", r""),
    )
)  # fmt: skip
"""Beginnings of questions; the first match counts."""
_CUES = tuple(
    (name, lazy_regex(pattern))
    for name, pattern in (
        ("growth", r"\bgrowth\b|\byoy\b|\byear[ -]o(?:ver|n)[ -]year\b|\by/y\b"),
        ("moves", r"\b(?:gr[eo]w|grown|r[io]se|risen|fall|fell|fallen|drop(?:ped)?|declin\w+|decreas\w+|increas\w+"
                  r"|jump(?:ed)?|slip(?:ped)?|shr[aiu]nk|gain(?:ed)?|los[et]|up|down|chang\w+|mov(?:e|ed)|improv\w+"
                  r"|slid\w*|climb\w*|cut)\b"),
        ("more", r"\b(?:higher|lower|more|less|better|worse|bigger|smaller|larger|greater|fewer|faster|slower"
                 r"|above|below)\b"),
        ("most", r"\b(?!west|invest|interest|request|latest|rest|test)\w+est\b"
                 r"|\b(?:most|least|best|worst|top|number (?:one|two))\b"),
        ("average", r"\baverage[ds]?\b|\bavg\b|\bmean\b(?! by|s by)"),
        ("compound", r"\bcagr\b|\bcompound|\bannuali[sz]ed\b|\ba year (?:since|from|between)\b"),
        ("sum", r"\b(?:total|sum|together|combined|plus|add(?:ed)?|altogether|all in)\b"),
        ("share", r"%\s+of\b|\b(?:share|percent(?:age)?|pct|portion|proportion|fraction|part)\s+"
                  r"(?:of|is|was|does|are)\b|'s share"),
        ("percent", r"%|\bpercent|\bpct\b"),
        ("each", r"\b(?:each|every|list|split|break|by (?:segment|region|\w+y)|both)\b"),
        ("behind", r"\b(?:why|behind|drove|drive|reason|because|explains?|cause[ds]?)\b"),
        ("compares", r"\bcompare[sd]?\b|\b(?:vs|versus|than)\b|\bor\b"),
        ("defines", r"\b(?:defin\w+|mean by|recogni[sz]e[sd]?|include[sd]?|describe|consist|business"
                    r"|account for|policy|method)\b"),
        ("expected", r"\b(?:guid\w+|expect\w*|outlook|forecast|plan(?:s|ned)?|target)\b"),
    )
)  # fmt: skip
"""Cues for an operation."""
_RELATED = frozenset("? how much many what which is are and or than together total each by list".split())


def _skeleton(reading: ParsedQuestion) -> list[str]:
    """Return the words of a question, with tags in place of times and of what is measured."""
    text = re.sub(r"\s+", " ", reading.operation_text.replace("\u2019", "'")).strip(" !.")
    spans = [(moment.start, moment.end, _time_tag(moment)) for moment in reading.moments]
    terms = [one for one in spans_of_terms(text) if not any(begin < one[1] and one[0] < end for begin, end, _ in spans)]
    measures = read_lexicon().measures
    for match in read_lexicon().find([found for _, _, found in terms]):
        computed = any(measures[name].formula is not None for name in match.measures)
        tag = "MEASURE" if computed else "CONCEPT"
        spans.append((terms[match.start][0], terms[match.end - 1][1], tag))
    spans += [(begin, end, "THING") for begin, end, found in terms if not is_filler(found)]
    words: list[str] = []
    place = 0
    for begin, end, tag in sorted(spans, key=lambda span: (span[0], -span[1])):
        if begin < place:
            continue
        words += _WORD.findall(text[place:begin])
        if not (tag == "THING" and words[-1:] == [tag]):
            words.append(tag)
        place = end
    return [*words, *_WORD.findall(text[place:])]


def _time_tag(moment: MomentQuery) -> str:
    if moment.count is not None:
        return "RANGE" if moment.back else "YEARS"
    if moment.back is not None or moment.quarters_back is not None:
        return "LAST" if moment.latest else "BEFORE"
    return "YEAR" if moment.year is not None else "LATEST" if moment.latest else "PERIOD"
