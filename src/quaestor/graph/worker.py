"""Worker process that runs queries; its parent kills it when a query exceeds its time limit.

Run as a file rather than imported: it loads only the engine, so it starts in a few hundredths of a second. Requests and
replies are lines of JSON. It exits when its input ends, or by an alarm if it is not killed.
"""

import json
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pyoxigraph as ox

MEMORY = 2**30
"""Memory limit in bytes, if the system supports it."""
MOST_TEXT = 4_000_000
"""Limit in characters for a result."""
_GRAPHS_AT_MOST = 16


def serve_queries() -> None:
    """Answer requests until the input ends."""
    _limit_memory()
    stores: dict[str, ox.Store] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "turtle" in request:
            if len(stores) >= _GRAPHS_AT_MOST:
                stores.pop(next(iter(stores)))
            stores[request["graph"]] = ox.Store()
            stores[request["graph"]].load(request["turtle"].encode(), format=ox.RdfFormat.TURTLE)
        reply: dict[str, object] = {}
        if request["graph"] not in stores:
            reply = {"missing": True}
        elif "query" in request:
            _set_alarm(request["seconds"])
            reply = _answer(stores[request["graph"]], request)
            _set_alarm(0)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


def _answer(store: ox.Store, request: dict[str, Any]) -> dict[str, object]:
    try:
        results: Any = store.query(request["query"], prefixes=request["prefixes"])
        if isinstance(results, ox.QueryBoolean):
            return {"answer": bool(results)}
        names = [variable.value for variable in results.variables]
        return {"names": names, "rows": list(_rows(results, len(names), request["rows"]))}
    except BaseException as error:  # noqa: BLE001  # a panic of the engine is not an Exception
        return {"error": str(error), "kind": type(error).__name__}


def _rows(results: Iterator[Any], width: int, most: int) -> Iterator[list[list[str] | None]]:
    """Yield the rows, one more than the limit to signal an overflow, with kind, text and datatype of each term."""
    length = 0
    for number, row in enumerate(results):
        if number > most:
            return
        terms = [_term(row[i]) for i in range(width)]
        length += sum(len(term[1]) for term in terms if term is not None)
        if length > MOST_TEXT:
            raise ValueError(f"its answer has more than {MOST_TEXT:,} characters; ask for less")
        yield terms


def _term(term: object) -> list[str] | None:
    if isinstance(term, ox.Literal):
        return ["literal", term.value, term.datatype.value]
    return None if term is None else ["node", term.value if isinstance(term, ox.NamedNode) else str(term), ""]


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return  # the time limit still applies


def _set_alarm(seconds: int) -> None:
    """Set a system alarm, which ends this process even inside native code and without its parent."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    serve_queries()
