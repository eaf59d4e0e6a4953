"""Evidence for an answer in a filing, and plans that quote the sentences that answer a question."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from math import log, nan

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import SentenceRef
from quaestor.core.terms import terms
from quaestor.facts.sentences import STATIC, Flags, SentenceIndex
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import LexiconMatch, find_synonyms, read_lexicon
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.answer_units import KINDS
from quaestor.questions.word_patterns import STOP_TERMS, asks_for
from quaestor.solvers.embedded.filings.composing import BoundQuestion, Proposal, softmax
from quaestor.solvers.embedded.filings.words import SentenceCandidates
from quaestor.solvers.embedded.trees import Trees

_SHARES: Mapping[str, float] = {"why": 3.0, "description": 3.0, "text_fact": 0.5, "two_part": 0.1, "yesno": 0.1}
"""Weight of an intent's probability for its first sentences. Only sentences give reasons and descriptions,
and the first of eighty is right more often than its share suggests.
"""
_OF_COMPARISONS = 0.3
"""Share of comparisons that a sentence answers with yes or no."""
_CLOSED = lazy_regex(
    r"(?:^|[,;]\s)(?:(?:and|so|but|also|ok|then|according to [\w\s-]{1,30},)\s+)?"
    r"(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|any|anything)\b"
)
"""Beginnings of yes-or-no questions."""
_NEGATED = lazy_regex(
    r"\b(?:(?:no|not)(?! (?:(?:more|less|fewer|greater|higher|lower|later|earlier|longer) than|(?:to )?exceed|only"
    r"|limited to)\b)"
    r"|never|none|neither|nor|nothing|without|cannot|denied|denies|declined|pending|unfavorable)\b|n['\u2019]t\b"
)
_WHO = lazy_regex(r"^(?:and |so )?who(?:'?s|\u2019s|m)?\b", re.IGNORECASE)
_NAME = lazy_regex(r"\b[A-Z][\w'\u2019-]*\.?(?: (?:& )?[A-Z][\w'\u2019-]*\.?){1,5}")
_NOT_NAMES = frozenset(
    """the our we a an in on this that these as of chief executive financial operating accounting technology legal
    principal officer officers president senior vice chair chairman chairwoman board director directors committee audit
    company corporation management executive general counsel interim decision maker item part form annual report
    securities exchange act section january february march april may june july august september october november
    december""".split()
)
"""Capitalized words that are not part of a person's name."""
_EXPLAINED = ("why", "description")
"""Intents that several sentences may answer together."""
_NEITHER = ("yesno", "two_part", "unanswerable", "ambiguous")
"""Intents that do not affect how much is quoted."""
_LEAST = 0.02
_PROPOSED = 3
_LONGEST = 3
"""Maximum number of sentences to quote together."""
_LABEL = 60
_OPENS = STATIC.index("opens")


@dataclass(frozen=True, slots=True)
class LikelySentence:
    """Sentence that may answer a question: its place in the index, its score and its probability."""

    place: int
    score: float
    share: float


def rank_sentences(candidates: SentenceCandidates, ranker: Trees) -> list[LikelySentence]:
    """Return the candidate sentences, likeliest first."""
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
    """Return plans that quote an answer, likeliest first; empty if the question asks for a number."""
    share = sum(intents[name] * part for name, part in _SHARES.items())
    if share < _LEAST:
        return []
    explained = sum(intents[name] for name in _EXPLAINED)
    reasons = explained > 1.0 - explained - sum(intents[name] for name in _NEITHER)
    label = question.strip().rstrip("?")[:_LABEL]
    quoted = [(one, tuple(continue_quote(one.place, table.sentences, reasons=reasons))) for one in ranked]
    if asks_who(question):
        sentences = table.sentences.sentences
        named = [one for one in quoted if any(names_somebody(sentences[place].text) for place in one[1])]
        quoted = named or quoted
    return [_propose(quote(places, table, label), sentence, share, "words") for sentence, places in quoted[:_PROPOSED]]


def asks_who(question: str) -> bool:
    """Return whether a question begins with "who"."""
    return _WHO.search(question) is not None


