"""How often the statement with the answer is in the first excerpt that a model sees of a filing.

`python -m benchmarks.statements_shown [FILING ...] [--cache FOLDER] [--tokens N] [--list]` uses the questions of
`../shared/data/questions` whose `where` names a balance sheet, an income statement or a statement of cash flows.
Earlier questions of a conversation are known but not their answers, whose sources would be shown too.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.analysts import FILINGS, QUESTIONS, Line
from benchmarks.held_out_filings import read_filings
from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.documents.document import Document
from quaestor.documents.roles import statements_named
from quaestor.documents.table import TableRole
from quaestor.evaluation.place_finder import PlaceFinder
from quaestor.questions.question import read_question
from quaestor.retrieval.document_parts import tokens_of
from quaestor.retrieval.index import PlaceIndex
from quaestor.settings import EXCERPT_TOKENS
from quaestor.store.records import now

_STATEMENTS = (TableRole.BALANCE_SHEET, TableRole.INCOME_STATEMENT, TableRole.CASH_FLOWS)


def ask_filing(document: Document, lines: list[Line], tokens: int) -> Iterator[tuple[Line, frozenset[TableRole], int]]:
    """Yield each question that needs statements, the statements missing in its excerpt, and the excerpt's tokens."""
    excerpts = PlaceFinder(PlaceIndex.of(document), tokens)
    earlier: defaultdict[str, Memory] = defaultdict(Memory)
    for line in lines:
        needed = frozenset(statements_named(line["where"])) & frozenset(_STATEMENTS)
        memory = earlier[line["conversation"]]
        if needed:
            shown = excerpts.select(read_question(line["question"]), memory).document
            missing = needed - {table.role for table in shown.tables}
            yield line, missing, sum(map(tokens_of, shown.blocks))
        at = now()
        earlier[line["conversation"]] = memory.add(Turn(line["question"], Answer(None), False, at, at))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("filings", nargs="*", help="only questions about filings whose names begin so")
    parser.add_argument("--cache", type=Path, help="keep read documents in this folder")
    parser.add_argument("--tokens", type=int, default=EXCERPT_TOKENS, help="about how many tokens are shown")
    parser.add_argument("--list", action="store_true", help="print each question that lacks a statement")
    options = parser.parse_args()
    filings = sorted(path.stem for path in QUESTIONS.glob("*.jsonl") if FILINGS.is_dir())
    selected = [filing for filing in filings if not options.filings or filing.startswith(tuple(options.filings))]
    needed, shown, tokens = Counter[str](), Counter[str](), list[int]()
    for filing, document in read_filings(selected, options.cache):
        lines = [json.loads(x) for x in (QUESTIONS / f"{filing}.jsonl").read_text(encoding="utf-8").splitlines()]
        for line, missing, cost in ask_filing(document, lines, options.tokens):
            tokens.append(cost)
            for group in ("all", line["kind"]):
                needed[group] += 1
                shown[group] += not missing
            if missing and options.list:
                print(f"{filing} [{line['kind']}] {line['question']} -- {line['where']} -- {', '.join(missing)}")
    grid = Grid("questions", "that need a statement", "are shown it")
    for group, count in needed.most_common():
        grid.add_row(group, str(count), f"{shown[group] / count:.1%}")
    Console().print(grid)
    print(f"tokens shown, mean: {sum(tokens) / max(1, len(tokens)):,.0f}")


if __name__ == "__main__":
    main()
