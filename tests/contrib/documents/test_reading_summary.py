"""What was read of each document, before anything is asked."""

from moot.contrib.documents.reading_summary import summarise_reading


def test_each_document_has_its_passages_its_details_and_what_is_left_out(tmp_path):
    (tmp_path / "a.md").write_text("---\ntitle: On fees\nauthor: Ada Stone\n---\n\nOne.\n\nTwo.")
    (tmp_path / "b.html").write_text("<title>B</title><p>Three.</p><nav>x</nav>")
    (tmp_path / "c.txt").write_bytes("Vier für alle.".encode("latin-1"))
    (tmp_path / "d.xlsx").write_bytes(b"x")
    (tmp_path / "bad.pdf").write_bytes(b"x")
    told = summarise_reading(f"{tmp_path}\n!bad.pdf")
    assert told == {
        "a.md": "3 passages; Ada Stone, On fees; states no year",
        "b.html": "1 passage; B; states no author, no year; left out: 1 navigation",
        "c.txt": "1 passage; states no author, no title, no year; read as Windows-1252",
        "bad.pdf": told["bad.pdf"],
        "d.xlsx": "not read, since no reader knows its ending",
    }
    assert told["bad.pdf"].startswith("it is no .pdf that can be read")


def test_a_document_left_out_keeps_its_name_where_that_has_a_colon(tmp_path):
    (tmp_path / "notes: May.pdf").write_bytes(b"no pdf")
    (tmp_path / "a.txt").write_text("Fees pay.")
    found = summarise_reading(f"{tmp_path}\n!notes: May.pdf")
    assert sorted(found) == ["a.txt", "notes: May.pdf"]
    assert found["notes: May.pdf"].startswith("it is no .pdf that can be read")
