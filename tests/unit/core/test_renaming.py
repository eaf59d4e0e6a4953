from dataclasses import dataclass, replace

import pytest

from quaestor.core.renaming import renamed_attributes, renamed_fields


@renamed_fields(old="new")
@dataclass(frozen=True, slots=True)
class Record:
    new: int
    other: int = 0


@renamed_attributes(old_method="method")
class Service:
    def method(self) -> int:
        return 1


def test_old_field_names_work_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="'old' of Record is now 'new'"):
        record = Record(**{"old": 1})
    with pytest.warns(DeprecationWarning, match="'old' of Record is now 'new'"):
        assert getattr(record, "old") == 1  # noqa: B009 - type checkers know the new name only
    assert replace(record, other=2) == Record(1, 2)


def test_old_method_names_work_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="'old_method' of Service is now 'method'"):
        assert getattr(Service(), "old_method")() == 1  # noqa: B009 - type checkers know the new name only


def test_unknown_attributes_are_missing() -> None:
    assert not hasattr(Record(1), "nothing")
