"""Run the commands and the Python of README, CONTRIBUTING and docs/, and parse what cannot be run here.

Output shown below a command is never compared, because figures and sentences may change without a test.
"""

import ast
import doctest
import importlib.util
import json
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import all_commands, exit_code
from fenced import ROOT, Block, blocks, typed, words
from many_cases import for_each
from plugin_package import install_project

from quaestor.settings import load_settings

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKE_TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
FOUND = [block for block in blocks() if not {"recipe", "served"} & set(block.remarks)]
"""All blocks except those that `test_recipes` and `test_served` run."""
LANGUAGES = {"sh", "console", "python", "toml", "json", "csv", "markdown", "javascript", "turtle", "text"}
NEEDS = {"model", "mongo", "data", "install", "inspect", "minutes"}

_COMMAND = re.compile(r"^(?:\$ )?(?:quaestor|make|pip|python|inspect) +\S", re.MULTILINE)

Typist = Callable[[str], tuple[int, str]]


@pytest.fixture
def type_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typist:
    """Return a function that runs a command in an empty home folder and returns its exit code and output."""

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    # A second process would take longer to start than the few conversations take.
    monkeypatch.setenv("QUAESTOR_WORKERS", "1")
    for name in ("DEBUG", "STORE", "SOLVER", "MODEL"):
        monkeypatch.delenv(f"QUAESTOR_{name}", raising=False)

    def run(line: str) -> tuple[int, str]:
        program, *rest = words(line)
        assert program == "quaestor"
        assert not {"|", ">", "<", "&&", ";"} & set(rest), f"{line!r} needs a shell"
        capfd.readouterr()
        code = exit_code(*rest)
        printed = capfd.readouterr()
        return code, printed.out if code == 0 else printed.out + printed.err

    return run


def parse_command(left: list[str]) -> None:
    """Parse a command without running it."""
    from typer.core import TyperGroup

    command, context = all_commands(), None
    while True:
        context = command.make_context(command.name, left, parent=context)
        if not isinstance(command, TyperGroup):
            return
        _, inner, left = command.resolve_command(context, [*context._protected_args, *context.args])
        assert inner is not None, left
        command = inner


def must_run(line: str, block: Block) -> bool:
    """Return whether to run a command; check the names in one that is not run."""
    split = words(line)
    match split[0]:
        case ".":
            assert split == [".", ".venv/bin/activate"]
        case "make":
            assert split[1] in MAKE_TARGETS, f"{block}: there is no target {split[1]}"
        case "pip":
            named = re.findall(r"\[([\w,]+)\]", line)
            assert {extra for extras in named for extra in extras.split(",")} <= set(PROJECT["optional-dependencies"])
        case "inspect":
            assert block.remarks.get("needs") == "inspect"
            assert split[1] in ("eval", "view")
        case "quaestor" if "needs" in block.remarks:
            if "--weights" in split:  # created by the command before it
                Path(split[split.index("--weights") + 1]).mkdir(exist_ok=True)
            parse_command(split[1:])
        case "python":
            assert "needs" in block.remarks
            assert split[1] == "-m"
            assert (ROOT / split[2].replace(".", "/")).with_suffix(".py").exists() or importlib.util.find_spec(split[2])
        case "quaestor":
            return True
        case "docker":
            assert "needs" in block.remarks
            assert split[1] in ("build", "run")
            if "quaestor" in split[split.index("run") :] if "run" in split else False:
                parse_command(split[split.index("quaestor") + 1 :])
        case other:
            assert other == "jq", f"{block}: unknown command {line!r}"
            assert "needs" in block.remarks
    return False


SLOW = {
    "docs/ontology.md",
    "docs/tutorials/train.md",
    "docs/tutorials/evaluate.md",
    "docs/evaluation.md",
    "docs/audit.md",
    "docs/inspection.md",
    "docs/installation.md",
    "docs/solvers.md",
    "README.md",
}
"""Pages whose commands take many seconds."""


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=pytest.mark.very_slow) if str(file) in SLOW else file
        for file in dict.fromkeys(block.file for block in FOUND if block.language in ("sh", "console"))
    ],
)
def test_commands_run(file: str, tmp_path: Path, type_line: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    there = set(sys.modules)
    for block in (block for block in FOUND if block.file == file):
        if "file" in block.remarks:
            (tmp_path / block.remarks["file"]).write_text(block.text, encoding="utf-8")
            if block.remarks["file"] == "pyproject.toml":
                install_project(tmp_path)
                monkeypatch.syspath_prepend(tmp_path)
        elif block.language in ("sh", "console"):
            for line in filter(lambda line: must_run(line, block), typed(block)):
                code, printed = type_line(line)
                assert code == 0, f"{block}: {line}\n{printed}"
                if block.language == "console":
                    assert printed.strip(), f"{block}: {line} prints nothing"
                if "--json" in words(line):
                    json.loads(printed)
    for name in set(sys.modules) - there:  # modules imported by the page
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("block", [block for block in FOUND if block.language == "python"], ids=str)
def test_python_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "file" in block.remarks:
        compile(block.text, str(block), "exec")  # imported by later commands
        return
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    if block.text.startswith(">>> "):
        lines = "".join(example.source for example in doctest.DocTestParser().get_examples(block.text))
        exec(compile(lines, str(block), "exec"), names)  # noqa: S102 - a page of ours
    elif "needs" in block.remarks:
        tree = compile(block.text, str(block), "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        imports: list[ast.stmt] = [line for line in tree.body if isinstance(line, ast.Import | ast.ImportFrom)]
        assert imports, f"{block} imports nothing"
        exec(compile(ast.Module(imports, []), str(block), "exec"), names)  # noqa: S102 - a page of ours
    else:
        exec(compile(block.text, str(block), "exec"), names)  # noqa: S102 - a page of ours


@pytest.mark.parametrize("block", [block for block in FOUND if block.language == "toml"], ids=str)
def test_settings_are_valid(block: Block, tmp_path: Path) -> None:
    if "project" not in tomllib.loads(block.text):
        (tmp_path / "quaestor.toml").write_text(block.text, encoding="utf-8")
        load_settings(environment={}, folder=tmp_path)


@for_each(list(blocks()))
def test_blocks_have_known_languages_and_remarks(block: Block) -> None:
    """A block without a language is a drawing and must not contain commands."""
    assert block.language in LANGUAGES or not (block.language or _COMMAND.search(block.text))
    assert block.remarks.get("needs", "data") in NEEDS
    assert set(block.remarks) <= {"needs", "file", "recipe", "edit", "after", "work", "served"}
