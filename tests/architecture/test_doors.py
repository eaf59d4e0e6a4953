"""The application layer serves all interfaces: it does not print, does not parse and knows no flag names."""

import ast
import re
from pathlib import Path

from many_cases import for_each

SOURCE = Path(__file__).parents[2] / "src" / "quaestor"
APPLICATION = sorted((SOURCE / "application").rglob("*.py"))
FLAG = re.compile(r"(?<![\w-])--[a-z]")


@for_each(APPLICATION)
def test_application_does_not_print_or_name_flags(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
            assert not {name.partition(".")[0] for name in names} & {"typer", "rich", "click"}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"line {node.lineno} prints"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not FLAG.search(node.value), f"line {node.lineno} names a flag"
