"""Files, pages and documents in the Python API, in synchronous code and within a running event loop."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from long_filing import a_long_filing
from made_up import a_record, write_dataset
from many_cases import for_each
from model_server import ModelServer
from reflection_bench import draft, look_up, playing

import quaestor
from quaestor import Answers
from quaestor.application.file_cache import load_graphs
from quaestor.errors import InputError, SettingsError, UnknownConversationError
from quaestor.settings import Settings

NAME = "sample#QUIL/2007/page_88.pdf"
PAGE = quaestor.open(NAME)
QUESTION = "what was the exercise price of stock options in 2007?"
REPORT = "<h1>Results</h1><table><tr><td></td><td>2024</td><td>2023</td></tr><tr><td>Net sales</td><td>{}</td>"
REPORT += "<td>100</td></tr><tr><td>Cost of sales</td><td>70</td><td>60</td></tr></table>"


@pytest.fixture(autouse=True)
def in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a temporary folder, so that caches are not written to the checkout."""
    monkeypatch.chdir(tmp_path)


def test_one_question_has_one_answer() -> None:
    answered = PAGE.ask(QUESTION)
    assert str(answered) == answered.display == "$ 48.65"
    assert answered.number == answered.answer.number
    assert answered.sources[0].span == "$ 48.65"


def test_a_list_of_questions_is_a_conversation() -> None:
    answers = PAGE.ask([QUESTION, "and in 2005?", "what was the change in 2007 and 2006, and what was the sum?"])
    assert isinstance(answers, Answers)
    assert [str(one) for one in answers[:2]] == ["$ 48.65", "$ 27.95"]
    assert len(answers) == 3
    assert PAGE.ask(("what was the exercise price in 2007?",))[0].display == "$ 48.65"


def test_open_works_inside_a_running_event_loop() -> None:
    async def notebook() -> list[str]:
        opened = await quaestor.open_async(NAME)
        plain, waited = opened.ask(QUESTION), await opened.ask_async([QUESTION])
        return [str(plain), *map(str, waited)]

    assert asyncio.run(notebook()) == ["$ 48.65", "$ 48.65"]


def test_a_file_is_opened_by_text_or_by_path_and_several_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(REPORT.format(120))
    (tmp_path / "b.html").write_text(REPORT.format(140).replace("2024", "2025").replace("2023", "2024"))
    for file in ("a.html", tmp_path / "a.html", [Path("a.html")]):
        assert str(quaestor.open(file).ask("what were net sales in 2024?")) == "120"
    both = quaestor.open(["a.html", Path("b.html")])
    assert (both.document.id, len(both.tables)) == ("a.html + b.html", 2)
    assert [str(one) for one in both.ask(["what were net sales in 2025?", "and in 2023?"])] == ["140", "100"]


def test_document_can_be_asked_without_writing_files(tmp_path: Path) -> None:
    opened = quaestor.open(PAGE.document)
    assert str(opened.ask(QUESTION)) == "$ 48.65"
    assert (opened.name, opened.document) == (PAGE.document.id, PAGE.document)
    assert list(tmp_path.iterdir()) == []


