from quaestor.ontology.line_matching import LabelIndex

INDEX = LabelIndex({"net revenue": "kg:net_revenue", "long-term debt": "kg:debt", "expected volatility": "kg:vol"})


def test_an_unknown_label_is_not_found() -> None:
    assert INDEX.find("goodwill") == ()
    assert INDEX.find("") == ()


def test_several_known_labels_come_in_the_order_of_preference() -> None:
    index = LabelIndex({"bank debts": "kg:b", "bank debt": "kg:a"})
    assert [match.property for match in index.find("total bank debt")] == ["kg:b", "kg:a"]
    assert [match.property for match in index.find("the bank debt")] == ["kg:b", "kg:a"]


def test_the_nearest_are_scored_best_first() -> None:
    near = INDEX.nearest("net revenue growth")
    assert near[0].property == "kg:net_revenue"
    assert 0 < near[1].score <= near[0].score < 1
