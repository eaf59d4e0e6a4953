"""The process that runs a query which may be too large; its parent ends it when the time is over.

Run as a file, not imported: it loads nothing but the engine, so it starts in a few hundredths of a second. A request
is a line of JSON, so is a reply. It ends with its input, and by an alarm of its own if nobody ends it.
"""

import json
import sys
from collections.abc import Iterator

MEMORY = 2**30
"""The most memory in bytes, where the system can limit it."""
MOST_TEXT = 4_000_000
"""The most characters of an answer."""
_GRAPHS_AT_MOST = 16


def serve_queries() -> None:
    """Answer requests until the input ends."""
    import pyoxigraph as ox

    _limit_memory()
    stores: dict[str, ox.Store] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "turtle" in request:
            if len(stores) >= _GRAPHS_AT_MOST:
                stores.pop(next(iter(stores)))
            stores[request["graph"]] = ox.Store()
            stores[request["graph"]].load(request["turtle"].encode(), format=ox.RdfFormat.TURTLE)
        if request["graph"] not in stores:
            reply: dict[str, object] = {"missing": True}
        else:
            _set_alarm(request["seconds"])
            reply = _answer(stores[request["graph"]], request)
            _set_alarm(0)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


def _answer(store: object, request: dict[str, object]) -> dict[str, object]:
    import pyoxigraph as ox

    assert isinstance(store, ox.Store)
    prefixes, most = request["prefixes"], request["rows"]
    assert isinstance(prefixes, dict)
    assert isinstance(most, int)
    try:
        results = store.query(str(request["query"]), prefixes=prefixes)
        if isinstance(results, ox.QueryBoolean):
            return {"answer": bool(results)}
        assert isinstance(results, ox.QuerySolutions)
        names = [variable.value for variable in results.variables]
        return {"names": names, "rows": list(_rows(results, len(names), most))}
    except BaseException as error:  # noqa: BLE001  # a panic of the engine is not an Exception
        return {"error": str(error), "kind": type(error).__name__}


def _rows(results: Iterator[object], width: int, most: int) -> Iterator[list[list[str] | None]]:
    """Yield the rows, one more than may be so that the parent sees it, each term as its kind, text and datatype."""
    import pyoxigraph as ox

    length = 0
    for number, row in enumerate(results):
        if number > most:
            return
        assert isinstance(row, ox.QuerySolution)
        terms = [_term(row[i]) for i in range(width)]
        length += sum(len(term[1]) for term in terms if term is not None)
        if length > MOST_TEXT:
            raise ValueError(f"its answer has more than {MOST_TEXT:,} characters; ask for less")
        yield terms


def _term(term: object) -> list[str] | None:
    import pyoxigraph as ox

    if term is None:
        return None
    if isinstance(term, ox.Literal):
        return ["literal", term.value, term.datatype.value]
    return ["node", term.value if isinstance(term, ox.NamedNode) else str(term), ""]


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return  # the time limit holds everywhere


def _set_alarm(seconds: int) -> None:
    """Set the system's alarm, which ends this process even within native code and without its parent."""
    import signal

    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    serve_queries()
