"""Finds the series of a filing that an operand of a question may mean, and computes their features."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from math import fsum, log10

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import spans_of_terms, terms
from quaestor.documents.table import TableRole
from quaestor.facts.lines import ADJUSTED_TERMS, FactLine, Moment
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import find_expressions, find_synonyms, read_lexicon
from quaestor.ontology.word_vectors import SIMILARITIES, read_word_vectors
from quaestor.questions.answer_units import KINDS, share_of_kind
from quaestor.questions.understanding import INTENTS, QuestionOperand
from quaestor.questions.word_patterns import STOP_TERMS
from quaestor.solvers.embedded.filings.binding import OperandQuery, SeriesCandidates
from quaestor.solvers.embedded.filings.translation import list_asked

_MOST, _MOST_IN_TEXT = 80, 40
"""Maximum number of candidates that are scored per operand, from tables and from sentences."""
_MOST_SIMILAR, _MOST_OF_SIMILAR = 8, 24
"""Maximum number of table lines with similar words, and of their series, that are scored as well."""
_SIMILAR = 0.25
"""Minimum cosine of the mean vectors of such words."""
_ANSWERING = 5
"""Number of likely answer sentences whose numbers become candidates."""
_PHRASE = 0.9
"""Weight of another name of the operand, relative to its own words."""
_SYNONYM = 0.8
"""Weight of a synonym, relative to the term that it replaces."""
_MOST_NAMES, _MOST_PHRASES = 4, 6
_COUNTED = 4
"""Number of terms after a number that describe what it counts."""
_FALLING_DUE = frozenset(terms("principal due matures maturing falls falling comes coming pay payment repay owe"))
"""Terms for payments that fall due which do not identify the payment."""
_EXPECTING = frozenset(terms("expect plan guide guidance forecast outlook anticipate project spend target"))
_AROUND, _PASSAGE = 2, 0.3
"""Number of sentences to consider on either side of the last answer's sentence, and their weight."""
_NEAR = 8
"""Distance from a number, in terms, at which a term counts half."""

_RATE = lazy_regex(r"[0-9]+[.][0-9]+")
_ROLES = tuple(TableRole)
_WORD_IN_NAME = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z][a-z]+")


def find_candidates(query: OperandQuery, table: FactTable) -> SeriesCandidates:
    """Find the series that an operand may mean; their features are computed when they are used."""
    finder = _CandidateFinder(query, table)
    series = tuple(table.series[place] for place in finder.places())
    return SeriesCandidates(series, partial(_measure_candidates, finder, series))


