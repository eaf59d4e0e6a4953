import pytest

from quaestor.errors import SettingsError
from quaestor.web.security import Access
from quaestor.web.serving import address_of, bind


def test_port_in_use_is_one_line_on_start() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=str(port)):
            bind("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no such host", "x" * 100])
def test_invalid_address_is_reported(host: str) -> None:
    with pytest.raises(SettingsError, match=host[:50]):
        bind(host, 0)


def test_address_contains_only_a_generated_token() -> None:
    with bind("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        assert address_of(bound, Access()) == f"http://127.0.0.1:{port}/"
        generated, given = Access.at("0.0.0.0"), Access.at("0.0.0.0", "abcdefghijklmnop")
        assert address_of(bound, generated) == f"http://127.0.0.1:{port}/?token={generated.token}"
        assert address_of(bound, given) == f"http://127.0.0.1:{port}/"
