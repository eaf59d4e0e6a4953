from pathlib import Path

from web_api import program

NORD = "sample#NORD/2012/page_41.pdf"
CSV = b"Results of the year,,\n,2009,2008\nnet sales,$ 120 million,$ 100 million\nrent,5,4\n"


def test_files_and_uploads_are_listed_and_uploads_deleted(tmp_path: Path) -> None:
    with program(tmp_path, NORD) as api:
        taken = api.upload(CSV, "..%2f..%2fresults.csv")
        assert taken["name"] == "results.csv"
        listed = api.get("/documents")
        assert [(one["name"], one["origin"]) for one in listed["items"]] == [(NORD, "file"), ("results.csv", "upload")]
        assert api.get("/documents?offset=1&limit=1")["items"] == [taken]
        api.delete(f"/documents/{taken['id']}")
        assert api.get(f"/documents/{taken['id']}", 404)["code"] == "unknown_document"
        assert api.get("/documents")["total"] == 1
        api.delete(f"/documents/{listed['items'][0]['id']}", 400)


def test_parsed_tables_are_returned_in_whole_and_in_parts(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        taken = api.upload(CSV, "results.csv")
        there = f"/documents/{taken['id']}"
        outline = api.get(there)
        assert (outline["id"], outline["document"]) == (taken["id"], "results.csv")
        assert outline["tables"][0]["rows"] == 2
        parts = api.get(f"{there}/parts")
        kinds = [part["kind"] for part in parts["items"]]
        assert "table" in kinds
        assert parts["total"] == len(kinds)
        table = api.get(f"{there}/tables/0")
        assert table == parts["items"][kinds.index("table")]["table"]
        cell = table["body"][0]["cells"][1]
        assert (cell["value"], cell["scale"], cell["unit"], cell["period"]) == ("120", "million", "USD", "2009")
        assert api.get(f"{there}/parts?section=none")["items"] == []
        assert api.get(f"{there}/tables/1", 404)["code"] == "not_found"


def test_table_warnings_are_returned_with_the_role(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        table = b"Balance sheet,,\n,2009,2008\ntotal assets,9,1.2.3\ntotal liabilities,5,4\ntotal equity,4,4\n"
        outline = api.get(f"/documents/{api.upload(table, 'results.csv')['id']}")
        (shown,) = outline["tables"]
        assert (shown["role"], shown["unread"]) == ("balance sheet", [{"row": 1, "column": 2, "text": "1.2.3"}])
        assert (outline["health"]["unread"], outline["health"]["undated"]) == (1, 0)


def test_facts_have_exact_values_and_places(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = f"/documents/{api.upload(CSV, 'results.csv')['id']}/facts"
        assert api.get(there)["total"] == 4
        found = api.get(f"{there}?text=NET%20sales&limit=1")
    (fact,) = found["items"]
    assert found["total"] == 2
    assert (fact["label"], fact["value"], fact["scale"], fact["period"]) == (
        "net sales, 2009",
        "120",
        "million",
        "2009",
    )
    assert fact["source"] == {"kind": "cell", "document": "results.csv", "table": 0, "row": 1, "column": 1}


def test_file_of_many_pages_links_to_them(tmp_path: Path) -> None:
    with program(tmp_path, "sample") as api:
        file = api.get("/documents")["items"][0]["id"]
        problem = api.get(f"/documents/{file}", 400)
        assert problem["code"] == "several_pages"
        pages = api.get(f"/documents/{file}/pages?limit=2")
        assert pages["total"] > len(pages["items"]) == 2
        assert api.get(f"/documents/{pages['items'][0]['id']}")["document"] == pages["items"][0]["name"]
        assert api.get(f"/documents/{file}.999", 404)["code"] == "unknown_document"


def test_a_file_that_cannot_be_asked_is_refused_in_a_line(tmp_path: Path) -> None:
    with program(tmp_path, serve_upload_mb=1) as api:
        assert "empty.csv" in api.upload(b"", "empty.csv", 400)["detail"]
        assert "1,000,000" in api.upload(b"a" * 1_000_001, "large.csv", 413)["detail"]
        form = api.ask("POST", "/documents?name=x", files={"file": ("x.csv", CSV)})
        assert form.status_code == 415
        assert "application/octet-stream" in form.json()["detail"]
        assert (
            api.ask("POST", "/documents", content=CSV, headers={"Content-Type": "application/octet-stream"}).json()[
                "errors"
            ][0]["where"]
            == "query.name"
        )
        assert api.get("/documents")["total"] == 1
