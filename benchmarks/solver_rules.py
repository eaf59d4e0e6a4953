"""Value of each function of the embedded solver: questions about filings that become wrong or right without it.

`python -m benchmarks.solver_rules [FILING ...] [--most N]` asks the questions of `../shared/data/questions` and
`training/questions` with the shipped weights. A function that returns nothing, False, or its argument counts as
inactive. Each function that is active in at most N conversations is replaced by an inactive one, and these
conversations are asked again. Functions that no question reaches are listed last; pages may reach them.
"""

import argparse
import ast
import functools
import gc
import importlib
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import groupby
from multiprocessing import get_context
from types import CodeType, ModuleType
from typing import Any

MEASURED = ("quaestor.solvers.embedded", "quaestor.questions", "quaestor.solvers.quoting")
_EMPTY: dict[str, Callable[[], object]] = {
    "bool": bool,
    "str": str,
    "list": list,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
    "Sequence": tuple,
    "Collection": tuple,
    "Mapping": dict,
    "Iterator": lambda: iter(()),
    "Iterable": lambda: iter(()),
}
_SWITCH = "__switch__"


@dataclass(slots=True)
class Switches:
    """Records which functions were active since `acted` was cleared, and which one is left out.

    Attributes:
        lines: Number of lines of each function that can be left out.
    """

    acted: set[str] = field(default_factory=set)
    left_out: str | None = None
    lines: dict[str, int] = field(default_factory=dict)

    def of_function(self, name: str, default: str, first: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that can leave a function out.

        Args:
            default: The result of the inactive function: a key of `_EMPTY`, `None`, or `argument` for its first
                argument.
            first: Index of its first argument that is not `self`.
        """

        def default_result(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            if default == "argument":
                return args[first] if len(args) > first else next(iter(kwargs.values()))
            return None if default == "None" else _EMPTY[default]()

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def switched(*args: Any, **kwargs: Any) -> Any:
                if self.left_out == name:
                    return default_result(args, kwargs)
                result = function(*args, **kwargs)
                if isinstance(result, Iterator):
                    return self._watch(name, result)
                if name not in self.acted and not _same(result, default_result(args, kwargs)):
                    self.acted.add(name)
                return result

            return switched

        return decorate

    def _watch(self, name: str, results: Iterator[Any]) -> Iterator[Any]:
        for result in results:
            self.acted.add(name)
            yield result


SWITCHES = Switches()


def _same(result: object, default: object) -> bool:
    try:
        return result is default or bool(result == default)
    except ValueError:  # arrays
        return False


class _AddSwitches(ast.NodeTransformer):
    """Decorates each function and method of a module whose result can be replaced by an inactive one."""

    def __init__(self, module: str) -> None:
        self._module, self._classes = module, list[str]()

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        decorators = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
        first = int(bool(self._classes) and "staticmethod" not in decorators)
        default = _default_result(node, first)
        if default is None or node.name.startswith("__") or decorators & {"overload", "abstractmethod"}:
            return node
        name = ".".join((self._module, *self._classes, node.name))
        SWITCHES.lines[name] = (node.end_lineno or node.lineno) - node.lineno + 1
        call = f"{_SWITCH}({name!r}, {default!r}, {first})"
        node.decorator_list.append(ast.copy_location(ast.parse(call, mode="eval").body, node))
        return ast.fix_missing_locations(node)


def _default_result(node: ast.FunctionDef, first: int) -> str | None:
    """Return the result of the inactive function from the annotations, or None if they do not determine it."""
    if node.returns is None:
        return None
    returned = ast.unparse(node.returns).strip("'\"")
    arguments = (*node.args.posonlyargs, *node.args.args)[first:]
    if returned == "bool" or returned.endswith("| None"):
        return "bool" if returned == "bool" else "None"
    if arguments and arguments[0].annotation and ast.unparse(arguments[0].annotation).strip("'\"") == returned:
        return "argument"
    kind = returned.partition("[")[0]
    fixed_length = kind == "tuple" and not returned.endswith("...]")
    return kind if kind in _EMPTY and not fixed_length else None


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        tree = _AddSwitches(fullname).visit(ast.parse(self.get_data(self.path)))
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[_SWITCH] = SWITCHES.of_function
        super().exec_module(module)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name.startswith(MEASURED) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


@dataclass(slots=True)
class RuleEffect:
    """The effect of leaving a function out."""

    conversations: int = 0
    changed: int = 0
    lost: int = 0
    won: int = 0
    failed: int = 0


def measure_filing(filing: str, most: int) -> tuple[dict[str, int], dict[str, RuleEffect]]:
    """Return the lines of all functions, and the effect of those that are active for questions about a filing."""
    sys.meta_path.insert(0, _Finder())
    held_out = importlib.import_module("benchmarks.held_out_filings")
    labelled = importlib.import_module("quaestor.learning.filings")
    confidence = importlib.import_module("quaestor.learning.filing_confidence")
    weights = importlib.import_module("quaestor.solvers.embedded.filings.loading").load_filing_weights()
    scorer, table = held_out.load_scorer(), held_out.read_facts([filing], None)[filing]
    conversations = []
    for folder in (held_out.QUESTIONS, held_out.TRAINING):
        path = folder / f"{filing}.jsonl"
        raw = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
        asked = zip(raw, labelled.read_labelled([path]) if raw else [], strict=True)
        conversations += [list(lines) for _, lines in groupby(asked, key=lambda line: line[0]["conversation"])]

    def ask(conversation: Sequence[tuple[dict[str, Any], Any]]) -> list[tuple[str, object]]:
        results = confidence.play_questions([one for _, one in conversation], table, weights)
        answers = [held_out.answer_line(one, decline=weights.confidence is not None) for one in results]
        return [
            (scorer.verdict(raw["answer"], answer), answer)
            for (raw, _), answer in zip(conversation, answers, strict=True)
        ]

    def clear_caches() -> None:
        for cached in caches:
            cached.cache_clear()

    ask(conversations[0])  # triggers late imports
    caches = [
        cached
        for cached in gc.get_objects()
        if isinstance(cached, functools._lru_cache_wrapper) and str(cached.__module__).startswith(MEASURED)
    ]
    before, acted_in = [], defaultdict[str, list[int]](list)
    for place, conversation in enumerate(conversations):
        clear_caches()
        SWITCHES.acted.clear()
        before.append(ask(conversation))
        for name in SWITCHES.acted:
            acted_in[name].append(place)
    found = {}
    for name, places in acted_in.items():
        worth = found[name] = RuleEffect(len(places))
        if len(places) > most:
            continue
        clear_caches()
        SWITCHES.left_out = name
        for place in places:
            try:
                without = ask(conversations[place])
            except Exception:  # noqa: BLE001 - an error that the function prevents
                worth.failed += 1
                continue
            for (verdict, answer), (other, other_answer) in zip(before[place], without, strict=True):
                worth.changed += answer != other_answer
                worth.lost += verdict == "right" != other
                worth.won += verdict != "right" == other
        SWITCHES.left_out = None
    return SWITCHES.lines, found


def main() -> None:
    """Print the value of each function."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("filings", nargs="*", help="only questions about filings whose names begin so")
    parser.add_argument("--most", type=int, default=60, help="only functions that act in at most so many conversations")
    options = parser.parse_args()
    folder = importlib.import_module("benchmarks.held_out_filings").QUESTIONS
    filings = [
        path.stem for path in sorted(folder.glob("*.jsonl")) if path.name.startswith(tuple(options.filings or ("",)))
    ]
    lines: dict[str, int] = {}
    worths: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), max_tasks_per_child=1) as pool:
        for known, found in pool.map(measure_filing, filings, [options.most] * len(filings)):
            lines |= known
            for name, worth in found.items():
                worths[name] += Counter({key: getattr(worth, key) for key in RuleEffect.__slots__})
    print(f"{'lost':>5} {'won':>4} {'changed':>7} {'failed':>6} {'in':>4} {'lines':>5}  without")
    for name, counts in sorted(worths.items(), key=lambda one: one[1]["lost"] - one[1]["won"]):
        if counts["conversations"] <= options.most:
            numbers = f"{counts['lost']:5} {counts['won']:4} {counts['changed']:7} {counts['failed']:6}"
            print(f"{numbers} {counts['conversations']:4} {lines[name]:5}  {name.removeprefix('quaestor.')}")
    for name in sorted(lines.keys() - worths.keys()):
        print(f"{'never reached':>29} {lines[name]:5}  {name.removeprefix('quaestor.')}")


if __name__ == "__main__":
    main()
