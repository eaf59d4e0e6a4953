"""Names of concepts, formulas of measures, and synonyms."""

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import SMALL, split_terms, term

MEASURE = "measure:"
"""Begins the name of a measure where concepts are named too."""
PER_SHARE = (term("per"), term("share"))
_SHARES = "WeightedAverageNumberOfDilutedSharesOutstanding"
_PREFIX = lazy_regex(r"\b([A-Za-z]\w*):(?=\w)")
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of a taxonomy.

    Attributes:
        name: With its prefix (`us-gaap:Assets`).
        phrases: Common names as terms, the most usual one first.
        others: Phrases that sound similar but mean something else, as written.
        written_labels: Labels in reports outside the United States that are too general for a question, as written.
    """

    name: str
    phrases: tuple[tuple[str, ...], ...]
    called: str = ""
    others: str = field(default="", repr=False)
    written_labels: str = field(default="", repr=False)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """Labels of its lines in reports outside the United States, as terms."""
        return split_terms([self.written_labels])[0]

    @property
    def not_phrases(self) -> tuple[tuple[str, ...], ...]:
        """Phrases that sound similar but mean something else, as terms."""
        return split_terms([self.others])[0]

    def per_share(self) -> "NamedMeasure":
        """Return the same measure per share."""
        name = self.name.removeprefix("us-gaap:")
        phrases = tuple((*phrase, *PER_SHARE) for phrase in self.phrases)
        return NamedMeasure(f"{name}_per_share", phrases, f"{self.called} per share", f"{name} / {_SHARES}")


@dataclass(frozen=True, slots=True)
class NamedMeasure:
    """A measure that analysts compute from concepts."""

    name: str
    phrases: tuple[tuple[str, ...], ...]
    called: str = ""
    written: str = field(default="", repr=False)

    @property
    def formula(self) -> "Formula | None":
        """The formula; None if the measure can only be looked up."""
        return parse_formula(self.written)

    def per_share(self) -> "NamedMeasure | None":
        """Return the measure per share; None if it is a ratio or can only be looked up."""
        if self.formula is None or "/" in self.formula.kinds():
            return None
        phrases = tuple((*phrase, *PER_SHARE) for phrase in self.phrases)
        formula = f"({_find_formula(self.written)}) / {_SHARES}"
        return NamedMeasure(f"{self.name}_per_share", phrases, f"{self.called} per share", formula)


@dataclass(frozen=True, slots=True)
class Formula:
    """Arithmetic over concepts.

    Attributes:
        kind: `concept`, `number`, `prior`, `average`, `else`, or an operator `+`, `-`, `*`, `/`.
        name: Name of a concept, or digits of a number.
    """

    kind: str
    name: str = ""
    parts: "tuple[Formula, ...]" = ()

    def concepts(self) -> Iterator[str]:
        """Yield all concepts."""
        if self.kind == "concept":
            yield self.name
        for part in self.parts:
            yield from part.concepts()

    def kinds(self) -> "Iterator[str]":
        """Yield the kinds of all parts."""
        yield self.kind
        for part in self.parts:
            yield from part.kinds()


@dataclass(frozen=True, slots=True)
class LexiconMatch:
    """A match of a phrase of the lexicon in a text."""

    start: int
    end: int
    concepts: tuple[str, ...]
    measures: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Concepts and measures, by name and by phrase.

    Attributes:
        computed: Measures that compute concepts a filing does not print, by concept.
    """

    concepts: Mapping[str, Concept]
    measures: Mapping[str, NamedMeasure]
    computed: Mapping[str, str]
    _named: Mapping[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]] = field(repr=False)
    _longest: int = field(repr=False)

    def named(self, phrase: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the concepts and measures with exactly this phrase, given as terms."""
        return self._named.get(tuple(phrase), ((), ()))

    def find(self, text: Sequence[str]) -> tuple[LexiconMatch, ...]:
        """Return the longest non-overlapping phrases in a text, given as terms, from left to right."""
        found, place = [], 0
        while place < len(text):
            for length in range(min(self._longest, len(text) - place), 0, -1):
                concepts, measures = self.named(text[place : place + length])
                if concepts or measures:
                    found.append(LexiconMatch(place, place + length, concepts, measures))
                    place += length - 1
                    break
            place += 1
        return tuple(found)


@lru_cache(maxsize=1)
def read_lexicon() -> Lexicon:
    """Return the lexicon of this package."""
    concepts: dict[str, Concept] = {}
    measures: dict[str, NamedMeasure] = {}
    named: dict[tuple[str, ...], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    written = (files("quaestor.ontology") / "lexicon.tsv").read_text(encoding="utf-8").splitlines()
    columns = [(*line.split("\t"), "", "", "")[:4] for line in written]
    split = split_terms([phrases for _, phrases, *_ in columns])
    for (subject, names, rest, *labels), phrases in zip(columns, split, strict=True):
        name, called = subject.removeprefix(MEASURE), names.partition(";")[0].strip()
        if name != subject:
            measures[name] = NamedMeasure(name, phrases, called, rest)
        else:
            concepts[name] = Concept(name, phrases, called, rest.removeprefix("not:"), "".join(labels))
        for phrase in phrases:
            named[phrase][name in measures].append(name)
    derived = [one for measure in measures.values() if (one := measure.per_share()) is not None]
    for one in derived:
        for phrase in one.phrases:
            if phrase not in named:
                measures[one.name] = one
                named[phrase][1].append(one.name)
    fixed = {phrase: (tuple(of[0]), tuple(of[1])) for phrase, of in named.items()}
    unnamed = [(one.name, one.formula) for one in measures.values() if not one.phrases]
    computed = {formula.parts[0].name: name for name, formula in unnamed if formula is not None}
    return Lexicon(concepts, measures, computed, fixed, max(map(len, fixed)))


@lru_cache(maxsize=256)
def parse_formula(text: str) -> Formula | None:
    """Parse the formula of a measure; None if it is prose or the measure is only printed."""
    expression = _PREFIX.sub(r"\1__", _find_formula(text)).replace(" else ", " or ").replace("prior ", "~")
    try:
        return _convert_formula(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def _find_formula(text: str) -> str:
    """Return a formula without the remarks after it."""
    return text.partition(";")[0].partition(",")[0].partition(" or ")[0].strip()


def _convert_formula(node: ast.expr) -> Formula:
    """Convert an expression of Python, in which `or` is `else`, `~` is `prior`, and `__` is the colon of a name."""
    match node:
        case ast.BoolOp(values=values):
            return Formula("else", parts=tuple(map(_convert_formula, values)))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return Formula(_OPERATORS[type(operator)], parts=(_convert_formula(left), _convert_formula(right)))
        case ast.Call(func=ast.Name(id="AVG"), args=[argument]):
            return Formula("average", parts=(_convert_formula(argument),))
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return Formula("prior", parts=(_convert_formula(operand),))
        case ast.Constant(value=int() | float() as number):
            return Formula("number", str(number))
        case ast.Name(id=name) if name[0].isupper() or "__" in name:
            return Formula("concept", name.replace("__", ":") if "__" in name else f"us-gaap:{name}")
    raise ValueError("prose")


# The thesaurus: expressions of filings and their equivalents in questions.
#
# Unlike the lexicon, it contains words rather than concepts; they apply in labels and sentences alike.

Phrase = tuple[str, ...]
"""Terms of an expression."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression in a text, with its equivalents."""

    start: int
    end: int
    others: tuple[Phrase, ...]


class Thesaurus:
    """Equivalent expressions, in both directions: filing to question and question to filing.

    Only expressions that begin with letters of a text are split into terms, because a question needs few of them.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        """Read lines of an expression of filings, a tab and its equivalents in questions, separated by semicolons."""
        self._lines = [line.replace("\t", "; ").split("; ") for line in lines]
        self._places: dict[str, dict[int, None]] = defaultdict(dict)
        for place, phrases in enumerate(self._lines):
            for beginning in {phrase[:2] for phrase in phrases}:  # most phrases of a line have the same first words
                self._places[_first_letters(beginning)][place] = None
        self._known: dict[str, tuple[Mapping[Phrase, Sequence[str]], int]] = {}

    def find(self, text: Sequence[str]) -> tuple[Expression, ...]:
        """Return the expressions in a text, given as terms, that have equivalents; they may overlap."""
        found = []
        for start, first in enumerate(text):
            known, longest = self._beginning_with(_first_letters(first))
            for end in range(start + 1, min(start + longest, len(text)) + 1):
                if others := known.get(tuple(text[start:end])):
                    found.append(Expression(start, end, tuple(dict.fromkeys(map(_terms_of_phrase, others)))))
        return tuple(found)

    def _beginning_with(self, letters: str) -> tuple[Mapping[Phrase, Sequence[str]], int]:
        """Return expressions that begin with the letters, with their equivalents as written, and the maximal length."""
        if letters not in self._known:
            known: dict[Phrase, list[str]] = defaultdict(list)
            for place in self._places.get(letters, ()):
                printed, *typed = self._lines[place]
                if _first_letters(printed) == letters:
                    known[_terms_of_phrase(printed)] += typed
                for phrase in typed:
                    if _first_letters(phrase) == letters:
                        known[_terms_of_phrase(phrase)].append(printed)
            self._known[letters] = known, max(map(len, known), default=0)
        return self._known[letters]


def _first_letters(phrase: str) -> str:
    """Return letters with which both an expression and its first term begin; "dying" has the term "die"."""
    return phrase[:2].rstrip().replace("y", "i")


def _terms_of_phrase(phrase: str) -> Phrase:
    # Splitting at single spaces is several times as fast as finding terms in arbitrary text.
    return tuple([term(word) for word in phrase.split(" ") if word not in SMALL])


@lru_cache(maxsize=1024)
def find_expressions(text: tuple[str, ...]) -> tuple[Expression, ...]:
    """Find expressions with the package's thesaurus; cached, because a question is processed many times."""
    return read_thesaurus().find(text)


@dataclass(frozen=True, slots=True)
class Synonym:
    """Synonym that a document prints instead of terms of a question."""

    replaced: frozenset[str]
    printed: frozenset[str]


def find_synonyms(
    phrase: Sequence[str], wanted: Collection[str], is_printed: Callable[[str], bool]
) -> tuple[Synonym, ...]:
    """Find synonyms that a document prints instead of terms of a question.

    Args:
        is_printed: Returns whether a term occurs in the document.
    """
    return tuple(
        Synonym(replaced, frozenset(other))
        for found in find_expressions(tuple(phrase))
        if (replaced := frozenset(phrase[found.start : found.end]).intersection(wanted))
        for other in found.others
        if all(map(is_printed, other))
    )


@lru_cache(maxsize=1)
def read_thesaurus() -> Thesaurus:
    """Return the thesaurus of this package."""
    return Thesaurus((files("quaestor.ontology") / "thesaurus.tsv").read_text(encoding="utf-8").splitlines())
