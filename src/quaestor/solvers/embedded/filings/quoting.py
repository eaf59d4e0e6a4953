"""Plans that answer a question about a filing in its own words: the sentences that are likeliest to answer it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from quaestor.core.provenance import SentenceRef
from quaestor.facts.sentences import STATIC, SentenceIndex
from quaestor.facts.table import FactTable
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.solvers.embedded.filings.composing import Proposal, softmax
from quaestor.solvers.embedded.filings.words import WordCandidates, asks_for, asks_who_signed
from quaestor.solvers.embedded.model.trees import Trees

_SHARES: Mapping[str, float] = {"why": 3.0, "description": 3.0, "text_fact": 0.5, "two_part": 0.1, "yesno": 0.1}
"""How much the probability of an intent counts for its first sentences. Only sentences give reasons and descriptions,
and the first of eighty is right more often than its share says."""
_OF_COMPARISONS = 0.3
"""How many comparisons a sentence answers with yes or no."""
_CLOSED = re.compile(
    r"(?:^|[,;]\s)(?:(?:and|so|but|also|ok|then|according to [\w\s-]{1,30},)\s+)?"
    r"(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|any|anything)\b"
)
"""A question that yes or no answers begins so."""
_NEGATED = re.compile(
    r"\b(?:no|not|never|none|neither|nor|nothing|without|cannot|denied|denies|declined|pending|unfavorable)\b|n['\u2019]t\b"
)
_WHO = re.compile(r"^(?:and |so )?who(?:'?s|\u2019s|m)?\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w'\u2019-]*\.?(?: (?:& )?[A-Z][\w'\u2019-]*\.?){1,5}")
_NOT_NAMES = frozenset(
    """the our we a an in on this that these as of chief executive financial operating accounting technology legal
    principal officer officers president senior vice chair chairman chairwoman board director directors committee audit
    company corporation management executive general counsel interim decision maker item part form annual report
    securities exchange act section january february march april may june july august september october november
    december""".split()
)
"""Words with a capital that name nobody."""
_EXPLAINED = ("why", "description")
"""What several sentences may answer together."""
_NEITHER = ("yesno", "two_part", "unanswerable", "ambiguous")
"""Intents that say nothing about how much is quoted."""
_BEFORE_NAME = 20
"""Characters before the name in a signature."""
_LEAST = 0.02
_PROPOSED = 3
_LONGEST = 3
"""Sentences that are quoted together."""
_LABEL = 60
_OPENS = STATIC.index("opens")


@dataclass(frozen=True, slots=True)
class LikelySentence:
    """A sentence that may answer a question: its place in the index, its score, and its probability."""

    place: int
    score: float
    share: float


def rank_sentences(candidates: WordCandidates, ranker: Trees) -> list[LikelySentence]:
    """Return the sentences that may answer a question, the likeliest first."""
    if not len(candidates.places):
        return []
    scores = ranker.scores_of(candidates.names, candidates.features)
    order = np.argsort(-scores, kind="stable")
    likely = softmax([float(scores[row]) for row in order])
    return [
        LikelySentence(int(candidates.places[row]), float(scores[row]), share)
        for row, share in zip(order, likely, strict=True)
    ]


def propose_words(
    question: str, ranked: Sequence[LikelySentence], table: FactTable, intents: Mapping[str, float]
) -> list[Proposal]:
    """Return the plans that quote what answers a question, the likeliest first; none if a number is asked for.

    Args:
        intents: The probability of each intent.
    """
    share = sum(intents[name] * part for name, part in _SHARES.items())
    if share < _LEAST:
        return []
    explained = sum(intents[name] for name in _EXPLAINED)
    reasons = explained > 1.0 - explained - sum(intents[name] for name in _NEITHER)
    label = question.strip().rstrip("?")[:_LABEL]
    found = []
    quoted = [(one, tuple(read_on(one.place, table.sentences, reasons=reasons))) for one in ranked]
    if not asks_who_signed(question.lower()):
        quoted = [one for one in quoted if not _is_signature(table.sentences.sentences[one[0].place].text)]
    if _WHO.search(question):
        sentences = table.sentences.sentences
        named = [one for one in quoted if any(names_somebody(sentences[place].text) for place in one[1])]
        quoted = named or quoted
    for sentence, places in quoted[:_PROPOSED]:
        found.append(_propose(quote(places, table, label), sentence, share, "words"))
    return found


def _is_signature(text: str) -> bool:
    """Return whether a sentence is a signature and no more: it has the name first, or after a word or a date.

    >>> _is_signature("By: /s/ Jane Roe, Chief Executive Officer"), _is_signature("Jane Roe signed it.")
    (True, False)
    """
    return 0 <= text.find("/s/") <= _BEFORE_NAME


def names_somebody(text: str) -> bool:
    """Return whether a sentence has a name of two words or more that is not of an office alone.

    >>> names_somebody("She is Chief Executive Officer."), names_somebody("Jane Roe is the Chief Executive Officer.")
    (False, True)
    """
    runs = (found[0].lower().split() for found in _NAME.finditer(text))
    return any(len([word for word in run if word not in _NOT_NAMES]) > 1 for run in runs)


def _propose(plan: Plan, sentence: LikelySentence, share: float, form: str, **known: float) -> Proposal:
    """Return a plan that takes its answer from a sentence, with what is known of it."""
    features = {"words": share, "words_score": sentence.score, "sentence": sentence.share, **known}
    return Proposal(plan, log(share) + log(sentence.share + 1e-6), form, (), (), features)


def propose_verdicts(
    question: str, ranked: Sequence[LikelySentence], table: FactTable, intents: Mapping[str, float]
) -> list[Proposal]:
    """Return the plans that answer yes or no by what a sentence states or denies, the likeliest first.

    Args:
        intents: The probability of each intent.
    """
    share = intents["yesno"] + _OF_COMPARISONS * intents["comparison"]
    if share < _LEAST or not _CLOSED.search(question.lower()):
        return []
    against = bool(_NEGATED.search(question.lower()))
    asks_any = asks_for("any", question.lower())
    found = []
    for sentence in ranked[:_PROPOSED]:
        text = table.sentences.sentences[sentence.place].text
        denies = bool(_NEGATED.search(text.lower())) != against
        (step,) = quote((sentence.place,), table, "").steps
        plan = Plan((step, Compute(2, "denies" if denies else "affirms", (Ref(1),))))
        found.append(_propose(plan, sentence, share, "verdict", denies=float(denies), asks_any=asks_any))
    return found


def read_on(place: int, index: SentenceIndex, *, reasons: bool) -> Iterator[int]:
    """Yield the sentences that are to be quoted together, from the one that answers on.

    Args:
        reasons: Whether reasons or a description are asked for, which go on to the end of a paragraph.
    """
    signature = index.signature_of(place)
    if signature is not None:
        yield signature
    yield place
    opened = bool(index.static[place, _OPENS])
    for after in range(place + 1, min(place + _LONGEST, len(index.sentences))):
        together = index.paragraph[after] == index.paragraph[place]
        if index.section[after] != index.section[place] or not (opened or (reasons and together)):
            return
        yield after


def quote(places: tuple[int, ...], table: FactTable, label: str) -> Plan:
    """Return the plan that takes sentences as they are printed."""
    steps = []
    for id, place in enumerate(places, 1):
        sentence = table.sentences.sentences[place]
        text = sentence.text.strip()
        start = sentence.text.index(text) if text else 0
        source = SentenceRef(table.document.id, sentence.section, sentence.index, start, start + len(text))
        steps.append(Extract(id, source, label if len(places) == 1 else "", None, text=text))
    if len(steps) == 1:
        return Plan(tuple(steps))
    return Plan((*steps, Compute(len(steps) + 1, "items", tuple(Ref(step.id) for step in steps))))
