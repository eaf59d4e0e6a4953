"""Which of several lines that are called alike is meant: that of the primary statement, and of the group as reported.

A filing prints net income in its statements, in notes, for the parent alone, for guarantors, adjusted and in percent of
sales. Who means one of the latter says so.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.core.provenance import CellRef
from quaestor.core.words import words
from quaestor.documents.document import Document
from quaestor.documents.roles import look_alikes_named
from quaestor.documents.table import TableRole
from quaestor.questions.question import Question
from quaestor.solvers.embedded.page.number import CandidateNumber
from quaestor.solvers.embedded.page.word_matrix import Floats

_OTHER_ROLE = 2.0
"""What a number of adjusted figures, of another company or in percent of sales has less, as log-odds."""
_BESIDE_STATEMENT = 1.5
"""What a number of another table has less where a primary statement has a line that the question says as well."""
_NEARLY = 0.9
_OTHERS = frozenset(
    {
        TableRole.COMMON_SIZE,
        TableRole.NON_GAAP,
        TableRole.PRO_FORMA,
        TableRole.PARENT_ONLY,
        TableRole.SUBSIDIARIES,
    }
)
_ADJUSTED = re.compile(r"\b(?:adjusted|non-?gaap|pro[ -]?forma|underlying)\b", re.IGNORECASE)
_SHARE = re.compile(r"percent|%|\bshare of\b|\bmargin\b|\bratio\b|\brate\b|\bportion\b", re.IGNORECASE)


def less_likely(
    question: Question, leaves: Sequence[CandidateNumber], said: Floats, document: Document
) -> NDArray[np.float32]:
    """Return what each number has less because another line of the same name is meant, as log-odds.

    Args:
        said: How much of the question the label of each is.

    Shape: One entry a leaf.
    """
    named = {*look_alikes_named(question.text), *((TableRole.COMMON_SIZE,) if _SHARE.search(question.text) else ())}
    asks_adjusted = _ADJUSTED.search(question.text) is not None
    less = np.zeros(len(leaves), np.float32)
    reported = np.zeros(len(leaves), bool)
    labels = [""] * len(leaves)
    of_table: dict[int, TableRole] = {}
    for place, leaf in enumerate(leaves):
        if not isinstance(leaf.source, CellRef):
            continue
        table = document.table(leaf.source.table)
        role = of_table.setdefault(table.index, table.role)
        row = table.rows[leaf.source.row]
        labels[place] = " ".join(words(row.label))
        adjusted = not asks_adjusted and any(map(_ADJUSTED.search, (*row.levels, row.label)))
        less[place] = _OTHER_ROLE * (adjusted or (role in _OTHERS and role not in named))
        reported[place] = role.is_statement and not adjusted
    statement = said[reported]
    if not named and len(statement) and statement.max() > 0 and statement.max() >= _NEARLY * said.max():
        meant = {labels[place] for place in np.flatnonzero(reported & (said >= _NEARLY * statement.max()))} - {""}
        alike = np.array([label in meant for label in labels], bool) & ~reported
        less += (_BESIDE_STATEMENT * alike).astype(np.float32)
    return less
