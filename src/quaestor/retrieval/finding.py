"""Finds the places in a document that best match a question."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from quaestor.core.provenance import Source
from quaestor.core.words import words
from quaestor.documents.document import Block, Paragraph
from quaestor.documents.roles import statements_named
from quaestor.documents.table import Table, TableRole
from quaestor.questions.question import Question
from quaestor.questions.stems import stem
from quaestor.retrieval.causes import places_of_causes
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.matching import LineMatch, match_lines
from quaestor.retrieval.place import Place, Reason, shorten
from quaestor.retrieval.retrieval_query import NO_CONTEXT, FindingContext, RetrievalQuery, parse_retrieval_query

_LINES_LOOKED_AT = 120
_BLOCKS_LOOKED_AT = 40
_LEAST = 0.12
"""Minimal score of a block."""
_MOST = 1.25
"""Approximate score of a perfect match, displayed as 1."""
_LINES_SHOWN = 3
_ROWS_SHOWN = 2
_STAYS, _STAYS_LEANING, _STAYS_ALONE = 0.06, 0.22, 0.35
"""Bonus for a block of the last answer, by how much the question leaves to earlier ones: nothing, something or all."""
_FADES = 0.85
"""Factor for the bonus for each turn in between."""
_SECOND_LINE = 0.25
_WORDS_SHOWN = 5


def find_places(
    index: PlaceIndex, question: Question, context: FindingContext = NO_CONTEXT, most: int = 5
) -> tuple[Place, ...]:
    """Return the places where the answer to a question may be, best first; may be empty.

    A question that only refers back stays at the places of earlier answers. If it mentions something new, the result
    includes both new places and the latest place of earlier answers.
    """
    ranked = sorted(_find_places(index, question, context), key=lambda each: (-each[0].score, each[0].block))
    found = [place for place, _ in ranked]
    best = _with_all_lines(found, [lines for _, lines in ranked], most)
    why = places_of_causes(index, question, context.questions, most)
    known = {place.block for place in why}
    best = [*why, *(place for place in best if place.block not in known)][:most]
    # the place of the latest answer that is from the document
    earlier = next((place for place in found if any(reason.kind == "earlier" for reason in place.why)), None)
    if earlier is not None and earlier not in best and best:
        best[-1] = earlier
    return tuple(best)


def _with_all_lines(places: Sequence[Place], lines: Sequence[Set[str]], most: int) -> list[Place]:
    """Return the best places, replacing the last ones so that every requested line of a statement is included."""
    chosen = list(range(min(most, len(places))))
    for line in sorted({line for own in lines for line in own}):
        first = next(n for n, own in enumerate(lines) if line in own)
        if first not in chosen and not any(line in lines[n] for n in chosen):
            # The last places are the first to be left out of an excerpt.
            chosen = [*chosen[:1], first, *chosen[1 : most - 1]]
    return [places[n] for n in chosen]


def _find_places(index: PlaceIndex, question: Question, context: FindingContext) -> Iterator[tuple[Place, Set[str]]]:
    """Yield the places in a document, each with the requested lines of statements that it contains."""
    wanted = parse_retrieval_query(index, question, context)
    earlier = earlier_blocks(index, context)
    same = index.words.of_properties(wanted.properties)
    terms = [term for term, weight in wanted.weights.items() if weight > 0]
    blocks = dict.fromkeys(earlier)
    blocks |= dict.fromkeys(sorted({block for block, _ in same}))
    blocks |= dict.fromkeys(at for at, role in index.roles.items() if role.is_statement)
    blocks |= dict.fromkeys(index.words.blocks(terms, _LINES_LOOKED_AT)[:_BLOCKS_LOOKED_AT])
    blocks |= dict.fromkeys(index.words.blocks_around(terms, _BLOCKS_LOOKED_AT))
    named: dict[int, dict[int, str]] = {}
    for (order, line), name in same.items():
        named.setdefault(order, {})[line] = name
    for order in blocks:
        block = index.document.blocks[order]
        matches = match_lines(wanted, index.terms(order), named.get(order, {}), index.roles.get(order))
        score = _block_score(wanted, matches)
        if order in earlier:
            stays = _STAYS_ALONE if wanted.follows else _STAYS_LEANING if wanted.leans else _STAYS
            score += stays * _FADES ** earlier[order]
        if score >= _LEAST and matches:
            lines = set(named.get(order, {}).values())
            yield _make_place(index, block, wanted, matches, score / _MOST, stays=order in earlier), lines


def earlier_blocks(index: PlaceIndex, context: FindingContext) -> dict[int, int]:
    """Return the blocks that earlier answers come from, latest first, with the number of turns since."""
    found: dict[int, int] = {}
    for back, sources in enumerate(reversed(context.sources)):
        for source in sources:
            if (block := _block_of(index, source)) is not None:
                found.setdefault(block.order, back)
    return found


def _block_of(index: PlaceIndex, source: Source) -> Block | None:
    if source.document != index.document.id:
        return None
    try:
        return index.document.block(source)
    except LookupError:
        return None


def _block_score(wanted: RetrievalQuery, matches: Sequence[LineMatch]) -> float:
    """Return the best line's score, increased if other lines have terms that it lacks."""
    if not matches:
        return 0.0
    best = matches[0]
    total = wanted.total
    if not total or len(matches) == 1:
        return best.score
    union = dict(best.found)
    for other in matches[1:6]:
        for term, weight in other.found.items():
            union[term] = max(weight, union.get(term, 0))
    gained = sum(wanted.weights[t] * (weight - best.found.get(t, 0)) for t, weight in union.items()) / total
    return best.score + _SECOND_LINE * gained


