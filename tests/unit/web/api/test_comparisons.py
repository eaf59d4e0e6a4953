import asyncio
from pathlib import Path

from web_api import program

from quaestor import evaluate_async


def test_two_runs_are_compared_in_total_and_by_turn(tmp_path: Path) -> None:
    for limit in (1, 1, 2):
        asyncio.run(evaluate_async("sample", limit=limit, store=str(tmp_path / "runs.db")))
    with program(tmp_path) as api:
        other, first, second = (one["id"] for one in api.get("/runs?kind=run")["items"])
        there = f"first={first}&second={second}"
        found = api.get(f"/comparisons?{there}")
        assert (found["turns"], found["both"], found["differ"], found["p"]) == (4, 4, 0, 1)
        pairs = api.get(f"/comparisons/turns?{there}&outcome=both&answers=same&limit=1")
        assert (pairs["total"], pairs["items"][0]["differ"]) == (4, False)
        assert pairs["items"][0]["first"] == pairs["items"][0]["second"]
        assert api.get(f"/comparisons/turns?{there}&answers=differ")["total"] == 0
        assert other in api.get(f"/comparisons?first={first}&second={other}", 400)["detail"]
        assert api.get(f"/comparisons?first={first}&second=nothing", 404)["code"] == "unknown_run"
