"""What a model proposes for an ontology: asked for, written for review, taken back."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.application.files import OutputFile
from quaestor.application.models import NO_CASSETTE, CassetteOptions, model_access
from quaestor.documents.document import Document
from quaestor.errors import SettingsError
from quaestor.llm.session import open_session
from quaestor.llm.usage import Usage
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.proposals import read_proposals, require_borne_out, write_proposals
from quaestor.settings import Settings

if TYPE_CHECKING:  # without a model, no HTTP client is loaded
    from quaestor.llm.models import Connection

Proposer = Callable[["Connection"], Awaitable[tuple[Proposal, ...]]]


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """Where proposals come from: a model, a file that was reviewed, or nowhere.

    Attributes:
        settings: Which model, and within what limits.
        model_named: Whether the caller names a model, so that it is to be asked.
        review: Where to write what the model proposes, for review; nothing is built then.
        accept: A file that was reviewed.
        cassette: Recording or replay of the exchanges with the model.
    """

    settings: Settings
    model_named: bool = False
    review: OutputFile | None = None
    accept: Path | None = None
    cassette: CassetteOptions = NO_CASSETTE


@dataclass(frozen=True, slots=True)
class CollectedProposals:
    """What to build with.

    Attributes:
        proposals: In the order in which they were made.
        used: What the model was asked for them; None where it was not asked.
        in_review: Whether they were written for review, so that nothing is to be built.
    """

    proposals: tuple[Proposal, ...] = ()
    used: Usage | None = None
    in_review: bool = False


async def collect_proposals(
    request: ProposalRequest, documents: Sequence[Document], ask: Proposer
) -> CollectedProposals:
    """Returns the proposals to build with: of a reviewed file, of a model, or none.

    Args:
        request: Where they come from.
        documents: What has to bear those of a file out.
        ask: Asks the model.

    Raises:
        SettingsError: Options that do not fit each other.
        InputError: The file cannot be read or written, or the documents do not bear it out.
        OutageError: The model cannot be asked.
    """
    if request.accept and (request.model_named or request.review):
        raise SettingsError(
            "accepting reviewed proposals cannot be combined with a model or with writing new proposals"
        )
    if request.accept:
        accepted = read_proposals(request.accept)
        require_borne_out(accepted, documents)
        return CollectedProposals(accepted)
    if not request.model_named:
        if request.review or request.cassette.asked:
            raise SettingsError("proposals need a model: set one")
        return CollectedProposals()
    if request.review:
        request.review.require_free()
    with model_access(request.settings, request.cassette) as config:
        async with open_session(config) as session:
            proposals, used = await ask(session.connection), session.connection.meter.total
    if request.review is not None:
        with request.review.replacing() as path:
            write_proposals(path, proposals)
    return CollectedProposals(proposals, used, in_review=request.review is not None)
