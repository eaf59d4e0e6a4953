"""The solver that `docs/solvers.md` shows, installed as the page says, answers through the command line's path."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from plugin_package import install
from toolboxes import CASH_FLOWS, sample_pages

from quaestor.core.answer_value import Number
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.runner import play_conversation
from quaestor.solvers.registry import make_solver

TEXT = (Path(__file__).parents[2] / "docs" / "solvers.md").read_text(encoding="utf-8")


def test_the_solver_of_the_page_works_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    (source,) = [block for block in code if "SPEC = " in block]
    (point,) = re.findall(r'\[project.entry-points."quaestor.solvers"\]\n(\w+) = "my_package.first:(\w+)"', TEXT)
    install(tmp_path, "shown_solver", source, {"quaestor.solvers": {point[0]: f"shown_solver:{point[1]}"}})
    monkeypatch.syspath_prepend(tmp_path)
    document = sample_pages()[CASH_FLOWS]
    numbers = [mention.quantity.value for sentence in document.sentences for mention in sentence.mentions]
    try:
        for skip in (0, 1):
            solver = make_solver("first", {"skip": skip})
            (turn,) = asyncio.run(play_conversation(Conversation("x", document, ("what is it?",)), solver))
            assert turn.answer.value == Number(numbers[skip])
            assert turn.verified
    finally:
        sys.modules.pop("shown_solver", None)


def test_typed_options_of_the_page_are_taken() -> None:
    code = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    (source,) = [block for block in code if "AgentLimits" in block]
    names: dict[str, object] = {}
    exec(source, names)  # noqa: S102 - a page of ours
    assert getattr(names["solver"], "limits").iterations == 6  # noqa: B009 - read from a page
