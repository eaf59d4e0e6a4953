"""No command overwrites its input, or any other file without confirmation."""

from pathlib import Path

import pytest
from command_line import PreparedFolder, Quaestor, one_line, refused

OUTPUTS = [
    "eval {input} --output {output}",
    "score latest {input} --output {output}",
    "ontology build {input} --output {output}",
    "runs export latest --traces {output}",
]


@pytest.fixture
def dataset_bytes(quaestor: Quaestor, prepared: PreparedFolder, pages: Path, tmp_path: Path) -> bytes:
    def play() -> str:
        assert quaestor("run pages.json").code == 0
        return pages.read_text()

    return prepared.fill(tmp_path, play).encode()


@pytest.mark.parametrize("line", OUTPUTS)
def test_existing_file_is_kept_without_force(quaestor: Quaestor, dataset_bytes: bytes, line: str) -> None:
    Path("kept.txt").write_text("years of work")
    assert "kept.txt" in refused(quaestor(line.format(input="pages.json", output="kept.txt")))
    assert Path("kept.txt").read_text() == "years of work"
    assert quaestor(line.format(input="pages.json", output="kept.txt") + " --force").code == 0
    assert Path("kept.txt").read_text() != "years of work"


@pytest.mark.parametrize("line", OUTPUTS[:3])
@pytest.mark.parametrize("spelling", ["pages.json", "./pages.json", "linked.json"])
def test_input_is_never_overwritten(quaestor: Quaestor, dataset_bytes: bytes, line: str, spelling: str) -> None:
    Path("linked.json").symlink_to("pages.json")
    for force in ("", " --force"):
        outcome = quaestor(line.format(input="pages.json", output=spelling) + force)
        assert outcome.code == 2
        one_line(outcome)
        assert Path("pages.json").read_bytes() == dataset_bytes


@pytest.mark.parametrize("line", OUTPUTS)
def test_results_are_not_written_over_the_store(quaestor: Quaestor, dataset_bytes: bytes, line: str) -> None:
    before = Path(".quaestor/runs.db").read_bytes()
    refused(quaestor(line.format(input="pages.json", output=".quaestor/runs.db") + " --force"))
    assert Path(".quaestor/runs.db").read_bytes() == before


def test_the_bundled_sample_cannot_be_overwritten(quaestor: Quaestor) -> None:
    from quaestor.sample import sample_path

    before = sample_path().read_bytes()
    assert quaestor(f"ontology build sample --output {sample_path()} --force").code == 2
    assert sample_path().read_bytes() == before


def test_weights_replace_neither_weights_nor_training_data(quaestor: Quaestor, dataset_bytes: bytes) -> None:
    Path("weights").mkdir()
    Path("weights/card.json").write_text("{}")
    assert "card.json" in one_line(quaestor("train pages.json --output weights"))
    Path("pages.json").rename("weights/card.json")
    outcome = quaestor("train weights/card.json --output weights --force")
    one_line(outcome)
    assert Path("weights/card.json").read_bytes() == dataset_bytes
