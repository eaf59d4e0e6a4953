"""Answers in words of the text: the sentence with the answer, and its part that answers the question."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from quaestor.conversation.answer import Answer
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import SentenceRef
from quaestor.core.words import compound_spans, words
from quaestor.documents.document import Document, Sentence
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.questions.words_asked import AskedWords, term_asked, words_asked, words_behind
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.readings import AskedTurn

_CAUSE = lazy_regex(
    r"\b(?:due to|because|driven by|attributable to|attributed to|as a result of|result(?:s|ed|ing)? (?:of|from"
    r"|primarily)"
    r"|caused by|reflect(?:s|ed|ing)?|owing to|in order to|benefit(?:t?ed|t?ing) from|impacted|related to"
    r"|relates to|offset by"
    r"|primarily (?:from|by)|led by|arising from)\b",
    re.I,
)
_SIGNS: dict[AskedWords, re.Pattern[str]] = {
    "cause": _CAUSE,
    "meaning": lazy_regex(
        r"\b(?:means?|refers? to|represents?|defined as|is the|are the|describes?|calculated)\b", re.I
    ),
    "parts": lazy_regex(r"\b(?:consist\w*|compris\w*|includ\w*|composed|made up)\b", re.I),
    "left_out": lazy_regex(r"\b(?:exclu\w+|not included?|net of|without)\b", re.I),
    "way": lazy_regex(
        r"\b(?:by|based on|using|in accordance|according to|calculated|determined|measured|defined as|as)\b", re.I
    ),
    "often": lazy_regex(
        r"\b(?:annual(?:ly)?|quarterly|monthly|daily|weekly|each|every|regularly|periodically|at least)\b", re.I
    ),
    "time": lazy_regex(r"\b(?:when|if|once|upon|until|after|before|(?:19|20)\d\d)\b", re.I),
    "place": lazy_regex(r"\b(?:in|at|within|under|note)\b", re.I),
    "person": lazy_regex(r"\bby\b|\b[A-Z]\w+ [A-Z]\w+"),
}
_TABLE = lazy_regex(
    r"\btables? (?:below |above )?(?:\w+ )?(?:sets? (?:forth|out)|show\w*|present\w*|summari[sz]\w*|provid\w*"
    r"|detail\w*|reflect\w*"
    r"|includ\w*|represent\w*|illustrat\w*|reconcil\w*|outlin\w*)|\b(?:is|are|was|were|as) (?:as follows"
    r"|follows|shown below"
    r"|presented below|summari[sz]ed (?:below|as follows|in the)|set (?:forth|out) below)|:\s*$|\bfollowing table\b",
    re.I,
)
_MOVES = (
    lazy_regex(
        r"\b(?:increas\w+|rose|ris(?:e|es|ing|en)|gr[eo]w\w*|growth|higher|improv\w+|up|gain\w*|expan\w+"
        r"|climb\w*)\b"
    ),
    lazy_regex(
        r"\b(?:decreas\w+|f[ea]ll(?:s|ing|en)?|declin\w+|lower|drop\w*|reduc\w+|down|los[st]\w*|shr[aiu]nk"
        r"|worsen\w*|weak\w*)\b"
    ),
)
_NO_MOVE = 0.15
_OTHER_MOVE = 0.4
_FOOTNOTE = lazy_regex(r"\(\s*(\d{1,2}|[a-z])\s*\)")
_NOTE = lazy_regex(r"^\s*\(\s*(\d{1,2}|[a-z])\s*\)")
_CONTINUES = lazy_regex(
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
    """Sentence that may answer a question.

    Attributes:
        score: Share of the question's words that it has, plus other evidence; mostly 0 to 1.3.
    """

    sentence: Sentence
    score: float


def find_sentences(question: Question, words: AskedWords, document: Document) -> tuple[SentenceCandidate, ...]:
    """Return the sentences of a document that may answer a question, best first."""
    sentences = document.sentences
    if words == "table":
        return _find_table_sentences(question, sentences)
    wanted = list_named_stems(question)
    if not wanted:
        return ()
    stem_lists = [stems(sentence.text.lower()) for sentence in sentences]
    weights = _weigh_stems(wanted, stem_lists)
    scores = [_measure_overlap(wanted, own, weights) for own in stem_lists]
    noted = _find_footnotes(wanted, weights, document)
    sign = _SIGNS.get(words)
    behind = words_behind(question.lowered) if words == "ground" else None
    found = []
    for place, sentence in enumerate(sentences):
        own = scores[place]
        if place and _CONTINUES.match(sentence.text) and sentences[place - 1].section == sentence.section:
            own = max(own, _NEXT * scores[place - 1])
        note = _NOTE.match(sentence.text)
        if note and note[1] in noted:
            own = max(own, _NOTED * noted[note[1]])
        if own <= 0:
            continue
        text = sentence.text.lower()
        own += _SIGN * bool(sign and sign.search(sentence.text)) + _SIGN * bool(behind and behind in text)
        if words == "cause":
            own -= _CAUSELESS * (not _CAUSE.search(text)) + _penalise_other_move(question.lowered, text)
        own += _YEAR * _compare_years(question, sentence)
        found.append(SentenceCandidate(sentence, own))
    return tuple(sorted(found, key=lambda each: -each.score))


def list_named_stems(question: Question) -> list[str]:
    """Return the stems of a question without those that only ask ("why", "reason", "calculated")."""
    return [stem for stem in stems(question.lowered) if stem not in _ASKS_ONLY]


def _weigh_stems(wanted: Sequence[str], stem_lists: Sequence[Sequence[str]]) -> dict[str, float]:
    counts = Counter(stem for own in stem_lists for stem in set(own))
    return {stem: math.log(1 + len(stem_lists) / (0.5 + counts[stem])) for stem in wanted}


def _measure_overlap(wanted: Sequence[str], own: Sequence[str], weights: dict[str, float]) -> float:
    """Weighted share of the question's words that a sentence has, plus a bonus for adjacent ones."""
    have, total = set(own), sum(weights[stem] for stem in wanted)
    shared = sum(weights[stem] for stem in wanted if stem in have)
    pairs = list(pairwise(wanted))
    neighbours = set(pairwise(own))
    return shared / total + (_PAIR * sum(pair in neighbours for pair in pairs) / len(pairs) if pairs else 0.0)


