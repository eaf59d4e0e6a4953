"""Why a turn is wrong: the causes, in one list."""

from enum import StrEnum


class Cause(StrEnum):
    """Why a turn is wrong. A turn has one cause, the first of these that holds."""

    NO_ANSWER = "no answer"
    """The solver gave none, or the turn was not played."""
    UNUSABLE = "refused or unusable reply"
    """The turn failed with a named error, or what was answered cannot be read."""
    DOUBT = "reference in doubt"
    """The reference's program does not give its answer or reads a number that stands nowhere on the page, or the answer
    is what the annotators show while their program gives another one."""
    INHERITED = "inherited from an earlier error"
    """The plan is right, but for the wrong answer of an earlier turn that it uses, or for what an earlier wrong turn
    took and this question does not name again."""
    OPERATION = "operation"
    """Another arithmetic, or one on more or fewer numbers."""
    REFERENCE = "reference to the wrong earlier answer"
    """The answer of another turn, or an earlier answer where none was meant, or none if one was."""
    ORDER = "operand order"
    """The same arithmetic on the same numbers, in another order."""
    PLACE = "wrong table or text"
    """A number of another table or another passage, or of nowhere."""
    LINE = "wrong line"
    """Another line of the same table, or another thing of the same sentence."""
    PERIOD = "wrong period"
    """The same line, in another period."""
    SIGN = "sign"
    """The same but for a sign."""
    SCALE = "scale"
    """The same but for a power of ten, such as a percentage for its fraction."""
    ROUNDED = "rounded"
    """An answer without a plan that is the reference, but written with fewer digits."""
    NO_PLAN = "no plan to compare with"
    """The answer came without a plan, as one of another program does, and the numbers alone do not tell."""
    UNKNOWN = "no program to compare with"
    """The dataset gives no program, and the numbers alone do not tell."""
