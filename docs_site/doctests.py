"""A Griffe extension that shows the examples of docstrings as code blocks."""

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^>>> .*?(?=\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)


class FencedDoctests(Extension):
    """Put fences around each paragraph that begins with `>>>`."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of a loaded object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    r"""Return a docstring with its examples in code blocks.

    >>> print(fenced("Adds.\n\n>>> 1 + 1\n2"))
    Adds.
    <BLANKLINE>
    ```python
    >>> 1 + 1
    2
    ```
    """
    return _EXAMPLE.sub(lambda example: f"```python\n{example.group()}\n```", text)
