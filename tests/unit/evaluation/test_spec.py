import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from scripted import a_conversation, a_dataset

from quaestor.core import serial
from quaestor.datasets.dataset import Selection
from quaestor.errors import InputError
from quaestor.evaluation.spec import RunSpec
from quaestor.ontology.core import core_triples
from quaestor.store.records import RunRecord
from quaestor.testing.store_records import make_run

SPEC = RunSpec.of(a_dataset(a_conversation("x"), digest="d1"), "scripted", {"b": 1, "a": [True, None, "é"]}, limit=3)


def run_of(spec: RunSpec) -> RunRecord:
    return replace(make_run(), spec=serial.dump(spec), spec_digest=spec.digest)


def test_spec_is_read_back_from_its_run() -> None:
    assert RunSpec.of_run(run_of(SPEC)) == SPEC
    assert RunSpec.of_run(run_of(SPEC)).digest == SPEC.digest


def test_digest_covers_everything_that_affects_results() -> None:
    assert re.fullmatch("[0-9a-f]{64}", SPEC.digest)
    assert replace(SPEC, dataset="elsewhere/pages.json").digest == SPEC.digest
    assert replace(SPEC, solver_options={"a": [True, None, "é"], "b": 1}).digest == SPEC.digest


def test_digest_without_a_selection_is_stable() -> None:
    """The expected digest is from an older release, whose runs can be resumed."""
    spec = RunSpec("embedded", "pages.json", "d1", {"a": 1}, 3, None, "strict", None, None, "0.1.0")
    assert spec.digest == "4f30ce00766fdd74ec716925a3df0564f2124b59100d4ad80d7a6e4f88734be4"


def test_a_selection_is_part_of_the_digest() -> None:
    chosen = [Selection(("x",)), Selection(("x", "y")), Selection(sample=1), Selection(sample=1, seed=2)]
    specs = [SPEC, *(replace(SPEC, selection=selection) for selection in chosen)]
    assert len({spec.digest for spec in specs}) == len(specs)
    assert [RunSpec.of_run(run_of(spec)) for spec in specs] == specs


@pytest.mark.parametrize(
    "changed",
    [
        replace(SPEC, selection=Selection(sample=2)),
        replace(SPEC, solver="other"),
        replace(SPEC, limit=None),
        replace(SPEC, dataset_digest="d2"),
        replace(SPEC, solver_options={}),
        replace(SPEC, version="9"),
        replace(SPEC, solver_options={"a": "y" * 500}),
    ],
)
def test_run_of_another_spec_is_refused_in_one_line(changed: RunSpec) -> None:
    SPEC.require_same(run_of(SPEC))
    assert changed.digest != SPEC.digest
    with pytest.raises(InputError) as caught:
        changed.require_same(run_of(SPEC))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("about", ["kg:RuleChange rdfs:comment", "kg:phrase"])
def test_changed_rules_in_prompts_change_the_digest(about: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def digests() -> dict[str, str]:
        return {solver: RunSpec.of(dataset, solver).digest for solver in ("agent", "sparql", "reflection", "embedded")}

    dataset = a_dataset(a_conversation("x"))
    before, core = digests(), core_triples()
    place = next(place for place, triple in enumerate(core) if about in " ".join(triple))
    changed = core[place]._replace(o='"something else"')
    monkeypatch.setattr("quaestor.ontology.core.core_triples", lambda: (*core[:place], changed, *core[place + 1 :]))
    assert {solver for solver, digest in digests().items() if digest != before[solver]} == before.keys() - {"embedded"}


def test_run_ids_are_readable_and_differ() -> None:
    at = datetime(2026, 11, 20, 23, 44, 55, tzinfo=timezone(timedelta(hours=2)))
    ids = {SPEC.new_run_id(at) for _ in range(5)}
    assert len(ids) > 1
    assert all(re.fullmatch("20261120-214455-scripted-[0-9a-f]{8}", run) for run in ids)
    assert SPEC.new_run_id(at.astimezone(UTC)).startswith("20261120-214455")
