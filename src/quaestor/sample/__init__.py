"""The bundled sample: pages of made-up companies, with conversations and reference answers.

Reads nothing: it is a dataset in the original ConvFinQA format, and the readers of such datasets read it like any
other. `docs/sample.md` tells what is on its pages.
"""

from importlib.resources import files
from pathlib import Path


def sample_path() -> Path:
    """Return the path of the bundled dataset.

    >>> sample_path().name
    'sample.json'
    """
    return Path(str(files(__name__) / "sample.json"))
