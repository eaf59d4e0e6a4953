"""The intent classifier, trained on generated questions."""

from importlib.util import find_spec

import pytest

from quaestor.learning.intents import QuestionSample, fit_classifier, generate_samples
from quaestor.questions.understanding import INTENTS, read_filing_question

if find_spec("sklearn") is None:
    pytest.skip("scikit-learn is not installed", allow_module_level=True)


def _sample(text: str, intent: str, before: str = "") -> QuestionSample:
    return QuestionSample(read_filing_question(text), before, intent)


def test_intents_of_training_questions_are_learned() -> None:
    samples = [
        *(_sample(f"what was {name} in 2023?", "lookup") for name in ("net income", "capex", "revenue", "goodwill")),
        *(_sample(f"why did {name} fall?", "why") for name in ("net income", "capex", "revenue", "goodwill")),
        *(_sample("and in 2022?", before, before) for before in ("lookup", "growth") for _ in range(3)),
        *(_sample(f"by what percent did {name} grow?", "growth") for name in ("net income", "capex", "revenue")),
    ]
    weights = fit_classifier(samples * 4)
    first = weights.classify(read_filing_question("by what percent did inventories grow?"), before="")
    second = weights.classify(read_filing_question("and in 2021?"), before="growth")
    assert INTENTS[int(first.argmax())] == INTENTS[int(second.argmax())] == "growth"
    assert first.sum() == pytest.approx(1.0)


def test_templates_have_every_operation() -> None:
    intents = {sample.label for sample in generate_samples()}
    assert intents == set(INTENTS) - {"two_part"}
