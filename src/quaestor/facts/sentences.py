"""An index of a document's sentences by their terms and their context."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Quantity, Scale
from quaestor.core.terms import spans_of_terms, terms
from quaestor.documents.document import Document, Paragraph, Sentence
from quaestor.facts.sayings import is_prose

_Key = TypeVar("_Key")

Flags = NDArray[np.bool_]
Floats = NDArray[np.float32]


def _stems(words: str) -> frozenset[str]:
    return frozenset(found for word in words.split() for found in terms(word))


RISES = _stems(
    """increase increased rose rise risen rising grew grow grown growing growth higher improve improved improvement
    gain gains expand expansion up more favorable favorably above stronger strong accelerate"""
)
FALLS = _stems(
    """decrease decreased fell fall fallen decline declined declining lower drop dropped reduce reduced reduction
    down shrink shrank worsen worse contraction deteriorate less weak weaker weakness loss losses unfavorable
    unfavorably negative below slower"""
)
CAUSE = _stems(
    """due driven drove because attributable attributed result resulted resulting reflect reflecting reflected owing
    caused led related stemming contributed impacted thanks"""
)
_SIGNS: Mapping[str, frozenset[str]] = {
    "cause": CAUSE,
    "mainly": _stems("primarily mainly principally largely mostly"),
    "offset": _stems("offset partially partly"),
    "rises": RISES,
    "falls": FALLS,
    "compares": _stems("compared versus prior year-over-year comparison"),
    "defines": _stems(
        "mean means refer defined define consist comprise comprised include represent measure calculated"
    ),
    "books": _stems("recognize recognized recorded measured when upon"),
    "excludes": _stems("exclude excluding excludes except"),
    "follows": _stems("following follows"),
    "denies": _stems("no not none never neither nor without cannot"),
    "expects": _stems(
        "expect anticipate forecast outlook guidance plan planned intend estimated will project target believe"
    ),
    "may": _stems("may could might would can should"),
    "about": _stems("approximately about nearly over roughly least"),
    "we": _stems("we company"),
    "person": _stems("officer president chairman director chief treasurer ceo cfo"),
    "served": _stems("served serve auditor auditors since"),
    "month": _stems("january february march april may june july august september october november december"),
    "three_months": _stems("quarter three"),
    "six_months": _stems("six nine half"),
    "year_named": _stems("year fiscal annual"),
    "percent": _stems("% percent basis"),
    "per": _stems("per each every"),
    "refers": _stems("see refer forth incorporated reference described discussed"),
    "forward": _stems("forward-looking assurance"),
    "adverse": _stems("adverse adversely harm risk risks"),
    "legal": _stems(
        "court plaintiff plaintiffs lawsuit complaint alleging alleged claims settlement jury appeal filed"
    ),
    "pays": _stems(
        "paid pay payment purchase purchased acquired acquisition sold completed announced agreed agreement"
    ),
    "employs": _stems("employ employees people associates workforce headcount"),
}
"""Terms of a sentence that count for a kind of question."""
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "name": re.compile(r"[a-z,] [A-Z][a-z]+,? (?:[A-Z]\. )?[A-Z][a-z]+\b|^[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][a-z]+\b"),
    "money": re.compile(r"[$\u20ac\u00a3]"),
    "quoted": re.compile(r"[\u201c\"]"),
    "listed": re.compile(r", [^,;]{1,60}, (?:and|or) "),
    "opens": re.compile(r":\s*$"),
    "firm": re.compile(r"\bLLP\b|/s/"),
    "signed": re.compile(r"/s/"),
    "place": re.compile(
        r"\b(?:in|at|near) (?:the )?(?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Note|Item|Part)[A-Z][a-z]"
        r"|\bExchange\b"
    ),
}
"""What else it may have."""

_SECTIONS: Mapping[str, re.Pattern[str]] = {
    "risks": re.compile(r"risk factors", re.IGNORECASE),
    "legal": re.compile(r"legal|contingenc|litigation", re.IGNORECASE),
    "discussion": re.compile(r"management.s discussion|results of operations|overview|highlights", re.IGNORECASE),
    "notes": re.compile(r"\bnotes? (?:to|\d)|^\d+\. |\(\d+\)|consolidated financial statements", re.IGNORECASE),
    "business": re.compile(r"\bbusiness\b|human capital|propert|employees", re.IGNORECASE),
    "policies": re.compile(r"accounting polic|recognition|critical accounting", re.IGNORECASE),
    "liquidity": re.compile(r"liquidity|capital resources|cash flow|financing", re.IGNORECASE),
    "auditor": re.compile(r"auditor|report of independent|accounting firm|signatures", re.IGNORECASE),
}
_NAMED = 0.7
"""The share of a name's places that have a capital."""
SIGNS = (*_SIGNS, *_PATTERNS, *(f"in_{name}" for name in _SECTIONS))
_SHAPE = ("length", "position", "first", "paragraph", "numbers", "counts", "shouts", "bullet", "depth")
STATIC = (*SIGNS, *_SHAPE)
"""The names of what is known of each sentence beside the question."""
_IN_AUDITOR = STATIC.index("in_auditor")
_LONGEST_REPORT = 100
"""Sentences between those of an auditor's report and its signature."""


