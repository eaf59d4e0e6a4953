"""Matches labels of statements to lines of the core ontology."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from importlib.resources import files

from quaestor.core.patterns import lazy_regex
from quaestor.core.words import CAPTION_FILLERS, SMALL_WORDS, caption_words, singular
from quaestor.ontology.labels import RUNGS, SPELLING, MatchRule, plain, spellings
from quaestor.ontology.terms import group_by_subject, read_plainly

# Keys of captions that identify lines of statements.
#
# They are more tolerant than the ladder in `labels`, so they classify lines of new companies but never merge labels of
# an ontology.

_SIGN = (
    r"(?:loss(?:es)?|gains?|income|expenses?|benefits?|earnings|deficit|decreases?|increases?|charges?|credits?"
    r"|provision|used in|used for|provided by|reductions?|additions?)"
)
_SIGNS = lazy_regex(rf"/?\s?\(\s?{_SIGN}\s?\)\s?/?")
_EITHER_WAY = lazy_regex(
    r"(?:net )?(?:\(?\s?(?:increases?|decreases?)\s?\)?\s?(?:/|or|and)?\s?\(?\s?(?:increases?|decreases?)\s?\)?"
    r"|changes?) (?=in\b)"
)
_POSSESSIVE = lazy_regex(r"'s\b|(?<=s)'(?!\w)")

_PHRASES = tuple(
    (needle, lazy_regex(rf"\b(?:{pattern})"), short)
    for needle, pattern, short in (
        ("u.", r"u\.\s?s\.?(?![a-z])", "us "),
        ("united", r"united states(?: of america)?\b", "us "),
        ("non us", r"non us\b", "nonus"),
        ("current", r"(?:non|not) current\b", "noncurrent"),
        ("long term", r"long term\b", "noncurrent"),
        ("controlling", r"non controlling interests?\b", "noncontrolling interest"),
        ("minority", r"minority interests?\b", "noncontrolling interest"),
        ("tax", r"pre ?tax\b", "before tax"),
        ("income tax", r"income tax(?:es)?\b", "tax"),
        ("per ", r"per (?:common|ordinary) share\b|per share of common stock\b", "per share"),
        ("health", r"health ?care\b", "health care"),
        ("trade", r"trade ?names?\b", "trade name"),
        ("cash", r"non ?cash\b", "noncash"),
        (" of ", r"(?:beginning|start) of (?:the )?(?:fiscal )?(?:year|period)\b", "beginning year"),
        ("end", r"end of (?:the )?(?:fiscal )?(?:year|period)\b|(?:fiscal )?year end\b", "end year"),
        (" the ", r"(?:during|for|in) the (?:fiscal )?(?:current )?(?:year|period)\b", " "),
        (" poor s", r"standard (?:&|and) poor s\b", "s&p"),
        ("s & p", r"s & p\b", "s&p"),
    )
)
"""Triples of a text contained in every match of a pattern, the pattern, and the replacement.

