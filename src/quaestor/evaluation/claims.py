"""Several runners on one run: who plays a conversation, and when another one may.

A runner claims each conversation as it begins it, and holds its claims while it lives. What one that died has claimed
is free when the lease has run out; on the machine where it ran, as soon as its process is gone.
"""

import asyncio
import os
import platform
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from quaestor.errors import StoreError
from quaestor.store.base import RunStore
from quaestor.store.records import Claim

LEASE_SECONDS = 30.0
"""How long a claim holds that is not renewed; it is renewed three times as often."""


def _this_machine() -> str:
    """Return what the processes share whose numbers can be compared: the machine since it was started."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}.{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return platform.node()


def _start_time(process: int) -> str:
    """Return when a process was started, in ticks: another one may have its number later; "" if nothing tells."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _new_owner() -> str:
    return "/".join((_this_machine(), str(os.getpid()), _start_time(os.getpid()), uuid4().hex[:12]))


def has_ended(owner: str) -> bool:
    """Return whether an owner was a process of this machine that is no more."""
    machine, process, started, _ = owner.split("/") if owner.count("/") == 3 else ("", "", "", "")
    if machine != _this_machine() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return _start_time(int(process)) != started


@dataclass(frozen=True, slots=True)
class Lease:
    """What a runner claims conversations with."""

    seconds: float = LEASE_SECONDS
    owner: str = field(default_factory=_new_owner)

    def claim(self, seen: int, over: str | None = None) -> Claim:
        """Return the claim on a conversation.

        Args:
            seen: The last attempt at it that this runner knows of.
            over: Who holds it, and is gone.
        """
        return Claim(self.owner, self.seconds, seen, over)

    @asynccontextmanager
    async def renew_until_end(self, store: RunStore, run: str) -> AsyncIterator[None]:
        """Renews the claims on conversations of a run until the block ends, and gives back then what is left of them.

        Where the store cannot be reached they run out; whoever writes next hears of it.
        """
        over = asyncio.Event()
        keeper = asyncio.create_task(self._renew(store, run, over))
        try:
            yield
        finally:
            # Said as well as cancelled: a driver may miss a cancellation that comes with a reply (Python 3.11).
            over.set()
            keeper.cancel()
            with suppress(asyncio.CancelledError):
                await keeper
            with suppress(StoreError):
                await store.renew_claims(run, self.owner, 0)

    async def _renew(self, store: RunStore, run: str, over: asyncio.Event) -> None:
        while not over.is_set():
            await asyncio.sleep(self.seconds / 3)
            with suppress(StoreError):
                await store.renew_claims(run, self.owner, self.seconds)
