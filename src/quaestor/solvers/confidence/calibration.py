"""Calibration that turns the measures of an answer into a probability, as learned by `quaestor calibrate`."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, ValidationError

from quaestor.conversation.events import AnswerMeasured
from quaestor.core import serial
from quaestor.errors import SettingsError

_INSIDE = 0.01
"""Distance from 0 and 1 at which shares are clipped before taking log odds."""

MEASURES = (
    "log odds of the agreement",
    "it is the embedded solver's answer",
    "findings of rules",
    "findings of facts",
    "ties",
    "repairs",
    "log odds of the samples",
)
"""Names of the features returned by `weighed_of`."""


def weighed_of(found: AnswerMeasured) -> tuple[float, ...]:
    """Return the features of an answer, in the order of `MEASURES`. Counts are limited to three."""
    return (
        _log_odds(found.agreement),
        float(found.rank == 1),
        float(min(3, found.findings - found.facts)),
        float(min(3, found.facts)),
        float(min(3, found.ties)),
        float(min(3, found.repairs)),
        _log_odds(found.agreeing / found.samples) if found.samples > 1 else 0.0,
    )


def _log_odds(share: float) -> float:
    inside = min(1 - _INSIDE, max(_INSIDE, share))
    return math.log(inside / (1 - inside))


@dataclass(frozen=True, slots=True)
class AnswerCalibration:
    """A logistic regression over `MEASURES`."""

    intercept: float
    weights: Mapping[str, float]
    learned: Mapping[str, JsonValue]
    held_out: Mapping[str, JsonValue]

    def confidence(self, found: AnswerMeasured) -> float:
        """Return the probability that the answer is right."""
        weighed = zip(MEASURES, weighed_of(found), strict=True)
        odds = self.intercept + sum(self.weights[name] * value for name, value in weighed)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def read_calibration(path: Path) -> AnswerCalibration:
    """Read a calibration file."""
    try:
        found = serial.load(AnswerCalibration, json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(f"cannot read the calibration {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError, ValidationError) as error:
        raise SettingsError(f"{path} is not a calibration; make one with `quaestor calibrate RUN`") from error
    if {*found.weights} != {*MEASURES} or not all(map(math.isfinite, (found.intercept, *found.weights.values()))):
        raise SettingsError(f"{path} is a calibration of another version; make one with `quaestor calibrate RUN`")
    return found
