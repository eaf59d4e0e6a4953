from dataclasses import replace
from datetime import timedelta

import pytest

from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import START, make_run
from quaestor.web.runs.words import answerer, duration, figures, model_name


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.02, "20 ms"), (2.04, "2.0 s"), (125, "2 min 5 s"), (7260, "2 h 1 min")]
)
def test_duration_is_formatted(seconds: float, words: str) -> None:
    assert duration(START, START + timedelta(seconds=seconds)) == words
    assert duration(START, None) == ""


def test_model_of_a_run_is_named() -> None:
    assert model_name(make_run()) == ""
    assert model_name(replace(make_run(), spec={"model": {"provider": "test", "model": "m"}})) == "test:m"


def test_solver_of_an_imported_run_is_the_program() -> None:
    assert answerer(make_run()) == make_run().spec["solver"]
    imported = replace(make_run(), kind="import", spec={"solver": "import", "solver_options": {"name": "theirs"}})
    assert "theirs" in answerer(imported)


def test_figures_without_turns_are_omitted() -> None:
    found = figures(make_score(make_run(), {"c1": (True, False)}).score)
    assert [(title, figure.value, figure.pages > 1) for title, figure in found] == [("execution accuracy", 0.5, True)]
