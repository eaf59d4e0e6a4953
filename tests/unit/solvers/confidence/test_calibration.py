"""From what was measured to a probability, and the file that says how."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quaestor.conversation.events import AnswerMeasured
from quaestor.core import serial
from quaestor.errors import SettingsError
from quaestor.solvers.confidence.calibration import (
    MEASURES,
    AnswerCalibration,
    read_calibration,
    weighed_of,
)

FIRST = AnswerMeasured(agreement=0.8, rank=1)


def a_calibration(**weights: float) -> AnswerCalibration:
    return AnswerCalibration(0.0, dict.fromkeys(MEASURES, 0.0) | weights, {}, {})


def test_there_is_a_measure_for_each_name() -> None:
    assert len(weighed_of(FIRST)) == len(MEASURES)


def test_without_weights_nothing_is_known() -> None:
    assert a_calibration().confidence(FIRST) == 0.5


@pytest.mark.parametrize(
    ("measure", "weight", "worse"),
    [
        ("log odds of the agreement", 1.0, {"agreement": 0.1}),
        ("it is the embedded solver's answer", 1.0, {"rank": 2}),
        ("findings of rules", -1.0, {"findings": 1}),
        ("findings of facts", -1.0, {"findings": 1, "facts": 1}),
        ("ties", -1.0, {"ties": 1}),
        ("repairs", -1.0, {"repairs": 2}),
    ],
)
def test_each_measure_counts(measure: str, weight: float, worse: dict[str, float]) -> None:
    calibration = a_calibration(**{measure: weight})
    assert calibration.confidence(replace(FIRST, **worse)) < calibration.confidence(FIRST)  # type: ignore[arg-type]


def test_samples_count_where_there_are_several() -> None:
    calibration = a_calibration(**{"log odds of the samples": 1.0})
    few, many = replace(FIRST, agreeing=1, samples=5), replace(FIRST, agreeing=4, samples=5)
    assert calibration.confidence(few) < 0.5 == calibration.confidence(FIRST) < calibration.confidence(many)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path, written = tmp_path / "c.json", a_calibration(ties=-0.5)
    path.write_text(json.dumps(serial.dump(written)), encoding="utf-8")
    assert read_calibration(path) == written


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"intercept": 1, "weights": {}}'])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "c.json")


def test_one_that_is_missing_or_of_other_measures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "none.json")
    other = AnswerCalibration(0.0, {"luck": 1.0}, {}, {})
    (tmp_path / "c.json").write_text(json.dumps(serial.dump(other)), encoding="utf-8")
    with pytest.raises(SettingsError):
        read_calibration(tmp_path / "c.json")
