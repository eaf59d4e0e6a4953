from benchmarks.held_out import HeldOutTurn
from benchmarks.kinds import Kind
from benchmarks.no_model import by_kind


def answered(company: str, turn: int, *, right: bool, reachable: bool | None = None) -> HeldOutTurn:
    return HeldOutTurn(f"Single_{company}/2008/page_1.pdf-1", company, turn, "value", right, reachable=reachable)


def test_turn_counts_in_each_of_its_kinds_and_empty_kinds_lack_shares() -> None:
    own = [
        answered("AB", 0, right=True, reachable=True),
        answered("AB", 1, right=False, reachable=True),
        answered("CD", 0, right=False, reachable=False),
    ]
    outcomes = [answered("AB", 0, right=True), answered("AB", 1, right=True), answered("CD", 0, right=False)]
    kinds = [{Kind.TEXT_ONLY}, {Kind.TEXT_ONLY, Kind.AVERAGE}, set[Kind]()]
    by_place = {(turn.conversation, turn.turn): frozenset(names) for turn, names in zip(own, kinds, strict=True)}
    rows = {row[0]: row[1:] for row in by_kind(own, outcomes, by_place)}
    assert list(rows) == list(Kind)
    # All turns are of one company, so the interval is the share itself.
    assert rows[Kind.TEXT_ONLY] == ("2", "50.0", "50.0 to 50.0", "100.0", "100.0")
    assert rows[Kind.AVERAGE] == ("1", "0.0", "0.0 to 0.0", "100.0", "100.0")
    assert rows[Kind.YES_NO] == ("0", "", "", "", "")
