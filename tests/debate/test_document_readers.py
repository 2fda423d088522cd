"""Document readers: what stands in files of each kind, and what cannot be read."""

import io

import docx
import pytest
import typst
from docx.shared import Pt
from pypdf import PdfWriter

from moot.core.errors import InputError
from moot.debate.document_readers import read_document


def words_of(name, content):
    return [(part.place, " ".join(part.text.split())) for part in read_document(name, content)]


def make_docx():
    made = docx.Document()
    made.add_heading("Fees", 1)
    made.add_paragraph("Fees pay for guards.").runs[0].font.size = Pt(9)
    made.add_table(1, 2).rows[0].cells[1].text = "31 per cent"
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def test_a_page_is_read_without_script_and_navigation():
    page = b"""<html><head><title>T</title><style>p{}</style></head><body><nav>Home</nav>
    <h2>Fees &amp; more</h2><script>evil()</script><p>Fees <b>pay</b>
    for guards.</p><ul><li>One</li><li>Two</li></ul></body></html>"""
    assert words_of("a.HTML", page) == [
        (", paragraph 2", "## Fees & more Fees pay for guards."),
        (", paragraph 3", "One"),
        (", paragraph 4", "Two"),
    ]
    german = "<meta charset=latin-1><p>Gebühren für Wächter</p>".encode("latin-1")
    assert words_of("b.htm", german) == [(", paragraph 1", "Gebühren für Wächter")]
    assert words_of("c.html", b"bare\n\nwords<br>here") == [(", paragraph 1", "bare words here")]


def test_no_words_of_a_page_are_lost_whatever_they_stand_in():
    page = b"<div>One <b>and</b> <i>more</i>.</div><section>Two<p>Three</p>four</section><li>Five"
    said = [words for _, words in words_of("a.html", page)]
    assert said == ["One and more.", "Two", "Three", "four", "Five"]


def test_a_pdf_is_read_page_by_page():
    made = bytes(typst.compile(b"Fees pay.\n#pagebreak()\nGuards come."))
    assert words_of("a.pdf", made) == [(", page 1", "Fees pay."), (", page 2", "Guards come.")]


def test_a_word_document_is_read_with_headings_and_tables():
    assert words_of("a.docx", make_docx()) == [
        (", paragraph 2", "# Fees Fees pay for guards."),
        (", paragraph 3", "| 31 per cent"),
    ]


def test_an_encrypted_pdf_and_a_scan_are_refused_by_name():
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    blank = io.BytesIO()
    writer.write(blank)
    with pytest.raises(InputError, match=r"deep/scan.pdf: it has no words; a scan needs"):
        read_document("deep/scan.pdf", blank.getvalue())
    writer.encrypt("secret")
    locked = io.BytesIO()
    writer.write(locked)
    with pytest.raises(InputError, match=r"a.pdf: it is encrypted with a password"):
        read_document("a.pdf", locked.getvalue())


@pytest.mark.parametrize("name", ["a.pdf", "a.docx"])
@pytest.mark.parametrize("content", [b"", b"x", b"PK\x03\x04", b"%PDF-1.7\n%%EOF"])
def test_a_damaged_file_is_refused_by_name(name, content):
    with pytest.raises(InputError, match=rf"^{name}: it "):
        read_document(name, content)


def test_a_reader_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("moot.debate.document_readers.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"a.pdf: it is read with pypdf.*moot\[essays\]"):
        read_document("a.pdf", b"")
