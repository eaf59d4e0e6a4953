"""Which earlier results a question uses together: every likely set of them, scored by its traits.

The score of a set is the sum of the weights of its traits with what the question says; its probability is its share
among the sets of the question. The weights are in `weights.json`, fitted on dialogues whose programs are known.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from quaestor.conversation.references.lineage import Result
from quaestor.conversation.references.pointing import pointed_at
from quaestor.conversation.references.resolved import AntecedentSet
from quaestor.conversation.references.traits import cue_features, sets_of, traits_of
from quaestor.conversation.references.wording import UNSPOKEN, trait_words
from quaestor.questions.question import Question

Weights = Mapping[str, Mapping[str, float]]
"""For each trait its weights by cue, both by their ids."""

BY_HAND: Weights = {
    "of_a_thing_neither_in_focus_nor_named": {"speaks_of_one_thing_in_years": -3.0},
    "none_of_one_pointed_at": {"turns_to_another_thing": -6.0},
    "as_many_as_counted": {"counts_the_results": 3.0},
    "none": {"looks_up_a_new_thing_in_a_year": 4.0},
    "the_last_two_results": {"scales_one_result": -6.0},
    "the_last_three_results": {"scales_one_result": -6.0},
    "the_last_and_an_earlier_result": {"scales_one_result": -6.0},
}
"""Weights for what people do and the dialogues never or seldom do: look a third thing up after two, scale the last of
two, ask for the change of one thing after a look at another, turn
back to a thing, count the results that they mean.

Their cues are not fitted.
"""

_KEPT = 8
"""How many sets are given."""


def rank_sets(
    asked: Question, latest: Sequence[Result], weights: Weights, *, explained: bool = True
) -> tuple[AntecedentSet, ...]:
    """Return the sets of earlier results that a question may use, the likeliest first; at most eight.

    Args:
        latest: The distinct results, the latest first.
        weights: For traits and cues.
        explained: Whether each comes with its reason.
    """
    if not latest:
        return ()
    cues, pointed = cue_features(asked, latest), pointed_at(asked, latest)
    # A trait has many more cues than a question; in one order, since sums in another are other numbers.
    heard = sorted(cues)
    totals: dict[str, float] = {}
    ranked = []
    for chosen in sets_of(asked, latest):
        traits = traits_of(chosen, asked, latest, pointed)
        for trait in traits:
            if trait not in totals:
                of_trait = weights.get(trait, {})
                totals[trait] = sum(of_trait[cue] for cue in heard if cue in of_trait)
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
        for score, chosen, traits in ranked[:_KEPT]
    )


def _reason(traits: Sequence[str], cues: frozenset[str], weights: Weights) -> str:
    """Return the two traits that speak most for a set, and the two cues of the question that make them speak."""
    spoken: list[tuple[float, str]] = []
    said: dict[str, float] = {}
    for trait in traits:
        for_it = {cue: w for cue, w in weights.get(trait, {}).items() if cue in cues and w > 0}
        spoken.append((sum(for_it.values()), trait))
        for cue, weight in for_it.items():
            if cue not in UNSPOKEN:
                said[cue] = said.get(cue, 0) + weight
    spoken.sort(key=lambda item: -item[0])
    words = ", ".join(trait_words(trait) for weight, trait in spoken[:2] if weight > 0) or trait_words(traits[0])
    heard = sorted(said, key=lambda cue: -said[cue])[:2]
    return f"{words}; the question: {', '.join(map(trait_words, heard))}" if heard else words


@lru_cache(maxsize=1)
def read_weights() -> Weights:
    """Return the weights in force: the fitted ones and those set by hand."""
    text = files(__package__).joinpath("weights.json").read_text(encoding="utf-8")
    return with_rules(json.loads(text)["weights"])


def with_rules(fitted: Weights) -> Weights:
    """Return fitted weights together with those set by hand."""
    return {trait: {**fitted.get(trait, {}), **BY_HAND.get(trait, {})} for trait in {**fitted, **BY_HAND}}