def _compare_years(question: Question, sentence: Sentence) -> int:
    """1 if a sentence names a year of the question, -1 if it only names others, 0 otherwise."""
    if not question.years:
        return 0
    named = {year for period, _, _ in sentence.periods for year in (period.year, period.last) if year}
    if named & question.year_set:
        return 1
    return -1 if named else 0


def _penalise_other_move(question: str, sentence: str) -> float:
    """Penalty for a sentence that lacks the move whose cause is requested, or names the opposite one."""
    asked = [number for number, words in enumerate(_MOVES) if words.search(question)]
    if len(asked) != 1 or _MOVES[asked[0]].search(sentence):
        return 0.0
    return _OTHER_MOVE if _MOVES[1 - asked[0]].search(sentence) else _NO_MOVE


def _find_footnotes(wanted: Sequence[str], weights: dict[str, float], document: Document) -> dict[str, float]:
    """Marks of the footnotes of lines that the question names, with the line's share of the question's words."""
    found: dict[str, float] = {}
    total = sum(weights.values())
    for label in _list_labels(document):
        marks = _FOOTNOTE.findall(label)
        own = set(stems(_FOOTNOTE.sub(" ", label).lower()))
        if not marks or not own or not own <= set(wanted):
            continue
        share = sum(weights[stem] for stem in own) / total if total else 0.0
        for mark in marks:
            found[mark] = max(found.get(mark, 0.0), share)
    return found


def _list_labels(document: Document) -> Iterator[str]:
    for table in document.tables:
        for row in table.cells[table.header_rows :]:
            yield row[0].text
        for row in table.cells[: table.header_rows]:
            yield from (cell.text for cell in row)


