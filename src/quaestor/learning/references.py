"""Earlier results that labelled programs use, and the weights that predict them.

Memories are made from programs alone, so dialogues without pages serve as well. An earlier result is used if its whole
program is a proper part of the turn's program.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.answer import Answer
from quaestor.conversation.references.lineage import latest_results, results_of_turns
from quaestor.conversation.references.pointing import read_pointing
from quaestor.conversation.references.ranking import BY_HAND, Weights, cue_features, sets_of, traits_of
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.answer_value import Number
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.learning.examples import Example
from quaestor.plan.operations import metric_of
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, Step, Tree, program_tree
from quaestor.questions.question import read_question

UsedPrograms = frozenset[Tree]
"""Programs of the earlier turns whose results are used; repeated results count once."""

_WHEN = datetime(2000, 1, 1, tzinfo=UTC)
Floats = NDArray[np.float64]
_RIDGE = 0.3
"""Strength of the L2 penalty."""
_SEEN = 15
"""Least number of sets with a trait and a cue that have a weight."""
SPARSITY = 2.0
"""Strength of the L1 penalty: the best of 1, 2, 3 and 5 on held-out companies, within chance."""


@dataclass(frozen=True, slots=True)
class LabelledReference:
    """Later question of a conversation with the earlier results that its program uses.

    Attributes:
        turn: Index of the question.
        memory: The earlier turns as answered by their programs.
        programs: Programs of the earlier turns.
        used: Programs of the earlier results that the question uses; may be empty.
        program: Program of the question.
    """

    conversation: str
    company: str
    turn: int
    question: str
    memory: Memory
    programs: tuple[Tree, ...]
    used: UsedPrograms
    program: Tree

    def is_right(self, turns: Iterable[int]) -> bool:
        """Return whether these turns have the programs that are used."""
        return frozenset(self.programs[turn] for turn in turns) == self.used


def labelled_references(examples: Iterable[Example]) -> Iterator[LabelledReference]:
    """Yield every question but the first of each conversation."""
    for example in examples:
        trees = tuple(program_tree(parse_program(gold.program)) for gold in example.gold)
        memory = Memory()
        for turn, question in enumerate(example.questions):
            if turn:
                used = frozenset(_used(trees[turn], frozenset(trees[:turn])))
                before, own = trees[:turn], trees[turn]
                yield LabelledReference(example.id, example.company, turn, question, memory, before, used, own)
            plan = _plan_of(example.gold[turn].program)
            answer = Answer(Number(Decimal(0)), plan=plan, metric_type=_metric(trees[turn]))
            memory = memory.add(Turn(question, answer, verified=True, started=_WHEN, finished=_WHEN))


def _used(tree: Tree, earlier: frozenset[Tree]) -> Iterator[Tree]:
    for part in tree[1:]:
        if isinstance(part, tuple) and part[0] not in ("constant", "row"):
            if part in earlier:
                yield part
            else:
                yield from _used(part, earlier)


def _metric(tree: Tree) -> str:
    name, first = str(tree[0]), tree[1]
    if name == "divide" and isinstance(first, tuple) and first[0] == "subtract" and first[2] == tree[2]:
        return "percentage_change"
    return metric_of(name)


def _plan_of(program: str) -> Plan:
    """Plan of a program whose literals have artificial sources, the same one for the same text."""
    steps: list[Step] = []
    numbers: dict[int, int] = {}

    def operand_of(operand: Operand) -> Operand:
        if isinstance(operand, Ref):
            return Ref(numbers[operand.step])
        if not isinstance(operand, Constant) or operand.text.startswith("const_"):
            return operand
        place = int.from_bytes(operand.text.encode(), "big")
        source = SentenceRef("unknown", "pre_text", 0, place, place)
        quantity = Quantity(operand.value, Scale.ONE, None, operand.text)
        steps.append(Extract(len(steps) + 1, source, operand.text, quantity))
        return Ref(len(steps))

    for step in parse_program(program).steps:
        assert isinstance(step, Compute)
        operands = tuple(map(operand_of, step.operands))
        if step.operation == "identity" and isinstance(operands[0], Ref):
            numbers[step.id] = operands[0].step
        else:
            steps.append(Compute(len(steps) + 1, step.operation, operands))
            numbers[step.id] = len(steps)
    return Plan(tuple(steps))


@dataclass(frozen=True, slots=True)
class ReferenceSample:
    """Question with the candidate sets of earlier results.

    Attributes:
        shown: Pairs of each trait of a set with each cue of the question, for each set.
        right: Index of the set that is used.
    """

    company: str
    shown: tuple[tuple[tuple[str, str], ...], ...]
    right: int


def reference_samples(labelled: Iterable[LabelledReference]) -> list[ReferenceSample]:
    """Return the questions whose set is among the candidates; the others are useless for training."""
    by_hand = {cue for cues in BY_HAND.values() for cue in cues}
    samples = []
    for item in labelled:
        question = read_question(item.question)
        latest = latest_results(results_of_turns(item.memory))
        candidates = sets_of(question, latest)
        place = next((n for n, c in enumerate(candidates) if item.is_right(r.turn for r in c)), None)
        if place is not None:
            cues = sorted(cue_features(question, latest) - by_hand)
            pointed = read_pointing(question, latest)
            traits = (traits_of(chosen, question, latest, pointed) for chosen in candidates)
            shown = tuple(tuple((t, c) for t in own for c in cues) for own in traits)
            samples.append(ReferenceSample(item.company, shown, place))
    return samples


@dataclass(frozen=True, slots=True)
class _Sets:
    """Candidate sets of many questions as a sparse matrix.

    Attributes:
        row: Set of each entry.
        column: Trait and cue of each entry.
    """

    owner: NDArray[np.int64]
    right: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    names: tuple[tuple[str, str], ...]

    def scores(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each set's traits."""
        scores: Floats = np.bincount(self.row, weights[self.column], len(self.owner)).astype(np.float64)
        return scores

    def shown(self, strength: Floats) -> Floats:
        """Return the sum of the strengths of the sets with each trait."""
        shown: Floats = np.bincount(self.column, strength[self.row], len(self.names)).astype(np.float64)
        return shown


