"""Causes of wrong turns."""

from enum import StrEnum


class Cause(StrEnum):
    """Why a turn is wrong. Each turn has the first of these causes that applies."""

    NO_ANSWER = "no answer"
    """The solver gave no answer, or the turn was not run."""
    UNUSABLE = "refused or unusable reply"
    """The turn failed with a named error, or the answer cannot be read."""
    DOUBT = "reference in doubt"
    """The reference program does not give the reference answer, or reads a number that is not on the page; or the
    answer equals the annotators' displayed answer, which differs from the result of their program.
    """
    INHERITED = "inherited from an earlier error"
    """The plan is right except that it uses the wrong answer of an earlier turn, or repeats an earlier mistake about
    something that this question does not name.
    """
    OPERATION = "operation"
    """Different arithmetic, or a different number of operands."""
    REFERENCE = "reference to the wrong earlier answer"
    """The answer of another turn; or an earlier answer instead of a new value, or vice versa."""
    ORDER = "operand order"
    """The same arithmetic on the same numbers, in another order."""
    PLACE = "wrong table or text"
    """A number from another table or passage, or not from the page."""
    LINE = "wrong line"
    """Another line of the same table, or another item of the same sentence."""
    PERIOD = "wrong period"
    """The same line in another period."""
    SIGN = "sign"
    """Only the sign differs."""
    SCALE = "scale"
    """Differs by a power of ten only, such as a percentage instead of its fraction."""
    ROUNDED = "rounded"
    """An answer without a plan that equals the reference rounded to fewer digits."""
    NO_PLAN = "no plan to compare with"
    """The answer has no plan, as with imported predictions, and the numbers alone do not show the cause."""
    UNKNOWN = "no program to compare with"
    """The dataset gives no program, and the numbers alone do not show the cause."""