def _find_table_sentences(question: Question, sentences: Sequence[Sentence]) -> tuple[SentenceCandidate, ...]:
    """Sentences that introduce a table."""
    wanted = list_named_stems(question)
    found = []
    for sentence in sentences:
        if _TABLE.search(sentence.text):
            own = set(stems(sentence.text.lower()))
            share = sum(stem in own for stem in wanted) / len(wanted) if wanted else 0.5
            found.append(SentenceCandidate(sentence, 0.6 + 0.4 * share))
    return tuple(sorted(found, key=lambda each: -each.score))


# The part of a sentence that answers a question: the words after those of the question.
#
# If no such part is found, the whole sentence is the answer.


Span = tuple[int, int]

_HOW_MUCH = r"(?:(?:primarily|mainly|principally|largely|partially|partly|mostly|substantially|chiefly|only)\s+)?"
_AFTER: dict[AskedWords, tuple[str, ...]] = {
    "cause": (
        rf"{_HOW_MUCH}(?:due (?:primarily |mainly )?(?:to|from)|attributable {_HOW_MUCH}to|attributed {_HOW_MUCH}to"
        rf"|driven {_HOW_MUCH}by|because"
        rf" of|caused by|(?:as )?(?:a|the) result of"
        r"|result(?:s|ed|ing)? from|owing to|related to|benefit\w* from|impacted (?:primarily |mainly )?by"
        r"|reflect(?:s|ed|ing))\s+",
    ),
    "meaning": (
        r"\b(?:represents?|means?|refers? to|(?:is|are) defined as|defined as|describes?|stands for|measures?"
        r"|indicates?)\s+",
        r"\b(?:is|are)\s+",
    ),
    "parts": (
        r"^(?:\(\w\)\s+)?included (?:in|among) .*?\b(?:is|are|was|were)\s+",
        r"\b(?:consist\w*|compris\w*|includ\w*|(?:is|are|was|were) (?:composed|made up))(?: of)?(?: primarily"
        r"| mainly| principally)?"
        r"(?: of)?:?\s+",
    ),
    "left_out": (r"\b(?:exclud\w+|does not include|do not include)\s+",),
    "way": (
        r"\b(?:defined|classified|recogni[sz]ed|recorded|reported|treated|accounted for|presented) as\s+",
        r"\b(?:by|through)\s+(?=\w+ing\b)",
        r"\b(?:is|are) (?:the|calculated as|computed as|equal to)\s+",
    ),
    "place": (r"\b(?:in|at|within|under|on)\s+",),
    "person": (r"\bby\s+",),
}
_FROM: dict[AskedWords, tuple[str, ...]] = {
    "cause": (
        rf"{_HOW_MUCH}\b(?:due (?:primarily |mainly )?(?:to|from)|because|attributable {_HOW_MUCH}to"
        rf"|attributed {_HOW_MUCH}to|driven"
        rf" {_HOW_MUCH}by|as a result of|result(?:ed|ing) from|owing to"
        r"|in order to|to (?:reduce|ensure|provide|reflect|achieve|avoid|allow|manage|hedge|align|support"
        r"|enable|meet|protect|better)"
        r"|caused by|for the purpose of|so that|since)\b",
    ),
    "way": (
        r"\b(?:based (?:up)?on|using|in accordance with|according to|on (?:a|an|the) \w+(?:[- ]\w+){0,2} basis"
        r"|to the|at the)\b",
    ),
    "time": (r"\b(?:when|if|once|upon|where|as soon as|at the time|prior to|after)\b",),
    "often": (
        r"\b(?:(?:at least )?(?:semi-?)?annually|quarterly|monthly|weekly|daily|(?:each|every) \w+(?: \w+)?|on"
        r" an? \w+ basis)",
    ),
}
_LINK = lazy_regex(
    r"\s*(?:(?:is|are|was|were|has|have|had|been|be|to|as|by|of|that|with|on|for|at|in|from)\b\s*)+", re.I
)
_SHOWS = (
    lazy_regex(
        r"\btables? (?:below |above )?(?:\w+ )?(?:sets? (?:forth|out)|show\w*|present\w*|summari[sz]\w*"
        r"|provid\w*|detail\w*|reflect\w*"
        r"|represent\w*|illustrat\w*|reconcil\w*|outlin\w*)\s+(?P<answer>.+?)(?:\s+(?:as follows|below))?\s*$",
        re.I,
    ),
    lazy_regex(
        r"^(?:\(?\w\)\s+)?(?:the following (?:is|are|was|were)\s+)?(?:an?\s+|the\s+)?(?P<answer>.+?),?\s+(?:is"
        r"|are|was|were|has been|have been)"
        r"\s+(?:as follows|shown|presented|summari[sz]ed|set (?:forth|out)|detailed|provided|reflected|included)\b",
        re.I,
    ),
    lazy_regex(
        r"^(?:\(?\w\)\s+)?(?:the\s+)?(?P<answer>.+?)\s+(?:consist\w*|compris\w*|(?:is|are|was|were) (?:composed"
        r"|comprised|made up))"
        r"(?: of)? the following",
        re.I,
    ),
    lazy_regex(r"\bfollowing (?:table )?(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(?P<answer>.+?)\s*$", re.I),
)
_ENDS = lazy_regex(r"(?<![\s.:;,])[\s.:;,]++$")
_MOST = 0.7
_GAP = 7
"""Most words between two words of the question that belong together."""
_MARK = lazy_regex(r"\s*(?:\(\s*\w{1,2}\s*\)\s*)?")
_ELLIPTIC = lazy_regex(
    r"(?:includes?|excludes?|represents?|consists?|comprises?|primarily|mainly|reflects?|relates?|refers?)\b", re.I
)
"""Start of a sentence that begins with its verb, as in footnotes: all of it is the answer."""
_CLAUSE = lazy_regex(r";\s|,\s(?:while|whereas|although)\b", re.I)
_WHY = lazy_regex(r"(?:and |but |so |then )*(?:why|how come|how so)\b|[^?]*, why\b|\w+ [^,]{0,30}, why\b")
_PAST = lazy_regex(r".*\b(?:when|since when) (?:did|was|were|has|have|had)\b")


