"""What can be said of a set of earlier results, and of a question: the traits and cues by which sets are weighed.

A trait is something that a reader can check: that the last two results are used. Owns no weights, and no words: traits
and cues are named by ids, under which weights are kept; `wording` says what is printed for them.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, takewhile

from quaestor.conversation.references.expressions import asks_again, find_expressions
from quaestor.conversation.references.focus import named_thing
from quaestor.conversation.references.lineage import Result
from quaestor.conversation.references.pointing import Pointed, pointed_at, pointing_expressions
from quaestor.core.words import singular, words
from quaestor.questions.question import Question

_RECENT = 5
"""How many of the latest distinct results may be used together with another."""

_NAMED = 3
"""How many older results may be used because the question names their words or years."""

_RESTATING = frozenset(
    "hundred thousand million billion dollar full expressed positive negative decimal number".split()
)
"""Words of a question that only wants a result in another form."""

_TAILS = ("the_last_result", "the_last_two_results", "the_last_three_results", "the_last_four_results")


def sets_of(asked: Question, latest: Sequence[Result]) -> list[tuple[Result, ...]]:
    """Return the sets of results that a question may use, each in the order of the turns, the empty one first."""
    pool = list(latest[:_RECENT])
    by_turn = {result.turn: result for result in latest}
    for result in pool[:2]:
        pool += [by_turn[t] for t in result.rests if t is not None and t in by_turn and by_turn[t] not in pool]
    older = [result for result in latest if result not in pool]
    older.sort(key=lambda r: (-len(r.words & asked.names) - 2 * len(r.years & asked.year_set), -r.turn))
    pool += [r for r in older[:_NAMED] if r.words & asked.names or r.years & asked.year_set]
    pairs = [(b, a) if b.turn < a.turn else (a, b) for a, b in combinations(pool, 2)]
    longer = [tuple(reversed(latest[:size])) for size in (3, 4) if len(latest) >= size]
    return [(), *((result,) for result in pool), *pairs, *longer]


def traits_of(
    chosen: tuple[Result, ...], asked: Question, latest: Sequence[Result], pointed: Pointed | None = None
) -> list[str]:
    """Return what can be said of a set of the latest results.

    Args:
        chosen: The set, in the order of the turns; empty if the question uses no earlier result.
        latest: The earlier results, the latest first.
        pointed: What the question points at, where that is known already.
    """
    pointed = pointed or pointed_at(asked, latest)
    turns = tuple(result.turn for result in chosen)
    traits = [_place(turns, latest)]
    if not chosen:
        return [*traits, *_emptiness(asked, latest), *_pointed(turns, pointed)]
    return [
        *traits,
        *_standing(chosen, turns, latest),
        *_match(chosen, asked),
        *_pointed(turns, pointed),
        _thing(chosen, pointed.said, latest[0].things),
    ]


def _pointed(turns: tuple[int, ...], pointed: Pointed) -> Iterable[str]:
    """What the expressions of the question point at, in the set or not."""
    for turn in pointed.called:
        yield "with_the_result_called_so" if turn in turns else "without_the_result_called_so"
    yield from _answered(turns, pointed)
    for turn in pointed.dated:
        yield "with_the_value_of_the_year" if turn in turns else "without_the_value_of_the_year"


def _answered(turns: tuple[int, ...], pointed: Pointed) -> Iterable[str]:
    """Whether the set has what the pointing words plainly mean, and as many as they count."""
    if meant := pointed.meant:
        held = len(meant & set(turns))
        share = "all" if held == len(meant) else "some" if held else "none"
        yield f"{share}_of_{'one' if len(meant) == 1 else 'several'}_pointed_at"
        if held == len(turns) == len(meant):
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


def _emptiness(asked: Question, latest: Sequence[Result]) -> Iterable[str]:
    yield f"none_after_{_id(latest[0])}"
    if len(latest) > 1:
        yield f"none_after_{_id(latest[1])},{_id(latest[0])}"
    if asked.years and asked.year_set <= latest[0].years:
        yield "none_in_the_same_year"


def _id(result: Result) -> str:
    return result.made.replace(" ", "_")


def _standing(chosen: tuple[Result, ...], turns: tuple[int, ...], latest: Sequence[Result]) -> Iterable[str]:
    consumed = {turn for result in latest for turn in result.rests if turn is not None}
    fresh = [result.turn not in consumed for result in chosen]
    yield "not_used_yet" if all(fresh) else "one_used_already" if any(fresh) else "used_already"
    yield "of_" + "_and_".join(map(_id, chosen))
    waiting = [r.turn for r in takewhile(lambda r: r.made == "value" and r.turn not in consumed, latest)]
    if len(turns) > 1 and list(turns) == waiting[::-1]:
        yield "all_values_asked_since"
    if len(chosen) == 1 and chosen[0].made == "change":
        yield "a_change_without_its_base" if _base(chosen[0]) is None else "a_change_whose_base_was_asked"
    if len(chosen) == 2:
        yield from _kinship(*chosen)


def _kinship(first: Result, second: Result) -> Iterable[str]:
    for change, other in ((first, second), (second, first)):
        if change.made == "change" and other.turn in change.rests:
            yield "a_change_and_its_base" if _base(change) == other.turn else "a_change_and_its_later_value"
    if first.turn in second.rests:
        yield "a_result_and_a_part_of_it"
    if first.words and first.words == second.words:
        yield "of_one_thing"
    if first.made == second.made:
        yield "of_one_kind"


def _thing(chosen: tuple[Result, ...], said: frozenset[str], focus: frozenset[str]) -> str:
    """Whether the results are about what the conversation has come to, or about a thing that the question names."""
    apart = [result.things - focus for result in chosen if focus - result.things and result.things - focus]
    if any(not own & said for own in apart):
        return "of_a_thing_neither_in_focus_nor_named"
    return "of_a_thing_out_of_focus_that_is_named" if apart else "of_the_thing_in_focus"


def _base(change: Result) -> int | None:
    return change.rests[1] if len(change.rests) > 1 else None


def _match(chosen: tuple[Result, ...], asked: Question) -> Iterable[str]:
    if asked.years:
        years = frozenset().union(*(result.years for result in chosen))
        if asked.year_set == years:
            yield "of_the_years_named"
        elif asked.year_set <= years:
            yield "covering_the_years_named"
        elif asked.year_set & years:
            yield "of_one_of_the_years_named"
        elif years:
            yield "of_other_years"
        if len(asked.year_set) == len(chosen) > 1 and all(
            any(result.years == {year} for result in chosen) for year in asked.year_set
        ):
            yield "one_for_each_year"
    named = frozenset().union(*(result.words for result in chosen))
    yield _naming(len(asked.names & named), len(asked.names))


def _naming(shared: int, named: int) -> str:
    if not named:
        return "nothing_is_named"
    if shared == named:
        return "named_in_full"
    return "named_for_the_most_part" if 2 * shared > named else "named_in_part" if shared else "not_named"


def cue_features(asked: Question, latest: Sequence[Result]) -> frozenset[str]:
    """Return what the question says, by the ids of the weights."""
    wanted = asked.metric_types(latest[0].metric if latest else None)[0].metric_type
    kinds = {expression.kind for expression in find_expressions(asked)}
    heard = {f"asks_for_{wanted}"}
    if "results" in kinds:
        heard.add("points_at_several_results")
    elif kinds & {"result", "cell"}:
        heard.add("points_at_a_result")
    elif wanted == "value" and asked.names:
        heard.add("looks_a_thing_up")
    new = asked.names.difference(*(result.words for result in latest))
    if new:
        heard.add("a_new_thing_is_named")
    if new and wanted == "value" and asked.years and not kinds and not asked.cues & {"then", "a_conversion"}:
        heard.add("looks_up_a_new_thing_in_a_year")
    if "a_conversion" in asked.cues or not asked.names - _RESTATING:
        heard.add("only_restates" if not asked.names - _RESTATING else "restates_something")
    pointing = len(pointing_expressions(asked))
    if any(asks_again(asked, expression) for expression in find_expressions(asked) if expression.kind != "period"):
        heard.add("asks_again_for_what_it_points_at")
    if pointing:
        heard.add("points_at_one_thing" if pointing == 1 else "points_at_two_things")
    if any(e.kind == "results" and e.count > 1 for e in find_expressions(asked)):
        heard.add("counts_the_results")
    said = frozenset(map(singular, words(asked.lowered)))
    if pointing == 1 and latest and named_thing(said, latest) != latest[0].things:
        heard.add("turns_to_another_thing")
    if pointing == 1 and asked.years and "results" not in kinds:
        heard.add("speaks_of_one_thing_in_years")
    if "a_number_of_its_own" in asked.cues and not asked.names and not asked.years:
        heard.add("scales_one_result")
    return asked.cues | heard
