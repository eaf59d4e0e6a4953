"""The confidence of choices is learned from independent questions that choose."""

from pathlib import Path

from choices import features
from tatqa_pages import write_tatqa

from quaestor.learning.calibration import fit_calibration, judged_choices
from quaestor.learning.examples import read_examples
from quaestor.sample import sample_path
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.models import UNFITTED_CHOICES, ChoiceEvidence


def test_choices_are_judged_as_stated_answers(tmp_path: Path) -> None:
    examples = read_examples([write_tatqa(tmp_path)])
    pages = {one.document.digest: features(one.document) for one in examples if one.document is not None}
    judged = [*judged_choices(examples, pages, load_weights())]
    assert judged
    assert all(isinstance(evidence, ChoiceEvidence) for evidence, _ in judged)
    assert [*judged_choices(examples, {}, load_weights())] == []


def test_conversations_are_not_used_to_learn_choices() -> None:
    examples = read_examples([sample_path()])[:2]
    pages = {one.document.digest: features(one.document) for one in examples if one.document is not None}
    assert [*judged_choices(examples, pages, load_weights())] == []


def test_calibration_follows_the_labels() -> None:
    sure, unsure = ChoiceEvidence(0.95), ChoiceEvidence(0.05)
    judged = [*[(sure, True)] * 9, (sure, False), *[(unsure, False)] * 9, (unsure, True)]
    fitted = fit_calibration(judged, 1.0, UNFITTED_CHOICES)
    assert fitted.confidence(sure) > 0.7 > 0.3 > fitted.confidence(unsure)
    assert fit_calibration([(sure, True)], 1.0, UNFITTED_CHOICES) == UNFITTED_CHOICES
