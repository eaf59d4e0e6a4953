"""What the commands that take a model's proposals have in common: their options read, the proposals printed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.cli.groups import ModelOptions, ProposerOptions

if TYPE_CHECKING:
    from quaestor.application.proposals import CollectedProposals, ProposalRequest
    from quaestor.settings import Settings


def proposal_request(
    settings: "Settings",
    model: ProposerOptions | ModelOptions,
    review: Path | None,
    accept: Path | None,
    used: Sequence[Path],
    *,
    force: bool,
) -> "ProposalRequest":
    """Returns where proposals come from.

    Args:
        settings: In force.
        model: The model that is named, if any.
        review: Where to write proposals for review.
        accept: A file that was reviewed.
        used: Other files that the command reads or writes.
        force: Whether files may be replaced.
    """
    from quaestor.application.files import OutputFile
    from quaestor.application.proposals import ProposalRequest
    from quaestor.application.resolve import store_file

    others = [path for path in (store_file(settings.store), accept) if path]
    inputs = [*used, *others, *(path for path in (model.record, model.replay) if path)]
    output = OutputFile(review, inputs, force) if review else None
    cassette = model.cassette([*used, *others, *([review] if review else [])], force=force)
    return ProposalRequest(settings, model.model is not None, output, accept, cassette)


def show_proposals(collected: "CollectedProposals", review: Path | None, *, quiet: bool = False) -> None:
    """Prints what a model proposed, what that used, and how to go on where it was written for review."""
    if collected.used is None or quiet:
        return
    for proposal in collected.proposals:
        print(f"{proposal.words}: {proposal.reason}")
    print(f"{len(collected.proposals)} proposals; {collected.used.words}")
    if collected.in_review:
        print(f'set "accept" to true in {review} for those to apply, then use it with --accept {review}')
