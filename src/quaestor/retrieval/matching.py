"""Scores the lines of a block against a query."""

from collections.abc import Mapping
from dataclasses import dataclass

from quaestor.documents.table import TableRole
from quaestor.retrieval.blocks import HEADS, BlockLine, BlockTerms
from quaestor.retrieval.retrieval_query import RetrievalQuery

SAME_LINE = 0.9
"""Weight of a term that names the line in other words than the row."""

_PRECISION = 0.45
"""Share of the score for labels without words that are not in the question."""
_YEARS = 0.2
_YEAR_OF_BLOCK = 0.5
_PHRASE = 0.05
"""Bonus for a label that occurs verbatim in the question, per two words."""
_NAMED = 0.08
"""Bonus for a place whose title or heading also occurs in the question."""
_CHANGE = "chang"
_FLOW = 0.04
"""Penalty for changes in assets and liabilities, because the balance sheet has the amounts."""
_ROLE_NAMED = 0.12
_STATEMENT = 0.08
_ROLES = {
    TableRole.NOTE: 0.04,
    TableRole.SEGMENTS: 0.04,
    TableRole.QUARTERLY: 0.03,
    TableRole.DISCUSSION: 0.03,
    TableRole.FAIR_VALUES: 0.02,
    TableRole.NON_GAAP: -0.04,
    TableRole.COMMON_SIZE: -0.08,
    TableRole.PRO_FORMA: -0.12,
    TableRole.PARENT_ONLY: -0.12,
    TableRole.SUBSIDIARIES: -0.12,
    TableRole.CONTENTS: -0.3,
}
"""Bonus or penalty for a table's role if the question does not mention it."""
_NO_NUMBER = 0.5
_FIRST = 3
_PASSAGE = 0.8
_COUNTED = 1.5
_COUNTED_SHARE = 0.5
_BACK_MATTER = 0.5


@dataclass(frozen=True, slots=True)
class LineMatch:
    """Match of a line with the query.

    Attributes:
        score: 0 without a match, about 1 for a complete match.
        share: Share of the label that is asked for, from 0 to 1.
        same_line: Whether the question names this line of a statement, by any caption.
    """

    line: BlockLine
    score: float
    found: Mapping[str, float]
    share: float
    same_line: bool
    years: tuple[int, ...]


def match_lines(
    wanted: RetrievalQuery, block: BlockTerms, properties: Mapping[int, str], role: TableRole | None
) -> list[LineMatch]:
    """Score the lines of a block, best first, leaving out lines without a word of the question.

    If no line has any, for example if only the headings match, the first lines are included.

    Args:
        properties: The requested line of a statement for each row that is one.
        role: Role of the table; None for a passage.
    """
    around = {term: block.around[term] for term in wanted.weights if term in block.around}
    words = wanted.weights.keys() | {str(year) for year in wanted.years}
    lines = [line for line in block.lines if line.place in properties or not line.terms.isdisjoint(words)]
    lines = lines or [line for line in block.lines if line.has_numbers][:_FIRST]
    matches = [_match_line(wanted, block, line, around, properties.get(line.place), role) for line in lines]
    return sorted(matches, key=lambda match: (-match.score, match.line.place))


def _match_line(
    wanted: RetrievalQuery,
    block: BlockTerms,
    line: BlockLine,
    around: Mapping[str, float],
    property: str | None,
    role: TableRole | None,
) -> LineMatch:
    found = dict(around)
    for term in wanted.weights.keys() & line.terms:
        found[term] = 1.0 if term in line.label else max(HEADS, found.get(term, 0))
    named = wanted.properties.get(property) if property is not None else None
    for term in named or ():
        if term in wanted.weights:
            found[term] = max(SAME_LINE, found.get(term, 0))
    total = wanted.total
    recall = sum(wanted.weights[term] * weight for term, weight in found.items()) / total if total else 0.0
    share = _share_asked(wanted, line)
    if named:
        share = max(share, SAME_LINE)
    if wanted.counted and wanted.counted <= line.counted:
        # "We had 1,240 employees" is a match regardless of the sentence's length.
        share = max(share, _COUNTED_SHARE)
    years = tuple(year for year in wanted.years if year in line.years)
    score = recall * (1 - _PRECISION + _PRECISION * share)
    at = _place_of(line.label, wanted.sequence)
    if at is not None:
        score += _PHRASE * min(2.0, len(line.label) / 2)
    rest = wanted.sequence if at is None else wanted.sequence[:at] + wanted.sequence[at + len(line.label) :]
    score += _NAMED * any(_place_of(name, rest) is not None for name in block.names)
    if role is None:
        score *= _PASSAGE
        if wanted.counted & line.counted:
            score *= _COUNTED
    if block.back_matter:
        score *= _BACK_MATTER
    if not line.has_numbers:
        score *= _NO_NUMBER
    score += _YEARS * (_share_of_years(wanted, block, line) - 1) * min(1.0, 2 * score)
    if role is not None:
        score = _weigh_role(wanted, line, role, score)
    return LineMatch(line, max(0.0, score), found, share, named is not None, years)


def _weigh_role(wanted: RetrievalQuery, line: BlockLine, role: TableRole, score: float) -> float:
    # A change within one year may be asked for, which the cash flow statement has.
    asks_flow = TableRole.CASH_FLOWS in wanted.roles or (len(wanted.years) < 2 and _CHANGE in wanted.own)
    if role is TableRole.CASH_FLOWS and _CHANGE in line.heads and not asks_flow:
        score -= _FLOW
    gained = _STATEMENT if role.is_statement else _ROLES.get(role, 0.0)
    if role in wanted.roles:
        gained = max(gained, 0.0) + _ROLE_NAMED
    return score + gained * min(1.0, 2 * score)


def _share_asked(wanted: RetrievalQuery, line: BlockLine) -> float:
    """Return the share of a label that is asked for; long sentences have lower shares."""
    if not line.label:
        return 0.0
    matched = sum(term in wanted.weights for term in line.label)
    return matched / max(len(line.label), 1)


def _place_of(name: tuple[str, ...], sequence: tuple[str, ...]) -> int | None:
    """Return the position of a name in the question, verbatim, or None."""
    starts = range(len(sequence) - len(name) + 1) if name else ()
    return next((at for at in starts if sequence[at : at + len(name)] == name), None)


def _share_of_years(wanted: RetrievalQuery, block: BlockTerms, line: BlockLine) -> float:
    """Return the share of the requested years that a line has, from 0 to 1; a value in between if it has no years."""
    if not wanted.years:
        return 1.0
    if not line.years:
        return 0.8 if block.years.intersection(wanted.years) else 0.5
    fits = (1.0 if year in line.years else _YEAR_OF_BLOCK * (year in block.years) for year in wanted.years)
    return sum(fits) / len(wanted.years)
