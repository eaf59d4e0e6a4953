"""`quaestor store`: check a store, compact it, and copy it."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import JsonOption, StoreOption, command_group
from quaestor.cli.printing import announce, confirm, count_noun, print_json
from quaestor.errors import StoreError
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from quaestor.store.records import RunRecord

store_commands = command_group("Maintain the run store.")


@store_commands.command("check")
def check_store(store: StoreOption = None, json: JsonOption = False) -> None:
    """Check the integrity of the store. Exits with code 1 if there are problems.

    Checks the file itself, that every reference to a run, conversation or content resolves, that complete conversations
    have all their turns, and that contents match their digests. The printed digest covers all records: two stores with
    the same digest have the same records.
    """
    from quaestor.application.store_copy import digest_of_all, digests_of, open_parts
    from quaestor.store.base import display_uri

    uri = load_settings({"store": store}).store

    async def read() -> None:
        async with open_parts(uri) as parts:
            with announce(f"checking {display_uri(uri)}"):
                found = await parts.runs.check()
                digest = None if found.problems else digest_of_all(await digests_of(parts))
        if json:
            print_json(
                {"problems": found.problems, "contents": found.contents, "unused": found.unused, "digest": digest}
            )
        else:
            for problem in found.problems:
                print(problem)
            unused = f", {found.unused:,} of them unused (`quaestor store vacuum` removes them)" if found.unused else ""
            many = f"{len(found.problems) or 'no'} problem{'s' * (len(found.problems) != 1)}"
            print(f"{many}, {found.contents:,} contents{unused}")
            if digest:
                print(f"digest {digest}")
        if found.problems:
            raise typer.Exit(1)

    asyncio.run(read())


@store_commands.command("vacuum")
def vacuum_store(
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than", min=0, help="First delete runs that ended more than DAYS days ago.", metavar="DAYS"
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    store: StoreOption = None,
) -> None:
    """Remove contents that no run uses, and compact the file.

    --older-than also deletes runs, including those of `ask`, that ended before then, after a confirmation. Runs that
    have not ended are never deleted.
    """
    from quaestor.application.run_service import ended_before
    from quaestor.application.store_copy import open_parts

    uri = load_settings({"store": store}).store

    async def work() -> None:
        async with open_parts(uri) as parts:
            old = await ended_before(parts.runs, older_than) if older_than is not None else ()
            if old:
                for record in old:
                    print(f"{record.id}: {record.dataset}, {count_noun(record.conversations, 'conversation')}")
                if not yes and not confirm(f"permanently delete {count_noun(len(old), 'run')}?"):
                    print("nothing was deleted")
                    return
                for record in old:
                    await parts.runs.delete_run(record.id)
                print(f"deleted {count_noun(len(old), 'run')}")
            done = await parts.runs.vacuum()
        left = f" and {done.left:,} documents of deleted runs" if done.left else ""
        sizes = f"; {done.before:,} bytes before, {done.after:,} after" if done.before is not None else ""
        print(f"removed {done.contents:,} contents{left}{sizes}")

    asyncio.run(work())


@store_commands.command("copy")
def copy_stores(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Store to copy.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help="Store to copy to.", show_default=False)],
) -> None:
    """Copy all runs of a store into another one, for example from a file to MongoDB.

    Stores are given as sqlite:///PATH, a path or mongodb://HOST/DATABASE. Records already in the target are not
    changed. An interrupted copy continues when started again. Finally both stores are read and their digests compared.
    """
    from quaestor.application.store_copy import copy_store, digest_of_all, digests_of, open_parts
    from quaestor.store.base import display_uri

    def done(run: "RunRecord") -> None:
        print(f"{run.id}: {count_noun(run.conversations, 'conversation')}", file=sys.stderr)

    async def work() -> None:
        async with open_parts(source) as parts, open_parts(target, create=True) as others:
            await copy_store(parts, others, done)
            with announce("comparing"):
                source_digests = await digests_of(parts)
                target_digests = await digests_of(others)
        # The other store may contain more; only its runs can be compared.
        different = [run for run in source_digests if run and target_digests.get(run) != source_digests[run]]
        if different:
            raise StoreError(
                f"{len(different)} of {len(source_digests) - 1} runs differ ({different[0]}): copy again when no run "
                "is in progress"
            )
        whole = (
            f"digest {digest_of_all(source_digests)}"
            if source_digests == target_digests
            else "verified against the source"
        )
        print(f"{count_noun(len(source_digests) - 1, 'run')} in {display_uri(target)}, {whole}")

    asyncio.run(work())
