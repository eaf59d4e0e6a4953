"""Rank the sets of earlier results that a question may use, by learned weights of common traits."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import combinations, takewhile

from quaestor.conversation.references.expressions import AntecedentSet, asks_again, find_expressions
from quaestor.conversation.references.lineage import Result
from quaestor.conversation.references.pointing import Pointing, find_subject_words, pointing_expressions, read_pointing
from quaestor.core.words import singular, words
from quaestor.questions.question import Question

UNSPOKEN = frozenset(
    "no_year_is_named a_year_is_named years_are_named a_thing_is_named no_thing_is_named a_new_thing_is_named "
    "wording_average_named wording_value_named".split()
)
"""Cues omitted from reasons because most questions have them and they are not informative."""


def trait_words(trait: str) -> str:
    """Return the words for the id of a trait or a cue."""
    return trait.replace(",", ", ").replace("_", " ")


# Traits of a set of earlier results and cues of a question, by which sets are weighed.
#
# A trait can be checked by a reader: for example, that the last two results are used. Traits and cues are named by ids,
# which are the keys of the weights.


_RECENT = 5
"""Number of latest distinct results that may be used with another."""

_NAMED = 3
"""Number of older results that may be used because the question names their words or years."""

_RESTATING = frozenset(
    "hundred thousand million billion dollar full expressed positive negative decimal number".split()
)
"""Words of a question that only asks for another form of a result."""

_TAILS = ("the_last_result", "the_last_two_results", "the_last_three_results", "the_last_four_results")


def sets_of(question: Question, latest: Sequence[Result]) -> list[tuple[Result, ...]]:
    """Return the sets of results that a question may use, each in turn order; the empty set comes first."""
    pool = list(latest[:_RECENT])
    by_turn = {result.turn: result for result in latest}
    for result in pool[:2]:
        pool += [by_turn[t] for t in result.dependencies if t is not None and t in by_turn and by_turn[t] not in pool]
    older = [result for result in latest if result not in pool]
    older.sort(key=lambda r: (-len(r.words & question.names) - 2 * len(r.years & question.year_set), -r.turn))
    pool += [r for r in older[:_NAMED] if r.words & question.names or r.years & question.year_set]
    pairs = [(b, a) if b.turn < a.turn else (a, b) for a, b in combinations(pool, 2)]
    longer = [tuple(reversed(latest[:size])) for size in (3, 4) if len(latest) >= size]
    return [(), *((result,) for result in pool), *pairs, *longer]


def traits_of(
    chosen: tuple[Result, ...], question: Question, latest: Sequence[Result], pointed: Pointing | None = None
) -> list[str]:
    """Return the traits of a set of results.

    Args:
        chosen: The set, in turn order; empty if the question uses no earlier result.
        latest: The earlier results, latest first.
        pointed: What the question points at, if already known.
    """
    pointed = pointed or read_pointing(question, latest)
    turns = tuple(result.turn for result in chosen)
    traits = [_place(turns, latest)]
    if not chosen:
        return [*traits, *_empty_set_traits(question, latest), *_pointing_traits(turns, pointed)]
    return [
        *traits,
        *_order_traits(chosen, turns, latest),
        *_match(chosen, question),
        *_pointing_traits(turns, pointed),
        _thing(chosen, pointed.question_words, latest[0].subject_words),
    ]


def _pointing_traits(turns: tuple[int, ...], pointed: Pointing) -> Iterable[str]:
    """Yield traits of whether the set contains what the question's expressions point at."""
    for turn in pointed.called:
        yield "with_the_result_called_so" if turn in turns else "without_the_result_called_so"
    yield from _meaning_traits(turns, pointed)
    for turn in pointed.dated:
        yield "with_the_value_of_the_year" if turn in turns else "without_the_value_of_the_year"


def _meaning_traits(turns: tuple[int, ...], pointed: Pointing) -> Iterable[str]:
    """Yield traits of whether the set contains the clear matches of expressions, and as many as the question states."""
    if matched := pointed.meant:
        found = len(matched & set(turns))
        share = "all" if found == len(matched) else "some" if found else "none"
        yield f"{share}_of_{'one' if len(matched) == 1 else 'several'}_pointed_at"
        if found == len(turns) == len(matched):
            yield "just_what_is_pointed_at"
    if not turns:
        return
    if pointed.counts:
        yield "as_many_as_counted" if len(turns) in pointed.counts else "not_as_many_as_counted"
    if pointed.sides:
        more = len(turns) - pointed.sides
        yield "more_than_expressions" if more > 0 else "fewer_than_expressions" if more else "one_for_each_expression"


