"""Check many small cases in one test: pytest takes longer to report one than such a case takes."""

from collections.abc import Callable, Iterable
from typing import Any


def for_each(items: Iterable[Any]) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Return what makes a check of one item the test of all; a failure has a note that names the item."""
    return for_each_row((item,) for item in items)


def for_each_row(rows: Iterable[tuple[Any, ...]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Return what makes a check that takes the values of a row the test of all rows."""
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
