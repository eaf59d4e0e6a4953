"""Which sentence of a document answers a question in words."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quaestor.documents.document import Document, Sentence
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.questions.words_asked import AskedWords, words_behind

_CAUSE = re.compile(
    r"\b(?:due to|because|driven by|attributable to|attributed to|as a result of|result(?:s|ed|ing)? (?:of|from"
    r"|primarily)"
    r"|caused by|reflect(?:s|ed|ing)?|owing to|in order to|benefit(?:t?ed|t?ing) from|impacted|related to"
    r"|relates to|offset by"
    r"|primarily (?:from|by)|led by|arising from)\b",
    re.I,
)
_SIGNS: dict[AskedWords, re.Pattern[str]] = {
    "cause": _CAUSE,
    "meaning": re.compile(
        r"\b(?:means?|refers? to|represents?|defined as|is the|are the|describes?|calculated)\b", re.I
    ),
    "parts": re.compile(r"\b(?:consist\w*|compris\w*|includ\w*|composed|made up)\b", re.I),
    "left_out": re.compile(r"\b(?:exclu\w+|not included?|net of|without)\b", re.I),
    "way": re.compile(
        r"\b(?:by|based on|using|in accordance|according to|calculated|determined|measured|defined as|as)\b", re.I
    ),
    "often": re.compile(
        r"\b(?:annual(?:ly)?|quarterly|monthly|daily|weekly|each|every|regularly|periodically|at least)\b", re.I
    ),
    "time": re.compile(r"\b(?:when|if|once|upon|until|after|before|(?:19|20)\d\d)\b", re.I),
    "place": re.compile(r"\b(?:in|at|within|under|note)\b", re.I),
    "person": re.compile(r"\bby\b|\b[A-Z]\w+ [A-Z]\w+"),
}
_TABLE = re.compile(
    r"\btables? (?:below |above )?(?:\w+ )?(?:sets? (?:forth|out)|show\w*|present\w*|summari[sz]\w*|provid\w*"
    r"|detail\w*|reflect\w*"
    r"|includ\w*|represent\w*|illustrat\w*|reconcil\w*|outlin\w*)|\b(?:is|are|was|were|as) (?:as follows"
    r"|follows|shown below"
    r"|presented below|summari[sz]ed (?:below|as follows|in the)|set (?:forth|out) below)|:\s*$|\bfollowing table\b",
    re.I,
)
_MOVES = (
    re.compile(
        r"\b(?:increas\w+|rose|ris(?:e|es|ing|en)|gr[eo]w\w*|growth|higher|improv\w+|up|gain\w*|expan\w+"
        r"|climb\w*)\b"
    ),
    re.compile(
        r"\b(?:decreas\w+|f[ea]ll(?:s|ing|en)?|declin\w+|lower|drop\w*|reduc\w+|down|los[st]\w*|shr[aiu]nk"
        r"|worsen\w*|weak\w*)\b"
    ),
)
_NO_MOVE = 0.15
_OTHER_MOVE = 0.4
_FOOTNOTE = re.compile(r"\(\s*(\d{1,2}|[a-z])\s*\)")
_NOTE = re.compile(r"^\s*\(\s*(\d{1,2}|[a-z])\s*\)")
_GOES_ON = re.compile(
    r"^\s*(?:the|this|these|such|that|it|they|our)\s+(?:\w+\s+){0,2}?(?:increase|decrease|decline|change"
    r"|improvement|growth|reduction"
    r"|was|were|is|are|reflects?|includes?|excludes?)\b",
    re.I,
)
_ASKS_ONLY = frozenset(
    stem
    for word in (
        "why what how when where who which reason cause caused led lead factor driver main primary key"
        " determine determined "
        "calculate calculated define defined mean means represent represents refer refers include included"
        " includes consist "
        "consists comprise comprised table show shows show summarize company group often used purpose meaning"
        " definition "
        "happen according information type kind"
    ).split()
    for stem in stems(word)
)
_SIGN = 0.12
_PAIR = 0.15
_YEAR = 0.08
_NOTED = 1.05
_NEXT = 0.8
_CAUSELESS = 0.25


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence that may answer.

    Attributes:
        score: How well it fits, mostly 0 to 1.3: the share of the question that it says, and what else speaks for it.
    """

    sentence: Sentence
    score: float


def find_sentences(question: Question, asked: AskedWords, document: Document) -> tuple[SentenceCandidate, ...]:
    """Return the sentences of a document that may answer a question, the best first."""
    sentences = document.sentences
    if not sentences:
        return ()
    if asked == "table":
        return _of_table(question, sentences)
    wanted = stems_said(question)
    if not wanted:
        return ()
    said = [stems(sentence.text.lower()) for sentence in sentences]
    weights = _weights(wanted, said)
    scores = [_overlap(wanted, own, weights) for own in said]
    noted = _footnotes(wanted, weights, document)
    sign = _SIGNS.get(asked)
    behind = words_behind(question.lowered) if asked == "ground" else None
    found = []
    for place, sentence in enumerate(sentences):
        own = scores[place]
        if place and _GOES_ON.match(sentence.text) and sentences[place - 1].section == sentence.section:
            own = max(own, _NEXT * scores[place - 1])
        note = _NOTE.match(sentence.text)
        if note and note[1] in noted:
            own = max(own, _NOTED * noted[note[1]])
        if own <= 0:
            continue
        text = sentence.text.lower()
        own += _SIGN * bool(sign and sign.search(sentence.text)) + _SIGN * bool(behind and behind in text)
        if asked == "cause":
            own -= _CAUSELESS * (not _CAUSE.search(text)) + _moved_otherwise(question.lowered, text)
        own += _YEAR * _years(question, sentence)
        found.append(SentenceCandidate(sentence, own))
    return tuple(sorted(found, key=lambda each: -each.score))


def stems_said(question: Question) -> list[str]:
    """Return the stems of what a question names; none of the words that only ask ("why", "reason", "calculated")."""
    return [stem for stem in stems(question.lowered) if stem not in _ASKS_ONLY]


def _weights(wanted: Sequence[str], said: Sequence[Sequence[str]]) -> dict[str, float]:
    counts = Counter(stem for own in said for stem in set(own))
    return {stem: math.log(1 + len(said) / (0.5 + counts[stem])) for stem in wanted}


def _overlap(wanted: Sequence[str], own: Sequence[str], weights: dict[str, float]) -> float:
    """Return the share of the question's words that a sentence has, with more where they stand side by side."""
    have, total = set(own), sum(weights[stem] for stem in wanted)
    shared = sum(weights[stem] for stem in wanted if stem in have)
    pairs = list(pairwise(wanted))
    beside = set(pairwise(own))
    return shared / total + (_PAIR * sum(pair in beside for pair in pairs) / len(pairs) if pairs else 0.0)


def _years(question: Question, sentence: Sentence) -> int:
    """Return 1 where a sentence names a year of the question, -1 where it names others alone."""
    if not question.years:
        return 0
    named = {year for period, _, _ in sentence.periods for year in (period.year, period.last) if year}
    if named & question.year_set:
        return 1
    return -1 if named else 0


def _moved_otherwise(question: str, sentence: str) -> float:
    """Return what a sentence has less that says nothing of the move whose cause is asked for, or names the other."""
    asked = [number for number, words in enumerate(_MOVES) if words.search(question)]
    if len(asked) != 1 or _MOVES[asked[0]].search(sentence):
        return 0.0
    return _OTHER_MOVE if _MOVES[1 - asked[0]].search(sentence) else _NO_MOVE


def _footnotes(wanted: Sequence[str], weights: dict[str, float], document: Document) -> dict[str, float]:
    """Return the marks of footnotes of lines that the question names, with the share of it that the line is."""
    found: dict[str, float] = {}
    total = sum(weights.values())
    for label in _labels(document):
        marks = _FOOTNOTE.findall(label)
        own = set(stems(_FOOTNOTE.sub(" ", label).lower()))
        if not marks or not own or not own <= set(wanted):
            continue
        share = sum(weights[stem] for stem in own) / total if total else 0.0
        for mark in marks:
            found[mark] = max(found.get(mark, 0.0), share)
    return found


def _labels(document: Document) -> Iterator[str]:
    for table in document.tables:
        for row in table.cells[table.header_rows :]:
            yield row[0].text
        for row in table.cells[: table.header_rows]:
            yield from (cell.text for cell in row)


def _of_table(question: Question, sentences: Sequence[Sentence]) -> tuple[SentenceCandidate, ...]:
    """The sentences that lead to a table and say what it shows."""
    wanted = stems_said(question)
    found = []
    for sentence in sentences:
        if _TABLE.search(sentence.text):
            own = set(stems(sentence.text.lower()))
            share = sum(stem in own for stem in wanted) / len(wanted) if wanted else 0.5
            found.append(SentenceCandidate(sentence, 0.6 + 0.4 * share))
    return tuple(sorted(found, key=lambda each: -each.score))