def _make_place(
    index: PlaceIndex, block: Block, wanted: RetrievalQuery, matches: Sequence[LineMatch], score: float, *, stays: bool
) -> Place:
    telling = [m for m in matches if m.score >= 0.6 * matches[0].score][:_LINES_SHOWN]
    places = tuple(match.line.place for match in telling)
    path = index.path(block)
    why = _find_reasons(index, block, wanted, telling[0])
    place = Place(
        index.document.id,
        block.order,
        "passage",
        (),
        places,
        round(min(1.0, score), 3),
        (*why, Reason("earlier", "")) if stays else why,
        _text(block, places),
        page=block.page,
        section=path,
        title=path[-1] if path else "",
        anchor=block.anchor,
    )
    if isinstance(block.content, Table):
        title = block.content.title or place.title
        role = block.content.role
        if role.is_statement and role not in statements_named(title):  # the heading is that of another statement
            title = role.value.capitalize()
        return replace(place, kind="table", rows=places, sentences=(), table=block.content.index, title=title)
    return place


def _text(block: Block, places: Sequence[int]) -> str:
    match block.content:
        case Table() as table:
            heads = [column.label for column in table.columns[1:] if column.label]
            lines = [shorten(" | ".join(heads))] if heads else []
            lines += [shorten(" | ".join(_row_texts(table, row))) for row in places[:_ROWS_SHOWN]]
            return "\n".join(dict.fromkeys(lines))  # a total may be printed twice
        case Paragraph(sentences=sentences):
            return shorten(" ".join(sentences[place].text for place in sorted(places[:2])))
    return ""


def _row_texts(table: Table, row: int) -> Iterator[str]:
    """Yield the non-empty cells of a row, with its heading before the label."""
    levels = [level for level in table.rows[row].levels if level]
    cells = [text for cell in table.cells[row] if (text := " ".join(cell.text.split()))]
    if len(levels) > 1 and cells:
        cells[0] = f"{levels[-2]}: {cells[0]}"
    yield from cells


def _find_reasons(index: PlaceIndex, block: Block, wanted: RetrievalQuery, match: LineMatch) -> tuple[Reason, ...]:
    reasons: list[Reason] = []
    own = [term for term in match.found if term in match.line.label]
    match block.content:
        case Table() as table:
            row = table.rows[match.line.place]
            label = row.label or (row.levels[-1] if row.levels else "")
            if label and (own or match.same_line):
                reasons.append(Reason("row" if own else "line", label))
            if any(term in match.line.heads for term in match.found):
                heads = [x for x in row.levels if x and x != row.label]
                reasons += [Reason("heading", heads[-1])] if heads else []
        case _:
            shared = dict.fromkeys(word for word in words(wanted.question.lowered) if stem(word) in own)
            if shown := list(shared)[:_WORDS_SHOWN] or own[:_WORDS_SHOWN]:
                reasons.append(Reason("sentence", ", ".join(shown)))
    reasons += [Reason("year", str(year)) for year in match.years]
    if (role := index.roles.get(block.order)) not in (None, TableRole.OTHER):
        reasons.append(Reason("statement", str(role)))
    return tuple(reasons)
