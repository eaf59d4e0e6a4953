"""Answers put right: what could be chosen instead, what was corrected, and who did."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field, JsonValue

from quaestor.application.fixing import act_words, author_name, change_words, read_fix
from quaestor.conversation.corrections import Correction, standing
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.errors import UnknownConversationError
from quaestor.repair.ledger import Ledger
from quaestor.repair.offers import possible_corrections
from quaestor.web.api.bodies import StrictRoute
from quaestor.web.api.conversations import ConversationId
from quaestor.web.api.problems import problems
from quaestor.web.api.values import Part, PartReply, RequestBody, Value, part_of_whole
from quaestor.web.site import TheSite

router = APIRouter(route_class=StrictRoute, prefix="/conversations/{conversation}", tags=["corrections"])

_LONGEST_FIX = 4_000


class CorrectionBody(RequestBody):
    """What is to be put right.

    Attributes:
        fix: In the words of `/fix` (docs/corrections.md): `2 cell "Net sales" 2014 = 5,400`, `2 reading 2`, `undo 1`.
        author: Who does it; by default as it is set.
    """

    fix: str = Field(min_length=1, max_length=_LONGEST_FIX)
    author: str | None = Field(default=None, max_length=80)


class ChangeReply(Value):
    """An answer that a correction changed.

    Attributes:
        number: Its place in the conversation, from 1.
        change: Its old and new value, in words.
    """

    number: int
    change: str


class CorrectionReply(Value):
    """A correction that is on record.

    Attributes:
        number: Its place among those of the conversation, from 1.
        says: What was done, in words.
        author: Who did it.
        made: When.
        reason: Why, or "".
        stands: Whether it holds: it is not undone.
        act: What was done, for programs.
        changes: The answers that it changed.
    """

    number: int
    says: str
    author: str
    made: datetime
    reason: str
    stands: bool
    act: dict[str, JsonValue]
    changes: tuple[ChangeReply, ...]


class CorrectionList(PartReply[CorrectionReply]):
    """Corrections, in their order."""


class OfferReply(Value):
    """Something that could be chosen instead.

    Attributes:
        fix: How it is chosen: the `fix` of a correction.
        says: It in words.
        gives: The answer that it would come to.
    """

    fix: str
    says: str
    gives: str


class OffersReply(Value):
    """What could be chosen for an answer: readings, then cells step by step, then operations."""

    offers: tuple[OfferReply, ...]


@router.get("/corrections", responses=problems())
async def _list_corrections(site: TheSite, conversation: ConversationId, part: Part) -> CorrectionList:
    """List what was corrected in a conversation, and what is undone again."""
    ledger = (await site.desk.look(conversation)).ledger
    page = part_of_whole(tuple(ledger.corrections), part)
    items = tuple(_made(one, ledger) for one in page.items)
    return CorrectionList(items=items, total=page.total, offset=part.offset, limit=part.limit)


@router.post("/corrections", status_code=201, responses=problems(changes=True, body=True))
async def _correct(site: TheSite, conversation: ConversationId, wanted: CorrectionBody) -> CorrectionReply:
    """Put an answer right; what depends on it is computed again at once, and no model is asked."""
    author = (wanted.author or "").strip() or author_name(site.settings)
    made = await site.desk.correct(conversation, lambda ledger: read_fix(wanted.fix, ledger), author)
    return _made(made, (await site.desk.look(conversation)).ledger)


@router.get("/turns/{number}/offers", responses=problems())
async def _list_offers(
    site: TheSite, conversation: ConversationId, number: Annotated[int, Path(ge=1, le=1_000_000, description="From 1.")]
) -> OffersReply:
    """List what could be chosen for an answer instead, each with what it would come to."""
    ledger = (await site.desk.look(conversation)).ledger
    if number > len(ledger.turns):
        raise UnknownConversationError(f"{len(ledger.turns)} questions are answered: there is no answer {number}")
    found = await compute(possible_corrections, ledger, number - 1)
    offers = (OfferReply(fix=f"{number} {place}", says=one.says, gives=one.gives) for place, one in enumerate(found, 1))
    return OffersReply(offers=tuple(offers))


def _made(one: Correction, ledger: Ledger) -> CorrectionReply:
    return CorrectionReply(
        number=one.number,
        says=act_words(one.act, ledger),
        author=one.author,
        made=one.made,
        reason=one.reason,
        stands=one.number in {stands.number for stands in standing(ledger.corrections)},
        act=serial.dump(one.act),
        changes=tuple(ChangeReply(number=change.turn + 1, change=change_words(change)) for change in one.changes),
    )
