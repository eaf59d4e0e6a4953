import os
import subprocess
import sys
from collections.abc import Callable

import pytest
import typer

from quaestor.cli.failures import DEBUG, run_for_exit_code
from quaestor.errors import (
    DatasetError,
    DivisionByZeroError,
    DuplicateRecordError,
    EngineError,
    ModelError,
    RunStoppedError,
    StoreError,
    UnknownRunError,
)


def raising(error: BaseException) -> Callable[[], None]:
    def command() -> None:
        raise error

    return command


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DatasetError("no table"), 2),
        (UnknownRunError("no run 'x'"), 2),
        (StoreError("unknown scheme"), 2),
        (DuplicateRecordError("taken"), 1),
        (EngineError("a worker died"), 1),
        (ModelError("damaged"), 1),
        (DivisionByZeroError("5 by zero"), 1),
        (KeyError("a defect"), 1),
        (typer.BadParameter("no such file"), 2),
        (RunStoppedError("stopped", "x", by_person=True), 130),
        (caused(RunStoppedError("it is full", "x"), StoreError("it is full")), 2),
        (caused(RunStoppedError("a worker died", "x"), EngineError("a worker died")), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_error_is_one_line_with_an_exit_code_by_origin(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(DEBUG, raising=False)
    assert run_for_exit_code(raising(error)) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("quaestor: ")
    assert printed.err.count("\n") == 1


def test_line_breaks_and_endless_messages_stay_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    run_for_exit_code(raising(DatasetError("a\nb\r\n" + "c" * 10_000)))
    err = capsys.readouterr().err
    assert err.startswith("quaestor: a b ccc")
    assert len(err) < 420


def test_internal_error_explains_how_to_see_the_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(DEBUG, raising=False)
    run_for_exit_code(raising(KeyError("x")))
    assert "--debug" in capsys.readouterr().err
    monkeypatch.setenv(DEBUG, "1")
    with pytest.raises(KeyError):
        run_for_exit_code(raising(KeyError("x")))


def test_closed_pipe_is_silent() -> None:
    code = "from quaestor.cli.failures import run_for_exit_code as run; exit(run(lambda: print('x' * 9**8)))"
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.close()
    assert writer.stderr is not None
    assert writer.stderr.read() == b""
    writer.stderr.close()
    assert writer.wait(30) == 141


def test_help_imports_no_heavy_modules() -> None:
    code = (
        "import sys; from quaestor.cli.app import make_app; make_app(())\n"
        "heavy = {'numpy', 'pydantic', 'xgboost', 'sympy', 'rapidfuzz', 'sqlite3', 'scipy', 'sklearn'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_unencodable_characters_are_printed_as_question_marks(encoding: str) -> None:
    code = "from quaestor.cli.failures import run_for_exit_code; run_for_exit_code(lambda: print('half of \\ud83d'))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": encoding}
    )
    assert shown.stdout.split() == [b"half", b"of", b"?"]
    assert shown.stderr == b""
