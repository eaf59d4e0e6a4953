from pathlib import Path

from web_api import program

from quaestor.web.api.app import Rates


def test_requests_up_to_the_limit_are_allowed() -> None:
    now = 0.0
    rates = Rates(60, lambda: now)
    assert [rates.wait("a") for _ in range(10)] == [0] * 10
    assert rates.wait("a") == 1
    assert rates.wait("b") == 0
    now = 0.5
    assert rates.wait("a") == 0.5
    now = 1.0
    assert rates.wait("a") == 0
    now = 3_600.0
    assert [bool(rates.wait("a")) for _ in range(11)] == [*[False] * 10, True]


def test_zero_means_no_limit_and_old_addresses_are_removed() -> None:
    assert not any(Rates(0).wait("a") for _ in range(10_000))
    rates = Rates(6, lambda: 0.0)
    assert (rates.wait("a"), rates.wait("a")) == (0, 10)
    for number in range(10_000):
        rates.wait(str(number))
    assert rates.wait("a") == 0


def test_rate_limited_request_has_retry_after(tmp_path: Path) -> None:
    with program(tmp_path, serve_requests_per_minute=12) as api:
        answers = [api.ask("GET", "/solvers") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 5
    assert answers[-1].json()["code"] == "too_many_requests"
