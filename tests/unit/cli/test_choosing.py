"""`--conversation`, `--sample` and `--seed` of `run` and `eval`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, one_line
from made_up import a_record, write_dataset

NAMES = [f"Single_NORD/2012/page_41.pdf-{number}" for number in range(1, 9)]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "many.json", *map(a_record, NAMES))


def shown(quaestor: Quaestor) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(quaestor("runs show latest --json").out)
    return found


def played(quaestor: Quaestor) -> list[str]:
    return [example["conversation"] for example in shown(quaestor)["examples"]]


def test_one_conversation_is_played_and_scored(quaestor: Quaestor, many: Path) -> None:
    evaluated = quaestor(f"eval many.json --conversation {NAMES[4]} --json")
    assert evaluated.code == 0, evaluated.err
    assert json.loads(evaluated.out)["score"]["conversations"]["total"] == 1
    assert played(quaestor) == [NAMES[4]]
    assert shown(quaestor)["spec"]["selection"]["conversations"] == [NAMES[4]]
    assert json.loads(quaestor("score latest many.json --json").out)["score"]["execution"]["total"] == 3
    assert "0 of 3" in quaestor("runs failures latest").out


def test_several_are_played_in_the_order_of_the_file(quaestor: Quaestor, many: Path) -> None:
    assert quaestor(f"run many.json --conversation {NAMES[6]} --conversation {NAMES[1]}").code == 0
    assert played(quaestor) == [NAMES[1], NAMES[6]]


@pytest.mark.slow
def test_a_sample_is_drawn_by_its_seed(quaestor: Quaestor, many: Path) -> None:
    assert quaestor("eval many.json --sample 3 --seed 5").code == 0
    first, spec = played(quaestor), shown(quaestor)["spec"]
    assert spec["selection"] == {"conversations": [], "sample": 3, "seed": 5}
    assert len(first) == 3
    assert quaestor("eval many.json --sample 3 --seed 5").code == 0
    assert played(quaestor) == first
    assert quaestor("eval many.json --sample 3 --seed 6").code == 0
    assert played(quaestor) != first


def test_a_run_is_resumed_with_the_same_choice_only(quaestor: Quaestor, tmp_path: Path) -> None:
    broken = a_record(NAMES[0], questions=("cell 1 1", "break", "change"))
    write_dataset(tmp_path / "many.json", broken, *map(a_record, NAMES[1:]))
    run = quaestor(f"run many.json --conversation {NAMES[1]} --conversation {NAMES[0]}").out.strip()
    resumed = quaestor(f"run many.json --conversation {NAMES[0]} --conversation {NAMES[1]} --resume {run}")
    assert (resumed.code, resumed.out.strip()) == (0, run)
    sample = quaestor("run many.json --sample 2").out.strip()
    assert quaestor(f"run many.json --sample 2 --seed 0 --resume {sample}").out.strip() == sample
    refused = quaestor(f"run many.json --sample 2 --seed 1 --resume {sample}")
    assert refused.code == 2
    one_line(refused)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--conversation nosuch", "'nosuch'"),
        ("--sample 2 --limit 2", "quaestor: "),
        (f"--sample 2 --conversation {NAMES[0]}", "quaestor: "),
        ("--seed 2", "quaestor: "),
        ("--sample 2 --seed 99999999999999999999", "quaestor: "),
        ("--sample 99999999999999999999", "quaestor: "),
        ("--limit 99999999999999999999", "quaestor: "),
    ],
)
@pytest.mark.parametrize("command", ["run", "eval"])
def test_what_cannot_be_chosen_is_one_line(
    quaestor: Quaestor, many: Path, command: str, options: str, said: str
) -> None:
    outcome = quaestor(f"{command} many.json {options}")
    assert outcome.code == 2
    assert said in one_line(outcome)
    assert not Path(".quaestor").exists()
