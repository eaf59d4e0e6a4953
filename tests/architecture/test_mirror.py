"""A module's tests are found where the module is: `tests/unit` has the folders and the names of the package."""

from pathlib import Path

TESTS = Path(__file__).parents[1] / "unit"
SOURCE = Path(__file__).parents[2] / "src" / "quaestor"

DOORS = "cli"
"""Named by what a person does, which passes through several modules."""

TOPICS = {
    "a rule over data that no module of the package holds": {
        "documents/test_public_data.py", "readers/pdf/test_public_filings.py",
        "readers/workbook/test_public_workbook.py",
        "graph/test_public_data.py", "ontology/test_public_data.py",
        "conversation/test_labelled_results.py", "sample/test_sample.py", "solvers/embedded/test_no_model_features.py",
        "solvers/workflow/test_examples.py", "ontology/test_metric_rules.py", "graph/test_shapes.py",
    },
    "a promise that several modules of the folder keep together": {
        "documents/test_excerpt.py",
        "evaluation/test_any_answer.py",
        "evaluation/test_event_loop.py", "evaluation/test_gold_isolation.py",
        "evaluation/test_independent_questions.py", "evaluation/test_linear_work.py",
        "evaluation/test_usage_of_turns.py", "conversation/events/test_events.py", "graph/test_process_end.py",
        "graph/test_sections.py", "graph/test_tagged.py",
        "learning/test_learning.py", "llm/test_faults.py", "llm/test_secrets.py",
        "llm/test_sending_guard.py", "plan/test_any_plan.py", "plan/test_extracts_of_words.py",
        "solvers/embedded/test_reading.py",
        "solvers/test_several_tables.py", "solvers/agent/test_faults.py", "solvers/agent/test_runs.py",
        "solvers/workflow/test_faults.py", "solvers/workflow/test_mutations.py", "test_pickling.py",
        "mcp_server/test_attacks.py", "web/test_attacks.py",
    },
    "of another folder of the repository": {
        "benchmarks/test_cascade.py", "benchmarks/test_kinds.py", "benchmarks/test_large_runs.py",
        "benchmarks/test_no_answer.py", "benchmarks/test_no_model.py", "benchmarks/test_ontology_coverage.py",
        "benchmarks/whole_filings/test_measures.py", "benchmarks/whole_filings/test_questions.py",
        "benchmarks/whole_filings/test_wording.py",
    },
}  # fmt: skip
"""Test files that are not of one module, by the reason."""


def _has_a_module(test: Path) -> bool:
    module = SOURCE / test.parent / test.name.removeprefix("test_")
    return module.is_file() or module.with_suffix("").is_dir()


def test_a_test_file_has_the_place_and_the_name_of_a_module_or_a_reason() -> None:
    files = {file.relative_to(TESTS) for file in TESTS.rglob("test_*.py")}
    excused = {path for paths in TOPICS.values() for path in paths}
    lost = {file.as_posix() for file in files if file.parts[0] != DOORS and not _has_a_module(file)} - excused
    # Documentation is followed page by page: `test_docs_solver.py` follows `docs/solver.md`.
    assert {path for path in lost if not path.startswith("test_docs_")} == set()


def test_every_excuse_is_of_a_file_that_needs_it() -> None:
    excused = [path for paths in TOPICS.values() for path in paths]
    assert len(excused) == len(set(excused))
    assert [path for path in excused if not (TESTS / path).is_file() or _has_a_module(Path(path))] == []