def trim_sentence(sentence: Sentence, question: Question, words: AskedWords) -> Span:
    """Return where in a sentence the answer begins and ends."""
    text = sentence.text
    end = len(_ENDS.sub("", text))
    if words == "table":
        return _trim_table(text, end)
    if words == "often" and (found := _find_first(_FROM["often"], text, 0)):
        return found.span()
    if words == "time" and _PAST.match(question.lowered) and (dated := _find_date(sentence)):
        return dated
    if words == "person" and (named := _find_name(text, question)):
        return named
    begin = _MARK.match(text)
    whole = begin.end() if begin else 0
    start = None if _ELLIPTIC.match(text, whole) else _find_start(text, question, words)
    if start is None or len(text[start:end].split()) < 1 + (words == "rest"):
        return whole, end
    stop = _CLAUSE.search(text, start, end)
    return start, stop.start() if stop and len(text[start : stop.start()].split()) > 1 else end


def _find_start(text: str, question: Question, words: AskedWords) -> int | None:
    question_end = _find_question_end(text, question)
    if words == "cause" and _WHY.match(question.lowered):
        found = _find_first(_FROM["cause"], text, 0)
        return found.start() if found else None
    if words == "ground" and (behind := words_behind(question.lowered)):
        forms = (rf"\b{re.escape(behind)}\s+",)
        found = _find_first(forms, text, question_end) or _find_first(forms, text, 0)
        if found:
            return found.end()
    if words in ("way", "time") and (found := _find_first(_FROM[words], text, question_end)):
        after = _find_first(_AFTER.get(words, ()), text, question_end)
        return min(found.start(), after.end()) if after else found.start()
    # The verb may be in the question itself: "what does it include?"
    begin = 0 if words in ("cause", "meaning", "parts", "left_out") else question_end
    if words in _AFTER and (found := _find_first(_AFTER[words], text, begin)):
        return found.end()
    return _find_words_after(text, _find_stretch_end(text, question))


def _find_first(forms: tuple[str, ...], text: str, start: int) -> re.Match[str] | None:
    for form in forms:
        if found := re.compile(form, re.I).search(text, start):
            return found
    return None


