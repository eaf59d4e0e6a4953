"""Which earlier results a question uses together: every likely set of them, scored by named traits.

A trait is something that can be said of a set and checked by reading ("the last two results"); the score of a set is
the sum of the weights of its traits, alone and together with what the question says. The weights are in `weights.json`,
fitted on dialogues whose programs are known; a probability is the share among the sets of one question.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import combinations

from quaestor.conversation.metrics import classify_metric_type
from quaestor.conversation.references.asked import Asked
from quaestor.conversation.references.expressions import find_expressions
from quaestor.conversation.references.lineage import Result
from quaestor.conversation.references.resolved import TurnSet
from quaestor.conversation.references.wording import calls

Weights = Mapping[str, Mapping[str, float]]
"""For each trait its weights by cue; the cue `""` is the trait alone."""

BY_HAND: Weights = {
    "none": {"looks up a new thing in a year": 4.0},
    "the last two results": {"scales one result": -4.0},
    "the last three results": {"scales one result": -4.0},
    "the last and an earlier result": {"scales one result": -4.0},
}
"""Weights for what people do and the dialogues never do: look a third thing up after two, or scale the last of two.

Their cues are not fitted.
"""

_RECENT = 5
"""How many of the latest distinct results may be used together with another."""

_KEPT = 8
"""How many sets are given."""

_NAMED = 3
"""How many older results may be used because the question names their words or years."""


def sets_of(asked: Asked, latest: Sequence[Result]) -> list[tuple[Result, ...]]:
    """Returns the sets of results that a question may use, each in the order of the turns, the empty one first."""
    pool = list(latest[:_RECENT])
    by_turn = {result.turn: result for result in latest}
    for result in pool[:2]:
        pool += [by_turn[t] for t in result.rests if t is not None and t in by_turn and by_turn[t] not in pool]
    older = [result for result in latest if result not in pool]
    older.sort(key=lambda r: (-len(r.words & asked.words) - 2 * len(r.years & asked.years), -r.turn))
    pool += [r for r in older[:_NAMED] if r.words & asked.words or r.years & asked.years]
    pairs = [(b, a) if b.turn < a.turn else (a, b) for a, b in combinations(pool, 2)]
    longer = [tuple(reversed(latest[:size])) for size in (3, 4) if len(latest) >= size]
    return [(), *((result,) for result in pool), *pairs, *longer]


def traits_of(chosen: tuple[Result, ...], asked: Asked, latest: Sequence[Result]) -> list[str]:
    """Returns what can be said of a set of the latest results."""
    turns = tuple(result.turn for result in chosen)
    traits = [_place(turns, latest)]
    if not chosen:
        return [*traits, *_emptiness(asked, latest), *_pointed(turns, asked, latest)]
    return [*traits, *_standing(chosen, turns, latest), *_match(chosen, asked), *_pointed(turns, asked, latest)]


def _pointed(turns: tuple[int, ...], asked: Asked, latest: Sequence[Result]) -> Iterable[str]:
    """What the expressions of the question point at, in the set or not."""
    for expression in find_expressions(asked):
        if expression.noun and expression.kind in ("result", "results"):
            called = next((result.turn for result in latest if calls(expression.noun, result.metric)), None)
            if called is not None:
                yield "with the result called so" if called in turns else "without the result called so"
    for year in asked.years:
        dated = [result.turn for result in latest if result.years == {year} and result.made == "value"]
        if dated:
            yield "with the value of the year" if dated[0] in turns else "without the value of the year"


def _place(turns: tuple[int, ...], latest: Sequence[Result]) -> str:
    if not turns:
        return "none"
    tail = tuple(result.turn for result in latest[: len(turns)])[::-1]
    if turns == tail:
        return ("the last result", "the last two results", "the last three results", "the last four results")[
            len(turns) - 1
        ]
    if len(turns) == 1:
        return "the result before the last" if turns[0] == latest[1].turn else "an earlier result"
    return "the last and an earlier result" if turns[-1] == latest[0].turn else "two earlier results"


def _emptiness(asked: Asked, latest: Sequence[Result]) -> Iterable[str]:
    yield f"none after {latest[0].made}" if latest else "none"
    if len(latest) > 1:
        yield f"none after {latest[1].made}, {latest[0].made}"
    if all(y in latest[0].years for y in asked.years) and asked.years:
        yield "none in the same year"


def _standing(chosen: tuple[Result, ...], turns: tuple[int, ...], latest: Sequence[Result]) -> Iterable[str]:
    consumed = {turn for result in latest for turn in result.rests if turn is not None}
    fresh = [result.turn not in consumed for result in chosen]
    yield "not used yet" if all(fresh) else "one used already" if any(fresh) else "used already"
    yield "of " + " and ".join(result.made for result in chosen)
    tail = []
    for result in latest:
        if result.turn in consumed or result.made not in ("value",):
            break
        tail.append(result.turn)
    if len(tail) > 1 and turns == tuple(reversed(tail)):
        yield "all values asked since"
    last = chosen[-1]
    if len(chosen) == 1 and last.made == "change":
        base = last.rests[1] if len(last.rests) > 1 else None
        yield "a change without its base" if base is None else "a change whose base was asked"
    if len(chosen) == 2:
        for change, other in (chosen, chosen[::-1]):
            if change.made == "change" and len(change.rests) > 1:
                if change.rests[1] == other.turn:
                    yield "a change and its base"
                elif change.rests[0] == other.turn:
                    yield "a change and its later value"
        if chosen[0].turn in chosen[1].rests:
            yield "a result and a part of it"


def _match(chosen: tuple[Result, ...], asked: Asked) -> Iterable[str]:
    if asked.years:
        years = frozenset().union(*(result.years for result in chosen))
        if asked.years == years:
            yield "of the years named"
        elif asked.years <= years:
            yield "covering the years named"
        elif asked.years & years:
            yield "of one of the years named"
        elif years:
            yield "of other years"
    words = frozenset().union(*(result.words for result in chosen))
    if asked.words:
        share = len(asked.words & words) / len(asked.words)
        yield (
            "named in full"
            if share == 1
            else "named for the most part"
            if share > 0.5
            else "named in part"
            if share
            else "not named"
        )
    else:
        yield "nothing is named"
    if len(chosen) == 2:
        a, b = chosen
        if a.words and a.words == b.words:
            yield "of one thing"
        if a.made == b.made:
            yield "of one kind"


def heard_in(asked: Asked, latest: Sequence[Result]) -> frozenset[str]:
    """Returns what the question says, in the words of the weights; an empty one is there for every question."""
    wanted = classify_metric_type(asked.text, latest[0].metric if latest else None)[0].metric_type
    kinds = {expression.kind for expression in find_expressions(asked)}
    heard = {f"asks for {wanted.replace('_', ' ')}"}
    if "results" in kinds:
        heard.add("points at several results")
    elif kinds & {"result", "cell"}:
        heard.add("points at a result")
    elif wanted == "value" and asked.words:
        heard.add("looks a thing up")
    new = asked.words.difference(*(result.words for result in latest))
    if new:
        heard.add("a new thing is named")
    if new and wanted == "value" and asked.years and not kinds and not asked.cues & {"then", "a conversion"}:
        heard.add("looks up a new thing in a year")
    if "a number of its own" in asked.cues and not asked.words and not asked.years:
        heard.add("scales one result")
    return asked.cues | heard


def rank_sets(asked: Asked, latest: Sequence[Result], weights: Weights) -> tuple[TurnSet, ...]:
    """Returns the sets of earlier results that a question may use, the likeliest first; at most eight.

    Args:
        asked: The question.
        latest: The distinct results, the latest first.
        weights: For traits and cues.
    """
    if not latest:
        return ()
    cues = heard_in(asked, latest)
    totals: dict[str, float] = {}
    ranked = []
    for chosen in sets_of(asked, latest):
        traits = traits_of(chosen, asked, latest)
        for trait in traits:
            if trait not in totals:
                totals[trait] = sum(w for cue, w in weights.get(trait, {}).items() if cue in cues)
        ranked.append((sum(totals[trait] for trait in traits), chosen, traits))
    ranked.sort(key=lambda item: -item[0])
    top = ranked[0][0]
    whole = sum(math.exp(score - top) for score, _, _ in ranked)
    return tuple(
        TurnSet(tuple(r.turn for r in chosen), math.exp(score - top) / whole, _reason(traits, cues, weights))
        for score, chosen, traits in ranked[:_KEPT]
    )


def _reason(traits: Sequence[str], cues: frozenset[str], weights: Weights) -> str:
    """Returns the two traits that speak most for a set, and the two cues of the question that make them speak."""
    spoken: list[tuple[float, str]] = []
    said: dict[str, float] = {}
    for trait in traits:
        for_it = {cue: w for cue, w in weights.get(trait, {}).items() if cue in cues and w > 0}
        spoken.append((sum(for_it.values()), trait))
        for cue, weight in for_it.items():
            if cue and not cue.endswith("named"):
                said[cue] = said.get(cue, 0) + weight
    spoken.sort(key=lambda item: -item[0])
    words = ", ".join(trait for weight, trait in spoken[:2] if weight > 0) or traits[0]
    heard = sorted(said, key=lambda cue: -said[cue])[:2]
    return f"{words}; the question: {', '.join(heard)}" if heard else words


@lru_cache(maxsize=1)
def read_weights() -> Weights:
    """Returns the weights in force: the fitted ones and those set by hand."""
    text = files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    fitted: dict[str, dict[str, float]] = json.loads(text)["weights"]
    return {trait: {**fitted.get(trait, {}), **BY_HAND.get(trait, {})} for trait in {**fitted, **BY_HAND}}
