"""Regular expressions compiled at their first use, since a question uses only a quarter of them."""

import re
from functools import cached_property
from typing import cast


class _LazyPattern:
    """Proxy of a compiled pattern."""

    def __init__(self, source: str, flags: int) -> None:
        self._arguments = source, flags
        self.pattern = source

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._arguments)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):  # `copy` and `pickle` look for special methods that do not exist
            raise AttributeError(name)
        found = getattr(self._compiled, name)
        setattr(self, name, found)  # so that the next access does not come here
        return found

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return lazy_regex, self._arguments


def lazy_regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled at its first use; syntax errors are raised only then."""
    return cast(re.Pattern[str], _LazyPattern(source, flags))