def _place(turns: tuple[int, ...], latest: Sequence[Result]) -> str:
    if not turns:
        return "none"
    tail = tuple(result.turn for result in latest[: len(turns)])[::-1]
    if turns == tail:
        return _TAILS[len(turns) - 1]
    if len(turns) == 1:
        return "the_result_before_the_last" if turns[0] == latest[1].turn else "an_earlier_result"
    return "the_last_and_an_earlier_result" if turns[-1] == latest[0].turn else "two_earlier_results"


def _empty_set_traits(question: Question, latest: Sequence[Result]) -> Iterable[str]:
    yield f"none_after_{_id(latest[0])}"
    if len(latest) > 1:
        yield f"none_after_{_id(latest[1])},{_id(latest[0])}"
    if question.years and question.year_set <= latest[0].years:
        yield "none_in_the_same_year"


def _id(result: Result) -> str:
    return result.operation_kind.replace(" ", "_")


def _order_traits(chosen: tuple[Result, ...], turns: tuple[int, ...], latest: Sequence[Result]) -> Iterable[str]:
    consumed = {turn for result in latest for turn in result.dependencies if turn is not None}
    fresh = [result.turn not in consumed for result in chosen]
    yield "not_used_yet" if all(fresh) else "one_used_already" if any(fresh) else "used_already"
    yield "of_" + "_and_".join(map(_id, chosen))
    waiting = [r.turn for r in takewhile(lambda r: r.operation_kind == "value" and r.turn not in consumed, latest)]
    if len(turns) > 1 and list(turns) == waiting[::-1]:
        yield "all_values_asked_since"
    if len(chosen) == 1 and chosen[0].operation_kind == "change":
        yield "a_change_without_its_base" if _base(chosen[0]) is None else "a_change_whose_base_was_asked"
    if len(chosen) == 2:
        yield from _pair_traits(*chosen)


def _pair_traits(first: Result, second: Result) -> Iterable[str]:
    for change, other in ((first, second), (second, first)):
        if change.operation_kind == "change" and other.turn in change.dependencies:
            yield "a_change_and_its_base" if _base(change) == other.turn else "a_change_and_its_later_value"
    if first.turn in second.dependencies:
        yield "a_result_and_a_part_of_it"
    if first.words and first.words == second.words:
        yield "of_one_thing"
    if first.operation_kind == second.operation_kind:
        yield "of_one_kind"


def _thing(chosen: tuple[Result, ...], question_words: frozenset[str], focus: frozenset[str]) -> str:
    """Return the trait of whether the results are about the thing in focus or one named in the question."""
    differing = [
        result.subject_words - focus
        for result in chosen
        if focus - result.subject_words and result.subject_words - focus
    ]
    if any(not own & question_words for own in differing):
        return "of_a_thing_neither_in_focus_nor_named"
    return "of_a_thing_out_of_focus_that_is_named" if differing else "of_the_thing_in_focus"


def _base(change: Result) -> int | None:
    return change.dependencies[1] if len(change.dependencies) > 1 else None


def _match(chosen: tuple[Result, ...], question: Question) -> Iterable[str]:
    if question.years:
        years = frozenset().union(*(result.years for result in chosen))
        if question.year_set == years:
            yield "of_the_years_named"
        elif question.year_set <= years:
            yield "covering_the_years_named"
        elif question.year_set & years:
            yield "of_one_of_the_years_named"
        elif years:
            yield "of_other_years"
        if len(question.year_set) == len(chosen) > 1 and all(
            any(result.years == {year} for result in chosen) for year in question.year_set
        ):
            yield "one_for_each_year"
    named = frozenset().union(*(result.words for result in chosen))
    yield _naming(len(question.names & named), len(question.names))


def _naming(shared: int, named: int) -> str:
    if not named:
        return "nothing_is_named"
    if shared == named:
        return "named_in_full"
    return "named_for_the_most_part" if 2 * shared > named else "named_in_part" if shared else "not_named"


def cue_features(question: Question, latest: Sequence[Result]) -> frozenset[str]:
    """Return the cues of the question, by id."""
    wanted = question.metric_types(latest[0].metric if latest else None)[0].metric_type
    kinds = {expression.kind for expression in find_expressions(question)}
    cues = {f"asks_for_{wanted}"}
    if "results" in kinds:
        cues.add("points_at_several_results")
    elif kinds & {"result", "cell"}:
        cues.add("points_at_a_result")
    elif wanted == "value" and question.names:
        cues.add("looks_a_thing_up")
    new = question.names.difference(*(result.words for result in latest))
    if new:
        cues.add("a_new_thing_is_named")
    if new and wanted == "value" and question.years and not kinds and not question.cues & {"then", "a_conversion"}:
        cues.add("looks_up_a_new_thing_in_a_year")
    if "a_conversion" in question.cues or not question.names - _RESTATING:
        cues.add("only_restates" if not question.names - _RESTATING else "restates_something")
    pointing = len(pointing_expressions(question))
    if any(
        asks_again(question, expression) for expression in find_expressions(question) if expression.kind != "period"
    ):
        cues.add("asks_again_for_what_it_points_at")
    if pointing:
        cues.add("points_at_one_thing" if pointing == 1 else "points_at_two_things")
    if any(e.kind == "results" and e.count > 1 for e in find_expressions(question)):
        cues.add("counts_the_results")
    question_words = frozenset(map(singular, words(question.lowered)))
    if pointing == 1 and latest and find_subject_words(question_words, latest) != latest[0].subject_words:
        cues.add("turns_to_another_thing")
    if pointing == 1 and question.years and "results" not in kinds:
        cues.add("speaks_of_one_thing_in_years")
    if "a_number_of_its_own" in question.cues and not question.names and not question.years:
        cues.add("scales_one_result")
    return question.cues | cues