Searching for the text first takes a twentieth of the time, because most captions do not contain it.
"""

_SAME = {
    variant: word
    for word, variants in {
        "shareholder": "stockholder shareowner",
        "share": "stock",
        "income": "earning profit",
        "increase": "addition",
        "decrease": "reduction decline",
        "cancelled": "canceled cancellation",
        "forfeited": "forfeiture",
        "nonvested": "unvested",
        "amortization": "amortisation",
        "unrecognized": "unrecognised",
        "expected": "assumed estimated",
        "disposal": "disposition",
        "lapse": "expiration expiry",
        "purchase": "repurchase",
        "purchased": "repurchased",
        "average": "avg",
        "%": "percent percentage",
        "revised": "revision",
    }.items()
    for variant in variants.split()
}

_BRACKETS = lazy_regex(r"\s?[(\[][^()\[\]]*[)\]]?")
_OPENING = lazy_regex(r"^(?:(?:less|add|plus|deduct|and|of which|adjustments?|memo)\s?[:,-]?\s+|[-*.:]+\s*)+")
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DATES = lazy_regex(
    rf"\b(?:as (?:of|at)|at|on|for|in|through|until|by|due|maturing|matures|expiring"
    rf"|(?:for )?(?:the )?(?:fiscal )?years? (?:ended|ending)|ended|ending)?"
    rf"\s?(?:{_MONTH}\.? [0-9]{{1,2}}(?:,? (?:19|20)[0-9]{{2}})?|{_MONTH},? (?:19|20)[0-9]{{2}}"
    rf"|(?:19|20)[0-9]{{2}}(?:\s?(?:-|to|through|and)\s?(?:19|20)?[0-9]{{2,4}})?)\b"
)
_AMOUNTS = lazy_regex(
    r"\(?(?:of |at |up to |from )?\$\s?[0-9][0-9,.]{0,30}(?: (?:thousand|million|billion))?( per share)?"
    r"|[0-9][0-9.]{0,30}(?: [0-9]/[0-9])?\s?%(?:\s?(?:-|to)\s?[0-9.]{1,30}\s?%)?"
)
_CLAUSE = lazy_regex(
    r"(?:,|;|\s-)?\s(?:net of|including|inclusive of|includes|less|primarily|principally|which|see note|other than"
    r"|consisting of)\s.*$"
    r"|;.*$"
)
_OTHER_FIGURE = lazy_regex(
    r"\b(?:excluding|exclusive|before|after|per|without|except|average|pro ?forma|interest|percent|pre-?tax|period)\b|%"
)
"""Words that make a clause or bracket part of the name: an average of loans is not the loans."""

_NET = lazy_regex(r"(?:,|\s?-)?\s(?:net|total|as reported|reported|at year end|and other|approximate|approximately)$")
_TOTAL = lazy_regex(
    r"^(?:total|aggregate|consolidated|approximate|gross total|net total|combined|the company's|our)\s+"
)


@lru_cache(maxsize=1024)
def caption_key(caption: str) -> str:
    """Return the distinctive words of a caption, without repetitions and sorted if there are three or more.

    Captions with equal keys name the same line.

    >>> caption_key("Earnings (loss) before income taxes") == caption_key("pre-tax income")
    True
    """
    text = caption.casefold()
    if " in" in text:
        text = _EITHER_WAY.sub("change ", text)
    if "(" in text:
        text = _SIGNS.sub(" ", text)
    text = " ".join(_POSSESSIVE.sub("", text).replace("-", " ").replace("/", " ").split())
    for needle, pattern, short in _PHRASES:
        if needle in text:
            text = pattern.sub(short, text)
    words = dict.fromkeys(_SAME.get(word, word) for word in map(singular, caption_words(text)))
    telling = [word for word in words if word not in CAPTION_FILLERS] or list(words)
    return " ".join(sorted(telling) if len(telling) > 2 else telling)  # a sales return is not a return on sales


def readings(caption: str) -> Iterator[str]:
    """Yield ever shorter readings of a caption, leaving out brackets, dates, amounts and clauses."""
    text = " ".join(caption.casefold().split())
    if _BRACKETS.fullmatch(text):  # "(in thousands)" is not a caption of a line
        return
    yield text
    for shorten in (_drop_brackets, _open_brackets, _drop_dates, _main_clause, _drop_qualifiers, _last_level):
        shorter = " ".join(shorten(text).split()).strip(" ,;:-*.")
        if re.search("[a-z]{2}", shorter) and shorter != text:
            text = shorter
            yield text


def _drop_brackets(text: str) -> str:
    return _BRACKETS.sub(lambda found: found[0] if _OTHER_FIGURE.search(found[0]) else " ", _SIGNS.sub(" ", text))


def _open_brackets(text: str) -> str:
    return _OPENING.sub("", text)


def _drop_dates(text: str) -> str:
    return _AMOUNTS.sub(" ", _DATES.sub(" ", text))


def _main_clause(text: str) -> str:
    cut = _CLAUSE.sub("", text)
    return text if _OTHER_FIGURE.search(text[len(cut) :]) else cut


def _drop_qualifiers(text: str) -> str:
    return _TOTAL.sub("", _NET.sub("", text))


def _last_level(text: str) -> str:
    return text.rpartition(": ")[2]


def undated(caption: str) -> bool:
    """Whether a caption contains dates or amounts; lines that differ only in these are of one kind."""
    text = _drop_brackets(" ".join(caption.casefold().split()))
    return _drop_dates(text) != text


def head_words(caption: str) -> tuple[str, ...]:
    """Return the words of the shortest reading of a caption, in order and singular.

    Empty for a caption that names two things: "cash / debt" is not debt.
    """
    *_, shortest = ("", *readings(caption))
    if " / " in shortest or "$" in shortest:
        return ()
    return tuple(map(singular, caption_words(shortest)))


# Lines of financial statements in the hand-written core, from the files in `statement_lines`.
#
# Each line is a property with its usual captions; each kind of line is recognised by the head of a caption. They belong
# to the core, the first of three frozen levels: documents do not add to it, and ontologies do not repeat it.


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A line that statements of many companies have.

    Attributes:
        captions: All captions, the preferred one first, the others sorted.
        not_on: Classes of tables in which the caption means something else.
    """

    name: str
    label: str
    captions: tuple[str, ...]
    not_on: frozenset[str]


