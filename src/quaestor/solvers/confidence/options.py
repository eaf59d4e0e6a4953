"""The options that every solver which asks a model has, besides its own."""

from dataclasses import dataclass

from quaestor.errors import SettingsError
from quaestor.options import option


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceOptions:
    """How sure an answer is: whether that is measured, by what it is told, and what becomes of one that is not.

    Benchmarks count silence as wrong, so that a guess never hurts there; a person is told that several answers fit.
    """

    measure: bool = option(False, help="record the measures from which `quaestor calibrate` learns a confidence")
    calibration: str | None = option(
        None, help="a file written by `quaestor calibrate`, which gives answers a confidence"
    )
    abstain_below: float = option(0.0, help="withhold answers with a confidence below this", least=0, most=1)
    samples: int = option(1, help="how often the model answers; the most frequent result counts", least=1)
    always_answer: bool = option(
        False, help="where several answers fit, give the likeliest one; on in runs over a dataset unless set"
    )

    def __post_init__(self) -> None:
        """Refuse options that do not fit each other."""
        if self.abstain_below and self.calibration is None:
            raise SettingsError(
                "a model's answers have no confidence to withhold them by: name a calibration, which "
                "`quaestor calibrate RUN` learns from a run with the option measure=true"
            )

    @property
    def wanted(self) -> bool:
        """Whether anything of it is asked for."""
        return self.measure or self.calibration is not None or self.samples > 1
