"""The audit of references is no training data: only scoring and what shows scores reads it."""

import ast

from sources import SOURCE, nodes

MAY_READ = ("scoring/audits/", "application/audit_service.py", "cli/audit.py", "cli/run.py")


def test_no_feature_weight_or_prompt_reads_it() -> None:
    readers = set()
    for module, walked in nodes():
        for node in walked:
            named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            texts = [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
            if any(name.startswith("quaestor.scoring.audits") for name in named) or any(
                "scoring.audits" in text for text in texts
            ):
                readers.add(module)
    assert readers, "nothing reads it: the test looks for the wrong thing"
    assert [module for module in sorted(readers) if not module.startswith(MAY_READ)] == []


def test_none_comes_with_the_package() -> None:
    assert not list((SOURCE / "scoring" / "audits").glob("*.jsonl"))
