import re

from quaestor.ontology.core import read_core
from quaestor.ontology.line_matching import caption_key, read_core_lines
from quaestor.ontology.terms import property_name

CORE = read_core_lines()


def test_a_line_is_named_by_its_label() -> None:
    assert {name: f"kg:{property_name(line.label)}" for name, line in CORE.lines.items()} == {
        name: name for name in CORE.lines
    }
    assert CORE.lines["kg:cost_of_sales"].captions[0] == "cost of sales"
    assert not CORE.lines.keys() & CORE.kinds.keys()


def test_no_caption_stands_for_two_lines() -> None:
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
