"""`quaestor show` prints a page with the places of answers in brackets; `ask` alone says what can be asked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import exit_code

NORD = "sample#NORD/2012/page_41.pdf"


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_STORE", f"sqlite:///{tmp_path}/runs.db")


def typed(*words: str) -> int:
    return exit_code(*words)


@pytest.fixture
def printed(own_store: None, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: str) -> str:
        capfd.readouterr()
        code = typed(*words)
        out, err = capfd.readouterr()
        assert code == 0, err
        return out

    return run


def test_cells_and_words_of_answers_are_marked(printed: Callable[..., str]) -> None:
    printed("ask", NORD, "what were net sales of power cables in 2012?", "what was spent on research in 2011?")
    page = printed("show", NORD, "--run", "latest")
    assert "[$ 642.3]" in page
    assert "1. what were net sales of power cables in 2012?  $ 642.3 million" in page
    only = printed("show", NORD, "--run", "latest", "--turn", "2")
    assert "[$ 642.3]" not in only


def test_a_page_without_a_run_has_no_mark(printed: Callable[..., str]) -> None:
    assert "[" not in printed("show", NORD)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--turn", "1"], "--run"),
        (["--run", "latest", "--turn", "7"], "NORD"),
    ],
)
def test_a_mistake_is_one_line(
    words: list[str], said: str, printed: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    printed("ask", NORD, "what were net sales in 2012?")
    assert typed("show", NORD, *words) == 2
    error = capfd.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_a_run_about_another_page_says_so(printed: Callable[..., str], capfd: pytest.CaptureFixture[str]) -> None:
    printed("ask", NORD, "what were net sales in 2012?")
    assert typed("show", "sample#LUMI/2018/page_35.pdf", "--run", "latest") == 2
    assert "2018" in capfd.readouterr().err


def test_a_file_alone_says_what_can_be_asked(printed: Callable[..., str]) -> None:
    told = printed("ask", NORD)
    assert "2010 to 2012" in told
    assert f"quaestor ask '{NORD}' '" in told
    found = json.loads(printed("ask", NORD, "--json"))
    assert len(found["examples"]) == 3
    assert found["document"] == "NORD/2012/page_41.pdf"
