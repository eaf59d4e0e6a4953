"""A Ray cluster of several node processes on this machine, for tests and benchmarks."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_LOGGER_LEVEL": "critical",
    "RAY_AUTH_MODE": "disabled",
    "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)]),
    # Notice a killed node within seconds instead of half a minute.
    "RAY_health_check_period_ms": "300",
    "RAY_health_check_failure_threshold": "3",
    "RAY_health_check_initial_delay_ms": "1000",
}
STORE = 80_000_000


class Nodes:
    """The nodes of a cluster; the first has no workers, so that any other may be killed."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # Ray writes the address of its last cluster to this folder, which has to exist.
        Path("/tmp/ray").mkdir(exist_ok=True)
        self._folder = tempfile.TemporaryDirectory(prefix="qr-", ignore_cleanup_errors=True)
        # `no_monitor` and `include_log_monitor` disable two processes that the tests do not need.
        self._options: dict[str, Any] = {"include_log_monitor": False, "object_store_memory": STORE}
        head = {"num_cpus": 0, "no_monitor": True, "include_dashboard": False, "temp_dir": self._folder.name}
        self._cluster: Any = Cluster(initialize_head=True, head_node_args={**self._options, **head})
        self.alive: list[Any] = []

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def grow(self, count: int) -> None:
        """Add nodes, each with room for one worker, until there are `count`."""
        while len(self.alive) < count:
            self.alive.append(self._cluster.add_node(num_cpus=1, **self._options))

    def kill(self, number: int = -1) -> None:
        """Kill a node and everything that runs on it at once."""
        self._cluster.remove_node(self.alive.pop(number), allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()
        self._folder.cleanup()


@contextmanager
def ray_nodes() -> Iterator[Nodes]:
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(VARIABLES)
    nodes = Nodes()
    try:
        yield nodes
    finally:
        nodes.close()
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
