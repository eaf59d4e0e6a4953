from pathlib import Path

from web_api import program


def test_an_answer_is_put_right_and_the_correction_undone(tmp_path: Path) -> None:
    with program(tmp_path) as asked:
        there = asked.asked("cell 1 1", "cell 1 2", "change")
        before = asked.get(there)["turns"][2]["display"]
        made = asked.post(f"{there}/corrections", 201, fix="1 cell 1 = 999 because it is printed so", author="Ada")
        assert (made["number"], made["author"], made["reason"], made["stands"]) == (1, "Ada", "it is printed so", True)
        assert {change["number"] for change in made["changes"]} == {1, 3}
        assert asked.get(there)["turns"][2]["display"] != before
        asked.post(f"{there}/corrections", 201, fix="undo 1")
        listed = asked.get(f"{there}/corrections")
        assert [(one["act"]["kind"], one["stands"]) for one in listed["items"]] == [("number", False), ("undo", False)]
        assert asked.get(there)["turns"][2]["display"] == before


def test_what_is_offered_can_be_chosen(tmp_path: Path) -> None:
    with program(tmp_path) as asked:
        there = asked.asked("cell 1 1")
        offer = asked.get(f"{there}/turns/1/offers")["offers"][0]
        asked.post(f"{there}/corrections", 201, fix=offer["fix"])
        assert asked.get(there)["turns"][0]["display"] == offer["gives"]
        assert asked.get(f"{there}/turns/2/offers", 404)["code"] == "unknown_conversation"


def test_what_cannot_be_done_changes_nothing(tmp_path: Path) -> None:
    with program(tmp_path) as asked:
        there = asked.asked("cell 1 1")
        for fix in ("1 cell 9 = 1", "nothing of this", "9 1", "1", "undo 4", "1 cell 1 = many"):
            asked.post(f"{there}/corrections", 400, fix=fix)
        assert asked.get(f"{there}/corrections")["total"] == 0
