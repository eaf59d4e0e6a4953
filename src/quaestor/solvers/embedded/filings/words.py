"""Candidate sentences of a filing for a question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import fsum

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply
from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import term, terms
from quaestor.facts.lines import Moment
from quaestor.facts.sentences import CAUSE, FALLS, RISES, STATIC, Floats, SentenceIndex
from quaestor.facts.table import FactTable
from quaestor.ontology.lexicon import Synonym, find_synonyms, read_lexicon
from quaestor.ontology.word_vectors import SIMILARITIES, read_word_vectors
from quaestor.questions.understanding import INTENTS, ParsedQuestion
from quaestor.questions.word_patterns import (
    ASKS,
    STOP_TERMS,
    asks_for,
    asks_who_signed,
    list_asked_numbers,
    list_counted_terms,
)
from quaestor.solvers.embedded.filings.binding import TurnState
from quaestor.solvers.embedded.filings.reasons import OF_TIME, find_things, measure_causes, measure_explanations

_MOST = 80
"""Maximum number of sentences to score."""
_MOST_PHRASES = 40
"""Maximum number of phrases for one thing to search for."""
_NAMED_TERMS = 2
_SIGNED_WEIGHT = 0.7
"""Penalty for signatures if the question is not about people."""
_NEARBY = 0.4
"""Weight of a name in an earlier paragraph nearby."""
_FAR = 6
"""Maximum number of sentences after a name, in the same section, that may be about it."""
_NUMBER = lazy_regex(r"(?!(?:19|20)\d\d$)\d[\d.,]*")
_SYNONYM = 0.8
"""Weight of a synonym, relative to the term that it replaces."""
_FITS_WEIGHT = 0.3
"""Weight of the kind of a sentence for being selected, relative to its terms."""

_EXPLAINS_WEIGHT, _CAUSES_WEIGHT = 2.0, 3.0
"""Weights of explanations and reasons for being selected."""
_EXPLAINED_BY = ("description", "why", "text_fact")
"""Intents of questions that ask to explain something."""
_LEAST_SHARE = 0.05
"""Minimum probability of the intent `why` to search for causes."""

_FITS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "who": (("person", "name"),),
    "auditor": (("firm", "in_auditor"), ("served",)),
    "staff": (("employs", "counts"),),
    "when": (("month",), ("year_named", "counts")),
    "where": (("place",),),
    "count": (("counts",),),
    "much": (("money",),),
    "percent": (("percent",),),
    "forward": (("expects",),),
    "any": (("denies",),),
}
"""Signs of a sentence that answers, by what the question asks for: alternatives, each of which needs all its signs."""


@dataclass(frozen=True, slots=True)
class WordQuery:
    """Query for the sentences that may answer a question.

    Attributes:
        intents: The probability of each of `INTENTS`.
        state: The state of the conversation before the question.
    """

    reading: ParsedQuestion
    moments: tuple[Moment, ...] = ()
    intents: tuple[float, ...] = ()
    state: TurnState = field(default_factory=TurnState)


@dataclass(frozen=True, slots=True)
class SentenceCandidates:
    """Sentences that may answer a question.

    `features` has the shape (candidates, features).
    """

    places: NDArray[np.intp]
    names: tuple[str, ...]
    features: Floats = field(repr=False)


def find_sentences(query: WordQuery, table: FactTable) -> SentenceCandidates:
    """Find the sentences that may answer a question, and compute their features."""
    index = table.sentences
    if not index.sentences:
        return SentenceCandidates(np.zeros(0, np.intp), (), np.zeros((0, 0), np.float32))
    return _SentenceFinder(query, table, index).candidates()


class _Group:
    """Weighted terms of one origin, and which sentences and headings contain them or their synonyms."""

    def __init__(self, names: Sequence[str], index: SentenceIndex, synonyms: Iterable[Synonym] = ()) -> None:
        weights = np.array([index.rarity(name) for name in names], np.float32)
        self.empty = not len(names) or not weights.sum()
        self.weights = weights / (weights.sum() or 1.0)
        self.having, self.under = index.having(names).astype(np.float32), index.under(names).astype(np.float32)
        for synonym in synonyms:
            rows = [row for row, name in enumerate(names) if name in synonym.replaced]
            for found, others in ((self.having, index.having), (self.under, index.under)):
                found[rows] = np.maximum(found[rows], _SYNONYM * others(synonym.printed).all(axis=0))
        self.index = index

    @property
    def recall(self) -> Floats:
        """The weighted share of the terms in each sentence."""
        return multiply(self.weights, self.having)

    def recalls(self) -> dict[str, Floats]:
        """Return the weighted share of the terms in each sentence, around it, and in both together."""
        index, having = self.index, self.having
        if self.empty:
            zero = np.zeros(len(index.sentences), np.float32)
            return dict.fromkeys(("own", "before", "near", "under", "whole"), zero)
        before = having.copy()
        np.maximum(before[:, 1:], having[:, :-1], out=before[:, 1:])
        np.maximum(before[:, 2:], having[:, :-2], out=before[:, 2:])
        near = np.maximum(before, np.maximum.reduceat(having, index.begins, axis=1)[:, index.paragraph])
        np.maximum(near[:, :-1], having[:, 1:], out=near[:, :-1])
        return {
            "own": multiply(self.weights, having),
            "before": multiply(self.weights, before),
            "near": multiply(self.weights, near),
            "under": multiply(self.weights, self.under),
            "whole": multiply(self.weights, np.maximum(near, self.under)),
        }


class _SentenceFinder:
    """Finds the candidate sentences for one query and computes their features."""

    def __init__(self, query: WordQuery, table: FactTable, index: SentenceIndex) -> None:
        self.query, self.table, self.index = query, table, index
        lowered = query.reading.text.lower().replace("\u2019", "'")
        self.lowered = lowered
        company = table.company
        named = tuple(dict.fromkeys(one for one in query.reading.terms if not one[0].isdigit()))
        self.own = tuple(one for one in named if one not in company) or named
        left = dict.fromkeys(one for one in terms(query.reading.text) if one not in STOP_TERMS and one not in company)
        self.question_terms = tuple(one for one in left if not one[0].isdigit())
        self.synonyms = find_synonyms(terms(query.reading.text), self.question_terms, index.postings.__contains__)
        self.inherited = tuple(sorted(query.state.terms - set(self.own)))
        self.counts = list_counted_terms(lowered)
        read = query.state.series[:2]
        self.lines = tuple(dict.fromkeys(one for series in read for one in (*series.line.label_terms, *series.column)))

    def candidates(self) -> SentenceCandidates:
        index, query = self.index, self.query
        groups = {
            "own": _Group(self.own, index).recalls(),
            "said": _Group(self.question_terms, index).recalls(),
            "meant": _Group(self.question_terms, index, self.synonyms).recalls(),
            "inherited": _Group(self.inherited, index).recalls(),
            "line": _Group(self.lines, index).recalls(),
        }
        alias = self._alias([match.concepts + tuple(f"measure:{name}" for name in match.measures)
                             for operand in query.reading.operands for match in operand.matches])  # fmt: skip
        alias_before = self._alias([(series.concept,) for series in query.state.series[:2] if series.concept])
        numbers = self._numbers_before()
        distance, same_section = self._distances()
        goes_on = len(self.own) < _NAMED_TERMS or query.reading.goes_on
        context = self._contexts()
        score = (
            0.8 * context["head_named"] + groups["own"]["own"] + 0.5 * groups["own"]["whole"]
            + 1.5 * groups["meant"]["own"] + 0.5 * groups["meant"]["whole"] + 0.7 * alias
            + 0.5 * index.static[:, STATIC.index("cause")] * self.asked_share("why")
        )  # fmt: skip
        if query.state.turns:
            weight = 1.0 if goes_on else 0.3
            score = score + weight * (
                0.7 * groups["inherited"]["own"] + 0.5 * groups["inherited"]["whole"] + 0.7 * groups["line"]["own"]
                + 0.4 * groups["line"]["whole"] + 0.7 * alias_before + 0.5 * numbers + 0.5 * same_section
                + 0.8 * (np.abs(distance) <= 4)
            )  # fmt: skip
        fits = self._fits()
        if not asks_who_signed(self.lowered):
            score = score - _SIGNED_WEIGHT * index.static[:, STATIC.index("signed")]
        score = score - 0.2 * (index.static[:, STATIC.index("length")] < 4)
        explained, caused = self._measure_explanations(), self._measure_causes()
        chosen = score + _FITS_WEIGHT * fits + _EXPLAINS_WEIGHT * explained + _CAUSES_WEIGHT * caused
        places = np.argsort(-chosen, kind="stable")[:_MOST]
        everywhere = {
            **{f"{name}_{part}": values for name, recalls in groups.items() for part, values in recalls.items()},
            **context,
            "alias": alias,
            "alias_before": alias_before,
            "numbers_before": numbers,
            "distance": np.clip(distance, -20, 20),
            "kind_fits": fits,
            "explained": explained,
            "caused": caused,
            "same_section": same_section,
            "score": score.astype(np.float32),
        }
        columns = {name: values[places] for name, values in everywhere.items()}
        columns |= self._measure_similarities(places)
        columns["pairs"] = self._pairs(places)
        columns["window"] = self._windows(places)
        columns["number_fits"] = self._numbers(places)
        columns["date_fits"] = self._dates(places)
        columns |= self._subjects(places, goes_on=goes_on)
        columns |= {f"{name}_behind": columns[name] - columns[name].max() for name in _COMPARED}
        columns["rank"] = np.arange(len(places), dtype=np.float32)
        columns |= self._times(places)
        static = index.static[places]
        columns |= {name: static[:, column] for column, name in enumerate(STATIC)}
        rises, falls = asks_for("rises", self.lowered), asks_for("falls", self.lowered)
        up, down = columns["rises"], columns["falls"]
        columns["moves_so"] = (rises * (up - down) + falls * (down - up)).astype(np.float32)
        constant = {
            **{f"asks_{name}": asks_for(name, self.lowered) for name in ASKS},
            **{f"intent={name}": share for name, share in zip(INTENTS, query.intents, strict=True)},
            "goes_on": float(query.reading.goes_on),
            "first_turn": float(not query.state.turns),
            "own_terms": float(len(self.own)),
            "said_terms": float(len(self.question_terms)),
            "lines": float(len(self.lines)),
        }
        size = len(places)
        matrix = np.column_stack(
            [*columns.values(), *(np.full(size, value, np.float32) for value in constant.values())]
        )
        return SentenceCandidates(places, (*columns, *constant), matrix.astype(np.float32))

    def _measure_similarities(self, places: NDArray[np.intp]) -> dict[str, Floats]:
        """Return how similar the words of sentences are to the question, without and with the one before."""
        texts = [tuple(dict.fromkeys(one for one in self.index.terms[at] if one not in STOP_TERMS)) for at in places]
        compare = read_word_vectors().compare
        inherited = tuple(dict.fromkeys((*self.question_terms, *self.inherited, *self.lines)))
        found = np.hstack([compare(self.question_terms, texts), compare(inherited, texts)[:, :2]])
        return dict(zip(_SIMILARITIES, found.T, strict=True))

    def _measure_explanations(self) -> Floats:
        """Return how well each sentence explains what the question asks for, times the probability that it does."""
        found = measure_explanations(self.query.reading.text, self.index, self.table.company)
        if found is None:
            return np.zeros(len(self.index.sentences), np.float32)
        return found * np.float32(sum(map(self.asked_share, _EXPLAINED_BY)))

    def _measure_causes(self) -> Floats:
        """Return how well each sentence explains the movement, times the probability of the intent `why`."""
        why = self.asked_share("why")
        if why <= _LEAST_SHARE:
            return np.zeros(len(self.index.sentences), np.float32)
        rises, falls = (bool(asks_for(name, self.lowered)) for name in ("rises", "falls"))
        causes = measure_causes(self._list_moved_things(), self.index, self.table.company, rises=rises, falls=falls)
        return causes * np.float32(why)

    def _list_moved_things(self) -> list[frozenset[str]]:
        """Return the names of what moved: from the question and, if it names little, also from the last answer."""
        own = find_things(self.own)
        if own and (not self.query.state.turns or len(own) >= _NAMED_TERMS):
            return [own]
        return [own, find_things(self.lines), find_things(self.inherited)]

    def _contexts(self) -> dict[str, Floats]:
        """Return how far each sentence is about the names in the question, and contains its other terms.

        A name often occurs once, in a heading or an earlier sentence, and later sentences are still about it.
        """
        index = self.index
        size = len(index.sentences)
        numbers = (one for one in dict.fromkeys(terms(self.query.reading.text)) if _NUMBER.fullmatch(one))
        names = (*(one for one in self.question_terms if one in index.names), *numbers)
        head = tuple(one for one in self.question_terms if one not in index.names)
        ones = np.ones(size, np.float32)
        rest = _Group(head, index, self.synonyms).recall if head else ones
        weights = np.array([index.rarity(one) for one in names], np.float32)
        if not weights.sum():
            return {"head_own": rest, "name_recall": ones, "names_own": ones, "head_named": rest, "names_far": 0 * ones}
        weights /= weights.sum()
        having = index.having(names)
        places = np.arange(size)
        last = np.maximum.accumulate(np.where(having, places, -2 * _FAR), axis=1)
        far = places - last
        nearby = (far <= _FAR) & (index.section[np.maximum(last, 0)] == index.section)
        about = np.where(last >= index.begins[index.paragraph], 1.0, _NEARBY * nearby)
        named = multiply(weights, np.maximum(about, index.under(names)).astype(np.float32))
        return {
            "head_own": rest,
            "name_recall": named,
            "names_own": multiply(weights, having.astype(np.float32)),
            "head_named": rest * named,
            "names_far": multiply(weights, np.minimum(far, 2 * _FAR).astype(np.float32)),
        }

    def _fits(self) -> Floats:
        """Return how far each sentence has the signs of what the question asks for."""
        static = self.index.static
        found = np.zeros(len(static), np.float32)
        fitting_signs = [signs for name, signs in _FITS.items() if asks_for(name, self.lowered)]
        for signs in fitting_signs:
            fits = [(static[:, [STATIC.index(name) for name in one]] > 0).all(axis=1) for one in signs]
            found[np.any(fits, axis=0)] += 1.0 / len(fitting_signs)
        return found

    def asked_share(self, name: str) -> float:
        """Return the probability of an intent."""
        return self.query.intents[INTENTS.index(name)] if self.query.intents else 0.0

    def _alias(self, concepts: Iterable[Sequence[str]]) -> Floats:
        """Return how well each sentence matches the best of the lexicon's phrases for concepts."""
        best = np.zeros(len(self.index.sentences), np.float32)
        phrases = dict.fromkeys(
            phrase for several in concepts for name in several[:6] for phrase in _list_phrases(name)
        )
        names = tuple(dict.fromkeys(one for phrase in list(phrases)[:_MOST_PHRASES] for one in phrase))
        row = {name: place for place, name in enumerate(names)}
        having = self.index.having(names).astype(np.float32)
        for phrase in list(phrases)[:_MOST_PHRASES]:
            weights = np.array([self.index.rarity(one) for one in phrase], np.float32)
            if weights.sum() > 0:
                weights /= weights.sum()
                np.maximum(best, multiply(weights, having[[row[one] for one in phrase]]), out=best)
        return best

    def _numbers_before(self) -> Floats:
        found = np.zeros(len(self.index.sentences), np.float32)
        for series in self.query.state.series[:3]:
            for moment in self.query.state.moments[:3] or tuple(filter(None, series.cells)):
                cell = series.cells.get(moment)
                if cell is not None:
                    value = abs(float(cell.quantity.value))
                    for number in {value, round(value / 1000, 1), round(value / 1000, 2), round(value / 1e6, 1)}:
                        if number >= 1 and (places := self.index.numbers.get(number)) is not None:
                            found[places] = 1.0
        return found

    def _distances(self) -> tuple[Floats, Floats]:
        index = self.index
        size = len(index.sentences)
        at = [index.places[place] for place in self.query.state.sentences if place in index.places]
        if not at:
            return np.full(size, 20.0, np.float32), np.zeros(size, np.float32)
        distance = np.arange(size, dtype=np.float32) - at[-1]
        return distance, (index.section == index.section[at[-1]]).astype(np.float32)

    def _pairs(self, places: NDArray[np.intp]) -> Floats:
        """Return how many pairs of adjacent terms of the question are adjacent in each sentence."""
        wanted = set(pairwise(self.question_terms))
        found = np.zeros(len(places), np.float32)
        if wanted:
            for row, place in enumerate(places):
                found[row] = len(wanted.intersection(pairwise(self.index.terms[place])))
        return found

    def _windows(self, places: NDArray[np.intp]) -> Floats:
        """Return how much of the question occurs close together, because long sentences contain a bit of everything."""
        rarity = self.index.rarity
        weights = {one: rarity(one) for one in self.question_terms}
        total = sum(weights.values()) or 1.0
        return np.array([weigh_best_window(self.index.terms[place], weights) / total for place in places], np.float32)

    def _numbers(self, places: NDArray[np.intp]) -> Floats:
        """Return how close the question's terms are to a number of the requested kind in each sentence."""
        index = self.index
        wanted = list_asked_numbers(self.lowered)
        found = np.zeros(len(places), np.float32)
        weights = {one: index.rarity(one) for one in (*self.question_terms, *self.lines[:4])}
        total = sum(weights[one] for one in self.question_terms)
        if not wanted or not total:
            return found
        for row, place in enumerate(places):
            if counted := index.counted[place]:
                sentence_terms = index.terms[place]
                at = [(where, weights[one]) for where, one in enumerate(sentence_terms) if one in weights]
                for where, kind in counted[:_MOST_NUMBERS]:
                    other = kind == "count" and self.counts.isdisjoint(sentence_terms[where + 1 : where + _COUNTED])
                    fits = _OTHER_COUNT if other and self.counts else 1.0
                    if kind in wanted:
                        near = sum(weight * _NEARNESS[min(abs(where - spot), _FARTHEST)] for spot, weight in at)
                        found[row] = max(found[row], fits * min(near / total, 1.0))
        return found

    def _dates(self, places: NDArray[np.intp]) -> Floats:
        """Return which sentences have a date that is new, if the question asks for one."""
        if not asks_for("when", self.lowered):
            return np.zeros(len(places), np.float32)
        own = set(terms(self.query.reading.text))
        return np.array([
            any((one in _MONTHS or _YEAR.fullmatch(one)) and one not in own for one in self.index.terms[place])
            for place in places
        ], np.float32)  # fmt: skip

    def _subjects(self, places: NDArray[np.intp], *, goes_on: bool) -> dict[str, Floats]:
        """Return how well the subjects of sentences match the question."""
        index, company = self.index, self.table.company
        wanted = set(self.own or self.question_terms)
        if goes_on:
            wanted |= set(self.inherited) | set(self.lines)
        weights = {one: index.rarity(one) for one in wanted}
        total = sum(weights.values()) or 1.0
        known = wanted | company | OF_TIME
        expected = known | set(self.lines) | set(self.inherited)
        rows = []
        for place in places:
            subject = find_subject(index.terms[place])
            points = not subject - OF_TIME - company
            if points and place:
                subject = find_subject(index.terms[place - 1])
            recall = fsum(weights[one] for one in subject & wanted) / total
            precise = len(subject & known) / len(subject) if subject else 0.0
            strange = float(len((subject & index.names) - expected))
            rows.append((recall, precise, recall * precise, float(points), strange))
        names = (
            "subject_recall", "subject_precise", "subject", "subject_points", "subject_strange",
        )  # fmt: skip
        matrix = np.array(rows, np.float32).reshape(-1, len(names))
        return {name: matrix[:, column] for column, name in enumerate(names)}

    def _times(self, places: NDArray[np.intp]) -> dict[str, Floats]:
        """Return how the times in sentences compare with the requested ones."""
        query = self.query
        moments = query.moments or query.state.moments[:2] or (self.table.latest,)
        years = {str(moment.year) for moment in moments}
        latest = str(self.table.latest.year)
        months = {moment.months for moment in moments}
        rows = []
        for place in places:
            text = self.index.sentences[place].text
            named = set(_YEAR.findall(text))
            rows.append((len(named & years) / len(years), float(bool(named)), float(bool(named) and not named & years),
                         float(latest in named), float(max(named, default="") in years)))  # fmt: skip
        names = ("year_there", "year_any", "year_other", "year_latest", "year_last")
        columns = {name: np.array([row[i] for row in rows], np.float32) for i, name in enumerate(names)}
        columns["time_asked"] = np.full(len(places), float(bool(query.moments)), np.float32)
        columns["quarter_asked"] = np.full(len(places), float(months <= {3}), np.float32)
        columns["year_asked"] = np.full(len(places), float(12 in months), np.float32)
        return columns


