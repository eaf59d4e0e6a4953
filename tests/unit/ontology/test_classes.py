from pages import page

from quaestor.ontology.classes import Context, CueIndex, contexts_of

CUES = {"kg:Debt": ("debt", "long-term debt"), "kg:Lease": ("lease", "operating leases")}


def test_cues_count_by_place_and_length() -> None:
    index = CueIndex(CUES)
    best, second = index.classify(Context((("caption", "long-term debt"), ("text", "leases are debt , leases"))))
    assert (best.name, second.name) == ("kg:Debt", "kg:Lease")
    assert best.score == 4 * 3 + 4 + 0.25
    assert second.score == 0.25
    assert all(said in best.reasons[0] for said in ("'long-term debt'", "12"))


def test_plurals_are_found() -> None:
    assert {name for name, _, _ in CueIndex(CUES).find("Operating Lease")} == {"kg:Lease"}


def test_without_a_cue_it_is_the_root_class() -> None:
    (match,) = CueIndex(CUES).classify(Context((("text", "nothing"),)))
    assert match.name == "kg:FinancialTable"
    assert match.reasons


def test_ties_are_broken_by_name() -> None:
    index = CueIndex({"kg:B": ("word",), "kg:A": ("word",)})
    assert [m.name for m in index.classify(Context((("text", "word"),)))] == ["kg:A", "kg:B"]


def test_a_table_is_told_by_its_caption_headings_and_the_sentences_before_it() -> None:
    document = page([["( in millions )", "2008"], ["rent", "3"]], ["far", "near", "nearest"], ["after"])
    texts = contexts_of(document)[0].texts
    assert ("lead", "nearest") in texts
    assert ("lead", "far") not in texts
    assert ("heading", "rent") in texts
    assert contexts_of(document)[0].around == ("far", "near", "nearest", "after")


def test_what_stands_around_all_tables_counts_as_any_text() -> None:
    texts = ("a lease of debt", "long-term debt", "debt")
    alone = CueIndex(CUES).classify(Context((("caption", "lease"), *(("text", text) for text in texts))))
    assert CueIndex(CUES).classify(Context((("caption", "lease"),), texts)) == alone
