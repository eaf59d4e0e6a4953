"""Measure the cost of hostile texts for the regular expressions of the package, and print the failures as JSON.

Run in its own interpreter, because `re` is patched while the package is imported.
"""

import ast
import importlib
import json
import pkgutil
import re
import signal
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from re import _parser
from time import perf_counter, process_time

import quaestor
from quaestor.datasets.dataset import MAX_QUESTION

SOURCE = Path(quaestor.__file__).parent
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
USED = re.compile(rf"\bre\.|\.(?:{'|'.join(METHODS)})\b")
"""Source text of a module that compiles or uses a pattern."""
LONGEST = MAX_QUESTION
"""Characters of the longest question; quadratic cost in longer texts of documents is visible at this length, too."""
STEPS = (LONGEST // 4, LONGEST // 2, LONGEST)
FREE = 0.008
"""Seconds below which the longest text is harmless, regardless of growth."""
HOPELESS = 0.3
"""Seconds of processor time after which a match is aborted; patterns that pass never take as long."""
LONG_ENOUGH = 0.04
"""Seconds that the process clock, which ticks every few milliseconds, measures accurately."""
SUSPECT = FREE / 32
"""Seconds for a quarter of the longest text below which the longest is harmless, even if its cost is quadratic and
thus sixteen times as high.
"""
GROWTH = 2.0 * 1.5
"""Maximum growth of the cost if a text is twice as long, with a margin for a logarithm and for noise."""

RAW = (
    "readers", "cli", "web", "mcp_server", "application", "datasets", "scoring", "llm", "exports", "plan", "core",
    "evaluation", "graph/guard", "solvers/agent", "solvers/workflow", "solvers/reflection", "solvers/sparql",
)  # fmt: skip
"""Modules that see texts before their white space is normalized: files, and what models and clients write."""

SEEDS = (
    *" \n,.;:()[]$%-'\"|&<?=*#/", "a", "A", "1", "a ", "1 ", "A ", "Aa ", "1,", "1.", "a-", ", ", ". ", "( ", "(1",
    "(1) ", "$ 1 ", "2012 ", "and ", "of the ", "in ",
)  # fmt: skip


POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+")


def watched_patterns() -> dict[tuple[str, int], str]:
    """Return each pattern that importing the package compiles, with its flags and its location."""
    found: dict[tuple[str, int], str] = {}
    compile_ = re._compile  # type: ignore[attr-defined]

    def watch(pattern: object, flags: int) -> "re.Pattern[str]":
        compiled: re.Pattern[str] = compile_(pattern, flags)
        frame = sys._getframe(1)
        while frame.f_back and Path(frame.f_code.co_filename).parent.name == "re":
            frame = frame.f_back
        path = Path(frame.f_code.co_filename)
        if SOURCE in path.parents and isinstance(compiled.pattern, str):
            found.setdefault(
                (compiled.pattern, compiled.flags), f"{path.relative_to(SOURCE).as_posix()}:{frame.f_lineno}"
            )
        return compiled

    re._compile = watch  # type: ignore[attr-defined]
    for name in [name for name in sys.modules if name.startswith("quaestor")]:
        del sys.modules[name]
    # Also watch patterns that are compiled at their first use.
    importlib.import_module("quaestor.core.patterns").lazy_regex = re.compile  # type: ignore[attr-defined]
    for module in pkgutil.walk_packages([str(SOURCE)], "quaestor."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    re._compile = compile_  # type: ignore[attr-defined]
    return found


def uses_of(trees: dict[str, ast.Module]) -> tuple[dict[tuple[str, str], set[str]], list[tuple[str, int, str]]]:
    """Return the methods used with each name of each module, and the literal patterns passed to `re`."""
    used: dict[tuple[str, str], set[str]] = {}
    literals = list[tuple[str, int, str]]()
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                if node.attr in METHODS and isinstance(node.value, ast.Name):
                    used.setdefault((path, node.value.id), set()).add(node.attr)
            elif isinstance(node, ast.Call):
                match node:
                    case ast.Call(
                        func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[ast.Constant(str(text)), *_]
                    ) if name in METHODS:
                        literals.append((text, re.compile(text).flags, f"{path}:{node.lineno}:{name}"))
    return used, literals


def name_of(where: str, trees: dict[str, ast.Module]) -> str | None:
    """Return the name that a pattern is assigned to; None if it is part of a larger expression."""
    path, line = where.split(":")[:2]
    for node in trees[path].body:
        if node.lineno <= int(line) <= (node.end_lineno or 0):
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(func=ast.Attribute(attr="compile") | ast.Name(id="lazy_regex")),
                ):
                    return name
    return None


def words_of(pattern: str, flags: int) -> list[str]:
    """Return the runs of literal characters in a pattern, the longest last."""
    found: set[str] = set()

    def walk(items: object) -> None:
        run = ""
        for operation, value in items:  # type: ignore[attr-defined]
            if str(operation) == "LITERAL":
                run += chr(value)
                continue
            found.add(run)
            run = ""
            for part in value if isinstance(value, tuple | list) else (value,):
                for inner in part if isinstance(part, list) else (part,):
                    if isinstance(inner, _parser.SubPattern):
                        walk(inner)
        found.add(run)

    walk(_parser.parse(pattern, flags & ~re.DEBUG))
    return sorted(found - {""}, key=lambda word: (len(word), word))


def apply(compiled: "re.Pattern[str]", method: str, text: str) -> float:
    """Return the processor seconds that a pattern takes for a text, or `HOPELESS` if it takes longer."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, HOPELESS)
    began, cost = process_time(), HOPELESS
    with suppress(TimeoutError):
        match method:
            case "match":
                compiled.match(text)
            case "fullmatch":
                compiled.fullmatch(text)
            case _:
                for _ in compiled.finditer(text):
                    pass
        cost = process_time() - began
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)
    return cost


@lru_cache(maxsize=1024)
def hostile_text(before: str, repeated: str, *, folded: bool) -> str:
    """Return a text of the maximum length that repeats a seed, with normalized white space if `folded`."""
    text = (before + repeated * LONGEST)[:LONGEST]
    return " ".join(text.split()) if folded else text


def estimate_cost(compiled: "re.Pattern[str]", method: str, text: str) -> float:
    """Return the wall-clock seconds of a pattern for a text; they are more precise but include other processes."""
    began = perf_counter()
    apply(compiled, method, text)
    return perf_counter() - began


def cost_of(compiled: "re.Pattern[str]", method: str, text: str) -> float:
    """Return the processor seconds of a pattern, averaged over many matches if one is too short to measure."""
    cost = apply(compiled, method, text)
    if cost > LONG_ENOUGH:
        return cost
    began, times = process_time(), 0
    while (spent := process_time() - began) < LONG_ENOUGH:
        apply(compiled, method, text)
        times += 1
    return spent / times


def worst(pattern: str, flags: int, methods: set[str], raw: bool) -> tuple[str, list[float]] | None:
    """Return the seed for which the cost of a pattern grows too fast, with the cost at each length."""
    compiled, words = re.compile(pattern, flags), words_of(pattern, flags)[-8:]
    seeds = dict.fromkeys([*((seed, "") for seed in (*SEEDS, *words, *(f"{word} " for word in words)))])
    seeds.update(dict.fromkeys((seed, word) for word in words[-4:] for seed in (" ", "a ", "1", "a", ", ")))
    ways = {method if method in ("match", "fullmatch") else "search" for method in methods}
    for seed, before in seeds:
        text = hostile_text(before, seed, folded=not raw)
        for way in ways:
            # Most seeds are obviously harmless, and precise measurements are slow. The shorter of two times is used
            # because other processes may disturb a single match.
            if (short := estimate_cost(compiled, way, f"{text[: STEPS[0]]}!")) < SUSPECT:
                continue
            short = min(short, estimate_cost(compiled, way, f"{text[: STEPS[0]]}!"))
            suspect = max(FREE / 2, min(GROWTH**2 * short, 0.9 * HOPELESS))
            if any(estimate_cost(compiled, way, f"{text}!") < suspect for _ in range(2)):
                continue
            short, long = (cost_of(compiled, way, f"{text[:size]}!") for size in (STEPS[0], STEPS[-1]))
            if long > FREE and (long > GROWTH**2 * short or long >= HOPELESS):
                return before + seed, [short, cost_of(compiled, way, f"{text[: STEPS[1]]}!"), long]
    return None


def main() -> None:
    """Print the patterns that fail, and the number of patterns."""
    sources = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    trees = {name: ast.parse(source) for name, source in sources.items() if USED.search(source)}
    used, literals = uses_of(trees)
    patterns: dict[tuple[str, int], tuple[str, set[str]]] = {}
    for (text, flags), where in watched_patterns().items():
        name = name_of(where, trees)
        shared = name is not None and not name.startswith("_")
        methods = {
            method
            for (path, other), found in used.items()
            if other == name and (shared or path == where.split(":")[0])
            for method in found
        }
        patterns[text, flags] = where, methods if name is not None and methods else {"search"}
    for text, flags, where in literals:
        place, _, method = where.rpartition(":")
        patterns.setdefault((text, flags), (place, {method}))
    failing = []
    for (text, flags), (where, methods) in patterns.items():
        if sys.argv[1:] and not any(part in where for part in sys.argv[1:]):
            continue
        if (found := worst(text, flags, methods, where.startswith(RAW))) is not None:
            failing.append({"where": where, "pattern": text, "text": found[0], "seconds": found[1]})
            print(
                where,
                repr(found[0]),
                [f"{cost:.4f}" for cost in found[1]],
                sorted(methods),
                file=sys.stderr,
                flush=True,
            )
    # Before Python 3.11.5, possessive repetition of a group does not backtrack to its start: `(?>(?:...)*)` does.
    misread = [where for (text, _), (where, _) in patterns.items() if POSSESSIVE_GROUP.search(text)]
    print(json.dumps({"patterns": len(patterns), "failing": failing, "misread": misread}))


if __name__ == "__main__":
    main()
