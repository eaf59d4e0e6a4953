from quaestor.core.words import singular
from quaestor.ontology.core import read_core


def test_classes_have_labels_and_cues_in_lower_case() -> None:
    classes = read_core().classes
    assert {"kg:FinancialTable", "kg:CashFlow", "kg:StockOption", "kg:PensionPlan"} <= {c.name for c in classes}
    for c in classes:
        assert c.label in c.cues
        assert all(cue == cue.lower().strip() for cue in c.cues)


def test_a_cue_stands_once_and_for_one_class() -> None:
    cues = [" ".join(map(singular, cue.split())) for c in read_core().classes for cue in c.cues]
    assert [cue for cue in cues if cues.count(cue) > 1] == []


def test_wordings_come_longest_first_and_end_at_a_wording() -> None:
    wordings = read_core().wordings
    assert [len(variant) for variant, _ in wordings] == sorted((len(v) for v, _ in wordings), reverse=True)
    assert not {variant for variant, _ in wordings} & {wording for _, wording in wordings}
