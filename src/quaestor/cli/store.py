"""`quaestor store`: whether a store is whole, how to make it smaller, and how to copy it."""

import asyncio
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.groups import print_help_alone
from quaestor.cli.options import JsonOption, StoreOption

if TYPE_CHECKING:
    from quaestor.application.store_copy import StoreParts
    from quaestor.store.records import RunRecord
    from quaestor.store.upkeep import StoreUpkeep

store_commands = typer.Typer(help="Look after the run store.", invoke_without_command=True, callback=print_help_alone)


@store_commands.command("check")
def check_store(store: StoreOption = None, json: JsonOption = False) -> None:
    """Read all of the store, and say whether it is whole. Ends with 1 where it is not.

    What is checked: the file itself, that nothing names a run, a conversation or a content that is not there, that
    complete conversations have their turns, and that contents are what their digests say. The digest that is printed is
    that of all records: two stores with the same one have the same in them.
    """
    from quaestor.application.store_copy import digest_of_all, digests_of, opened_parts
    from quaestor.cli.printing import announced, print_json
    from quaestor.settings import load_settings

    uri = load_settings({"store": store}).store

    async def read() -> None:
        async with AsyncExitStack() as stack:
            parts = await opened_parts(stack, uri, create=False)
            with announced(f"checking {_shown(uri)}"):
                found = await _upkeep(parts, uri).check()
                digest = None if found.problems else digest_of_all(await digests_of(parts))
        if json:
            print_json(
                {"problems": found.problems, "contents": found.contents, "unused": found.unused, "digest": digest}
            )
        else:
            for problem in found.problems:
                print(problem)
            unused = f", {found.unused:,} of them used by nothing (`quaestor store vacuum`)" if found.unused else ""
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
        typer.Option("--older-than", min=0, help="Delete runs first that ended more than DAYS ago.", metavar="DAYS"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Take away what no run uses any more, and make the file as small as it can be.

    With --older-than runs go that have ended so long ago, asks included; asks first. A run that has not ended stays.
    """
    from quaestor.application.run_service import ended_before
    from quaestor.application.store_copy import opened_parts
    from quaestor.cli.printing import agreed
    from quaestor.settings import load_settings

    uri = load_settings({"store": store}).store

    async def work() -> None:
        async with AsyncExitStack() as stack:
            parts = await opened_parts(stack, uri, create=False)
            upkeep = _upkeep(parts, uri)
            old = await ended_before(parts.runs, older_than) if older_than is not None else ()
            if old:
                for record in old:
                    print(f"{record.id}: {record.dataset}, {record.conversations} conversations")
                if not yes and not agreed(f"delete {_runs(len(old))} for good?"):
                    print("nothing was deleted")
                    return
                for record in old:
                    await parts.runs.delete_run(record.id)
                print(f"deleted {_runs(len(old))}")
            done = await upkeep.vacuum()
        left = f" and {done.left:,} documents of runs that are gone" if done.left else ""
        sizes = f"; {done.before:,} bytes before, {done.after:,} after" if done.before is not None else ""
        print(f"{done.contents:,} contents{left} taken away{sizes}")

    asyncio.run(work())


@store_commands.command("copy")
def copy_stores(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The store to copy.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help="The store to copy it to.", show_default=False)],
) -> None:
    """Copy all of a store into another one, such as a file into MongoDB or back: sqlite:///PATH, a path or mongodb://...

    What the other one has besides stays. A copy that was broken off goes on when it is begun again. In the end both are
    read, and what was copied must have the same digests.
    """
    from quaestor.application.store_copy import copy_store, digest_of_all, digests_of, opened_parts
    from quaestor.cli.printing import announced
    from quaestor.errors import StoreError

    def done(run: "RunRecord") -> None:
        print(f"{run.id}: {run.conversations} conversations", file=sys.stderr)

    async def work() -> None:
        async with AsyncExitStack() as stack:
            parts = await opened_parts(stack, source, create=False)
            others = await opened_parts(stack, target, create=True)
            await copy_store(parts, others, done)
            if others.scores is None:
                others = await opened_parts(stack, target, create=False)
            with announced("comparing"):
                had = await digests_of(parts)
                found = await digests_of(others)
        # The other store may have more, of which only runs can be told apart.
        unlike = [run for run in had if run and found.get(run) != had[run]]
        if unlike:
            raise StoreError(
                f"{len(unlike)} of {len(had) - 1} runs differ ({unlike[0]}): is one being played? copy again"
            )
        whole = f"digest {digest_of_all(had)}" if had == found else "each the same as where it was copied from"
        print(f"{_runs(len(had) - 1)} in {_shown(target)}, {whole}")

    asyncio.run(work())


def _upkeep(parts: "StoreParts", uri: str) -> "StoreUpkeep":
    from quaestor.errors import InputError
    from quaestor.store.upkeep import StoreUpkeep

    if not isinstance(parts.runs, StoreUpkeep):
        raise InputError(f"{_shown(uri)} is a store of another package, which looks after it itself")
    return parts.runs


def _shown(uri: str) -> str:
    from quaestor.store.base import shown_uri

    return shown_uri(uri)


def _runs(count: int) -> str:
    return f"{count} run{'s' * (count != 1)}"
