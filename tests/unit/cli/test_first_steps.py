"""First steps of a new user: help, pages by name, questions from stdin, the demo, JSON output, clean exits."""

import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Quaestor

from quaestor.cli.demo import SHOWN
from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path


@pytest.mark.parametrize("line", ["runs", "kg", "ontology", "models", "-h", "runs -h", "eval -h"])
def test_help_exits_without_error(quaestor: Quaestor, line: str) -> None:
    outcome = quaestor(line)
    assert (outcome.code, outcome.err) == (0, "")
    assert "Usage: quaestor" in outcome.out


def test_command_without_arguments_lists_existing_commands(quaestor: Quaestor) -> None:
    outcome = quaestor("")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines
    for line in lines:
        command = line.split()[1]
        assert command == "--help" or quaestor(f"{command} --help").code == 0


def test_pages_are_listed_and_suggested_if_one_is_missing(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("pages pages.json").out == "NORD/2012/page_41.pdf  2 conversations\n"
    assert "quaestor pages lists all" in quaestor("ask pages.json#NORD/2012/page_42", "why?").err
    assert len(json.loads(quaestor("pages sample --json").out)) > 10


def test_questions_are_read_from_stdin_and_answers_printed_as_json(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("cell 1 1\n\nfail\n"))
    answers = json.loads(quaestor("ask pages.json#nord/2012/page_41 - --json").out)
    assert [answer["question"] for answer in answers] == ["cell 1 1", "fail"]
    assert (answers[0]["value"], answers[0]["answer"], answers[0]["sources"][0]["text"]) == ("206588", 206588, "206588")
    assert answers[1]["value"] is None
    assert "no plan for" in answers[1]["error"]


def test_a_misspelt_variable_is_named(quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_SOLVR", "agent")
    assert "QUAESTOR_SOLVER" in quaestor("pages pages.json").err


def test_narrow_output_has_no_padding_and_no_broken_words(quaestor: Quaestor, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "sample#NORD/2012/page_41.pdf"
    record = json.loads(quaestor(f"kg build {page} --json").out)
    monkeypatch.setenv("COLUMNS", "60")
    shown = quaestor(f"kg build {page}").out
    assert not [line for line in shown.splitlines() if line != line.rstrip()]
    for word in {word for line in record["lines"] for word in (*line["label"].split(), line["predicate"])}:
        assert word in shown, word


def test_evaluation_on_training_data_is_reported(quaestor: Quaestor, pages: Path, tmp_path: Path) -> None:
    from quaestor.application.solver_options import is_trained_on

    assert not is_trained_on(pages, "embedded", {})
    (tmp_path / "weights").mkdir()
    digest = hashlib.sha256(pages.read_bytes()).hexdigest()
    (tmp_path / "weights" / "card.json").write_text(json.dumps({"files": {"x": digest}}))
    assert is_trained_on(pages, "embedded", {"weights": str(tmp_path / "weights")})
    assert "pages.json" in quaestor("eval pages.json --weights weights").err


@pytest.mark.slow
def test_demo_shows_pages_questions_and_score_and_leaves_no_files(quaestor: Quaestor) -> None:
    # The scripted solver cannot answer real questions, which the demo reports.
    outcome = quaestor("demo")
    assert outcome.code == 0
    dataset = read_dataset(sample_path())
    for identity in SHOWN:
        conversation = dataset.conversation(identity)
        assert conversation.document.id in outcome.out
        assert all(question[:80] in outcome.out for question in conversation.questions)
    turns = sum(len(conversation.questions) for conversation in dataset.conversations)
    assert f"{turns}" in outcome.out
    assert "execution accuracy" in outcome.out
    assert list(Path().iterdir()) == []


def test_ontologies_are_printed_as_json(quaestor: Quaestor) -> None:
    for limit in (1, 4):
        assert quaestor(f"ontology build sample --limit {limit} --output o{limit}.ttl").code == 0
    shown = json.loads(quaestor("ontology show --ontology o4.ttl --json").out)
    named = shown["types"][0]["name"]
    assert [
        kind["name"] for kind in json.loads(quaestor(f"ontology show {named} --ontology o4.ttl --json").out)["types"]
    ] == [named]
    assert json.loads(quaestor("ontology diff o1.ttl o4.ttl --json").out)["properties_added"]
    assert not any(json.loads(quaestor("ontology diff o4.ttl o4.ttl --json").out).values())
    why = json.loads(quaestor("ontology why nothing 'net revenue' --ontology o4.ttl --json").out)
    assert why["same"] is False


@pytest.mark.slow
def test_demo_is_printed_as_json_and_uses_the_settings(quaestor: Quaestor) -> None:
    assert json.loads(quaestor("demo --json").out)["solver"] == "embedded"
    Path("quaestor.toml").write_text('solver = "nobody"\n')
    refused = quaestor("demo")
    assert refused.code == 2
    assert "'nobody'" in refused.err


INTERRUPTED = """
import signal, sys
from importlib.abc import MetaPathFinder

class CtrlC(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.{sent})

sys.meta_path.insert(0, CtrlC())
sys.argv = ["quaestor", "ask", "sample#QUIL/2007/page_88.pdf", "what was the exercise price in 2007?", "--no-keep"]
from quaestor.cli import main
main()
"""


@pytest.mark.very_slow
@pytest.mark.parametrize(
    "module",
    [
        "quaestor.core.caching",
        "typer",
        "quaestor.cli.app",
        "quaestor.cli.ask",
        pytest.param("numpy", marks=pytest.mark.slow),
        "pydantic",
    ],
)
def test_interrupt_during_an_import_gives_a_one_line_message(module: str) -> None:
    assert run_with_signal("SIGINT", module) == (130, "", "quaestor: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not asked to end there")
def test_sigterm_during_an_import_gives_a_one_line_message() -> None:
    code, out, err = run_with_signal("SIGTERM", "quaestor.cli.app")
    assert (code, out, err.count("\n")) == (143, "", 1)


@pytest.mark.slow
def test_question_about_a_page_does_not_import_filing_modules(tmp_path: Path) -> None:
    ask = [
        "ask",
        "sample#QUIL/2007/page_88.pdf",
        "what was the exercise price in 2007?",
        "--store",
        f"{tmp_path}/runs.db",
    ]
    code = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); sys.argv[1:] = {ask!r}\n"
    code += "from quaestor.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.splitlines()[-1].split())
    assert "quaestor.solvers.embedded.page_answers" in loaded
    unneeded = {"quaestor.solvers.embedded.filings.answering", "quaestor.facts.table", "quaestor.retrieval.index"}
    assert loaded.isdisjoint(unneeded)


def run_with_signal(sent: str, module: str) -> tuple[int, str, str]:
    """Return the exit code and output of a process that receives a signal while it imports a module."""
    code = INTERRUPTED.format(sent=sent, module=module)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout, run.stderr


def test_few_modules_are_imported_before_signal_handlers_are_set() -> None:
    count = "import sys, typing; before = set(sys.modules); import quaestor.cli; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True)
    assert sorted(run.stdout.split()) == ["quaestor", "quaestor.cli"]
