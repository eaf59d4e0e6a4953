"""How delimited text is cut into cells: by which sign.

The sign is found by trying each: the one whose rows have the same number of cells, and whose cells look like cells.
(`python -m benchmarks.files` holds it against others' ways.)
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quaestor.core.number_conventions import NUMBER_LOOK
from quaestor.core.patterns import lazy_regex

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 200
_SAMPLE = 100_000
_LONGEST_FIELD = 1 << 27
_SURE = 0.5
"""How good a sign has to be for a file that is not called CSV to be one."""

_CELL = lazy_regex(
    rf"\W*|\W*{NUMBER_LOOK}\W*|[0-9]{{1,4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}.*|n/?a|nm|true|false|yes|no",
    re.IGNORECASE,
)
"""What is a cell at first sight: nothing, a number, a date."""

_ENDS_SENTENCE = lazy_regex(r"[a-z)][.:;]\s*$")
_SEPARATOR_LINE = lazy_regex(r"sep=(.)\s*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text is cut.

    Attributes:
        delimiter: The sign between cells.
        score: How well it fits, from 0 to 1.
        skip: How many lines at the beginning only say which sign it is.
    """

    delimiter: str
    score: float
    skip: int = 0

    @property
    def is_sure(self) -> bool:
        """Whether a text is taken for delimited by that alone."""
        return self.score >= _SURE


def find_dialect(text: str) -> Dialect | None:
    r"""Return how a text is cut into cells; None if no sign cuts any of its lines.

    >>> find_dialect("net sales;1.234,5;9,1\ncosts, net;2,5;8\n").delimiter
    ';'
    """
    if named := _SEPARATOR_LINE.match(text):
        return Dialect(named[1], 1.0, 1)
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE:
        sample = sample[: sample.rfind("\n") + 1] or sample
    lines = [line for line in sample.split("\n") if line.strip()][:_SAMPLE_LINES]
    rated = [Dialect(delimiter, _score(lines, delimiter)) for delimiter in _DELIMITERS]
    best = max(rated, key=lambda dialect: dialect.score)
    return best if best.score > 0 else None


def _score(lines: Sequence[str], delimiter: str) -> float:
    """Return how well lines fall into cells: how alike their numbers of cells are, and how like cells these look."""
    rows = [row for _, row in cut(lines, delimiter)]
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0.0
    width, same = max(widths.items(), key=lambda pair: (pair[1] * pair[0], pair[0]))
    cells = [text for row in rows if len(row) == width for text in row[1:]]
    like = sum(_CELL.fullmatch(text.strip()) is not None for text in cells) / len(cells)
    short = sum(len(text) < 60 and not _ENDS_SENTENCE.search(text) for text in cells) / len(cells)
    # A comma parts prose and thousands too; what no text has but as a delimiter is believed sooner.
    trust = 0.9 if delimiter == "," else 1.0
    return trust * same / len(rows) * (0.25 + 0.55 * like + 0.2 * short) * (1 - 0.5 / width)


def cut(lines: Iterable[str], delimiter: str, *, quoted: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of lines without line feeds, each with the number of the line that it begins on, from 1.

    Args:
        delimiter: Between cells.
        quoted: Whether a cell may be in quotation marks, and go on over several lines.
    """
    if csv.field_size_limit() < _LONGEST_FIELD:
        csv.field_size_limit(_LONGEST_FIELD)  # it is the process's; what bounds a cell here is the text
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        skipinitialspace=delimiter != "\t",
    )
    before = 0
    for row in reader:
        yield before + 1, row
        before = reader.line_num
