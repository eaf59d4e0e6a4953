"""Claims of several runners on the conversations of one run.

A runner claims each conversation when it begins it, and renews its claims while it is alive. Claims of a runner that
died are free when the lease expires; on the same machine, as soon as its process has ended.
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

LEASE_SECONDS = 30.0
"""Seconds until a claim expires that is not renewed; claims are renewed three times in this period."""


def _this_machine() -> str:
    """Return an id of the boot and process namespace, within which process ids can be compared."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}.{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return platform.node()


def _start_time(process: int) -> str:
    """Return the start time of a process in ticks, as process ids are reused; "" if unknown."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _new_owner() -> str:
    return "/".join((_this_machine(), str(os.getpid()), _start_time(os.getpid()), uuid4().hex[:12]))


def has_ended(owner: str) -> bool:
    """Return whether an owner was a process of this machine that has ended."""
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
    """A runner's identity and claim duration."""

    seconds: float = LEASE_SECONDS
    owner: str = field(default_factory=_new_owner)

    @asynccontextmanager
    async def renew_until_end(self, store: RunStore, run: str) -> AsyncIterator[None]:
        """Renew the claims on conversations of a run until the block ends, then release the remaining ones.

        If the store is unreachable, the claims expire; the next write reports the error.
        """
        ended = asyncio.Event()
        renewal = asyncio.create_task(self._renew(store, run, ended))
        try:
            yield
        finally:
            # The event is set in case the driver swallows a cancellation that coincides with a reply (Python 3.11).
            ended.set()
            renewal.cancel()
            with suppress(asyncio.CancelledError):
                await renewal
            with suppress(StoreError):
                await store.renew_claims(run, self.owner, 0)

    async def _renew(self, store: RunStore, run: str, ended: asyncio.Event) -> None:
        while not ended.is_set():
            await asyncio.sleep(self.seconds / 3)
            with suppress(StoreError):
                await store.renew_claims(run, self.owner, self.seconds)