def fit_references(samples: Sequence[ReferenceSample], sparsity: float = SPARSITY) -> Weights:
    """Return the weights of traits with cues: a multinomial logit over the candidate sets.

    Args:
        sparsity: Strength of the L1 penalty; a larger one leaves fewer weights.
    """
    from scipy.optimize import minimize

    sets = _index_sets(samples)
    width, questions = len(sets.names), len(sets.right)
    if not width:
        return {}
    truth = np.zeros(len(sets.owner))
    truth[sets.right] = 1
    expected = sets.shown(truth)

    def loss(halves: Floats) -> tuple[float, Floats]:
        # Positive and negative parts, both at least 0: their sum is the absolute value, and it is smooth.
        weights = halves[:width] - halves[width:]
        scores = sets.scores(weights)
        top = np.full(questions, -np.inf)
        np.maximum.at(top, sets.owner, scores)
        odds = np.exp(scores - top[sets.owner])
        total = np.bincount(sets.owner, odds, questions)
        negative_log_likelihood = float((np.log(total) + top - scores[sets.right]).sum())
        penalty = 0.5 * _RIDGE * float(weights @ weights) + sparsity * float(halves.sum())
        slope = sets.shown(odds / total[sets.owner]) - expected + _RIDGE * weights
        return negative_log_likelihood + penalty, np.concatenate([slope + sparsity, sparsity - slope])

    start, bounds = np.zeros(2 * width), [(0, None)] * (2 * width)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 400}).x
    weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for column, (trait, cue) in enumerate(sets.names):
        weight = round(float(found[column] - found[width + column]), 2)
        if weight:
            weights[trait][cue] = weight
    return dict(weights)


def _index_sets(samples: Iterable[ReferenceSample]) -> _Sets:
    owner, right, shown = list[int](), list[int](), list[tuple[tuple[str, str], ...]]()
    for sample in samples:
        owner += [len(right)] * len(sample.shown)
        right.append(len(shown) + sample.right)
        shown += sample.shown
    counts = Counter(pair for pairs in shown for pair in pairs)
    names = tuple(sorted(pair for pair, count in counts.items() if count >= _SEEN))
    columns = {pair: column for column, pair in enumerate(names)}
    cells = [(row, columns[pair]) for row, pairs in enumerate(shown) for pair in pairs if pair in columns]
    rows, numbers = np.array(cells, np.int64).reshape(-1, 2).T
    return _Sets(np.array(owner), np.array(right), rows, numbers, names)