# Ranking of all likely sets of earlier results by their traits.
#
# The score of a set is the sum of its traits' weights for the question's cues; its probability is its share among all
# sets. The weights are in `weights.json`, fitted on dialogues with known programs.


Weights = Mapping[str, Mapping[str, float]]
"""Weights by the ids of trait and cue."""

BY_HAND: Weights = {
    "of_a_thing_neither_in_focus_nor_named": {"speaks_of_one_thing_in_years": -3.0},
    "none_of_one_pointed_at": {"turns_to_another_thing": -6.0},
    "as_many_as_counted": {"counts_the_results": 3.0},
    "none": {"looks_up_a_new_thing_in_a_year": 4.0},
    "the_last_two_results": {"scales_one_result": -6.0},
    "the_last_three_results": {"scales_one_result": -6.0},
    "the_last_and_an_earlier_result": {"scales_one_result": -6.0},
}
"""Weights for questions that are missing or rare in the dialogues: a third look-up after two, scaling the last of two
results, the change of one thing after a look at another, returning to a thing, counting the results meant.

Their cues are not fitted.
"""

_MOST_SETS = 8
"""Limit of sets returned."""


def rank_sets(
    question: Question, latest: Sequence[Result], weights: Weights, *, explained: bool = True
) -> tuple[AntecedentSet, ...]:
    """Return the sets of earlier results that a question may use, most likely first; at most eight.

    Args:
        latest: The distinct results, latest first.
        explained: Whether to add a reason to each set.
    """
    if not latest:
        return ()
    cues, pointed = cue_features(question, latest), read_pointing(question, latest)
    # A trait has many more cues than a question. The order is fixed because it affects the rounding of sums.
    ordered = sorted(cues)
    totals: dict[str, float] = {}
    ranked = []
    for chosen in sets_of(question, latest):
        traits = traits_of(chosen, question, latest, pointed)
        for trait in traits:
            if trait not in totals:
                of_trait = weights.get(trait, {})
                totals[trait] = sum(of_trait[cue] for cue in ordered if cue in of_trait)
        ranked.append((sum(totals[trait] for trait in traits), chosen, traits))
    ranked.sort(key=lambda item: -item[0])
    top = ranked[0][0]
    whole = sum(math.exp(score - top) for score, _, _ in ranked)
    return tuple(
        AntecedentSet(
            tuple(r.turn for r in chosen),
            math.exp(score - top) / whole,
            _reason(traits, cues, weights) if explained else "",
        )
        for score, chosen, traits in ranked[:_MOST_SETS]
    )


def _reason(traits: Sequence[str], cues: frozenset[str], weights: Weights) -> str:
    """Return the two traits with the most weight for a set, and the two cues that contribute most to it."""
    scores: list[tuple[float, str]] = []
    cue_weights: dict[str, float] = {}
    for trait in traits:
        for_it = {cue: w for cue, w in weights.get(trait, {}).items() if cue in cues and w > 0}
        scores.append((sum(for_it.values()), trait))
        for cue, weight in for_it.items():
            if cue not in UNSPOKEN:
                cue_weights[cue] = cue_weights.get(cue, 0) + weight
    scores.sort(key=lambda item: -item[0])
    words = ", ".join(trait_words(trait) for weight, trait in scores[:2] if weight > 0) or trait_words(traits[0])
    top = sorted(cue_weights, key=lambda cue: -cue_weights[cue])[:2]
    return f"{words}; the question: {', '.join(map(trait_words, top))}" if top else words


@lru_cache(maxsize=1)
def read_weights() -> Weights:
    """Return the weights of the package: fitted ones and those set by hand."""
    text = files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    return with_rules(json.loads(text)["weights"])


def with_rules(fitted: Weights) -> Weights:
    """Add the weights set by hand to fitted weights."""
    return {trait: {**fitted.get(trait, {}), **BY_HAND.get(trait, {})} for trait in {**fitted, **BY_HAND}}
