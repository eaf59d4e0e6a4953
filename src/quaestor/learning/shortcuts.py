"""Conversations with a step left out, as people ask them.

The benchmark takes a relative change in two turns: the difference, then its share of the base. Who asks for the
percentage change at once would get the difference from a solver that knows nothing else. So each such pair of turns
also teaches the short way: the conversation without the turn of the difference.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from quaestor.learning.examples import Example
from quaestor.learning.labels import Tree, program_tree
from quaestor.plan.program import parse_program
from quaestor.solvers.embedded.question import read_question


def skipping_differences(examples: Iterable[Example]) -> Iterator[Example]:
    """Yields, for each relative change that follows its difference, the conversation up to it without the latter.

    Only where the question names the change itself ("so what was the percentage change?"): one that speaks of "this
    difference" has lost what it speaks of.
    """
    for example in examples:
        trees = [program_tree(parse_program(gold.program)) for gold in example.gold]
        for turn in range(1, len(trees)):
            names_it = "percent_change" in read_question(example.questions[turn]).hints
            if names_it and _is_change_of(trees[turn], trees[turn - 1]):
                kept = [n for n in range(turn + 1) if n != turn - 1]
                yield replace(
                    example,
                    questions=tuple(example.questions[n] for n in kept),
                    gold=tuple(example.gold[n] for n in kept),
                )


def _is_change_of(tree: Tree, difference: Tree) -> bool:
    return tree[0] == "divide" and difference[0] == "subtract" and tree[1] == difference and tree[2] == difference[2]