@dataclass(frozen=True, slots=True)
class LineKind:
    """A kind of line, recognised by the head of the caption.

    Attributes:
        endings: Words, in the singular, with which captions of the kind end.
        without: Words that exclude a caption from the kind.
        classes: Classes of tables to which the kind is limited; empty for any.
        not_on: Classes of tables in which the caption means something else.
        starts_at: First number of every line of the kind, or None.
    """

    name: str
    label: str
    endings: tuple[tuple[str, ...], ...]
    beginnings: tuple[tuple[str, ...], ...]
    without: frozenset[str]
    classes: frozenset[str]
    not_on: frozenset[str]
    starts_at: Decimal | None


@dataclass(frozen=True)
class CoreLines:
    """Lines and kinds of lines from the core files."""

    lines: Mapping[str, StatementLine]
    kinds: Mapping[str, LineKind]

    @cached_property
    def keys(self) -> Mapping[str, tuple[StatementLine, str]]:
        """The first line with each caption key, and the key of that line's preferred caption."""
        found: dict[str, tuple[StatementLine, str]] = {}
        for line in self.lines.values():
            preferred = caption_key(line.label)
            for caption in line.captions:
                found.setdefault(caption_key(caption), (line, preferred))
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of captions that consist of letters."""
        captions = (caption for line in self.lines.values() for caption in line.captions)
        return frozenset(word for caption in captions for word in caption_words(caption) if word.isalpha())


@lru_cache(maxsize=1)
def read_core_lines() -> CoreLines:
    """Return the lines and kinds of lines of the core; read once per process, at the first lookup."""
    folder = files(__package__).joinpath("statement_lines")
    nodes, names = group_by_subject(
        triple
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        for triple in read_plainly(file.read_text(encoding="utf-8"), f"the core's {file.name}")
    )
    return CoreLines(
        {name: _read_line(name, nodes[name]) for name in sorted(names["kg:StatementLine"])},
        {name: _read_kind(name, nodes[name]) for name in sorted(names["kg:LineKind"])},
    )


def _read_line(name: str, node: Mapping[str, Sequence[str]]) -> StatementLine:
    label = node["rdfs:label"][0]
    captions = (label, *sorted(node.get("skos:altLabel", ())))
    return StatementLine(name, label, captions, frozenset(node.get("kg:notOn", ())))


def _read_kind(name: str, node: Mapping[str, Sequence[str]]) -> LineKind:
    starts = node.get("kg:startsAt", ())
    return LineKind(
        name,
        node["rdfs:label"][0],
        tuple(tuple(words.split()) for words in sorted(node.get("kg:ending", ()))),
        tuple(tuple(words.split()) for words in sorted(node.get("kg:beginning", ()))),
        frozenset(node.get("kg:without", ())),
        frozenset(node.get("kg:seenOn", ())),
        frozenset(node.get("kg:notOn", ())),
        Decimal(starts[0]) if starts else None,
    )


@dataclass(frozen=True, slots=True)
class PropertyMatch:
    """A known label that matches a label.

    Attributes:
        rule: Name of the rung or rule.
        score: Score of the rule; 1 for the same words.
        shared: Whether several lines of a table may have this property, distinguished by their captions.
    """

    property: str
    label: str
    rule: str
    score: float
    reason: str
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A known label that is similar to a label but does not match.

    Attributes:
        score: Similarity of words and letters, from 0 to 1.
    """

    property: str
    label: str
    score: float


