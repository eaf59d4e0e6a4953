"""A Griffe extension: examples of docstrings are shown as code, not as quotations of quotations."""

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^>>> .*?(?=\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)


class FencedDoctests(Extension):
    """Puts fences around each paragraph that begins with `>>>`."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrites the docstring of an object that was read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    r"""Returns a docstring with its examples as blocks of code.

    >>> print(fenced("Adds.\n\n>>> 1 + 1\n2"))
    Adds.
    <BLANKLINE>
    ```python
    >>> 1 + 1
    2
    ```
    """
    return _EXAMPLE.sub(lambda example: f"```python\n{example.group()}\n```", text)
