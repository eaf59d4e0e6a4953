import re

from quaestor.core.words import singular
from quaestor.ontology.core import read_core
from quaestor.ontology.line_matching import caption_key, read_core_lines


def test_classes_have_labels_and_cues_in_lower_case() -> None:
    classes = read_core().classes
    assert {"kg:FinancialTable", "kg:CashFlow", "kg:StockOption", "kg:PensionPlan"} <= {c.name for c in classes}
    for c in classes:
        assert c.label in c.cues
        assert all(cue == cue.lower().strip() for cue in c.cues)


def test_cues_are_unique_and_belong_to_one_class() -> None:
    cues = [" ".join(map(singular, cue.split())) for c in read_core().classes for cue in c.cues]
    assert [cue for cue in cues if cues.count(cue) > 1] == []


def test_wordings_come_longest_first_and_end_at_a_wording() -> None:
    wordings = read_core().wordings
    assert [len(variant) for variant, _ in wordings] == sorted((len(v) for v, _ in wordings), reverse=True)
    assert not {variant for variant, _ in wordings} & {wording for _, wording in wordings}


CORE = read_core_lines()


def test_captions_of_lines_are_unique() -> None:
    owners: dict[str, set[str]] = {}
    for line in CORE.lines.values():
        for caption in line.captions:
            owners.setdefault(caption_key(caption), set()).add(line.name)
    assert "" not in owners
    assert {key: names for key, names in owners.items() if len(names) > 1} == {}


def test_captions_are_in_lower_case_and_name_no_year() -> None:
    captions = [caption for line in CORE.lines.values() for caption in line.captions]
    assert [c for c in captions if c != " ".join(c.lower().split())] == []
    assert [c for c in captions if re.search(r"\b(19[5-9][0-9]|20[0-9][1-9])\b", c)] == []


def test_a_kind_can_be_recognised_and_its_classes_exist() -> None:
    classes = {c.name for c in read_core().classes}
    for kind in CORE.kinds.values():
        assert kind.endings or kind.beginnings or kind.starts_at is not None
        assert (kind.classes | kind.not_on) <= classes
    assert all(line.not_on <= classes for line in CORE.lines.values())