def names_somebody(text: str) -> bool:
    """Return whether a sentence has a capitalized name of at least two words, apart from offices.

    >>> names_somebody("She is Chief Executive Officer."), names_somebody("Jane Roe is the Chief Executive Officer.")
    (False, True)
    """
    runs = (found[0].lower().split() for found in _NAME.finditer(text))
    return any(len([word for word in run if word not in _NOT_NAMES]) > 1 for run in runs)


def _propose(plan: Plan, sentence: LikelySentence, share: float, form: str, **known: float) -> Proposal:
    """Return a plan that takes its answer from a sentence, with features."""
    features = {"words": share, "words_score": sentence.score, "sentence": sentence.share, **known}
    return Proposal(plan, log(share) + log(sentence.share + 1e-6), form, (), (), features)


def propose_verdicts(
    question: str, ranked: Sequence[LikelySentence], table: FactTable, intents: Mapping[str, float]
) -> list[Proposal]:
    """Return plans that answer yes or no because a sentence affirms or denies it, likeliest first."""
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


def continue_quote(place: int, index: SentenceIndex, *, reasons: bool) -> Iterator[int]:
    """Yield the sentences to quote together, starting with the one that answers.

    Args:
        reasons: Whether the question asks for reasons or a description, which extend to the end of a paragraph.
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
    """Return a plan that quotes sentences as printed."""
    name = label if len(places) == 1 else ""
    steps = [extract_sentence(id, place, table, name) for id, place in enumerate(places, 1)]
    if len(steps) == 1:
        return Plan(tuple(steps))
    return Plan((*steps, Compute(len(steps) + 1, "items", tuple(Ref(step.id) for step in steps))))


def extract_sentence(id: int, place: int, table: FactTable, label: str, start: int = 0) -> Extract:
    """Return the step that quotes a sentence as printed, from a position on."""
    sentence = table.sentences.sentences[place]
    text = sentence.text[start:].strip()
    start = sentence.text.index(text, start)
    source = SentenceRef(table.document.id, sentence.section, sentence.index, start, start + len(text))
    return Extract(id, source, label, None, text=text)


_NAMES = 8
"""Maximum number of names of a concept to search for."""
_FEW = 2
"""Minimum number of needs of a question that does not refer to an earlier one."""
_LEAST_WEIGHT = 1.0
"""Minimum weight of a need."""
_IDENTIFIER = lazy_regex(r"[1-9][0-9]{2}")
"""A number that may be a name, such as that of an aircraft."""
_TIMES = frozenset(
    terms(
        "year quarter month week day fiscal last prior previous latest recent current period annual fy yr yoy half "
        "first second third fourth january february march april may june july august september october november "
        "december begin end start ago total net amount number value number percent million billion thousand"
    )
)
"""Terms of times and amounts, which lines need not contain."""
_MONEY, _PERCENT, _NUMBERS = (STATIC.index(name) for name in ("money", "percent", "numbers"))


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a question names, and the places that contain it.

    Attributes:
        weight: Its weight: how rare it is.
        lines: A mask of the table lines that contain it.
        sentences: A mask of the sentences that contain it.
        concepts: The concepts that the lexicon has for its name.
    """

    weight: float
    lines: Flags = field(repr=False)
    sentences: Flags = field(repr=False)
    concepts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Needs of a question.

    Attributes:
        own: What the question names.
        inherited: What earlier questions named, if the question builds on them.
    """

    own: tuple[Need, ...]
    inherited: tuple[Need, ...] = ()


def find_evidence(question: BoundQuestion, inherited: Iterable[str]) -> Evidence:
    """Find what a question needs, and which lines and sentences of its filing contain it.

    Args:
        inherited: Terms of earlier questions that the question may build on.
    """
    reading, table = question.reading, question.table
    phrase = tuple(terms(reading.text))
    own = _find_needs(phrase, table)
    if not question.before or not (reading.goes_on or len(own) < _FEW):
        return Evidence(own)
    named = any(need.concepts for need in own)
    rest = tuple(sorted(set(inherited).difference(phrase)))
    before = _find_needs(rest, table)
    return Evidence(own, tuple(need for need in before if not (named and need.concepts)))


def _find_needs(phrase: Sequence[str], table: FactTable) -> tuple[Need, ...]:
    lexicon = read_lexicon()
    matches = [one for one in lexicon.find(tuple(phrase)) if not _TIMES.issuperset(phrase[one.start : one.end])]
    named = {place for one in matches for place in range(one.start, one.end)}
    needs = [_build_need(one, phrase, table) for one in matches]
    wanted = [
        term
        for term in dict.fromkeys(term for place, term in enumerate(phrase) if place not in named)
        if term not in STOP_TERMS and term not in _TIMES and term not in table.company
        if not term[0].isdigit() or (_IDENTIFIER.fullmatch(term) and table.mentions(term))
    ]
    synonyms = find_synonyms(phrase, wanted, table.mentions)
    for term in wanted:
        lines, sentences = _find_places((term,), table)
        for synonym in synonyms:
            if term in synonym.replaced:
                others = _find_places(tuple(synonym.printed), table)
                lines, sentences = lines | others[0], sentences | others[1]
        needs.append(Need(max(_LEAST_WEIGHT, table.sentences.rarity(term)), lines, sentences))
    return tuple(needs)


def _build_need(match: LexiconMatch, phrase: Sequence[str], table: FactTable) -> Need:
    lexicon = read_lexicon()
    concepts = set(match.concepts)
    called = [lexicon.concepts[name].phrases for name in match.concepts if name in lexicon.concepts]
    for name in match.measures:
        measure = lexicon.measures[name]
        called.append(measure.phrases)
        if measure.formula:
            concepts |= set(measure.formula.concepts())
    lines, sentences = _find_places(phrase[match.start : match.end], table)
    for other in dict.fromkeys(one for phrases in called for one in phrases[:_NAMES]):
        others = _find_places(other, table)
        lines, sentences = lines | others[0], sentences | others[1]
    for concept in concepts:
        for line in table.by_concept.get(concept, ()):
            if line.sentence:
                sentences[_find_sentence(table, line.cells[0].ref)] = True
            else:
                lines[line.place] = True
    weight = max(table.sentences.rarity(term) for term in phrase[match.start : match.end])
    return Need(max(_LEAST_WEIGHT, weight), lines, sentences, frozenset(concepts))


def _find_sentence(table: FactTable, ref: object) -> list[int]:
    """Return the index place of a source sentence, as a list; empty for a cell."""
    if not isinstance(ref, SentenceRef):
        return []
    place = table.sentences.places.get((ref.section, ref.sentence))
    return [] if place is None else [place]


def _find_places(phrase: Sequence[str], table: FactTable) -> tuple[Flags, Flags]:
    """Return masks of the table lines and the sentences that contain all terms."""
    lines, sentences = np.zeros(len(table.lines), np.bool_), np.zeros(len(table.sentences.sentences), np.bool_)
    if phrase:
        in_lines = [table.postings.get(term, ()) for term in phrase]
        if all(in_lines):
            lines[list(set(in_lines[0]).intersection(*in_lines[1:]))] = True
        in_text = [table.sentences.postings.get(term) for term in phrase]
        if all(one is not None for one in in_text):
            has_all = partial(np.intersect1d, assume_unique=True)
            sentences[reduce(has_all, [one for one in in_text if one is not None])] = True
    return lines, sentences


def measure_joint(evidence: Evidence, question: BoundQuestion, kinds: Sequence[float]) -> dict[str, float]:
    """Return the largest share of a question's needs that occurs in one line or sentence.

    Args:
        kinds: The probability of each kind of answer, in the order of `KINDS`.
    """
    index = question.table.sentences
    numbered = index.static[:, _NUMBERS] > 0 if len(index.sentences) else np.zeros(0, np.bool_)
    kind = KINDS[int(np.argmax(kinds))] if kinds else ""
    column = {"money": _MONEY, "price": _MONEY, "percent": _PERCENT}.get(kind)
    of_kind = numbered if column is None or not len(numbered) else numbered & (index.static[:, column] > 0)
    found = {"needs": float(len(evidence.own)), "needs_inherited": float(len(evidence.inherited))}
    for name, needs in (("", evidence.own), ("_inherited", evidence.own + evidence.inherited)):
        if not needs:
            continue
        weights = np.array([need.weight for need in needs])
        weights /= weights.sum()
        lines = multiply(weights, np.array([need.lines for need in needs]))
        sentences = multiply(weights, np.array([need.sentences for need in needs]))
        in_lines, anywhere = _highest(lines), _highest(sentences)
        joint = max(in_lines, _highest(sentences[of_kind]))
        found |= {
            f"joint_lines{name}": in_lines,
            f"joint{name}": max(in_lines, _highest(sentences[numbered])),
            f"joint_kind{name}": joint,
            f"joint_apart{name}": max(in_lines, anywhere) - joint,
        }
    return found | _measure_members(evidence, numbered)


def _highest(values: NDArray[np.float64]) -> float:
    return float(values.max(initial=0.0))


def _measure_members(evidence: Evidence, numbered: Flags) -> dict[str, float]:
    """Return features for whether what is measured and the rarest other need occur in one place."""
    measures = [need for need in evidence.own if need.concepts]
    others = [need for need in evidence.own if not need.concepts]
    if not measures or not others:
        return {}
    rarest = max(others, key=lambda need: need.weight)
    lines = np.logical_and.reduce([need.lines for need in measures])
    sentences = np.logical_and.reduce([need.sentences for need in measures])
    return {
        "member_line": float((lines & rarest.lines).any()),
        "member_near": float((lines & rarest.lines).any() or (sentences & rarest.sentences & numbered).any()),
        "member_there": float(rarest.lines.any() or rarest.sentences.any()),
    }


def measure_coverage(evidence: Evidence, proposal: Proposal, table: FactTable) -> dict[str, float]:
    """Return features for how many of a question's needs the lines and sentences of a plan cover."""
    lines = sorted({series.line.place for series in proposal.series if not series.line.sentence})
    refs = [step.source for step in proposal.plan.extracts]
    sentences = sorted({place for ref in refs for place in _find_sentence(table, ref)})
    found = {}
    for name, needs in (("own", evidence.own), ("inherited", evidence.inherited)):
        open_needs = [one for one in needs if not (one.lines[lines].any() or one.sentences[sentences].any())]
        whole = sum(need.weight for need in needs)
        found[f"needs_open_{name}"] = sum(need.weight for need in open_needs) / whole if whole else nan
        found[f"rarest_need_open_{name}"] = max((need.weight for need in open_needs), default=0.0)
    return found | {"contradicted": _contradicts(evidence.own, proposal.series)}


