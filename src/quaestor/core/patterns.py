"""Regular expressions that are compiled when they are first used: a question uses a quarter of them."""

import re
from functools import cached_property
from typing import cast


class _LazyPattern:
    """What has all that a compiled pattern has."""

    def __init__(self, source: str, flags: int) -> None:
        self._given = source, flags
        self.pattern = source

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._given)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):  # what copies or pickles it looks for methods that there are not
            raise AttributeError(name)
        found = getattr(self._compiled, name)
        setattr(self, name, found)  # the next call does not come here
        return found

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return lazy_regex, self._given


def lazy_regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used; a mistake in it shows only then."""
    return cast(re.Pattern[str], _LazyPattern(source, flags))
