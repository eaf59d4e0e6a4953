"""How sure a choice among cells or lines is: by what the number scorer says of them, and how they were found."""

import math
from dataclasses import dataclass

_SUREST = 0.99


@dataclass(frozen=True, slots=True)
class ChoiceEvidence:
    """What the confidence of a choice is computed from.

    Attributes:
        mass: What the number scorer gives the cells that are chosen among, 0 to 1.
        share: The same of all groups like them.
        lines: Whether it chooses among lines, and not among periods.
        under_heading: Whether it names the lines under a heading or above a total, without their numbers.
        of_table: Whether it names all lines of a table.
        every_period: Whether it names all periods of a line.
    """

    mass: float = 1.0
    share: float = 1.0
    lines: bool = False
    under_heading: bool = False
    of_table: bool = False
    every_period: bool = False

    @property
    def measures(self) -> tuple[float, ...]:
        """What is weighed, by the names of `CHOICE_MEASURES`."""
        named = self.under_heading or self.of_table
        odds = (0.0, 0.0) if named else (_log_odds(self.mass), _log_odds(self.share))
        kinds = (self.lines and not named, self.under_heading, self.of_table, self.every_period)
        return (*odds, *map(float, kinds))


CHOICE_MEASURES = (
    "log odds of the mass",
    "log odds of the share",
    "among lines",
    "lines under a heading",
    "all lines of a table",
    "all periods of a line",
)
"""The names of `ChoiceEvidence.measures`."""


@dataclass(frozen=True, slots=True)
class ChoiceCalibration:
    """A logistic regression over `ChoiceEvidence.measures`, fitted on questions of pages that were held out.

    The weights here are for folders that were trained before there were any.
    """

    weights: tuple[float, ...] = (0.6, -0.2, -0.9, 0.0, -1.6, 1.7)
    intercept: float = 1.7

    def confidence(self, evidence: ChoiceEvidence) -> float:
        """Return the probability that a choice is right."""
        odds = self.intercept + sum(w * x for w, x in zip(self.weights, evidence.measures, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _log_odds(share: float) -> float:
    inside = min(_SUREST, max(1 - _SUREST, share))
    return math.log(inside / (1 - inside))
