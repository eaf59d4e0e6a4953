"""Token counts of the first request of a question about a whole filing.

`python -m benchmarks.filing_prompts [FILING ...] [--cache FOLDER] [--every N]` runs the conversations of
`../shared/data/questions` about some filings with a model that finds every question ambiguous, so that each turn is one
request, and measures every fifth question. Tokens are estimated as a quarter of the characters: of the whole request
with tools and schemas, and of its user part with page, conversation and question.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table

from benchmarks.analysts import QUESTIONS
from benchmarks.held_out_filings import read_filings
from benchmarks.workload import SUPPORT
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.solvers.registry import make_solver

_FILINGS = (
    "ko-10-k-2025-02-20",
    "mcdonalds-2023q2-earnings",
    "nvda-10-k-2025-02-26",
    "oracle-2020-10k",
    "pge-2018-10k",
)
_SILENT: Mapping[str, Mapping[str, object]] = {
    "agent": {"no_answer": "ambiguous"},
    "sparql": {"values": [], "no_answer": "ambiguous", "reasoning": "several fit"},
    "workflow": {"thought_process": "several fit", "steps": [], "no_answer": "ambiguous"},
}


def read_conversations(document: Document, filing: str) -> Iterator[Conversation]:
    """Yield the conversations about a filing."""
    asked: dict[str, list[str]] = {}
    for line in map(json.loads, (QUESTIONS / f"{filing}.jsonl").read_text(encoding="utf-8").splitlines()):
        asked.setdefault(line["conversation"], []).append(line["question"])
    for name, questions in asked.items():
        yield Conversation(name, document, tuple(questions))


async def ask_silent_model(solver: str, document: Document, filing: str) -> list[tuple[int, int]]:
    """Return the estimated tokens of each question: of the request, and of its user part."""
    sys.path.insert(0, SUPPORT)
    from model_replies import counted
    from model_server import ModelServer

    from quaestor.testing.models import structured

    graphs, read = GraphProvider.of([document], "extend"), []
    excerpts = graphs.excerpts(document)
    with ModelServer(lambda request: structured(request, _SILENT[solver])) as server:
        async with open_session(ModelConfig(find_model(f"openai:silent@{server.url}/v1"))) as session:
            for conversation in read_conversations(document, filing):
                await answer_conversation(conversation, make_solver(solver, {}), graphs, session, excerpts)
                session.take(conversation.id)
                assert len(server.requests) == len(conversation.questions)
                for request in server.requests:
                    read.append(
                        (counted(request, structured(request, {})).tokens[0], len("".join(request.prompts)) // 4)
                    )
                server.requests.clear()
    return read


def main() -> None:
    """Print the tokens of each solver."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("filings", nargs="*", default=_FILINGS, help="filings by name")
    parser.add_argument("--cache", type=Path, help="keep read documents in this folder")
    parser.add_argument("--every", type=int, default=5, help="measure every so many questions of a filing")
    options = parser.parse_args()
    documents = dict(read_filings(options.filings, options.cache))
    table = Table("solver", "questions", "tokens of a request", "of page, conversation and question")
    for solver in _SILENT:
        read = [
            tokens
            for filing, document in documents.items()
            for tokens in asyncio.run(ask_silent_model(solver, document, filing))[:: options.every]
        ]
        table.add_row(solver, str(len(read)), *(f"{mean(part):,.0f}" for part in zip(*read, strict=True)))
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
