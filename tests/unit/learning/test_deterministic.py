"""Training adds numbers in the same order on every machine."""

import os
import platform

import numpy as np
import pytest

from quaestor.learning.deterministic import deterministic_pool


def test_the_order_is_chosen_for_the_processes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with deterministic_pool(1) as pool:
        assert pool.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
        assert pool.submit(os.getenv, "OPENBLAS_NUM_THREADS").result() == "1"
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@pytest.mark.slow
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="the kernels of other processors are not named"
)
def test_linear_algebra_uses_one_architecture_and_thread() -> None:
    threadpool_info = pytest.importorskip("threadpoolctl").threadpool_info
    with deterministic_pool(1) as pool:
        pool.submit(np.zeros, 1).result()
        libraries = [library for library in pool.submit(threadpool_info).result() if library["user_api"] == "blas"]
    assert {(library["architecture"], library["num_threads"]) for library in libraries} == {("Nehalem", 1)}