def test_settings_apply_to_all_questions(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(REPORT.format(120))
    opened = quaestor.open("a.html", settings=Settings(store=f"sqlite:///{tmp_path}/kept/runs.db", solver="magic"))
    with pytest.raises(SettingsError):
        opened.ask("what were net sales in 2024?")
    assert (tmp_path / "kept" / "files").is_dir()
    assert str(opened.ask("what were net sales in 2024?", solver="embedded")) == "120"


def test_places_are_found_without_an_answer() -> None:
    opened = quaestor.open(a_long_filing())
    first, *others = opened.find("net sales of services in 2021")
    assert first.kind == "table"
    assert len(others) <= 4
    assert len(opened.find("net sales", most=1)) == 1
    assert opened.find("zebra") == ()


def test_reader_is_looked_up_once_per_document(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[object] = []

    async def counted(corpus: Any, settings: Settings, cache: Any) -> quaestor.GraphProvider:
        found.append(corpus)
        return await load_graphs(corpus, settings, cache)

    monkeypatch.setattr("quaestor.library.opening.load_graphs", counted)
    opened = quaestor.open(NAME)
    assert [str(opened.ask(QUESTION)), str(opened.ask(QUESTION)), str(opened.conversation().ask(QUESTION))] == [
        "$ 48.65"
    ] * 3
    assert len(found) == 1


@pytest.mark.parametrize("name", ["NORD/2012/page_41.pdf", "nord/2012/page_41", "Single_NORD/2012/page_41.pdf-1"])
def test_a_page_is_found_by_any_clear_name(tmp_path: Path, name: str) -> None:
    write_dataset(tmp_path / "pages.json", a_record())
    assert quaestor.open(f"{tmp_path}/pages.json#{name}").document.id == "NORD/2012/page_41.pdf"


def test_file_named_sample_is_opened_by_its_folder(tmp_path: Path) -> None:
    write_dataset(tmp_path / "sample", a_record("Single_OWN/1/page_1.pdf-1"))
    assert quaestor.open("./sample#OWN/1/page_1").document.id == "OWN/1/page_1.pdf"
    with pytest.raises(UnknownConversationError):
        quaestor.open("sample#OWN/1/page_1")


WRONG: tuple[Callable[[], object], ...] = (
    lambda: quaestor.open("10-k.html"),
    lambda: quaestor.open("https://example.com/10-k.html"),
    lambda: quaestor.open("sample"),
    lambda: quaestor.open("."),
    lambda: quaestor.open(""),
    lambda: quaestor.open([]),
    lambda: quaestor.open([None]),  # type: ignore[list-item]
    lambda: quaestor.open(None),  # type: ignore[arg-type]
    lambda: quaestor.open(b"a.html"),  # type: ignore[arg-type]
    lambda: quaestor.open(quaestor.read_dataset(quaestor.sample_path())),  # type: ignore[arg-type]
    lambda: quaestor.open(PAGE),  # type: ignore[arg-type]
    lambda: quaestor.open(NAME, settings="x"),  # type: ignore[arg-type]
    lambda: PAGE.ask(None),  # type: ignore[call-overload]
    lambda: PAGE.ask({QUESTION}),  # type: ignore[call-overload]
    lambda: PAGE.ask([]),
    lambda: PAGE.ask([QUESTION, 5]),  # type: ignore[list-item]
    lambda: PAGE.ask(""),
    lambda: PAGE.ask([QUESTION, " "]),
    lambda: PAGE.ask(QUESTION, solver="magic"),
    lambda: PAGE.ask(QUESTION, solver=5),  # type: ignore[call-overload]
    lambda: PAGE.ask(QUESTION, model=5),  # type: ignore[call-overload]
    lambda: PAGE.ask(QUESTION, options=["x"]),  # type: ignore[call-overload]
    lambda: PAGE.ask(QUESTION, options={"magic": 1}),
    lambda: PAGE.ask(QUESTION, solver="agent"),
    lambda: PAGE.find(""),
    lambda: PAGE.find(5),  # type: ignore[arg-type]
    lambda: PAGE.check_number("many"),
    lambda: PAGE.check_number(5300),  # type: ignore[arg-type]
    lambda: PAGE.find("sales", most=0),
)


@for_each(WRONG)
def test_mistake_is_reported_in_one_line(act: Callable[[], object]) -> None:
    with pytest.raises(quaestor.QuaestorError) as raised:
        act()
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


def test_page_without_numbers_can_be_opened_but_not_asked(tmp_path: Path) -> None:
    (tmp_path / "memo.txt").write_text("Nothing to see here.\n")
    opened = quaestor.open("memo.txt")
    with pytest.raises(InputError):
        opened.ask("what were net sales?")
    with pytest.raises(InputError):
        opened.conversation()


def test_existing_solver_object_answers() -> None:
    solver = quaestor.make_solver("embedded", {"abstain_below": 0.0})
    assert str(PAGE.ask(QUESTION, solver=solver)) == "$ 48.65"
    with pytest.raises(SettingsError):
        PAGE.ask(QUESTION, solver=solver, options={"abstain_below": 0.5})


def test_a_model_is_asked_by_its_name_or_by_an_open_session(local_models: None) -> None:
    script = playing(expert=[draft(look_up("exercise price, 2007", "48.65"))])

    async def shared(model: str) -> tuple[list[str], int]:
        async with quaestor.open_session(model) as session:
            solver = quaestor.make_solver("reflection")
            named = await PAGE.ask_async(QUESTION, solver="reflection", model=session)
            given = await PAGE.ask_async(QUESTION, solver=solver, model=session)
            assert [answered.turn.usage.requests for answered in (named, given)] == [2, 2]
            plain: Any = session
            for act in (lambda: PAGE.ask(QUESTION, model=plain), lambda: PAGE.conversation(model=plain)):
                with pytest.raises(SettingsError):
                    act()
            return [str(named), str(given)], session.connection.meter.total.requests

    with ModelServer(script) as server:
        model = f"openai:scripted@{server.url}/v1"
        assert str(PAGE.ask(QUESTION, solver="reflection", model=model)) == "$ 48.65"
        solver = quaestor.make_solver("reflection")
        assert str(PAGE.ask(QUESTION, solver=solver, model=model)) == "$ 48.65"
        assert asyncio.run(shared(model)) == (["$ 48.65", "$ 48.65"], 4)


def test_model_solver_reports_a_missing_model_name() -> None:
    with pytest.raises(SettingsError):
        PAGE.ask(QUESTION, solver=quaestor.make_solver("workflow"))


def test_evaluate_scores_without_storing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scored = quaestor.evaluate("sample", limit=2)
    assert scored.report.score.results["conversations"].total == 2
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SettingsError, match="magic"):
        quaestor.evaluate("sample", limit=1, options={"magic": 1})


def test_run_can_be_composed_of_public_functions() -> None:
    async def steps() -> int:
        dataset = quaestor.read_dataset(str(quaestor.sample_path()), limit=2)
        async with quaestor.open_store("sqlite://") as store:
            spec = quaestor.RunSpec.of(dataset, "embedded", limit=2)
            run = await quaestor.run_dataset(dataset, spec, store, quaestor.make_engine("inline", 1))
            return len(await store.turns(run.id))

    assert asyncio.run(steps()) > 2
