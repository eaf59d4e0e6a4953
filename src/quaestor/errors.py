"""The exception tree.

Every error that quaestor raises on purpose is a `QuaestorError`. Most also inherit the matching built-in exception
and carry details as attributes. A message says what is wrong, where, and what to do.

QuaestorError
├── InputError (ValueError)          invalid input from a user or a file
│   ├── QuantityError                text that cannot be read as a number
│   ├── DatasetError                 an invalid file or record
│   │   ├── UnlabelledError          a dataset without reference answers
│   │   ├── ReadingLimitError        a file that exceeds the memory or time limit named in `setting`
│   │   └── SeveralPagesError        a file with several pages if one is needed
│   ├── DocumentError                parts that do not form a document
│   ├── UnknownConversationError     (LookupError) an id that the dataset does not have
│   ├── UnknownUploadError           (LookupError) an uploaded file that has been deleted
│   ├── QuestionError                a question that cannot be asked
│   ├── BadLinesError                invalid lines of a file, listed in `lines`
│   ├── OutputExistsError            an output file that already exists
│   └── SettingsError                a missing or invalid setting
│       ├── MissingModelError        no model for a solver that needs one
│       └── PluginError              a plug-in that cannot be loaded
├── PlanError (ValueError)           a plan that cannot be executed
│   ├── ProgramError                 ConvFinQA program text that does not parse
│   ├── FormulaError                 arithmetic over named values that does not parse
│   ├── PlanValidationError          invalid references, arity or operand types, listed in `issues`
│   └── ExecutionError (ArithmeticError)
│       ├── DivisionByZeroError      (ZeroDivisionError)
│       ├── MagnitudeError           (OverflowError) a result that is too large or has too many digits
│       └── OperandError             an operand of a type that the operation does not accept
├── SolverError (RuntimeError)       a solver that found no answer
│   ├── ModelReplyError              an invalid reply of a model, or a request that it rejects
│   └── OutageError                  an unavailable service; the turn is unscored until the run is resumed
│       ├── ModelAccessError         (InputError) a model that cannot be reached with this configuration
│       ├── BudgetExceededError      the budget of a run is used up; see `spent` and `limit`
│       └── CassetteError            (InputError) a request that was not recorded, or a recording that cannot be read
├── QuestionTimeoutError (TimeoutError)  a question that took longer than `seconds`
├── QuestionStoppedError (RuntimeError)  a question that a person or a program stopped
├── RunStoppedError                  an interrupted run; resume it by its id, `run`
├── EngineError (RuntimeError)       conversations that could not be completed
├── BusyError (RuntimeError)         too many requests at once; retry after `seconds`
├── StoreError (OSError)             the run store, or a folder beside it, cannot be read or written
│   ├── UnknownRunError              (LookupError)
│   ├── StoredValueError             (ValueError) a stored value that was altered
│   └── DuplicateRecordError         a record whose key already exists
│       └── ClaimedError             a conversation that another runner, `owner`, is running
├── OntologyError (ValueError)        an ontology that cannot be read, or a change to a frozen one
├── GraphError (ValueError)           a document's graph that cannot be built, read or queried
│   ├── GapError                     rows that no property of a frozen ontology matches, listed in `gaps`
│   └── QueryError                   a query that is refused, malformed, too slow or too large
└── ModelError (RuntimeError)        the shipped or trained weights cannot be used
"""

from collections.abc import Iterable
from typing import Any

_NEAR = 70
_MOST_NAMES = 30


class QuaestorError(Exception):
    """Base class of all errors that quaestor raises on purpose.

    Pickling keeps the type, message and attributes, so that worker processes can raise errors in their parent. The
    cause and the traceback are lost, as with any exception.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without calling the constructor, whose arguments differ from `args`."""
        return _rebuild_error, (type(self), self.args, dict(self.__dict__))


def _rebuild_error(
    kind: type[QuaestorError], arguments: tuple[object, ...], attributes: dict[str, object]
) -> Exception:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(attributes)
    return error


class InputError(QuaestorError, ValueError):
    """Invalid input from a user or a file."""


class QuantityError(InputError):
    """Text that cannot be read as a number."""

    def __init__(self, text: str, reason: str, where: str | None = None) -> None:
        self.text = text
        self.reason = reason
        shown = text if len(text) <= 60 else text[:57] + "..."
        super().__init__(f"cannot read {shown!r} as a number{f' ({where})' if where else ''}: {reason}")


class DatasetError(InputError):
    """An invalid file or record."""


