"""Texts become words in one module, words that say little are listed in one, and a question is read once a turn."""

import ast
import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pytest
from sources import nodes

from quaestor.conversation.turn import Turn
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.runner import play_conversation
from quaestor.questions import comparison, cues, entity, intent, stems
from quaestor.questions import question as reading
from quaestor.sample import sample_path
from quaestor.solvers.registry import make_solver

SMALL = {"the", "of", "a", "and", "in", "to", "is", "was"}
TEXT = "the net revenue of that year and its total value"
TOKENIZERS = {
    "core/words.py": "the one family of tokenizers",
    "ontology/patterns.py": "the notation of the core's question patterns",
    "solvers/embedded/page/text.py": "where words begin, by which a number is so many words from a year",
}
STOP_WORDS = "core/stop_words.py"


def literal(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def word_lists(walked: Iterable[ast.AST]) -> Iterator[set[str]]:
    """The lists of words of a module: texts that are split, and sets, tuples and lists of texts."""
    for node in walked:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            yield set((literal(node.func.value) or "").split())
        elif isinstance(node, ast.Set | ast.Tuple | ast.List):
            yield {text for part in node.elts if (text := literal(part)) is not None}


def cuts_into_words(pattern: str) -> bool:
    """Whether a regular expression finds the words of a text, one after the other."""
    try:
        found = [match[0] for match in re.finditer(pattern, TEXT)]
    except re.error:
        return False
    return {"net", "revenue", "value"} <= set(found)


def tokenizing(walked: Sequence[ast.AST]) -> Iterator[str]:
    """The regular expressions by which a module takes all matches of a text."""
    compiled = {
        name.id: literal(node.value.args[0]) or ""
        for node in walked
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args
        for name in node.targets
        if isinstance(name, ast.Name)
    }
    for node in walked:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="findall" | "finditer"), args=[given, *_]):
                yield literal(given) or ""
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="findall" | "finditer")):
                yield compiled.get(name, "")


def test_stop_words_are_listed_in_one_module() -> None:
    listing = {name for name, found in nodes() if any("the" in w and len(w & SMALL) >= 3 for w in word_lists(found))}
    assert listing == {STOP_WORDS}


def test_texts_are_cut_into_words_in_one_module() -> None:
    cutting = {name for name, found in nodes() if any(map(cuts_into_words, tokenizing(found)))}
    assert cutting == set(TOKENIZERS)


@pytest.mark.parametrize(
    ("source", "words", "cuts"),
    [
        ('STOP = frozenset("the a of revenue".split())', True, False),
        ('STOP = {"the", "a", "of"}', True, False),
        ('NOUNS = {"rate", "of", "return"}', False, False),
        ('import re\nW = re.compile(r"[a-z]+")\nfound = W.findall(text)', False, True),
        ('import re\nfound = re.findall(r"\\w+", text)', False, True),
        ('import re\nW = re.compile(r"[a-z]+")\nfound = W.fullmatch(text)', False, False),
        ('import re\nfound = re.findall(r"[0-9]+", text)', False, False),
    ],
)
def test_a_second_list_or_tokenizer_would_be_seen(source: str, words: bool, cuts: bool) -> None:
    walked = tuple(ast.walk(ast.parse(source)))
    assert any("the" in found and len(found & SMALL) >= 3 for found in word_lists(walked)) is words
    assert any(map(cuts_into_words, tokenizing(walked))) is cuts


PARTS = {
    "periods": "find_periods",
    "relative_periods": "find_relative_periods",
    "names": "names_in",
}
"""Parts of a question, and the function of its module that reads each."""


def test_a_question_is_read_once_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """By resolution, solver and description together: each part once for each text, however many turns look back."""
    reading.read_question.cache_clear()
    read: Counter[tuple[str, str]] = Counter()

    def counted(owner: object, name: str) -> None:
        original = getattr(owner, name)

        def count(text: str, *rest: object, **named: object) -> object:
            read[name, text] += 1
            return original(text, *rest, **named)

        monkeypatch.setattr(owner, name, count)

    for name in PARTS.values():
        counted(reading, name)
    counted(intent, "matching_patterns")
    counted(comparison, "read_comparison")
    counted(cues, "question_cues")
    counted(stems, "shapes")
    counted(entity, "named_entity")
    conversation = next(c for c in read_dataset(sample_path()).conversations if len(c.questions) > 3)
    turns: tuple[Turn, ...] = asyncio.run(play_conversation(conversation, make_solver("embedded", {})))
    assert len(turns) == len(conversation.questions)
    asked = {question.lower() for question in conversation.questions}
    of_questions = {(part, text): times for (part, text), times in read.items() if text.lower() in asked}
    assert {part for part, _ in of_questions} >= {*PARTS.values(), "matching_patterns", "read_comparison", "shapes"}
    assert {key: times for key, times in of_questions.items() if times > 1} == {}
