"""Valid plans with one mistake each, as a model might write them."""

import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

Json = dict[str, Any]


def _references(plan: Json) -> list[Json]:
    return [o for step in plan["steps"] for o in step.get("operands", ()) if o["type"] == "reference"]


def _computes(plan: Json) -> list[Json]:
    return [step for step in plan["steps"] if step["tool"] == "compute"]


def _extracts(plan: Json) -> list[Json]:
    return [step for step in plan["steps"] if step["tool"] == "extract_value"]


def dangling(plan: Json, draw: random.Random) -> None:
    draw.choice(_references(plan))["step_ref"] = draw.choice((99, -40, 0))


def forward(plan: Json, draw: random.Random) -> None:
    step = _computes(plan)[0]
    step["operands"][0] = {"type": "reference", "step_ref": step["step_id"] + 1}
    plan["steps"].append({**deepcopy(step), "step_id": step["step_id"] + 1})


def cycle(plan: Json, draw: random.Random) -> None:
    step = draw.choice(_computes(plan))
    step["operands"][0] = {"type": "reference", "step_ref": step["step_id"]}


def two_step_cycle(plan: Json, draw: random.Random) -> None:
    last = plan["steps"][-1]
    operands = [{"type": "reference", "step_ref": last["step_id"] + 1}, {"type": "literal", "value": 2}]
    last["operands"][0] = operands[0]
    other = [{"type": "reference", "step_ref": last["step_id"]}, operands[1]]
    plan["steps"].append({"step_id": last["step_id"] + 1, "tool": "compute", "operation": "add", "operands": other})


def too_few(plan: Json, draw: random.Random) -> None:
    draw.choice(_computes(plan))["operands"].clear()


def too_many(plan: Json, draw: random.Random) -> None:
    step = draw.choice(_computes(plan))
    step["operation"] = draw.choice(("subtract", "divide", "percentage_change"))
    step["operands"] = [step["operands"][0]] * draw.choice((3, 4))


def wrong_type(plan: Json, draw: random.Random) -> None:
    step = draw.choice(plan["steps"])
    match draw.randrange(5):
        case 0:
            step["step_id"] = "first"
        case 1:
            step["tool"] = "guess"
        case 2:
            draw.choice(_computes(plan))["operands"][0] = {"type": "literal", "value": "a lot"}
        case 3:
            draw.choice(_computes(plan))["operation"] = "square_root"
        case _:
            draw.choice(_extracts(plan))["params"] = ["net sales", "2008"]


def yes_no_in_a_sum(plan: Json, draw: random.Random) -> None:
    last = plan["steps"][-1]
    last["operation"] = "greater"
    number = last["step_id"]
    operands = [{"type": "reference", "step_ref": number}, {"type": "literal", "value": 1}]
    plan["steps"].append({"step_id": number + 1, "tool": "compute", "operation": "add", "operands": operands})


def missing_field(plan: Json, draw: random.Random) -> None:
    step = draw.choice(plan["steps"])
    del step[draw.choice(list(step))]


def unknown_label(plan: Json, draw: random.Random) -> None:
    params = draw.choice([step for step in _extracts(plan) if step["source"] == "table"])["params"]
    params[draw.choice(("row_query", "col_query"))] = draw.choice(("flux capacitors", "1867", "zzz"))


def empty_label(plan: Json, draw: random.Random) -> None:
    params = draw.choice(_extracts(plan))["params"]
    params[draw.choice(sorted(params))] = draw.choice(("", "  "))


def division_by_zero(plan: Json, draw: random.Random) -> None:
    last = plan["steps"][-1]
    zero, number = last["step_id"] + 1, last["step_id"]
    itself = {"type": "reference", "step_ref": number}
    plan["steps"] += [
        {"step_id": zero, "tool": "compute", "operation": "subtract", "operands": [itself, itself]},
        {
            "step_id": zero + 1,
            "tool": "compute",
            "operation": draw.choice(("divide", "percentage", "percentage_change")),
            "operands": [itself, {"type": "reference", "step_ref": zero}],
        },
    ]


def copied_number(plan: Json, draw: random.Random) -> None:
    draw.choice(_computes(plan))["operands"][0] = {"type": "literal", "value": 181001}


MUTATIONS: Sequence[Callable[[Json, random.Random], None]] = (
    dangling, forward, cycle, two_step_cycle, too_few, too_many, wrong_type, yes_no_in_a_sum, missing_field,
    unknown_label, empty_label, division_by_zero, copied_number,
)  # fmt: skip


def mutated(plans: Sequence[Json], count: int, seed: int = 6) -> Iterator[tuple[str, Json, Json]]:
    """Yield `count` broken plans, each with the name of its mutation and the valid plan."""
    draw = random.Random(seed)
    for number in range(count):
        mutation = MUTATIONS[number % len(MUTATIONS)]
        plan = draw.choice(plans)
        broken = deepcopy(plan)
        mutation(broken, draw)
        yield mutation.__name__, broken, plan