def _find_question_end(text: str, question: Question) -> int:
    """Position by which a sentence has most of the question's words that it has in total."""
    wanted = set(list_named_stems(question))
    places = [(end, wanted & set(stems(text[start:end].lower()))) for start, end in compound_spans(text.lower())]
    most = _MOST * len(set().union(*(own for _, own in places)))
    seen: set[str] = set()
    for end, own in places:
        seen |= own
        if seen and len(seen) >= most:
            return end
    return 0


def _find_stretch_end(text: str, question: Question) -> int:
    """End of the first stretch of a sentence in which the question's words are close together."""
    wanted = set(list_named_stems(question))
    last = None
    for start, end in compound_spans(text.lower()):
        if wanted & set(stems(text[start:end].lower())):
            if last is not None and text[last:start].count(" ") > _GAP:
                break
            last = end
    return last or 0


def _find_words_after(text: str, place: int) -> int | None:
    """Start of the words after a position, without the verb and the preposition before them."""
    link = _LINK.match(text, place)
    start = link.end() if link else place
    while start < len(text) and not (text[start].isalnum() or text[start] in "$\u20ac\u00a3\"'\u201c\u2018("):
        start += 1
    return start if start < len(text) else None


def _find_date(sentence: Sentence) -> Span | None:
    """Span of the time that a sentence names, if there is exactly one."""
    spans = [(start, end) for _, start, end in sentence.periods]
    return spans[0] if len(spans) == 1 else None


def _find_name(text: str, question: Question) -> Span | None:
    """Span of a name: after "by", or before the requested office ("JANE DOE, Treasurer")."""
    if found := re.search(r"\bby ((?:the |our )?(?:[A-Z][\w.&-]*(?: (?:of|and|the))? ?)+)", text):
        return found.start(1), found.start(1) + len(found[1].rstrip())
    found = re.match(r"\s*((?:[A-Z][\w.-]+ ){1,4}[A-Z][\w.-]+)(?:, | (?:is|was|has|serves) )", text)
    return found.span(1) if found and not set(stems(found[1].lower())) & set(list_named_stems(question)) else None


def _trim_table(text: str, end: int) -> Span:
    for form in _SHOWS:
        if found := form.search(text[:end]):
            start, stop = found.span("answer")
            return start, stop
    return 0, end


def _build_plan(spans: Sequence[tuple[Sentence, Span]], document: str, label: str) -> Plan:
    steps = tuple(
        Extract(
            number,
            SentenceRef(document, sentence.section, sentence.index, start, end),
            label,
            None,
            text=sentence.text[start:end],
        )
        for number, (sentence, (start, end)) in enumerate(spans, start=1)
    )
    if len(steps) == 1:
        return Plan(steps)
    return Plan((*steps, Compute(len(steps) + 1, "items", tuple(Ref(step.id) for step in steps))))


SURE = 0.6
"""Least score of a sentence that is used as an answer: 95 % of questions reach it on their own page, 1.5 % on another
page (TAT-QA's development split)."""
_SURER = 0.75
"""The same if the question may ask for a number instead."""
_LONGEST = 60
_OWN = 3
"""Least number of content words in a question that needs no earlier one, even if it has a pronoun."""
_NAMED = 2
_POINTS = lazy_regex(r"\b(?:it|its|they|them|their|this|that|these|those)\b")


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """Words of a document that may answer a question.

    Attributes:
        answer: With its plan, confidence and source.
        sure: Whether the words fit well enough to be given even if the solver can abstain.
        certain: Whether the question can only ask for words.
    """

    answer: Answer
    sure: bool
    certain: bool


def answer_with_text(turn: AskedTurn, least: float) -> Iterator[Answer]:
    """Yield the words that best answer a question; none if it may ask for a number and they hardly fit."""
    found = answer_in_words(turn.question, turn.context)
    if found is not None and (found.sure or found.certain):
        yield found.answer


def answer_in_words(question: Question, context: TurnContext) -> SpanCandidate | None:
    """Return the words that best answer a question; None if it asks for none, or no sentence fits."""
    asked = words_asked(question.lowered)
    certain = asked is not None and question.wants.kind == "span"
    if asked is None:
        return _find_definition(question, context)
    complete = _complete_question(question, context)
    found = next(iter(find_sentences(complete, asked, context.document)), None)
    if found is None:
        return None
    span = trim_sentence(found.sentence, complete, asked)
    if not certain and _is_number(found.sentence, span):
        return None
    answer = _build_answer([(found.sentence, span)], found.sentence, question, context, found.score)
    return SpanCandidate(answer, found.score >= (SURE if certain else _SURER), certain)


