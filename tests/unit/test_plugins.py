"""Entry points of other packages, used through the command line, and errors of broken packages."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, Quaestor, command_line, one_line
from made_up import a_record, write_dataset
from plugin_package import install

from quaestor.datasets.formats import dataset_formats, read_dataset, read_document
from quaestor.errors import PluginError
from quaestor.plugins import Registry
from quaestor.scoring.gold import read_gold
from quaestor.solvers.embedded.spec import SPEC, EmbeddedOptions
from quaestor.solvers.registry import make_solver, solver_names, solver_spec, solver_specs
from quaestor.solvers.spec import SolverSpec
from quaestor.store.base import open_store

ADDED = '''
"""A solver that answers with the page's largest number, and a store, a reader and a format of its own."""

from dataclasses import dataclass

from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.documents.assembly import ParagraphPart, assemble
from quaestor.plan.steps import Extract, Plan
from quaestor.solvers.answering import answer_from_plan
from quaestor.options import option
from quaestor.solvers.spec import SolverSpec
from quaestor.store.sqlite import SqliteStore


@dataclass(frozen=True, slots=True)
class LargestOptions:
    rank: int = option(1, help="1 for the largest number, 2 for the next", least=1)


class Largest:
    name = "largest"

    def __init__(self, options):
        self.options = options

    async def solve(self, question, context):
        found = [(m.quantity, m.ref) for s in context.document.sentences for m in s.mentions]
        found += [(c.quantities[0], c.ref) for t in context.document.tables for c in t.body() if c.quantities]
        found.sort(key=lambda pair: -pair[0].value)
        quantity, source = found[self.options.rank - 1]
        plan = Plan((Extract(1, source, "the largest number", quantity),))
        return answer_from_plan(plan, context, question=question)


SPEC = SolverSpec("largest", "the page's largest number", Largest, LargestOptions)


def open_drawer(uri, *, create):
    from pathlib import Path

    return SqliteStore(Path(uri.removeprefix("drawer://") + ".drawer"), create=create)


class MemoReader:
    name = "memo"

    def recognises(self, content):
        return content.data.startswith(b"MEMO")

    def read(self, content):
        lines = content.data.decode().splitlines()[1:]
        return assemble(content.path.stem, [ParagraphPart(tuple(lines))])


class QuizFormat:
    name = "quiz"

    def recognises(self, content):
        return content.data.startswith(b"QUIZ")

    def read(self, content, limit=None):
        text, *questions = content.data.decode().splitlines()[1:]
        document = assemble(content.path.stem, [ParagraphPart((text,))])
        return Dataset.of(str(content.path), self.name, [Conversation("only", document, tuple(questions))])
