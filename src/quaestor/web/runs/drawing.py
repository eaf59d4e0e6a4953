"""Layout of a plan as a drawing: boxes from left to right, each after its inputs, connected by lines.

Colours and fonts come from the style sheet. The page also lists the steps as text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quaestor.application.plan_steps import PlanNode, operation_sign

WIDTH, HEIGHT = 210, 62
_GAP_X, _GAP_Y, _MARGIN = 64, 16, 8
_LETTERS, _VALUE_LETTERS = 27, 21
"""Approximate number of letters that fit in a line of a box."""
_MAX_SUFFIX = 10

KIND_LABELS = {"taken": "from the document", "row": "row of the table", "group": "cells"}


@dataclass(frozen=True, slots=True)
class Box:
    """A node of the plan with its position."""

    node: PlanNode
    x: int
    y: int
    title: str
    value: str
    last: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one box to another."""

    path: str
    number: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """The layout of a plan."""

    boxes: tuple[Box, ...]
    lines: tuple[Edge, ...]
    width: int
    height: int


def draw(nodes: Sequence[PlanNode]) -> Drawing:
    """Lay out a plan."""
    layers: dict[str, int] = {}
    for node in nodes:
        layers[node.key] = 1 + max((layers[key] for key in node.inputs if key in layers), default=-1)
    # Place inputs directly before the operation that uses them, not at the far left.
    first_use = {key: layers[node.key] - 1 for node in reversed(nodes) for key in node.inputs}
    for node in nodes:
        if not node.inputs:
            layers[node.key] = first_use.get(node.key, layers[node.key])
    columns: dict[int, list[PlanNode]] = {}
    for node in nodes:
        columns.setdefault(layers[node.key], []).append(node)
    tallest = max(map(len, columns.values()))
    height = 2 * _MARGIN + tallest * HEIGHT + (tallest - 1) * _GAP_Y
    boxes: dict[str, Box] = {}
    for layer, column in columns.items():
        free = height - len(column) * HEIGHT - (len(column) - 1) * _GAP_Y
        for place, node in enumerate(column):
            x, y = _MARGIN + layer * (WIDTH + _GAP_X), free // 2 + place * (HEIGHT + _GAP_Y)
            boxes[node.key] = Box(
                node, x, y, _shorten(_title(node)), _shorten(node.value, _VALUE_LETTERS), node is nodes[-1]
            )
    lines = [line for node in nodes for line in _lines(node, boxes)]
    width = 2 * _MARGIN + (max(columns) + 1) * WIDTH + max(columns) * _GAP_X
    return Drawing(tuple(boxes[node.key] for node in nodes), tuple(lines), width, height)


def step_words(node: PlanNode, nodes: Mapping[str, PlanNode]) -> str:
    """Describe a node in words, for screen readers."""
    if node.kind in ("constant", "earlier"):
        return node.title
    if node.kind != "operation":
        return f"{KIND_LABELS[node.kind]}: {node.title}"
    named = [nodes[key] for key in node.inputs if key in nodes]
    operands = [
        f"{one.title} ({one.value})" if one.value and one.kind != "constant" else one.value or one.title
        for one in named
    ]
    between = f" {operation_sign(node.title)} " if _has_sign(node) else "; "
    return f"{node.title.replace('_', ' ')}: {between.join(operands)}"


def _title(node: PlanNode) -> str:
    return (
        f"{operation_sign(node.title)}  {node.title.replace('_', ' ')}"
        if _has_sign(node)
        else node.title.replace("_", " ")
    )


def _has_sign(node: PlanNode) -> bool:
    return node.kind == "operation" and len(operation_sign(node.title)) == 1


def _lines(node: PlanNode, boxes: Mapping[str, Box]) -> list[Edge]:
    found, to = [], boxes[node.key]
    inputs = [boxes[key] for key in node.inputs if key in boxes]
    for place, box in enumerate(inputs):
        x1, y1 = box.x + WIDTH, box.y + HEIGHT // 2
        x2, y2 = to.x, to.y + HEIGHT * (place + 1) // (len(inputs) + 1)
        bend = max(24, (x2 - x1) // 2)
        path = f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
        found.append(Edge(path, place + 1 if len(inputs) > 1 else 0, x2 - 10, y2 - 5))
    return found


def _shorten(text: str, most: int = _LETTERS) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    # Keep the end, which often distinguishes numbers of the same row: "net cash from operating activities, 2009".
    head, comma, last = text.rpartition(", ")
    if not comma or len(last) > _MAX_SUFFIX:
        return f"{text[: most - 1].rstrip()}…"
    return f"{head[: most - len(last) - 3].rstrip()}…, {last}"