class LabelIndex:
    """Known labels by their key on every rung."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """Index labels with their properties, in order of preference if a rung finds several."""
        self._properties = dict(labels)
        self._rungs: dict[str, Mapping[str, list[str]]] = {}
        self._spellings: dict[str, list[str]] | None = None
        self._plain: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    def _names_by_key(self, rung: MatchRule) -> Mapping[str, list[str]]:
        """Return labels by key on a rung; computed lazily because most labels are found on the first rungs."""
        if rung.name not in self._rungs:
            found: defaultdict[str, list[str]] = defaultdict(list)
            for label in self._properties:
                found[rung.key(label)].append(label)
            found.pop("", None)
            self._rungs[rung.name] = found
        return self._rungs[rung.name]

    def find(self, label: str) -> tuple[PropertyMatch, ...]:
        """Return the known labels that match on the first rung with any match."""
        for rung in RUNGS:
            if found := self._names_by_key(rung).get(rung.key(label)):
                return self._matches(found, rung)
        return self._find_spelling(label)

    def _find_spelling(self, label: str) -> tuple[PropertyMatch, ...]:
        if self._spellings is None:
            index: defaultdict[str, list[str]] = defaultdict(list)
            for known in self._properties:
                for key in spellings(known):
                    index[key].append(known)
            self._spellings = index
        own = max(spellings(label), key=len, default="")
        found = dict.fromkeys(self._spellings.get(own, ()))
        for key in sorted(spellings(label)):
            found |= dict.fromkeys(
                known for known in self._spellings.get(key, ()) if key == max(spellings(known), key=len)
            )
        return self._matches(found, SPELLING)

    def _matches(self, labels: Iterable[str], rung: MatchRule) -> tuple[PropertyMatch, ...]:
        return tuple(PropertyMatch(self._properties[x], x, rung.name, rung.score, rung.reason) for x in labels)

    def nearest(self, label: str, limit: int = 3) -> tuple[Suggestion, ...]:
        """Return the most similar known labels, one for each property, best first."""
        from rapidfuzz import fuzz, process

        if self._plain is None:
            self._plain = tuple(map(plain, self._properties)), tuple(self._properties)
        texts, known = self._plain
        found = process.extract(plain(label), texts, scorer=fuzz.token_sort_ratio, limit=4 * limit)
        best: dict[str, Suggestion] = {}
        for _, score, place in found:
            name = self._properties[known[place]]
            best.setdefault(name, Suggestion(name, known[place], round(score / 100, 2)))
        return tuple(best.values())[:limit]


# Lookup of captions among learned lines and those of the core.

_SCORES = {
    "statement line": 0.78,
    "shorter caption": 0.75,
    "lost spaces": 0.74,
    "kind of table": 0.7,
    "kind of line": 0.6,
}
LINE_RULES = {
    "statement line": "a caption that statements print for the line",
    "shorter caption": "the same, without brackets, dates, amounts and clauses around the name",
    "lost spaces": "the same, with lost spaces restored",
    "kind of table": "every line of such a table is of this kind",
    "kind of line": "the head of the caption gives the kind of the line",
}
"""Explanation of each rule, by name."""

_RELATIONS = frozenset(
    "of per from to on in at by for with under through before after excluding except without versus vs which that not "
    "held % percent percentage".split()
)
"""Words after which the end of a caption is not its head: "costs of sales" are not sales."""

_SHORTEST_PIECE = 3
_SMALL_PIECES = SMALL_WORDS - {"a"} | {"as", "may", "per", "yet"}


@dataclass(frozen=True, slots=True)
class LineContext:
    """Context of a line from its table."""

    table_class: str
    first: Decimal | None


class LineIndex:
    """Captions of learned labels and of core lines, by key."""

    def __init__(self, labels: Mapping[str, str], core: CoreLines) -> None:
        """Index learned labels with their properties, in order of preference, and the core's lines."""
        self._core = core
        learned: dict[str, tuple[str, str]] = {}
        for label, name in labels.items():
            learned.setdefault(caption_key(label), (name, label))
        learned.pop("", None)
        self._keys = dict(learned)
        for key, (line, preferred) in core.keys.items():
            # If documents use the preferred caption, their property replaces the core's line.
            self._keys.setdefault(key, learned.get(preferred, (line.name, line.label)))

    def find(self, caption: str, context: LineContext | None = None) -> PropertyMatch | None:
        """Return the line for a caption, or None."""
        return self.find_named(caption, context) or self._by_table(context) or self._by_head(caption, context)

    def find_named(self, caption: str, context: LineContext | None = None) -> PropertyMatch | None:
        """Return the line whose caption matches, ignoring kinds of lines."""
        for number, text in enumerate(readings(caption)):
            if met := self._match_caption(text, context):
                rule = "shorter caption" if number else "statement line"
                return _make_match(rule, *met, shared=number > 0 and undated(caption))
        for text in readings(self._split_words(caption)):
            if met := self._match_caption(text, context):
                return _make_match("lost spaces", *met)
        return None

    def _match_caption(self, text: str, context: LineContext | None) -> tuple[str, str] | None:
        met = self._keys.get(caption_key(text))
        line = self._core.lines.get(met[0]) if met else None
        return None if line and context and context.table_class in line.not_on else met

    def _by_table(self, context: LineContext | None) -> PropertyMatch | None:
        if context is None or context.first is None:
            return None
        for kind in self._core.kinds.values():
            if kind.starts_at == context.first and context.table_class in kind.classes:
                return _make_match("kind of table", kind.name, kind.label, shared=True)
        return None

    def _by_head(self, caption: str, context: LineContext | None) -> PropertyMatch | None:
        words = head_words(self._split_words(caption))
        fitting = (kind for kind in self._core.kinds.values() if kind.starts_at is None and _may_be_on(kind, context))
        found = [(-length, kind.name, kind.label) for kind in fitting if (length := _head_length(words, kind))]
        if not found:
            return None
        _, name, label = min(found)
        return _make_match("kind of line", name, label, shared=True)

    def _split_words(self, caption: str) -> str:
        """Return a caption with lost spaces between known words restored."""
        return re.sub(r"[a-z]{6,}", lambda found: " ".join(self._pieces(found[0]) or (found[0],)), caption.casefold())

    def _pieces(self, word: str) -> tuple[str, ...] | None:
        """Split a word into the fewest known words; None if it is known itself or cannot be split."""
        if word in self._core.words or singular(word) in self._core.words:
            return None
        best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(end):
                before, piece = best[start], word[start:end]
                if before is None or not self._is_piece(piece):
                    continue
                here = best[end]
                if here is None or len(before) + 1 < len(here):
                    best[end] = (*before, piece)
        return best[-1]

    def _is_piece(self, piece: str) -> bool:
        return piece in _SMALL_PIECES or (len(piece) > _SHORTEST_PIECE and piece in self._core.words)


@lru_cache(maxsize=1)
def core_line_index() -> LineIndex:
    """Return the index of the core's lines alone; built once per process."""
    return LineIndex({}, read_core_lines())


def _make_match(rule: str, name: str, label: str, *, shared: bool = False) -> PropertyMatch:
    return PropertyMatch(name, label, rule, _SCORES[rule], LINE_RULES[rule], shared)


def _may_be_on(kind: LineKind, context: LineContext | None) -> bool:
    table_class = context.table_class if context is not None else None
    return table_class not in kind.not_on and (not kind.classes or table_class in kind.classes)


def _head_length(words: tuple[str, ...], kind: LineKind) -> int:
    """Return the number of words at the start or end of a caption that make it one of a kind; 0 if none do."""
    if not kind.without.isdisjoint(words):
        return 0
    named = sum(word.isalpha() for word in words)
    return max((len(head) for head in _heads(words, kind) if len(head) < named), default=0)


def _heads(words: tuple[str, ...], kind: LineKind) -> Iterator[tuple[str, ...]]:
    yield from (head for head in kind.beginnings if words[: len(head)] == head)
    for head in kind.endings:
        before = words[: -len(head)]
        if words[-len(head) :] == head and _RELATIONS.isdisjoint(before):
            yield head
