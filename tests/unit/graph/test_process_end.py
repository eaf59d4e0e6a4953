"""The worker of heavy queries does not outlive the process that asked."""

import subprocess
import sys

ASKS = """
from quaestor.graph.sparql import Request, shared_worker
worker = shared_worker()
worker.ask(Request("g", "SELECT ?s { ?s ?p ?o }", {}, 10, 5.0), "<http://a> <http://b> <http://c> .")
print(worker._process.pid)
"""


def test_the_worker_ends_with_its_process() -> None:
    done = subprocess.run([sys.executable, "-X", "dev", "-c", ASKS], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    gone = subprocess.run(["ps", "-p", done.stdout.strip()], capture_output=True, check=False)
    assert gone.returncode != 0
