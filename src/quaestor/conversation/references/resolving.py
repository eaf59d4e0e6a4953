"""What one question refers to: its expressions with the turns they mean, the results it uses, the entity in focus."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quaestor.conversation.memory import Memory
from quaestor.conversation.references.expressions import Expression, find_expressions
from quaestor.conversation.references.lineage import Result, latest_results, results_of_turns
from quaestor.conversation.references.ranking import rank_sets, read_weights
from quaestor.conversation.references.resolved import Antecedent, AntecedentSet, Coreference, References
from quaestor.questions.cues import PLAIN_NOUNS, noun_fits_metric
from quaestor.questions.question import Question, names_in

_NEARNESS = 0.6
"""What a candidate's score is multiplied by for every later result."""

_LEAST = 0.02
"""Candidates with a smaller share are left out."""


def resolve(question: Question, memory: Memory) -> References:
    """Returns what a question refers to of the turns before it. Needs no model, and gives the same every time.

    Args:
        question: What is asked.
        memory: The turns so far; empty for the first question.
    """
    if not memory.turns:
        return References()
    latest = latest_results(results_of_turns(memory))
    sets = rank_sets(question, latest, read_weights())
    focus, switched = _focus(question, memory)
    scene = _Scene(latest, sets, focus, switched)
    expressions = tuple(
        Coreference(question.text[e.start : e.end], e.start, e.end, e.kind, _candidates(e, scene))
        for e in find_expressions(question)
    )
    return References(expressions, sets, focus, switched)


@dataclass(frozen=True, slots=True)
class _Scene:
    latest: Sequence[Result]
    sets: Sequence[AntecedentSet]
    focus: str | None
    switched: bool

    def share(self, turn: int) -> float:
        """The probability that the question uses a turn's result."""
        return sum(chosen.score for chosen in self.sets if turn in chosen.turns)


def _focus(asked: Question, memory: Memory) -> tuple[str | None, bool]:
    """Returns the entity that the question is about, and whether that is another one than before.

    It is the known entity whose words the question has; without any, the entity of the latest answer, unless the
    question names something that no turn has named: that is a new entity, which no answer is about yet.
    """
    current = memory.entity_in_focus
    entities = dict.fromkeys(turn.answer.entity for turn in reversed(memory.turns) if turn.answer.entity)
    named = [entity for entity in entities if (words := names_in(entity.lower())) and words <= asked.names]
    if named:
        best = max(named, key=lambda entity: len(names_in(entity.lower())))
        return best, best != current
    said = frozenset().union(*(earlier.names for earlier in memory.asked))
    said |= frozenset().union(*(names_in(entity.lower()) for entity in entities))
    if asked.names and not asked.names & said:
        return None, True
    return current, False


def _candidates(expression: Expression, scene: _Scene) -> tuple[Antecedent, ...]:
    judge = _JUDGES[expression.kind]
    found: list[tuple[float, int, str]] = []
    for distance, result in enumerate(scene.latest):
        score, reasons = judge(expression, result, distance, scene)
        if score > 0:
            found.append((score, result.turn, ", ".join(reasons)))
    whole = sum(score for score, _, _ in found)
    kept = [Antecedent(turn, score / whole, reason) for score, turn, reason in found if score / whole >= _LEAST]
    return tuple(sorted(kept, key=lambda candidate: (-candidate.score, -candidate.turn)))


Judged = tuple[float, list[str]]


def _result(expression: Expression, result: Result, distance: int, scene: _Scene) -> Judged:
    """Judges "this change": the most recent result of that metric type for the entity in focus."""
    reasons = ["the latest result" if distance == 0 else f"{distance + 1} results back"]
    score = _NEARNESS**distance * (0.15 + scene.share(result.turn))
    if expression.back is not None:
        score *= 8 if distance == expression.back else 1
    if expression.noun and expression.noun not in PLAIN_NOUNS:
        fits = noun_fits_metric(expression.noun, result.metric)
        score *= 6 * fits or 0.3
        if fits:
            reasons.append(f"a {result.metric.replace('_', ' ')} is a {expression.noun}")
    score *= _about(expression, result, scene, reasons)
    return score * _dated(expression, result, reasons), reasons


def _cell(expression: Expression, result: Result, distance: int, scene: _Scene) -> Judged:
    """Judges "that stock in 2015": the earlier retrieval of that cell."""
    reasons: list[str] = []
    score = _NEARNESS**distance * (4 if result.metric == "value" else 1)
    if result.metric == "value":
        reasons.append("a number looked up")
    score *= _about(expression, result, scene, reasons)
    return score * _dated(expression, result, reasons), reasons or ["an earlier result"]


def _entity(expression: Expression, result: Result, distance: int, scene: _Scene) -> Judged:
    """Judges "its", "that stock": the latest turn about the thing."""
    reasons: list[str] = []
    score = _NEARNESS**distance * _about(expression, result, scene, reasons)
    return score, reasons or ["the latest turn" if distance == 0 else "an earlier turn"]


def _period(expression: Expression, result: Result, distance: int, scene: _Scene) -> Judged:
    """Judges "that year", "the same period": the latest turn that names one."""
    if not result.years:
        return 0, []
    named = " and ".join(map(str, sorted(result.years)))
    spans = len(result.years) > 1
    fits = expression.count != 2 or spans or distance < 2
    reason = f"counted from its {named}" if expression.offset else f"it is about {named}"
    return _NEARNESS**distance * (1 if fits else 0.3), [reason]


def _ellipsis(expression: Expression, result: Result, distance: int, scene: _Scene) -> Judged:
    """Judges "and in 2008?", which asks again, and "and the difference?", which asks about the results before."""
    share = scene.share(result.turn)
    if share > 0.1:
        return share, ["its result is used"]
    same = result.made == "value"
    score = _NEARNESS**distance * (1 if same else 0.5) * (1.5 if result.words else 1)
    return score, ["the question is asked again" if distance == 0 else "an earlier question is asked again"]


def _about(expression: Expression, result: Result, scene: _Scene, reasons: list[str]) -> float:
    """Weighs what a result is about: the words of the expression, else the entity in focus."""
    if expression.words:
        own = result.words | (names_in(result.entity.lower()) if result.entity else frozenset())
        shared = len(expression.words & own) / len(expression.words)
        if shared:
            reasons.append(f"named there: {' '.join(sorted(expression.words & own))}")
        return 0.3 + 3 * shared
    if scene.focus and result.entity:
        if result.entity == scene.focus:
            reasons.append(f"of the entity in focus, {scene.focus}")
            return 3 if scene.switched else 1.5
        # Another entity that the question names itself sets the focus anew.
        return 0.05 if scene.switched else 0.5
    return 1


def _dated(expression: Expression, result: Result, reasons: list[str]) -> float:
    if not expression.years:
        return 1
    if expression.years <= result.years:
        reasons.append(f"of {' and '.join(map(str, sorted(expression.years)))}")
        return 5 if expression.years == result.years else 2
    return 0.2


_JUDGES: dict[str, Callable[[Expression, Result, int, _Scene], Judged]] = {
    "result": _result,
    "results": _result,
    "cell": _cell,
    "entity": _entity,
    "period": _period,
    "ellipsis": _ellipsis,
}