def _is_number(sentence: Sentence, span: tuple[int, int]) -> bool:
    """Whether a span is little more than a number, which the ranker finds with its scale and unit."""
    start, end = span
    text = sentence.text[start:end]
    for mention in sentence.mentions:
        if start <= mention.ref.start and mention.ref.end <= end:
            text = text.replace(sentence.text[mention.ref.start : mention.ref.end], " ")
    return text != sentence.text[start:end] and len(words(text)) < _OWN


def _complete_question(question: Question, context: TurnContext) -> Question:
    """The question with the words of an earlier one if it names nothing: "why did it fall?"."""
    named = list_named_stems(question)
    if named and (len(named) >= _OWN or _POINTS.search(question.lowered) is None):
        return question
    # "And the change?" names nothing either.
    before = next(
        (each for each in reversed(context.memory.parsed_questions) if len(list_named_stems(each)) >= _NAMED), None
    )
    return question if before is None else Question(f"{question.text} {before.text}")


def _find_definition(question: Question, context: TurnContext) -> SpanCandidate | None:
    """Definition of a term in the text, if a question may ask for one."""
    term = term_asked(question.lowered)
    if term is None or _is_line(term, context.document):
        return None
    form = re.compile(
        rf"(?:^|[.;:)]\s+|\b(?:the|an?|our)\s+|,\s+while\s+){re.escape(term)}\b(?:\s*\([^()]{{1,40}}\))?,?\s+"
        r"(?:is|are|means?|refers? to|represents?|consists? of|includes?|comprises?|reflects?"
        r"|measures?)\s+(?!\$|\d|not\b)",
        re.IGNORECASE,
    )
    for sentence in context.document.sentences:
        if (match := form.search(sentence.text)) and len(sentence.text[match.end() :].split()) > 2:
            span = match.end(), len(sentence.text.rstrip(" .:;,"))
            answer = _build_answer([(sentence, span)], sentence, question, context, 1.0)
            return SpanCandidate(answer, sure=True, certain=False)
    return None


def _is_line(term: str, document: Document) -> bool:
    """Whether a line or a column of a table has that name: then the question asks for its number."""
    wanted = set(stems(term))
    heads = (head for table in document.tables for head in (*table.rows[table.header_rows :], *table.columns))
    return any(wanted <= set(stems(head.label.lower())) for head in heads)


def _label_question(question: Question) -> str:
    return question.text.strip().rstrip("?")[:_LONGEST]


def _build_answer(
    spans: Sequence[tuple[Sentence, Span]], sentence: Sentence, question: Question, context: TurnContext, score: float
) -> Answer:
    """Return the answer that quotes some spans.

    Args:
        sentence: The sentence that the grounds name.
        score: How well that sentence fits the question.
    """
    label = _label_question(question)
    plan = _build_plan(spans, context.document.id, label)
    return replace(
        answer_from_plan(plan, context, question=question.text),
        description=label,
        entity=None,
        period=None,
        confidence=_estimate_confidence(score),
        answerable=_estimate_answerability(score),
        grounds=_describe_grounds(sentence, question),
    )


def _estimate_confidence(score: float) -> float:
    """Probability that the words are exactly those that annotators would mark; fitted on TAT-QA's answers."""
    return 0.5 / (1 + math.exp(-6 * (score - 0.7)))


def _estimate_answerability(score: float) -> float:
    """Probability that the sentence has the answer, in a longer or shorter span; fitted on TAT-QA's answers."""
    return 1 / (1 + math.exp(-5 * (score - 0.5)))


def _describe_grounds(sentence: Sentence, question: Question) -> str | None:
    text = set(words(sentence.text))
    shared = list(dict.fromkeys(word for word in words(question.lowered) if word in text and len(word) > 3))
    return f'sentence "{" ".join(shared)}"' if shared else None