class DocumentError(InputError):
    """Parts that do not form a document."""


class UnlabelledError(DatasetError):
    """A dataset without reference answers: it can be run, but not scored."""


class UnknownConversationError(DatasetError, LookupError):
    """An id that the dataset does not have."""


class UnknownUploadError(InputError, LookupError):
    """An uploaded file that has been deleted."""


class ReadingLimitError(DatasetError):
    """A file that exceeds the memory or time limit for reading.

    Attributes:
        setting: The name of the setting.
        limit: Its value, such as `60 seconds`.
    """

    def __init__(self, path: str, setting: str, limit: str) -> None:
        self.path = path
        self.setting = setting
        self.limit = limit
        super().__init__(
            f"cannot read {path}: it takes more than {limit}; raise the setting {setting}, or read a part of the file"
        )


class SeveralPagesError(DatasetError):
    """A file with several pages if one is needed."""

    def __init__(self, path: str, pages: int) -> None:
        self.path = path
        self.pages = pages
        super().__init__(f"{path} has {pages} pages: choose one as {path}#ID")


class BadLinesError(InputError):
    """Invalid lines of a file.

    Attributes:
        lines: One message for each: `FILE:LINE: what is wrong`.
    """

    def __init__(self, file: str, lines: tuple[str, ...], of: int) -> None:
        self.file = file
        self.lines = lines
        listed = "".join(f"\n{line}" for line in lines)
        super().__init__(f"{len(lines)} of the {of} lines of {file} are invalid; nothing was imported:{listed}")


class OutputExistsError(InputError):
    """The output file already exists and overwriting was not requested."""


class QuestionError(InputError):
    """A question that cannot be asked."""


class SettingsError(InputError):
    """A missing or invalid setting."""


class MissingModelError(SettingsError):
    """The solver needs a model, and none is configured."""


class PluginError(SettingsError):
    """A plug-in that cannot be loaded; the message names its package and entry point."""


class PlanError(QuaestorError, ValueError):
    """A plan that cannot be executed."""


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


class ProgramError(PlanError):
    """ConvFinQA program text that does not parse.

    Attributes:
        position: Index of the first character that could not be parsed.
    """

    def __init__(self, program: str, position: int, reason: str) -> None:
        self.program = program
        self.position = position
        super().__init__(f"invalid program {_cut(program)!r} at character {position}: {reason}")


class FormulaError(PlanError):
    """Arithmetic over named values that does not parse.

    Attributes:
        position: Index of the first character that could not be parsed.
    """

    def __init__(self, formula: str, position: int, reason: str) -> None:
        self.formula = formula
        self.position = position
        super().__init__(f"invalid formula {_cut(formula)!r} at character {position}: {reason}")


class PlanValidationError(PlanError):
    """Invalid references, arity or operand types.

    Attributes:
        issues: One sentence for each fault, in the order of the steps.
    """

    def __init__(self, issues: tuple[str, ...]) -> None:
        self.issues = issues
        super().__init__("invalid plan: " + "; ".join(issues))


class ExecutionError(PlanError, ArithmeticError):
    """A step of a plan that cannot be computed.

    Attributes:
        step: Index of the step, if known.
    """

    def __init__(self, message: str, step: int | None = None) -> None:
        self.step = step
        super().__init__(message)


class DivisionByZeroError(ExecutionError, ZeroDivisionError):
    """A division whose divisor is zero."""


class MagnitudeError(ExecutionError, OverflowError):
    """A result that is too large or has too many digits."""


class OperandError(ExecutionError):
    """An operand of a type that the operation does not accept, such as a yes/no answer in a sum."""


class SolverError(QuaestorError, RuntimeError):
    """A solver that found no answer."""


class OutageError(SolverError):
    """An unavailable service; the conversation stays unscored until the run is resumed."""


class ModelReplyError(SolverError):
    """An invalid or refused reply of a model, or a request that it rejects, such as one that is too long."""


class ModelAccessError(OutageError, InputError):
    """A model that cannot be reached with this configuration: no key, an unknown name, no server."""


class BudgetExceededError(OutageError):
    """The budget of a run is used up; the remaining conversations stay unscored until it is resumed with a larger one.

    Attributes:
        spent: The amount used, such as `1,200 requests`.
        limit: The budget in the same unit.
    """

    def __init__(self, spent: str, limit: str) -> None:
        self.spent = spent
        self.limit = limit
        super().__init__(f"budget of {limit} exceeded ({spent} used); resume the run with a larger budget")


