"""Check many small cases in one test, because pytest takes longer to report a test than such a case takes to run."""

from collections.abc import Callable, Iterable
from typing import Any


def for_each(items: Iterable[Any]) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Return a decorator that turns a check of one item into a test of all; a failure has a note with the item."""
    return for_each_row((item,) for item in items)


def for_each_row(rows: Iterable[tuple[Any, ...]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Return a decorator that turns a check of the values of a row into a test of all rows."""
    every = list(rows)
    assert every

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            for row in every:
                try:
                    check(*row)
                except BaseException as error:
                    error.add_note(f"for {', '.join(map(repr, row))}")
                    raise

        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate
