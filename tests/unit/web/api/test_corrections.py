from pathlib import Path

from web_api import program


def test_answer_is_corrected_and_the_correction_undone(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1", "cell 1 2", "change")
        before = api.get(there)["turns"][2]["display"]
        correction = api.post(f"{there}/corrections", 201, fix="1 cell 1 = 999 because it is printed so", author="Ada")
        assert (correction["number"], correction["author"], correction["reason"], correction["stands"]) == (
            1,
            "Ada",
            "it is printed so",
            True,
        )
        assert {change["number"] for change in correction["changes"]} == {1, 3}
        assert api.get(there)["turns"][2]["display"] != before
        api.post(f"{there}/corrections", 201, fix="undo 1")
        listed = api.get(f"{there}/corrections")
        assert [(one["act"]["kind"], one["stands"]) for one in listed["items"]] == [("number", False), ("undo", False)]
        assert api.get(there)["turns"][2]["display"] == before


def test_offered_corrections_can_be_applied(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1")
        offer = api.get(f"{there}/turns/1/offers")["offers"][0]
        api.post(f"{there}/corrections", 201, fix=offer["fix"])
        assert api.get(there)["turns"][0]["display"] == offer["gives"]
        assert api.get(f"{there}/turns/2/offers", 404)["code"] == "unknown_conversation"


def test_impossible_correction_changes_nothing(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1")
        for fix in ("1 cell 9 = 1", "nothing of this", "9 1", "1", "undo 4", "1 cell 1 = many"):
            api.post(f"{there}/corrections", 400, fix=fix)
        assert api.get(f"{there}/corrections")["total"] == 0
