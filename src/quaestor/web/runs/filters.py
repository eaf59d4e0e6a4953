"""What the addresses of lists say: which runs or turns, and which part of their list; and such addresses again.

What is empty asks for nothing; what is not a number, or no known word, is refused in one line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypeVar, cast, get_args
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from quaestor.application.run_service import OVER_DATASETS
from quaestor.errors import InputError, unknown_name
from quaestor.scores.listing import Outcome, PairFilter, VerdictFilter
from quaestor.scoring.cause import Cause
from quaestor.store.listing import ListPage, ListPart, RunFilter, TurnFilter, TurnOrder
from quaestor.store.records import RunStatus
from quaestor.web.runs.words import dataset_name

RUNS_SHOWN = 25
TURNS_SHOWN = 50

_LAST_PAGE = 1_000_000_000
_Word = TypeVar("_Word", bound=str)

Verdict = Literal["right", "wrong"]


@dataclass(frozen=True, slots=True)
class ListRequest:
    """A list as its address asks for it.

    Attributes:
        values: Its parameters, those that ask for something.
        limit: How many are on one page.
    """

    path: str
    values: Mapping[str, str]
    limit: int

    @classmethod
    def of(cls, path: str, query: QueryParams, limit: int) -> "ListRequest":
        """Return what an address asks for.

        Args:
            limit: How many are on one page.
        """
        values = {name: value.strip() for name, value in query.items() if value.strip()}
        return cls(path, values, limit)

    @property
    def number(self) -> int:
        """The number of the page, from 1."""
        return self._whole("page", 1, _LAST_PAGE) or 1

    @property
    def part(self) -> ListPart:
        """The part of the list that is shown."""
        return ListPart((self.number - 1) * self.limit, self.limit)

    def address(self, **changes: str | int | None) -> str:
        """Return the address of the same list with some parameters changed; a change begins at the first page.

        Args:
            **changes: By name; None takes one away.
        """
        found: dict[str, Any] = {**self.values, "page": None, **changes}
        kept = {name: value for name, value in found.items() if value not in (None, "")}
        return f"{self.path}?{urlencode(kept)}" if kept else self.path

    def text(self, name: str) -> str | None:
        """Return a parameter, or None."""
        return self.values.get(name)

    def word(self, name: str, kind: Any) -> Any:
        """Return a parameter that is one of the words of a Literal, or None.

        Raises:
            InputError: It is another word.
        """
        found = self.values.get(name)
        if found is None or found in get_args(kind):
            return found
        raise InputError(f"{found!r:.60} is not a valid {name}: choose from {', '.join(map(str, get_args(kind)))}")

    def share(self, name: str) -> float | None:
        """Return a parameter that is a percentage as a share, or None.

        Raises:
            InputError: It is not a number from 0 to 100.
        """
        found = self.values.get(name)
        if found is None:
            return None
        try:
            number = float(found)
        except ValueError:
            number = -1.0
        if not isfinite(number) or not 0 <= number <= 100:
            raise InputError(f"{found!r:.60} is not a confidence: give a percentage from 0 to 100")
        return number / 100

    def place(self, name: str) -> int | None:
        """Return a parameter that counts from 1 as a place from 0, or None."""
        found = self._whole(name, 1, _LAST_PAGE)
        return None if found is None else found - 1

    def _whole(self, name: str, least: int, most: int) -> int | None:
        found = self.values.get(name)
        if found is None:
            return None
        if not found.isdecimal() or not found.isascii() or len(found) > 10 or not least <= int(found) <= most:
            raise InputError(f"{found!r:.60} is not a valid {name}: give a whole number from {least}")
        return int(found)


def run_filter(listed: ListRequest, datasets: Sequence[str]) -> RunFilter:
    """Return which runs are asked for.

    Args:
        listed: The address, which has the name of a dataset without its folders.
        datasets: All that there are runs of, by their paths.
    """
    status = cast("RunStatus | None", listed.word("state", RunStatus))
    name = listed.text("dataset")
    paths = None if name is None else tuple(path for path in datasets if dataset_name(path) == name)
    return RunFilter(OVER_DATASETS, paths, listed.text("solver"), listed.text("model"), status)


def turn_filter(listed: ListRequest) -> TurnFilter:
    """Return which turns of a run are asked for."""
    order = cast("TurnOrder", listed.word("order", TurnOrder) or "conversation")
    return TurnFilter(
        text=listed.text("q") or "",
        index=listed.place("turn"),
        kind=listed.text("kind"),
        operation=listed.text("operation"),
        origin=listed.text("origin"),
        low=listed.share("from"),
        high=listed.share("to"),
        order=order,
    )


def verdict_filter(listed: ListRequest) -> VerdictFilter:
    """Return which turns are asked for by their verdict."""
    verdict = listed.word("verdict", Verdict)
    cause = listed.text("cause")
    if cause is not None and cause not in set(Cause):
        raise InputError(unknown_name("cause", cause, Cause))
    return VerdictFilter(None if verdict is None else verdict == "right", cause)


def pair_filter(listed: ListRequest) -> PairFilter:
    """Return which turns of two runs are asked for."""
    outcome = cast("Outcome | None", listed.word("outcome", Outcome))
    differ = listed.word("answers", Literal["differ", "same"])
    return PairFilter(outcome, None if differ is None else differ == "differ", listed.text("q") or "")


@dataclass(frozen=True, slots=True)
class Pager:
    """The way through the pages of a list.

    Attributes:
        first: The number of the first that is shown, from 1; 0 if none is.
        previous: The address of the page before, or None.
        next: That of the next page, or None.
    """

    first: int
    last: int
    total: int
    previous: str | None
    next: str | None


def pager(listed: ListRequest, page: ListPage[Any]) -> Pager:
    """Return the way through the pages of a list."""
    before, shown = page.part.offset, len(page.items)
    number = listed.number
    last_page = max(1, -(-page.total // listed.limit))
    previous = min(number - 1, last_page)
    return Pager(
        before + 1 if shown else 0,
        before + shown,
        page.total,
        listed.address(page=previous if previous > 1 else None) if number > 1 else None,
        listed.address(page=number + 1) if before + shown < page.total else None,
    )
