"""Calibration from the command line: a measured run, a calibration learned from it, and a run that uses it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Quaestor, command_line, one_line
from made_up import a_record, write_dataset
from model_server import ModelServer
from workflow_bench import plan, table

from quaestor.testing.models import ReceivedRequest, Reply, structured

QUESTION = "what was net revenue in {year}?"
PAGES = [f"{company}/2012/page_{number}.pdf" for company in ("NORD", "SUND", "HALC") for number in range(8)]


def reply_with_plan(request: ReceivedRequest) -> Reply:
    """Reply with a plan that reads the wrong year on pages with an odd number."""
    text = request.prompts[-1]
    odd = any(f"page_{number}.pdf" in text for number in (1, 3, 5, 7))
    return structured(request, plan(table(1, "net revenue", "2007" if odd else "2008")))


@pytest.fixture
def ask(
    local_models: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Quaestor]:
    run = command_line(tmp_path, monkeypatch, capfd, columns=200)
    questions = (QUESTION.format(year=2008),)
    records = [
        a_record(f"Single_{page}-1", questions, ("206588",), (206588.0,), displays=("1",), text=(f"this is {page} .",))
        for page in PAGES
    ]
    write_dataset(tmp_path / "pages.json", *records)
    with ModelServer(reply_with_plan) as server:
        (tmp_path / "quaestor.toml").write_text(f'[models.main]\nbase_url = "{server.url}/v1"\n', encoding="utf-8")
        yield run


@pytest.mark.very_slow
def test_a_calibration_is_learned_from_a_run_and_used_by_the_next(ask: Quaestor, tmp_path: Path) -> None:
    measured = ask("eval pages.json --solver workflow --model main --option measure=true --json")
    assert measured.code == 0, measured.err
    result = json.loads(measured.out)
    assert result["score"]["execution"]["correct"] == 12
    learned = ask("calibrate latest --json")
    assert learned.code == 0, learned.err
    report = json.loads(learned.out)["report"]
    assert (report["given"]["correct"], report["given"]["total"]) == (12, 24)
    assert report["surest_half"]["correct"] == 12  # the embedded solver disagrees with the wrong year
    saved = json.loads((tmp_path / "calibration.json").read_text(encoding="utf-8"))
    assert saved["learned"]["answers"] == 24
    assert saved["learned"]["solver"] == "workflow"

    used = "--solver workflow --model main --option calibration=calibration.json --abstain-below 0.5"
    sure = json.loads(ask(f"eval pages.json {used} --json").out)["score"]
    assert (sure["execution"]["correct"], sure["unanswered"]) == (12, 12)


@pytest.mark.very_slow
def test_calibrate_prints_accuracy_by_confidence(ask: Quaestor) -> None:
    ask("run pages.json --solver workflow --model main --option measure=true")
    learned = ask("calibrate latest --output mine.json").out
    assert "50.0 %" in learned
    assert "mine.json" in learned
    assert "mine.json" in one_line(ask("calibrate latest --output mine.json"))


@pytest.mark.slow
def test_run_without_measured_confidence_is_refused(ask: Quaestor) -> None:
    ask("run pages.json --solver workflow --model main --limit 2")
    one_line(ask("calibrate latest"))
    refused = ask("run pages.json --solver workflow --model main --abstain-below 0.5")
    one_line(refused)


@pytest.mark.slow
def test_a_model_is_asked_as_often_as_there_are_samples(ask: Quaestor) -> None:
    one, three = (
        json.loads(ask(f"eval pages.json --solver workflow --model main --json{more}").out)
        for more in ("", " --samples 3")
    )
    assert three["score"]["execution"] == one["score"]["execution"]
    shown = [json.loads(ask(f"runs show {name} --json").out)["examples"] for name in (one["run"], three["run"])]
    requests = [sum(example["usage"]["requests"] for example in examples) for examples in shown]
    assert requests[1] == 3 * requests[0] > 0
    assert "'samples'" in one_line(ask("eval pages.json --samples 3"))
