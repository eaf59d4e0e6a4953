from pathlib import Path

import pytest
from command_line import PreparedFolder, Quaestor, one_line, refused
from made_up import TABLE, a_record, write_dataset
from reviewing import accept_all

from quaestor.sample import sample_path


def digest_in(printed: str) -> str:
    return next(line.split()[-1] for line in printed.splitlines() if line.startswith("digest:"))


@pytest.fixture
def built(quaestor: Quaestor, prepared: PreparedFolder, tmp_path: Path) -> str:
    """The digest of the sample's ontology, which is in the store and in `sample.ttl`."""

    def build() -> str:
        built = quaestor(f"ontology build {sample_path()} --output sample.ttl --store .quaestor/runs.db")
        assert built.code == 0
        return digest_in(built.out)

    return prepared.fill(tmp_path, build)


def test_build_stores_and_writes_the_ontology(quaestor: Quaestor, built: str) -> None:
    assert "documents:" in quaestor(f"ontology build {sample_path()}").out
    assert digest_in(quaestor(f"ontology build {sample_path()} --output again.ttl").out) == built
    assert Path("again.ttl").read_bytes() == Path("sample.ttl").read_bytes()
    assert quaestor(f"ontology show --ontology {built}").out == quaestor("ontology show --ontology sample.ttl").out


@pytest.mark.slow
def test_ontology_does_not_depend_on_the_order_of_datasets(quaestor: Quaestor, pages: Path) -> None:
    first = quaestor(f"ontology build {sample_path()} pages.json --output a.ttl")
    second = quaestor(f"ontology build pages.json {sample_path()} --output b.ttl")
    assert first.out == second.out
    assert Path("a.ttl").read_bytes() == Path("b.ttl").read_bytes()


def test_show_lists_types_and_the_properties_of_one(quaestor: Quaestor, built: str) -> None:
    shown = quaestor("ontology show --ontology sample.ttl").out
    assert "kg:StockOption" in shown
    assert "types without a table:" in shown
    properties = quaestor("ontology show StockOption --ontology sample.ttl").out
    assert "12 properties in 2 documents" in properties
    assert "kg:exercise_price" in properties


def test_show_uses_the_ontology_of_the_latest_run(quaestor: Quaestor, pages: Path) -> None:
    one_line(quaestor("ontology show --store sqlite://"))
    assert quaestor("run pages.json").code == 0
    assert "kg:Revenue" in quaestor("ontology show").out


@pytest.mark.slow
def test_diff_lists_changes(quaestor: Quaestor, built: str, pages: Path) -> None:
    more = digest_in(quaestor(f"ontology build {sample_path()} pages.json").out)
    assert quaestor(f"ontology diff {built} sample.ttl").code == 0
    assert "+ property kg:operating_costs\n" in quaestor(f"ontology diff sample.ttl {more}").out
    assert "- property kg:operating_costs\n" in quaestor(f"ontology diff {more} sample.ttl").out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ontology show --ontology missing.ttl", "missing.ttl"),
        ("ontology show --ontology pages.json", "pages.json"),
        ("ontology show --ontology 12ab", "quaestor: "),
        (f"ontology show --ontology {'0' * 64}", "000000"),
        ("ontology show Stockoptin --ontology sample.ttl", "kg:StockOption"),
        ("ontology build missing.json", "missing.json"),
        ("ontology build pages.json --output nowhere/a.ttl", "nowhere/a.ttl"),
        ("run pages.json --ontology missing.ttl", "missing.ttl"),
        ("eval pages.json --ontology 12ab", "quaestor: "),
        ("ask pages.json#NORD/2012/page_41.pdf 'cell 1 1' --ontology missing.ttl", "missing.ttl"),
    ],
)
def test_user_error_gives_a_one_line_message(
    quaestor: Quaestor, built: str, pages: Path, line: str, message: str
) -> None:
    assert message in refused(quaestor(line))


def test_a_run_with_a_foreign_ontology_extends_it_unless_strict(quaestor: Quaestor, built: str, tmp_path: Path) -> None:
    table = [["", "2012", "2011"], ["quill rangers", "40", "30"], ["dyed wool", "9", "8"]]
    write_dataset(tmp_path / "page.json", a_record(table=table))
    extended = quaestor("eval page.json --ontology sample.ttl")
    assert extended.code == 0
    assert f"{built} (extend)" in quaestor("runs show latest").out

    strict = quaestor("eval page.json --ontology sample.ttl --policy strict")
    assert "execution accuracy" in strict.out
    assert "'quill rangers'" in quaestor("runs failures latest").out


@pytest.mark.slow
def test_a_resumed_run_needs_the_same_ontology(quaestor: Quaestor, built: str, pages: Path) -> None:
    run = quaestor("run pages.json --limit 1 --ontology sample.ttl").out.strip()
    assert quaestor(f"run pages.json --limit 1 --ontology {built} --resume {run}").code == 0
    one_line(quaestor(f"run pages.json --limit 1 --resume {run}"))


def test_gaps_of_a_run_are_proposed_and_accepted(quaestor: Quaestor, tmp_path: Path) -> None:
    known = write_dataset(tmp_path / "known.json", a_record("Single_BRIN/2013/page_3.pdf-1", table=TABLE[:2]))
    assert quaestor(f"ontology build {known} --output known.ttl").code == 0
    write_dataset(tmp_path / "asked.json", a_record())
    assert quaestor("run asked.json --ontology known.ttl --policy extend").code == 0
    shown = quaestor("ontology refine latest --ontology known.ttl").out
    assert "proposals.json" in shown
    line = "ontology refine --ontology known.ttl --accept proposals.json --output refined.ttl"
    assert "proposals.json" in quaestor(line).out
    accept_all(tmp_path / "proposals.json")
    taken = quaestor(f"{line} --force").out
    assert "2 of 2" in taken
    assert quaestor("kg build asked.json --ontology refined.ttl --policy strict").code == 0
    assert quaestor("ontology refine latest --ontology refined.ttl --force").code == 0
    for line, message in (
        ("ontology refine latest", "--ontology"),
        ("ontology refine --ontology known.ttl", "--accept"),
        ("ontology refine latest --ontology known.ttl", "proposals.json"),
        ("ontology refine 1999 --ontology known.ttl --force", "1999"),
        ("ontology refine --ontology known.ttl --accept missing.json", "missing.json"),
    ):
        assert message in one_line(quaestor(line))
