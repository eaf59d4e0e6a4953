from collections.abc import Callable
from pathlib import Path

import pytest

from quaestor.errors import SettingsError
from quaestor.prompts import render
from quaestor.solvers.agent.solver import AgentSolver
from quaestor.solvers.agent.spec import LONGEST_ADVICE, AgentLimits, read_advice
from quaestor.solvers.registry import make_solver, prompts_digest


def test_lines_starting_with_a_hash_are_omitted(tmp_path: Path) -> None:
    path = tmp_path / "advice.txt"
    path.write_text("# rests on a run\n- Sums: calculate.\n\n  - {{ name }}\n# end\n", encoding="utf-8")
    assert read_advice(str(path)) == "- Sums: calculate.\n\n  - {{ name }}"
    assert read_advice(None) == ""
    prompt = render("agent/system", advice=read_advice(str(path)))
    assert "leave it where it does not help:\n- Sums: calculate.\n\n  - {{ name }}" in prompt
    assert "leave it where" not in render("agent/system", advice="")


@pytest.mark.parametrize(
    ("content", "named"),
    [(b"# only this\n\n", ""), (b"\xff\xfe", "UTF"), (b"x" * (LONGEST_ADVICE + 1), "")],
)
def test_invalid_advice_is_refused_before_any_question(tmp_path: Path, content: bytes, named: str) -> None:
    path = tmp_path / "advice.txt"
    path.write_bytes(content)
    makers: tuple[Callable[[], object], ...] = (
        lambda: AgentSolver(AgentLimits(advice=str(path))),
        lambda: make_solver("agent", {"advice": str(path)}),
    )
    for make in makers:
        with pytest.raises(SettingsError) as caught:
            make()
        assert named in str(caught.value)
    with pytest.raises(SettingsError):
        make_solver("agent", {"advice": str(tmp_path / "missing.txt")})


def test_advice_is_part_of_the_spec_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "advice.txt"
    path.write_text("- Sums: calculate.\n", encoding="utf-8")
    options = {"advice": str(path)}
    plain, first = prompts_digest("agent"), prompts_digest("agent", options)
    around = prompts_digest("reflection", {"expert": "agent", "expert_options": options})
    path.write_text("# another head\n- Sums: calculate.\n", encoding="utf-8")
    assert prompts_digest("agent", options) == first != plain
    path.write_text("- Sums: find_in_text.\n", encoding="utf-8")
    assert prompts_digest("agent", options) not in (first, plain)
    assert prompts_digest("reflection", {"expert": "agent", "expert_options": options}) != around