class CassetteError(OutageError, InputError):
    """A request that the replayed recording lacks, or a recording that cannot be read."""


class QuestionTimeoutError(QuaestorError, TimeoutError):
    """A question took longer to answer than the setting `question_seconds` allows, and was stopped."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            f"the question took longer than {seconds:g} seconds and was stopped: ask something simpler, or raise the "
            "setting question_seconds"
        )


class QuestionStoppedError(QuaestorError, RuntimeError):
    """A question was stopped before it was answered."""


class RunStoppedError(QuaestorError):
    """A run that was stopped by a user or a limit and can be resumed.

    Attributes:
        run: Id to resume the run by; None if nothing was started.
        by_person: Whether a user interrupted it.
    """

    def __init__(self, why: str, run: str | None, *, by_person: bool = False) -> None:
        self.why: str = why
        self.run: str | None = run
        self.by_person: bool = by_person
        super().__init__(f"{why}; {f'run {run} can be resumed' if run else 'nothing was started'}")


class EngineError(QuaestorError, RuntimeError):
    """Conversations could not be completed, for example because a worker process died."""


class BusyError(QuaestorError, RuntimeError):
    """Too many requests at once; this one was not started.

    Attributes:
        seconds: Suggested delay before a retry.
    """

    def __init__(self, message: str, seconds: int = 1) -> None:
        self.seconds = seconds
        super().__init__(message)


class StoreError(QuaestorError, OSError):
    """The run store, or a folder beside it, cannot be read or written."""


class UnknownRunError(StoreError, LookupError):
    """A run that the store does not have."""


class StoredValueError(StoreError, ValueError):
    """A stored value that was altered."""


class DuplicateRecordError(StoreError):
    """A record whose key already exists."""


class ClaimedError(DuplicateRecordError):
    """A conversation that another runner is running or has completed.

    Attributes:
        owner: The runner; None if the conversation is complete.
    """

    def __init__(self, message: str, owner: str | None = None) -> None:
        self.owner = owner
        super().__init__(message)


class OntologyError(QuaestorError, ValueError):
    """An ontology that cannot be read, or a change to a frozen one."""


class GraphError(QuaestorError, ValueError):
    """A document's graph that cannot be built, read or queried."""


class GapError(GraphError):
    """Rows or columns of a document that no property of a frozen ontology matches.

    Attributes:
        gaps: One line for each: its place, its label, and the nearest properties with their scores.
    """

    def __init__(self, document: str, gaps: tuple[str, ...]) -> None:
        self.document = document
        self.gaps = gaps
        listed = "".join(f"\n  {gap}" for gap in gaps)
        super().__init__(
            f"{len(gaps)} labels of {document} are not in the ontology; rebuild it from documents that have them, or "
            f"use the policy 'extend':{listed}"
        )


class QueryError(GraphError):
    """A query that is refused, malformed, too slow or too large.

    Attributes:
        reason: What is wrong and what to do.
        position: Index of the character in the query, if known.
    """

    def __init__(self, reason: str, position: int | None = None) -> None:
        self.reason = reason
        self.position = position
        super().__init__(f"query failed: {reason}")


class ModelError(QuaestorError, RuntimeError):
    """The shipped or trained weights cannot be used."""


def unknown_name(noun: str, name: str, known: Iterable[str], where: str = "", most: int = 1) -> str:
    """Return an error message for an unknown name that suggests the nearest known ones, or else lists all.

    >>> unknown_name("solver", "embeded", ["embedded", "agent"])
    "unknown solver 'embeded'; did you mean 'embedded'?"
    >>> unknown_name("solver", "x", ["embedded", "agent"], where="in quaestor.toml")
    "unknown solver 'x' in quaestor.toml; choose from embedded, agent"
    """
    from rapidfuzz import fuzz, process  # only needed for a message

    folded = {other: other.casefold() for other in known}
    shown = f"unknown {noun} {name[:80]!r}{f' {where}' if where else ''}"
    # Partial matches are meaningful for long ids only: any letter would match a short name.
    scorer = fuzz.WRatio if len(name) > 3 else fuzz.ratio
    found = process.extract(name[:80].casefold(), folded, scorer=scorer, score_cutoff=_NEAR, limit=most)
    if near := [repr(other) for _, _, other in found]:
        return f"{shown}; did you mean {' or '.join(filter(None, (', '.join(near[:-1]), near[-1])))}?"
    names = list(folded)
    listed = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return f"{shown}; choose from {listed}" if names else f"{shown}; there are none"
