"""The bundled sample: pages of fictional companies, with conversations and reference answers.

This module reads nothing: the sample is a dataset in the original ConvFinQA format, read like any other.
`docs/sample.md` describes its pages.
"""

from importlib.resources import files
from pathlib import Path


def sample_path() -> Path:
    """Return the path of the bundled dataset.

    >>> sample_path().name
    'sample.json'
    """
    return Path(str(files(__name__) / "sample.json"))