def _measure_candidates(
    finder: "_CandidateFinder", series: Sequence[Series]
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return the names and values of the features of series, of which there must be at least one."""
    rows = [finder.features(one) for one in series]
    names = (*_SIMILARITIES, *rows[0])
    matrix = np.hstack(
        [finder.measure_similarities(series), np.array([tuple(row.values()) for row in rows], np.float32)]
    )
    # Features whose scale depends on the question are also given relative to the best candidate.
    compared = matrix[:, :_COMPARED]
    matrix = np.hstack([matrix, compared - compared.max(axis=0, keepdims=True)])
    return (*names, *(f"{name}_behind" for name in names[:_COMPARED])), matrix


def find_unasked_members(series: Sequence[Series], requested: AbstractSet[str], table: FactTable) -> NDArray[np.bool_]:
    """Return a mask of the series in tables headed by a member that the question does not mention."""
    headings = (table.members_above.get(one.line.table) if not one.line.sentence else None for one in series)
    return np.array([heading is not None and heading.isdisjoint(requested) for heading in headings], bool)


def find_otherwise_named(series: Sequence[Series], names: AbstractSet[tuple[str, ...]]) -> NDArray[np.bool_]:
    """Return a mask of the series whose line has none of the names, given as terms; all False if no line has one."""
    named = np.array([one.line.label_terms in names for one in series], bool)
    return ~named & named.any()


def find_outside(series: Sequence[Series], source: frozenset[str], role: TableRole | None = None) -> NDArray[np.bool_]:
    """Return a mask of the series outside the note, table or statement that a question names; all False if all are."""
    inside = np.array([source <= one.line.title_terms and role in (None, one.line.role) for one in series], bool)
    return ~inside & inside.any()


def find_renamed_otherwise(series: Sequence[Series], asked: AbstractSet[str], last: Series) -> NDArray[np.bool_]:
    """Return a mask of the series that share fewer names with the last one than another series that a question names.

    After pumps in Asia, "and valves?" means valves in Asia. All are False if no series has all terms of the question.
    """
    names = [frozenset((*one.line.name_terms, *one.column)) for one in series]
    before = {*last.line.name_terms, *last.column}
    common = [len(own & before) if asked <= own else -1 for own in names]
    most = max(common, default=0)
    return np.array([count < most for count in common], bool)


def find_adjusted(series: Sequence[Series]) -> NDArray[np.bool_]:
    """Return a mask of the series of adjusted figures."""
    return np.array([not ADJUSTED_TERMS.isdisjoint(one.line.name_terms) for one in series], bool)


_WITHOUT = lazy_regex(r"\b(?:exclud\w*|exclusive|excl|ex|without|other than|before|net of|non)\b", re.IGNORECASE)


def find_excluded(series: Sequence[Series], excluded: AbstractSet[str]) -> NDArray[np.bool_]:
    """Return a mask of the series that are named like what a question excludes; all False if all are."""
    found = np.array(
        [
            excluded <= {*one.line.label_terms, *one.column}
            and not _WITHOUT.search(" ".join((one.line.label, *one.line.path)))
            for one in series
        ],
        bool,
    )
    return found & ~found.all()


class _CandidateFinder:
    """Finds the candidate series for one query and computes their features."""

    def __init__(self, query: OperandQuery, table: FactTable) -> None:
        self.query, self.table = query, table
        # A rate may be part of a line's name: "the 4.875% notes".
        rates = (term for term in query.operand.phrase if _RATE.fullmatch(term) and term in table.postings)
        self.own = tuple(dict.fromkeys((*query.terms, *rates)))
        self.asked = list_asked(query.operand, query.ignored)
        self.meaningful = self._list_meaningful(query.operand.phrase)
        self.rarity = {term: table.rarity(term) for term in {*self.own, *query.state.terms}}
        self.weight = sum(self.rarity[term] for term in self.own) or 1.0
        self.names = [term for term in self.own if term in table.sentences.names]
        self.concepts = query.operand.concepts
        self.phrases = _find_meant_phrases(query.operand)
        for term in {term for phrase in self.phrases for term in phrase}:
            self.rarity.setdefault(term, table.rarity(term))
        self.synonyms = find_synonyms(
            query.operand.phrase, self.own, lambda term: term in table.postings or term in table.sentence_postings
        )
        self.printed = frozenset[str]().union(*(synonym.printed for synonym in self.synonyms))
        named = {place for match in query.operand.matches for place in range(match.start, match.end)}
        phrase = query.operand.phrase
        self.not_named = frozenset(self.own).difference(phrase[place] for place in named)
        self.concepts_meant = self._find_meant_concepts()
        self.not_meant = frozenset(query.operand.phrase)
        before = query.state.series
        self.tables_before = {series.line.table for series in before}
        self.lines_before = {series.line.place for series in before}
        self.labels_before = {series.line.label_terms for series in before}
        self.concepts_before = {series.concept for series in before if series.concept}
        self.columns_before = {series.column for series in before}
        self.kinds = dict(zip(KINDS, query.likely.kinds, strict=False))
        self.ranks = {place: rank for rank, place in enumerate(query.likely.sentences)}

    def _find_meant_concepts(self) -> frozenset[str]:
        """Return the concepts named by synonyms of the question's terms."""
        phrase, named = self.query.operand.phrase, read_lexicon().named
        return frozenset(
            concept
            for synonym in find_expressions(tuple(phrase))
            if not self.not_named.isdisjoint(phrase[synonym.start : synonym.end])
            for other in synonym.others
            for concept in named(other)[0]
        )

    def places(self) -> list[int]:
        """Return the best series by matching words: first those in tables, then those in sentences.

        Those of tables are followed by the series whose labels have similar words.
        """
        table = self.table
        in_tables, in_text = self._score_by_words(table.postings), self._score_by_words(table.sentence_postings)
        for scores, postings in ((in_tables, table.postings), (in_text, table.sentence_postings)):
            for phrase in self.phrases:
                for place in _intersect([postings.get(term, ()) for term in phrase]):
                    scores[place] = max(scores.get(place, 0.0), _PHRASE * self.weight)
        named = [line for concept in self.concepts for line in table.by_concept.get(concept, ())]
        concept_places = {
            line.place: line
            for concept in sorted(self.concepts_meant - self.concepts)
            for line in table.by_concept.get(concept, ())
        }
        for place, line in concept_places.items():
            scores = in_text if line.sentence else in_tables
            scores[place] = max(scores.get(place, 0.0), 0.5 * self.weight)
        if self.query.quoted:
            named += [line for line in table.lines if line.label_terms in self.query.quoted]
        for line in (*named, *(series.line for series in self.query.state.series)):
            scores = in_text if line.sentence else in_tables
            scores[line.place] = scores.get(line.place, 0.0) + self.weight
        similar = self._find_similar()
        years = {moment.year for moment in self.query.moments if moment.months == 12 and moment.end > table.latest.end}
        if years and _FALLING_DUE.issuperset(self.own) and _EXPECTING.isdisjoint(self.query.operand.phrase):
            # A payment due in a future year need not be named: its schedule has the year.
            due = [place for year in years for place in table.scheduled.get(year, ())]
            in_tables = {place: in_tables[place] for place in due if place in in_tables} or dict.fromkeys(due, 0.0)
            in_text = {place: score for place, score in in_text.items() if years & table.line(place).years}
            similar = []
        for sentence in tuple(self.query.likely.sentences)[:_ANSWERING]:
            for place in table.lines_of_sentence.get(sentence, ()):
                in_text[place] = in_text.get(place, 0.0) + self.weight
        for section, index in self.query.state.sentences[-1:]:
            for near in range(index - _AROUND, index + _AROUND + 1):
                for place in table.lines_of_sentence.get((section, near), ()):
                    in_text[place] = in_text.get(place, 0.0) + _PASSAGE * self.weight
        of_tables = dict.fromkeys((*self._select_best(in_tables, _MOST), *similar))
        return [*of_tables, *self._select_best(in_text, _MOST_IN_TEXT)]

    def _find_similar(self) -> list[int]:
        """Return the series of the table lines whose labels are most similar to the operand."""
        directions = self.table.label_directions
        [own] = read_word_vectors().average([self.meaningful])
        if not own.any() or not len(directions):
            return []
        similar = multiply(directions, own)
        lines = [place for place in np.argsort(-similar, kind="stable")[:_MOST_SIMILAR] if similar[place] > _SIMILAR]
        series = [one for place in lines for one in self.table.series_of_line.get(int(place), ())]
        return [one.place for one in series[:_MOST_OF_SIMILAR]]

    def _score_by_words(self, postings: Mapping[str, tuple[int, ...]]) -> dict[int, float]:
        scores: dict[int, float] = {}
        for term in self.own:
            named = set(postings.get(term, ()))
            concepts = {
                place
                for synonym in self.synonyms
                if term in synonym.replaced
                for place in _intersect([postings.get(one, ()) for one in synonym.printed])
            }
            for place in named | concepts:
                weight = 1.0 if place in named else _SYNONYM
                scores[place] = scores.get(place, 0.0) + weight * self.rarity[term]
        for term in self.query.state.terms:
            for place in postings.get(term, ()):
                if place in scores or not self.own:
                    scores[place] = scores.get(place, 0.0) + 0.4 * self.rarity[term]
        return scores

    def _select_best(self, scores: Mapping[int, float], most: int) -> list[int]:
        found: list[tuple[float, int]] = []
        for place, named in scores.items():
            line = self.table.line(place)
            label = self._find_meant_terms(set(line.label_terms))[0]
            score = named + fsum(self.rarity[term] for term in label) + 0.3 * line.role.is_statement
            for series in self.table.series_of_line.get(place, ()):
                column = {*series.column, *list_identifying_terms(series.members)}
                extra = sum(self.rarity[term] for term in self.own if term in column and term not in label)
                found.append((score + extra - 0.2 * len(series.column), series.place))
        found.sort(key=lambda pair: (-pair[0], pair[1]))
        return [place for _, place in found[:most]]

    def _measure_nearness(self, places: Mapping[str, int]) -> float:
        """Return the share of the question's terms that occur near the number in its sentence."""
        near = [self.rarity[term] / (1 + abs(places[term]) / _NEAR) for term in self.own if term in places]
        return sum(near) / self.weight

    def _measure_phrase_recall(self, words: Iterable[str]) -> float:
        """Return the best coverage, by the given words, of any alternative name of the operand."""
        terms = set(words)
        return max(
            (
                fsum(self.rarity[term] for term in phrase & terms) / (fsum(self.rarity[term] for term in phrase) or 1.0)
                for phrase in self.phrases
            ),
            default=0.0,
        )

    def _measure_likeness(self, phrase: frozenset[str]) -> float:
        """Return the similarity of a phrase and the question, with rare terms weighted more."""
        both = sum(self.rarity[term] for term in self.own if term in phrase)
        return 2 * both / (self.weight + fsum(map(self.table.rarity, phrase))) if both else 0.0

    def _measure_recall(self, terms: Iterable[str]) -> float:
        own_terms = set(terms)
        return sum(self.rarity[term] for term in self.own if term in own_terms) / self.weight

    def _find_meant_terms(self, words: Collection[str]) -> tuple[set[str], set[str]]:
        """Return the question's terms that occur among words, also as synonyms, and the matched synonym terms."""
        replaced, printed = set[str](), set[str]()
        if not self.printed.isdisjoint(words):
            for synonym in self.synonyms:
                if synonym.printed.issubset(words):
                    replaced |= synonym.replaced
                    printed |= synonym.printed
        return replaced.union(term for term in self.own if term in words), printed

    def _measure_source_nearness(self, at: tuple[str, int] | None) -> float:
        """Return how close a sentence is to the source sentences of the last answers."""
        if at is None:
            return 0.0
        section, place = at
        return max(
            (1 / (1 + abs(place - other)) for name, other in self.query.state.sentences if name == section), default=0.0
        )

    def features(self, series: Series) -> dict[str, float]:
        query, line, table = self.query, series.line, self.table
        label, path, title = set(line.label_terms), line.path_terms, line.title_terms
        column, members = set(series.column), list_identifying_terms(series.members)
        concept = series.concept
        own = set(self.own)
        whole = label | path | column | members | title
        concept_terms, synonyms = self._find_meant_terms(whole)
        known = own | query.state.terms
        phrases = _list_phrases(concept)
        likeness = max((_measure_overlap(own, phrase) for phrase in phrases), default=0.0)
        named = own | {term for phrase in phrases if phrase <= own for term in label}
        first = series.first
        ref = first.ref
        around = _measure_distances(line.sentence, ref.start, ref.end) if isinstance(ref, SentenceRef) else {}
        moments = [moment for moment in series.cells if moment is not None]
        wanted = query.moments or (table.latest, Moment(*table.latest.end, 0))
        exact = sum(want.year in line.years or any(_is_at(moment, want) for moment in moments) for want in wanted)
        inherited = query.state.terms
        at = (ref.section, ref.sentence) if isinstance(ref, SentenceRef) else None
        sentence_share = query.likely.sentences.get(at, 0.0) if at else 0.0
        named_label = label - table.company or label
        translated, best_translated = query.translation.measure(self.asked, sorted(label | column | members))
        return {
            "label_recall": self._measure_recall(label),
            "path_recall": self._measure_recall(label | path),
            "member_recall": self._measure_recall(label | column | members),
            "whole_recall": self._measure_recall(whole),
            "meant_recall": self._measure_recall(concept_terms),
            "meant_label_recall": self._measure_recall(self._find_meant_terms(label)[0]),
            "likeness": likeness,
            "rare_likeness": max(map(self._measure_likeness, phrases), default=0.0),
            "concept_named": float(concept in self.concepts),
            "concept_meant": float(concept in self.concepts_meant),
            "nearness": self._measure_nearness(around),
            "phrase_recall": self._measure_phrase_recall(label | column | members),
            "translated": translated,
            "best_translated": best_translated,
            # The features from here on are not compared with those of other candidates.
            "label_meant": _measure_share(named_label, own | synonyms | {"total", "net"}),
            "column_meant": _measure_share(column, known | synonyms) if column else 1.0,
            "meant_nearby": self._measure_recall(
                self._find_meant_terms([term for term, far in around.items() if abs(far) <= _NEAR])[0]
            ),
            "of_text": float(bool(line.sentence)),
            "phrase_nearby": self._measure_phrase_recall(term for term, far in around.items() if abs(far) <= _NEAR),
            "counted": self._measure_recall(term for term, far in around.items() if 0 < far <= _COUNTED),
            "label_named": _measure_share(named_label, named | {"total", "net"}),
            "label_known": _measure_share(named_label, named | inherited),
            "column_known": _measure_share(column, known) if column else 1.0,
            "column_length": float(len(column)),
            "members_known": _measure_share(members, known) if members else 1.0,
            "members_length": float(len(members)),
            "has_members": float(bool(series.members)),
            "members_recall": self._measure_recall(members),
            "column_recall": self._measure_recall(column),
            "own_path_recall": self._measure_recall(path),
            "title_recall": self._measure_recall(title),
            "meant_otherwise": float(any(other <= self.not_meant for other in _list_excluded_phrases(concept))),
            "has_concept": line.concept_share if concept else 0.0,
            "tagged": float(line.tagged),
            **{f"role={role.value}": float(line.role is role) for role in _ROLES},
            "statement": float(line.role.is_statement),
            "role_asked": 0.0 if query.reading.role is None else 1.0 if query.reading.role is line.role else -1.0,
            "basis_asked": _fits_basis(query.reading.basis, line, column),
            "time_asked": float(bool(query.moments)),
            "times_there": exact / len(wanted),
            "times": float(len(moments)),
            "percent": float(first.scale is Scale.PERCENT),
            "percent_asked": float(query.percent),
            "percent_apart": float(first.scale is Scale.PERCENT) - float(query.percent),
            "money": float(_is_money(first.unit)),
            "names_recall": sum(name in whole for name in self.names) / len(self.names) if self.names else 1.0,
            "near_source": self._measure_source_nearness(at),
            "kind_fits": share_of_kind(self.kinds, series.kind),
            "words_asked": self.kinds.get("words", 0.0),
            "sentence_share": sentence_share,
            "sentence_rank": 1.0 / (1 + self.ranks[at]) if at in self.ranks else 0.0,
            "count_asked": float(query.count),
            "count_apart": float(query.count) - float(first.scale is not Scale.PERCENT and not _is_money(first.unit)),
            "size": min(12.0, log10(abs(first.amount) + 1.0)),
            "negative": float(first.amount < 0),
            "total": float("total" in label),
            "total_asked": float(query.reading.total_asked),
            "total_apart": float(query.reading.total_asked) - float("total" in label or "total" in column),
            "change": float(first.change or any(term.startswith("chang") for term in label)),
            "repeat": float(series.repeat),
            "total_column": float("total" in column),
            "place": line.place / max(1, len(table.lines)) if not line.sentence else 0.0,
            "table_before": float(line.table in self.tables_before),
            "line_before": float(line.place in self.lines_before),
            "label_before": float(line.label_terms in self.labels_before),
            "concept_before": float(bool(concept) and concept in self.concepts_before),
            "column_before": float(series.column in self.columns_before),
            "inherited": _measure_share(inherited, label | column | path | members) if inherited else 0.0,
            "inherited_whole": _measure_share(inherited, label | column | path | members | title) if inherited else 0.0,
            "goes_on": float(query.reading.goes_on),
            "has_before": float(bool(query.state.series)),
            "own_length": float(len(self.own)),
            "operand": float(query.place),
            "relation": float(_RELATIONS.index(query.reading.relation)),
            "label_length": float(len(label)),
            "path_length": float(len(line.path)),
            "lines_of_concept": float(len(table.by_concept.get(concept, ()))) if concept else 0.0,
            **{f"intent={name}": share for name, share in zip(INTENTS, query.likely.intents, strict=True)},
        }

    def measure_similarities(self, series: Sequence[Series]) -> NDArray[np.float32]:
        """Return how similar the words of series are to the question, by the vectors of words.

        Shape: series x `len(_SIMILARITIES)`.
        """
        compare = read_word_vectors().compare
        asked = self._list_meaningful(terms(self.query.reading.text))
        own = self.meaningful or asked
        inherited = tuple(dict.fromkeys((*own, *sorted(self.query.state.terms))))
        paths = [sorted(one.line.path_terms) for one in series]
        named = [_list_words(one) for one in series]
        both = [(*words, *above) for words, above in zip(named, paths, strict=True)]
        return np.hstack([
            compare(own, named),
            compare(own, [one.line.label_terms for one in series])[:, :1],
            compare(own, paths)[:, :1],
            compare(own, both)[:, 1:2],
            compare(asked, both)[:, :2],
            compare(inherited, both)[:, :2],
        ])  # fmt: skip

    def _list_meaningful(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the terms that carry meaning, without the company's name."""
        return tuple(dict.fromkeys(one for one in words if one not in STOP_TERMS and one not in self.query.ignored))


def _is_money(unit: str | None) -> bool:
    return unit is not None and "/" not in unit and unit.isupper()


def _intersect(places: Sequence[Sequence[int]]) -> set[int]:
    fewest, *others = sorted(places, key=len)
    return set(fewest).intersection(*others)


def _find_meant_phrases(operand: QuestionOperand) -> tuple[frozenset[str], ...]:
    """Return alternative names of an operand, as terms."""
    lexicon = read_lexicon()
    called = [lexicon.concepts[name].phrases for name in sorted(operand.concepts) if name in lexicon.concepts]
    called += [lexicon.measures[name].phrases for name in operand.measures]
    found = [frozenset(phrase) for phrases in called[:_MOST_NAMES] for phrase in phrases[:_MOST_PHRASES]]
    return tuple(dict.fromkeys(found))


def _list_words(series: Series) -> Collection[str]:
    """Return the terms of a sentence, or those that name a series of a table."""
    if series.line.sentence:
        return tuple(dict.fromkeys(term for _, _, term in spans_of_terms(series.line.sentence)))
    named = (*series.line.label_terms, *series.column, *sorted(list_identifying_terms(series.members)))
    return tuple(dict.fromkeys(named))


_RELATIONS = ("", "ratio", "sum", "difference", "versus", "part")
_SIMILARITIES = (
    *SIMILARITIES, "similar_label", "similar_path", "similar_asked_path", "similar_question", "similar_question_asked",
    "similar_inherited", "similar_inherited_asked",
)  # fmt: skip
"""Columns of `measure_similarities`."""
_COMPARED = len(_SIMILARITIES) + 14
"""Number of leading features that are also given relative to the best candidate."""


def _is_at(moment: Moment, wanted: Moment) -> bool:
    if wanted.month and moment.month != wanted.month:
        return False
    return moment.end == wanted.end and (moment.months == wanted.months or 0 in (moment.months, wanted.months))


@lru_cache(maxsize=4096)
def _measure_distances(sentence: str, start: int, end: int) -> Mapping[str, int]:
    """Return the distance of each term of a sentence from a number in it, in terms; negative before the number."""
    spans = spans_of_terms(sentence)
    first = sum(begin < start for begin, _, _ in spans)
    last = first + sum(start <= begin < end for begin, _, _ in spans)
    found: dict[str, int] = {}
    for place, (_, _, term) in enumerate(spans):
        if not first <= place < last:
            far = place - first if place < first else place - last + 1
            if term not in found or abs(far) <= abs(found[term]):
                found[term] = far
    return found


def _fits_basis(text: str, line: FactLine, column: Iterable[str]) -> float:
    """Return 1 if a line is on the requested basis, else -1; without one, -0.5 for an adjusted line, else 0."""
    adjusted = not ADJUSTED_TERMS.isdisjoint((*line.label_terms, *column))
    if not text:
        return -0.5 * adjusted
    return 1.0 if (adjusted or line.role is TableRole.NON_GAAP) == (text == "adjusted") else -1.0


def _measure_share(part: Iterable[str], whole: Iterable[str]) -> float:
    terms, others = set(part), set(whole)
    return len(terms & others) / len(terms) if terms else 0.0


def _measure_overlap(own: set[str], phrase: frozenset[str]) -> float:
    both = len(own & phrase)
    return 2 * both / (len(own) + len(phrase)) if both else 0.0


@lru_cache(maxsize=4096)
def _list_phrases(concept: str) -> tuple[frozenset[str], ...]:
    """Return the phrases of a concept, and the words of its name."""
    known = read_lexicon().concepts.get(concept)
    name = frozenset(terms(" ".join(_WORD_IN_NAME.findall(concept.rpartition(":")[2]))))
    return (*(frozenset(phrase) for phrase in (known.phrases if known else ())), *((name,) if name else ()))


@lru_cache(maxsize=4096)
def _list_excluded_phrases(concept: str) -> tuple[frozenset[str], ...]:
    known = read_lexicon().concepts.get(concept)
    return tuple(frozenset(phrase) for phrase in (known.not_phrases if known else ()) if phrase)


@lru_cache(maxsize=4096)
def list_identifying_terms(members: Sequence[str]) -> frozenset[str]:
    """Return the terms in the names of members, without those that all have."""
    return frozenset(
        found
        for member in members
        for found in terms(" ".join(_WORD_IN_NAME.findall(member.removesuffix("Member"))))
        if found not in ("member", "segment")
    )
