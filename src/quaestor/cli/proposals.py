"""What a model proposes for an ontology, on the command line: asked for, written for review, taken back."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from quaestor.cli.access import NO_TAPES, Tapes, model_access
from quaestor.documents.document import Document
from quaestor.errors import SettingsError
from quaestor.evaluation.line import open_line
from quaestor.llm.models import Connection
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.proposals import read_proposals, require_borne_out, write_proposals
from quaestor.settings import Settings

Asker = Callable[[Connection], Awaitable[tuple[Proposal, ...]]]


def gather(
    settings: Settings,
    named: bool,
    review: Path | None,
    accept: Path | None,
    documents: Sequence[Document],
    ask: Asker,
    tapes: Tapes = NO_TAPES,
) -> tuple[Proposal, ...] | None:
    """Returns the proposals to build with: of a reviewed file, of a model, or none.

    Args:
        settings: Which model, and within what limits.
        named: Whether the command names a model, so that it is to be asked.
        review: Where to write what the model proposes, for review; nothing is to be built then, and None returned.
        accept: A file that was reviewed.
        documents: What has to bear the proposals out.
        ask: Asks the model.
        tapes: Recording or replay.

    Raises:
        SettingsError: Options that do not fit each other.
        InputError: The file cannot be read or written, or the documents do not bear it out.
        OutageError: The model cannot be asked.
    """
    if accept and (named or review):
        raise SettingsError("--accept takes what was reviewed: leave --model and --proposals out")
    if accept:
        accepted = read_proposals(accept)
        require_borne_out(accepted, documents)
        return accepted
    if not named:
        if review or tapes != NO_TAPES:
            raise SettingsError("only a model proposes anything: name one with --model")
        return ()

    with model_access(settings, tapes) as access:

        async def asked() -> tuple[tuple[Proposal, ...], str]:
            async with open_line(access) as line:
                return await ask(line.connection), line.connection.meter.total.words

        proposals, used = asyncio.run(asked())
    for proposal in proposals:
        print(f"{proposal.words}: {proposal.reason}")
    print(f"{len(proposals)} proposals; {used}")
    if review is None:
        return proposals
    write_proposals(review, proposals)
    print(f"review {review}, then give it with --accept {review}")
    return None