'''

REFERENCES = """
from decimal import Decimal

from quaestor.core.answer_value import Number
from quaestor.scoring.gold import GoldTurn


class QuizAnswers:
    name = "quiz"

    def recognises(self, content):
        return isinstance(content, dict) and "quiz" in content

    def read(self, file):
        return {"only": tuple(GoldTurn("", Number(Decimal(n)), None, 0) for n in file.content["quiz"])}
"""

POINTS = {
    "quaestor.solvers": {"largest": "added:SPEC"},
    "quaestor.stores": {"drawer": "added:open_drawer"},
    "quaestor.readers": {"memo": "added:MemoReader"},
    "quaestor.datasets": {"quiz": "added:QuizFormat"},
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for packages that is on the import path during the test."""
    folder = tmp_path / "site"
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(folder) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


@pytest.fixture
def added(site: Path) -> None:
    install(site, "added", ADDED, POINTS)


@pytest.fixture
def quaestor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Quaestor:
    return command_line(tmp_path, monkeypatch, capfd)


@pytest.mark.usefixtures("added")
def test_a_solver_of_another_package_answers(quaestor: Quaestor, tmp_path: Path) -> None:
    write_dataset(tmp_path / "pages.json", a_record())
    Path("quaestor.toml").write_text("[solvers.largest]\nrank = 1\n")
    first = quaestor("ask pages.json#NORD/2012/page_41.pdf --solver largest", "how much?")
    Path("quaestor.toml").write_text("[solvers.largest]\nrank = 2\n")
    second = quaestor("ask pages.json#NORD/2012/page_41.pdf --solver largest", "how much?")
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert first.out != second.out
    assert "206588" in (first.out + second.out).replace(",", "").replace(" ", "")


@pytest.mark.usefixtures("added")
def test_the_options_of_a_solver_of_another_package_are_checked(quaestor: Quaestor, tmp_path: Path) -> None:
    write_dataset(tmp_path / "pages.json", a_record())
    Path("quaestor.toml").write_text("[solvers.largest]\nrank = 0\n")
    page = "ask pages.json#NORD/2012/page_41.pdf --solver largest"
    refused = quaestor(page, "how much?")
    assert (refused.code, "'rank'" in one_line(refused)) == (2, True)
    assert "'abstain_below'" in one_line(quaestor(f"{page} --abstain-below 0.5", "what?"))


@pytest.mark.usefixtures("added")
def test_the_options_of_a_solver_of_another_package_are_set_at_the_command_line(
    quaestor: Quaestor, tmp_path: Path
) -> None:
    write_dataset(tmp_path / "pages.json", a_record())

    def asked(*options: str) -> Outcome:
        return quaestor("ask pages.json#NORD/2012/page_41.pdf what? --solver largest", *options)

    largest, second = asked(), asked("--option", "rank=2")
    assert (largest.code, second.code) == (0, 0)
    assert largest.out != second.out
    (tmp_path / "quaestor.toml").write_text("[solvers.largest]\nrank = 2\n")
    assert asked("--option", "rank=1").out == largest.out
    for text, message in (
        ("rank=0", "'rank'"),
        ("rank=two", "'two'"),
        ("depth=2", "'depth'"),
        ("rank", "NAME=VALUE"),
        ("=2", "'=2'"),
    ):
        outcome = asked("--option", text)
        assert outcome.code == 2
        assert message in one_line(outcome)
    assert "'rank'" in one_line(asked("--option", "rank=1", "--option", "rank=2"))


@pytest.mark.usefixtures("added")
def test_run_is_stored_in_a_store_of_another_package(quaestor: Quaestor, tmp_path: Path) -> None:
    write_dataset(tmp_path / "pages.json", a_record())
    run = quaestor("run pages.json --solver largest --store drawer://kept")
    assert run.code == 0, run.err
    assert Path("kept.drawer").is_file()
    shown = quaestor("runs list --store drawer://kept --json")
    assert shown.code == 0, shown.err
    assert run.out.strip() in shown.out
    unknown = quaestor("runs list --store shelf://kept")
    assert "'shelf'" in one_line(unknown)
    assert "drawer://" in unknown.err


@pytest.mark.usefixtures("added")
def test_a_dataset_in_the_format_of_another_package_is_run(quaestor: Quaestor) -> None:
    Path("quiz.txt").write_text("QUIZ\nrevenue was $ 77 million in 2011 .\nwhat was revenue?\nand again?\n")
    assert read_dataset("quiz.txt").format == "quiz"
    run = quaestor("run quiz.txt --solver largest")
    assert run.code == 0, run.err
    turn = quaestor("runs turn latest only 2")
    assert turn.code == 0, turn.err
    assert "and again?" in turn.out


@pytest.mark.usefixtures("added")
def test_a_document_that_another_package_reads_is_asked_about(quaestor: Quaestor) -> None:
    Path("memo.txt").write_text("MEMO\nrevenue was $ 77 million in 2011 .\n")
    outcome = quaestor("ask memo.txt#memo --solver largest", "what was revenue?")
    assert outcome.code == 0, outcome.err
    assert "77" in outcome.out
    # A file with one document needs no id, even if its name contains `#`.
    Path("a memo #1; $(x).txt").write_bytes(Path("memo.txt").read_bytes())
    for name in ("memo.txt", "./memo.txt", "a memo #1; $(x).txt"):
        alone = quaestor("ask", name, "what was revenue?", "--solver", "largest")
        assert alone.code == 0
        assert re.fullmatch(r"run \S+\n", alone.err)
        assert alone.out.splitlines()[1:] == outcome.out.splitlines()[1:]
    assert read_document("memo.txt").id == "memo"
    run = quaestor("run memo.txt --solver largest")
    assert (run.code, "memo.txt" in one_line(run)) == (2, True)


@pytest.mark.usefixtures("added")
def test_plugin_names_follow_built_in_names() -> None:
    assert solver_names() == ("embedded", "agent", "sparql", "workflow", "reflection", "cascade", "largest")
    assert [format.name for format in dataset_formats()][:2] == ["quiz", "filings"]
    solver = make_solver("reflection", {"expert": "largest", "expert_options": {"rank": 2}})
    assert getattr(solver, "expert").options.rank == 2  # noqa: B009 - its type is known to the package alone


def test_reference_answers_that_another_package_reads(site: Path, tmp_path: Path) -> None:
    install(site, "answers", REFERENCES, {"quaestor.references": {"quiz": "answers:QuizAnswers"}})
    file = tmp_path / "quiz.json"
    file.write_text('{"quiz": [5, 7]}')
    assert [str(turn.executed) for turn in read_gold(file)["only"]] == ["5", "7"]


def test_a_spec_has_the_field_names_of_version_0_2() -> None:
    old: dict[str, Any] = {"told": lambda _: "an example", "asked": {"decline": True}, "around": "weights"}
    new = ("prompt_additions", "interactive_defaults", "inner_option")
    for (name, value), current in zip(old.items(), new, strict=True):
        with pytest.warns(DeprecationWarning, match=current):
            spec = SolverSpec("largest", "", SPEC.build, EmbeddedOptions, **{name: value})
        assert getattr(spec, current) == value
        with pytest.warns(DeprecationWarning, match=current):
            assert getattr(spec, name) == value
    again = replace(spec, inner_option="decline")
    assert (again.inner_option, again.name) == ("decline", "largest")
    assert not hasattr(spec, "nothing")


BROKEN = [
    pytest.param("import nowhere_at_all\n", "ModuleNotFoundError: No module named 'nowhere_at_all'", id="import"),
    pytest.param("x = 1\n", "AttributeError: module 'ruin' has no attribute 'SPEC'", id="attribute"),
    pytest.param("SPEC = 5\n", "TypeError: ", id="type"),
    pytest.param("raise SystemExit('no\\nlicence')\n", "SystemExit: no licence", id="exit"),
    pytest.param(
        "from quaestor.solvers.spec import SolverSpec\nSPEC = SolverSpec('other', '', lambda o: o)\n",
        "'other'",
        id="name",
    ),
]


@pytest.mark.parametrize(("source", "why"), BROKEN)
def test_error_in_a_plugin_solver_is_one_line_and_affects_nothing_else(
    source: str, why: str, site: Path, quaestor: Quaestor, tmp_path: Path
) -> None:
    install(site, "ruin", source, {"quaestor.solvers": {"mine": "ruin:SPEC"}})
    write_dataset(tmp_path / "pages.json", a_record())
    page = "ask pages.json#NORD/2012/page_41.pdf"
    refused = quaestor(f"{page} --solver mine", "how much?")
    line = one_line(refused)
    assert refused.code == 2
    assert all(part in line for part in ("'ruin'", "'mine'", "mine = ruin:SPEC", "quaestor.solvers"))
    assert why in line
    assert quaestor(f"{page} --solver embedded", "what was revenue in 2008?").code == 0
    assert quaestor("--help").code == 0
    assert [spec.name for spec in solver_specs()][:5] == list(solver_names()[:5])
    assert "mine" not in {spec.name for spec in solver_specs()}


def test_broken_format_is_reported_once_and_files_are_read(
    site: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    install(site, "ruin", "1 / 0\n", {"quaestor.datasets": {"mine": "ruin:Format"}})
    path = write_dataset(tmp_path / "pages.json", a_record())
    for _ in range(2):
        assert read_dataset(path).format == "original"
    (message,) = [record.getMessage() for record in caplog.records if record.name == "quaestor.plugins"]
    assert all(part in message for part in ("'ruin'", "'mine'", "ZeroDivisionError"))
    assert "\n" not in message


def test_plugins_with_the_same_name_are_an_error(site: Path) -> None:
    source = "from quaestor.solvers.spec import SolverSpec\nSPEC = SolverSpec('mine', 'x', lambda o: o)\n"
    install(site, "first", source, {"quaestor.solvers": {"mine": "first:SPEC"}})
    assert solver_spec("mine").name == "mine"
    install(site / "more", "second", source, {"quaestor.solvers": {"mine": "second:SPEC"}})
    sys.path.insert(0, str(site / "more"))
    try:
        with pytest.raises(PluginError) as caught:
            make_solver("mine")
        assert "'first' (mine = first:SPEC)" in str(caught.value)
        assert "'second' (mine = second:SPEC)" in str(caught.value)
        assert "mine" not in [spec.name for spec in solver_specs()]
    finally:
        sys.path.remove(str(site / "more"))


def test_plugin_cannot_use_a_built_in_name(site: Path, tmp_path: Path) -> None:
    install(
        site,
        "thief",
        "x = 1\n",
        {
            "quaestor.solvers": {"embedded": "thief:x"},
            "quaestor.stores": {"sqlite": "thief:x"},
            "quaestor.datasets": {"original": "thief:x"},
        },
    )
    with pytest.raises(PluginError):
        make_solver("embedded")
    with pytest.raises(PluginError):
        open_store("sqlite:///x.db")
    assert read_dataset(write_dataset(tmp_path / "pages.json", a_record())).format == "original"


def test_folder_on_the_path_twice_adds_plugins_once(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(site, "added", ADDED, POINTS)
    monkeypatch.syspath_prepend(site)
    assert solver_spec("largest").summary == "the page's largest number"


def test_plugins_are_imported_lazily() -> None:
    def check(name: str, found: object) -> str:
        return f"{name}: {found}"

    registry = Registry("quaestor.none", "thing", {"a": "no_such_module:x", "b": "string:digits"}, check)
    assert registry.names() == ("a", "b")
    assert registry.find("b") == "b: 0123456789"
    assert registry.find("c") is None
    with pytest.raises(ModuleNotFoundError):
        registry.find("a")
