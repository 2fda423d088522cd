"""What documents say of themselves: declared, on the first page, or not at all."""

import io

import pytest
import typst
from docx import Document

from moot.contrib.documents.document_readers import DocumentDetails, read_document

PAGE = """<html><head><title>Fees are fair</title><meta name="author" content="Seán Ó Dálaigh">
<link rel="canonical" href="https://example.org/fees"></head>
<body><h1>Other words</h1><time datetime="2020-05-04">May</time><p>Fees pay.</p></body></html>"""
FRONT = """---
title: "Notes: on fees"
author: [Ada Stone, 'Ben Fry']
date: 2017-01-02
doi: 10.1000/fees
---
# A heading

Fees pay.
"""
LISTED = "---\ntitle: Notes\nauthors:\n  - name: Ada Stone\n  - Ben Fry\n---\nFees pay.\n"


def details_of(name, content):
    content = content.encode() if isinstance(content, str) else content
    return read_document(name, content).details


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        (
            "a.html",
            PAGE,
            DocumentDetails(
                "Fees are fair", ("Seán Ó Dálaigh",), "2020", "https://example.org/fees"
            ),
        ),
        (
            "a.md",
            FRONT,
            DocumentDetails(
                "Notes: on fees", ("Ada Stone", "Ben Fry"), "2017", "https://doi.org/10.1000/fees"
            ),
        ),
        ("a.md", LISTED, DocumentDetails("Notes", ("Ada Stone", "Ben Fry"))),
        (
            "a.txt",
            "# On fees\n\nBy Ada Stone\n\nPublished 3 May 2015\n\nFees pay.",
            DocumentDetails("On fees", ("Ada Stone",), "2015"),
        ),
        ("a.txt", "Fees pay for guards.", DocumentDetails()),
        ("a.html", "<p>Fees pay.</p>", DocumentDetails()),
    ],
)
def test_a_document_says_who_what_and_when(name, content, found):
    assert details_of(name, content) == found


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("12 March 2019", "2019"),
        ("März 2018", "2018"),
        ("2019-05-01", "2019"),
        ("© 2019 The Authors", "2019"),
        ("arXiv:1909.12345v1 [cs.CL] 12 Mar 2020", "2020"),
        ("Last updated on May 4, 2022 by Ann", "2022"),
        ("Published figures from 2011", ""),
        ("Copyright law changed in 1998", ""),
        ("Date palms grew since 1999", ""),
        ("Budget 2019", ""),
        ("In May 2011 they abolished their fees.", ""),
    ],
)
def test_a_year_is_that_of_a_date_and_of_no_other_line(line, year):
    assert details_of("a.txt", f"# On fees\n\n{line}\n\nFees pay.").year == year


def test_a_pdf_has_its_metadata_else_the_heading_and_date_of_its_first_page():
    body = "\n#text(size: 20pt)[Free museums]\n\n12 March 2019\n\nFees pay. #lorem(90)\n"
    body += "#pagebreak()\n#text(size: 26pt)[Costs]\n\n1 May 1999\n\nGuards cost a lot."
    said = '#set document(title: "Museums", author: ("Ada Stone", "Ben Fry"))'
    plain = details_of("a.pdf", bytes(typst.compile(body.encode())))
    assert plain == DocumentDetails("Free museums", (), "2019")
    whole = details_of("a.pdf", bytes(typst.compile((said + body).encode())))
    assert whole == DocumentDetails("Museums", ("Ada Stone", "Ben Fry"), "2019")


def test_a_word_document_has_its_properties_and_those_of_a_template_are_none():
    document = Document()
    document.add_paragraph("Fees pay.")
    assert details_of("a.docx", _save(document)) == DocumentDetails()
    document.core_properties.title = "On fees"
    document.core_properties.author = "Ada Stone; Ben Fry"
    document.core_properties.created = document.core_properties.created.replace(year=2016)
    made = details_of("a.docx", _save(document))
    assert made == DocumentDetails("On fees", ("Ada Stone", "Ben Fry"), "2016")


@pytest.mark.parametrize("title", ["Microsoft Word - draft7.docx", "untitled", "paper.tex"])
def test_what_programs_write_by_themselves_is_no_title(title):
    document = Document()
    document.add_paragraph("Fees pay.")
    document.core_properties.title = title
    document.core_properties.author = "Windows User"
    made = details_of("a.docx", _save(document))
    assert (made.title, made.authors) == ("", ())


def test_properties_that_cannot_be_read_leave_the_words():
    import zipfile

    document = Document()
    document.add_paragraph("Fees pay.")
    content, damaged = io.BytesIO(_save(document)), io.BytesIO()
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(damaged, "w") as new:
        for each in old.namelist():
            new.writestr(each, b"<no" if each == "docProps/core.xml" else old.read(each))
    read = read_document("a.docx", damaged.getvalue())
    assert read.details == DocumentDetails()
    assert [part.text for part in read.parts] == ["Fees pay."]


def _save(document):
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()
