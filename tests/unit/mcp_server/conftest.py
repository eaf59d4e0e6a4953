import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]


@pytest.fixture(autouse=True, scope="session")
def schemas_are_checked_once() -> Iterator[None]:
    """Check each tool's schema only once for all clients, because a check takes longer than most calls."""
    check, checked = Draft202012Validator.check_schema, set[str]()

    def once(schema: Any) -> None:
        if (written := json.dumps(schema, sort_keys=True)) not in checked:
            check(schema)
            checked.add(written)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", staticmethod(once))
        yield