def _contradicts(needs: Iterable[Need], series: Sequence[Series]) -> float:
    """Return 1 if the known concepts of a plan's numbers all differ from the named ones; nan if none is named."""
    wanted = {concept for need in needs for concept in need.concepts}
    known = {one.concept for one in series if one.concept}
    return float(bool(known) and wanted.isdisjoint(known)) if wanted else nan


def count_lines(question: BoundQuestion) -> dict[str, float]:
    """Count the lines that a filing has for what a question names, and for the times that it names.

    A filing without numbers for a quarter, or without a line for what is named, hardly has the answer.
    """
    table, lexicon = question.table, read_lexicon()
    counts, at = list[int](), list[float]()
    for match in (match for operand in question.reading.operands for match in operand.matches):
        lines = {
            line.place: line for concept in match.concepts for line in table.by_concept.get(concept, ())
            if not line.sentence
        }  # fmt: skip
        named = [lexicon.concepts[name].phrases for name in match.concepts if name in lexicon.concepts]
        named += [lexicon.measures[name].phrases for name in match.measures]
        for phrase in dict.fromkeys(phrase for phrases in named for phrase in phrases[:_NAMES]):
            places = min((table.postings.get(term, ()) for term in phrase), key=len)
            called = (table.lines[place] for place in places)
            lines |= {line.place: line for line in called if set(phrase) <= {*line.label_terms}}
        counts.append(len(lines))
        if question.moments:
            moments = {moment for line in lines.values() for moment in line.moments}
            at.append(len(moments.intersection(question.moments)) / len(question.moments))
    spans = [table.lines_at.get(moment, 0) for moment in question.moments if moment.months]
    return {
        "lines_named": log(1 + min(counts)) if counts else nan,
        "most_lines_named": log(1 + max(counts)) if counts else nan,
        "lines_at_times": min(at, default=nan),
        "lines_of_period": log(1 + min(spans)) if spans else nan,
    }