_SIMILARITIES = (*SIMILARITIES, "similar_inherited", "similar_inherited_asked")
"""Columns of `_SentenceFinder._measure_similarities`."""
_COMPARED = (
    "score", "own_own", "said_own", "meant_own", "meant_whole", "own_whole", "inherited_whole", "line_whole", "alias",
    "explained", "caused", *_SIMILARITIES,
)  # fmt: skip
_COUNTED = 5
"""Maximum distance, in terms, from a number to the name of what it counts."""
_OTHER_COUNT = 0.2
"""Weight of a count of something else."""
_MOST_NUMBERS = 20
"""Maximum number of numbers per sentence to consider."""
_FARTHEST = 40
"""Distance from a number, in terms, at which the nearness stops decreasing."""
_NEARNESS = tuple(float(0.5 ** (far / 8)) for far in range(_FARTHEST + 1))
_WINDOW = 30
"""Size of the window in terms."""
_MONTHS = frozenset(map(term, (
    "january february march april may june july august september october november december".split()
)))  # fmt: skip


def weigh_best_window(sentence_terms: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return the largest weight of the distinct terms in a window of the sentence."""
    at = [(place, one) for place, one in enumerate(sentence_terms) if one in weights]
    if len(sentence_terms) <= _WINDOW:
        return fsum(weights[one] for one in {one for _, one in at})
    best = 0.0
    for row, (start, _) in enumerate(at):
        near = {one for place, one in at[row : row + _WINDOW] if place < start + _WINDOW}
        best = max(best, fsum(weights[one] for one in near))
    return best


_YEAR = lazy_regex(r"\b(?:19|20)\d\d\b")


_LONGEST_SUBJECT = 8


def find_subject(sentence_terms: Sequence[str]) -> set[str]:
    """Return the terms of a sentence before its movement or reason, without numbers."""
    found = set[str]()
    for one in sentence_terms[:_LONGEST_SUBJECT]:
        if one in _MOVES and found - OF_TIME:
            break
        if not one[0].isdigit():
            found.add(one)
    return found


_MOVES = RISES | FALLS | CAUSE


@lru_cache(maxsize=4096)
def _list_phrases(name: str) -> tuple[tuple[str, ...], ...]:
    lexicon = read_lexicon()
    if name.startswith("measure:"):
        measure = lexicon.measures.get(name.removeprefix("measure:"))
        return measure.phrases if measure else ()
    concept = lexicon.concepts.get(name)
    return concept.phrases if concept else ()
