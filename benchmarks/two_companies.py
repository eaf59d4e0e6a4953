"""Checks that a question about one of two companies is answered from the right filing.

`python -m benchmarks.two_companies [--pairs N]` opens the filings of two companies at a time, asks first questions of
`../shared/data/questions` that name one of them, alternating and in one conversation, and prints from which file each
was answered. `--list` prints each question.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

import quaestor
from benchmarks.analysts import QUESTIONS, Line, find_filing, load_scorer, write_answer
from quaestor.core.terms import terms
from quaestor.documents.combining import file_of
from quaestor.facts.table import build_facts

_PAIRS = (
    ("aapl-10-k-2024-11-01", "nvda-10-k-2025-02-26"),
    ("hd-10-k-2025-03-21", "wmt-10-k-2025-03-14"),
    ("pg-10-k-2025-08-04", "nke-10-k-2025-07-17"),
    ("tsla-10-k-2025-01-30", "ba-10-q-2025-07-29"),
)
_EACH = 7
"""Questions about each company of a pair."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=len(_PAIRS))
    parser.add_argument("--list", action="store_true", help="print each question")
    options = parser.parse_args()
    scorer = load_scorer()
    counts: Counter[str] = Counter()
    for pair in _PAIRS[: options.pairs]:
        page = quaestor.open([str(find_filing(name)) for name in pair], settings=quaestor.Settings(keep_asked=False))
        conversation = page.conversation()
        named = zip_longest(*(list(_named_questions(name)) for name in pair))
        for turn in named:
            for question in filter(None, turn):
                answered = conversation.ask(question["question"])
                files = {file_of(page.document, source) for source in answered.answer.sources}
                own = find_filing(question["file"]).name
                if not files:
                    verdict = "declined"
                elif files == {own}:
                    verdict = "right" if scorer.right(question["answer"], write_answer(answered.answer)) else "wrong"
                else:
                    verdict = "from the other company"
                counts[verdict] += 1
                if options.list:
                    print(f"{verdict:23}{question['file']:.12} {question['question']} = {answered.display}"[:150])
    print(f"{counts.total()} questions: " + ", ".join(f"{count} {name}" for name, count in counts.most_common()))


def _named_questions(name: str) -> Iterator[Line]:
    """Yield first questions about a filing that name its company."""
    facts = build_facts(quaestor.open(str(find_filing(name)), settings=quaestor.Settings(keep_asked=False)).document)
    lines = (QUESTIONS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    found = (line for line in map(json.loads, lines) if not line["turn"] and line["kind"] != "unanswerable")
    named = [line for line in found if facts.company & set(terms(line["question"]))]
    yield from named[:_EACH]


if __name__ == "__main__":
    main()