@dataclass(frozen=True)
class SentenceIndex:
    """The sentences of a document.

    Attributes:
        sentences: In the order of the document.
        begins: The first sentence of each paragraph.
        terms: The terms of each, in order.
        numbers: By number, the sentences that print it.
        places: The sentence of a section's id and index.
        static: What is known of each beside a question.
        counted: The numbers of each: their places among its terms, and what they count: `money`, `percent`, `area`,
            `duration` or `count`.
        names: Terms that are mostly written with a capital within sentences: names of things, places and people.

    Shape: `static` is sentences x `len(STATIC)`.
    """

    sentences: tuple[Sentence, ...]
    paragraph: NDArray[np.intp] = field(repr=False)
    begins: NDArray[np.intp] = field(repr=False)
    section: NDArray[np.intp] = field(repr=False)
    postings: Mapping[str, NDArray[np.intp]] = field(repr=False)
    headings: Mapping[str, NDArray[np.intp]] = field(repr=False)
    terms: tuple[tuple[str, ...], ...] = field(repr=False)
    numbers: Mapping[float, NDArray[np.intp]] = field(repr=False)
    places: Mapping[tuple[str, int], int] = field(repr=False)
    static: Floats = field(repr=False)
    counted: tuple[tuple[tuple[int, str], ...], ...] = field(repr=False)
    names: frozenset[str] = field(default=frozenset(), repr=False)

    @cached_property
    def signatures(self) -> NDArray[np.intp]:
        """The sentences that are signatures."""
        signed = [place for place, one in enumerate(self.sentences) if one.text.lstrip().startswith("/s/")]
        return np.array(signed, np.intp)

    def signature_of(self, place: int) -> int | None:
        """Return the signature that says who "we" are in a sentence of an auditor's report; None of another."""
        if not self.sentences[place].text.startswith("We ") or not self.static[place, _IN_AUDITOR]:
            return None
        far = np.abs(self.signatures - place)
        return int(self.signatures[far.argmin()]) if far.size and far.min() <= _LONGEST_REPORT else None

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency of a term among the sentences."""
        return log((1 + len(self.sentences)) / (1 + len(self.postings.get(term, ()))))

    def having(self, wanted: Iterable[str]) -> Flags:
        """Return which sentences have each of some terms.

        Shape: terms x sentences.
        """
        return self._spread(wanted, self.postings, len(self.sentences))

    def under(self, wanted: Iterable[str]) -> Flags:
        """Return which sentences are under a heading with each of some terms.

        Shape: terms x sentences.
        """
        return self._spread(wanted, self.headings, int(self.section.max(initial=0)) + 1)[:, self.section]

    @staticmethod
    def _spread(wanted: Iterable[str], postings: Mapping[str, NDArray[np.intp]], size: int) -> Flags:
        names = tuple(wanted)
        found = np.zeros((len(names), size), np.bool_)
        for row, name in enumerate(names):
            if (places := postings.get(name)) is not None:
                found[row, places] = True
        return found


def index_sentences(document: Document) -> SentenceIndex:
    """Return the index of the sentences of a document."""
    titles = {section.id: " ".join(section.path) for section in document.sections}
    numbered: dict[str, int] = {}
    sentences: list[Sentence] = []
    begins: list[int] = []
    paragraph: list[int] = []
    for block in document.blocks:
        prose = (
            [one for one in block.content.sentences if is_prose(one)] if isinstance(block.content, Paragraph) else []
        )
        if prose:
            begins.append(len(sentences))
            sentences += prose
            paragraph += [len(begins) - 1] * len(prose)
    section = [numbered.setdefault(sentence.section, len(numbered)) for sentence in sentences]
    postings: dict[str, list[int]] = defaultdict(list)
    said: list[tuple[str, ...]] = []
    numbers: dict[float, list[int]] = defaultdict(list)
    counted: list[tuple[tuple[int, str], ...]] = []
    written, capital = Counter[str](), Counter[str]()
    for place, sentence in enumerate(sentences):
        text = sentence.text
        spans = spans_of_terms(text)
        found = tuple(term for _, _, term in spans)
        said.append(found)
        starts = [begin for begin, _, _ in spans]
        counted.append(tuple(
            (max(0, bisect_right(starts, mention.ref.end - 1) - 1), _what_counts(mention.quantity))
            for mention in sentence.mentions
        ))  # fmt: skip
        if not text.isupper():
            written.update(found[1:])
            capital.update(term for begin, _, term in spans[1:] if text[begin].isupper())
        for term in set(found):
            postings[term].append(place)
        for number in {abs(float(mention.quantity.value)) for mention in sentence.mentions}:
            numbers[number].append(place)
    headings: dict[str, list[int]] = defaultdict(list)
    for id, number in numbered.items():
        for term in set(terms(titles.get(id, ""))):
            headings[term].append(number)
    return SentenceIndex(
        tuple(sentences),
        np.array(paragraph, np.intp),
        np.array(begins, np.intp),
        np.array(section, np.intp),
        _fixed(postings),
        _fixed(headings),
        tuple(said),
        _fixed(numbers),
        {(sentence.section, sentence.index): place for place, sentence in enumerate(sentences)},
        _describe(
            sentences,
            [len(one) for one in said],
            postings,
            paragraph,
            begins,
            [titles.get(id, "") for id in numbered],
            section,
        ),
        tuple(counted),
        frozenset(term for term, count in capital.items() if count >= _NAMED * written[term]),
    )


def _fixed(found: Mapping[_Key, list[int]]) -> dict[_Key, NDArray[np.intp]]:
    return {key: np.array(places, np.intp) for key, places in found.items()}


def _describe(
    sentences: Sequence[Sentence],
    lengths: Sequence[int],
    postings: Mapping[str, Sequence[int]],
    paragraph: Sequence[int],
    begins: Sequence[int],
    titles: Sequence[str],
    section: Sequence[int],
) -> Floats:
    sections = np.array([[_has(sign, title) for sign in _SECTIONS.values()] for title in titles], np.float32)
    depth = [float(title.count(" ")) for title in titles]
    signs = np.zeros((len(sentences), len(_SIGNS)), np.float32)
    for column, sign in enumerate(_SIGNS.values()):
        for term in sign:
            signs[postings.get(term, []), column] = 1.0
    rows = []
    for place, sentence in enumerate(sentences):
        text = sentence.text
        ends = begins[paragraph[place] + 1] if paragraph[place] + 1 < len(begins) else len(sentences)
        rows.append((
            *(_has(sign, text) for sign in _PATTERNS.values()),
            *sections[section[place]],
            float(lengths[place]),
            place / len(sentences),
            float(place - begins[paragraph[place]]),
            float(ends - begins[paragraph[place]]),
            float(len(sentence.mentions)),
            float(sum(_is_count(one.quantity) for one in sentence.mentions)),
            float(text.isupper()),
            float(not text[:1].isalnum()),
            depth[section[place]],
        ))  # fmt: skip
    return np.hstack([signs, np.array(rows, np.float32).reshape(len(sentences), len(STATIC) - len(_SIGNS))])


def _what_counts(quantity: Quantity) -> str:
    """Return what a number counts, as `SentenceIndex.counted` says it."""
    unit = quantity.unit
    if quantity.scale is Scale.PERCENT:
        return "percent"
    if unit is None:
        return "count"
    if unit.isupper() or "/" in unit:
        return "money"
    return "area" if unit.startswith("square") else "duration" if unit in _DURATIONS else "count"


_DURATIONS = frozenset({"years", "months", "days", "weeks", "hours"})


def _is_count(quantity: Quantity) -> bool:
    """Return whether a number counts things: it is neither money nor a percentage nor scaled."""
    unit = quantity.unit
    return quantity.scale is Scale.ONE and (unit is None or not (unit.isupper() or "/" in unit))


def _has(sign: re.Pattern[str], text: str) -> float:
    return float(sign.search(text) is not None)
