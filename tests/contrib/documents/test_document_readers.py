"""Document readers: what stands in files of each kind, and what cannot be read."""

import io
from time import process_time

import docx
import pytest
import typst
from docx.shared import Pt
from pypdf import PdfWriter

from moot.contrib.documents import document_readers
from moot.contrib.documents.document_blocks import DocumentPart
from moot.contrib.documents.document_readers import read_document
from moot.contrib.documents.documents import split_passages
from moot.contrib.essays.quoting.quotation_check import check_quotations
from moot.core.errors import InputError
from moot.core.events import Passage
from support.own_documents import BLOG, HIDDEN, cell, make_article, make_review, paragraph, row, run


def words_of(name, content):
    parts = read_document(name, content).parts
    return [(part.place, " ".join([*part.heads, *part.text.split()])) for part in parts]


def passages_of(name, content):
    parts = read_document(name, content).parts
    return [text for each in parts for _, text, _ in split_passages(each.text, each.heads)]


def make_docx():
    made = docx.Document()
    made.add_heading("Fees", 1)
    made.add_paragraph("Fees pay for guards.").runs[0].font.size = Pt(9)
    table = made.add_table(2, 2)
    for each, words in zip(table._cells, ("Year", "Share", "2016", "31 per cent"), strict=True):
        each.text = words
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def test_a_page_is_read_without_script_and_navigation():
    page = b"<title>T</title><nav>Home</nav><h2>Fees &amp; more</h2><script>evil()</script><p>One"
    assert words_of("a.HTML", page) == [(", paragraph 2", "## Fees & more One")]
    german = "<meta charset=latin-1><p>Gebühren für Wächter</p>".encode("latin-1")
    assert words_of("b.htm", german) == [(", paragraph 1", "Gebühren für Wächter")]
    assert words_of("c.html", b"bare\n\nwords<br>here") == [(", paragraph 1", "bare words here")]


def said_of(page):
    return [words for _, words in words_of("a.html", page.encode())]


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<div>One <b>and</b> <i>more</i>.</div><section>Two<p>Three</p>four</section><li>Five",
         ["One and more.", "Two", "Three", "four", "Five"]),
        ("<form><h1>Fees</h1><p>One.<p>Two.<p hidden>Not this.<p>Three.<li hidden>No<li>Four",
         ["# Fees One.", "# Fees Two.", "# Fees Three.", "# Fees Four"]),
        ("<p>The museum <img alt='A door'> is free.</p>",
         ["The museum is free.", "[Image: A door]"]),
    ],
)  # fmt: skip
def test_no_words_of_a_page_are_lost_whatever_they_stand_in(page, said):
    assert said_of(page) == said


def test_what_no_reader_of_a_page_sees_is_left_out_and_counted():
    document = read_document("blog.html", BLOG)
    assert HIDDEN not in str(document.parts)
    for words in ("html", "Cookies", "Home", "Vienna", "Your name", "Read more"):
        assert words not in str(document.parts)
    once = ("CDATA section", "comment", "footer", "form", "navigation", "text beside the page")
    many = {"4 form elements", "5 hidden elements"}
    assert {*document.left_out} == {*(f"1 {each}" for each in once), *many}


def test_a_page_is_read_as_its_readers_read_it():
    passages = passages_of("blog.html", BLOG)
    assert passages[0] == "# Free museums\nFees pay for guards, on 200 m²."
    assert passages[1] == "# Free museums\nNobody “from the ministry” called."
    assert [each for each in passages if "|" in each] == [
        (
            "# Free museums\n## Visits\nTable 1. Prices (€)\n"
            "Museum | Adults | Children\nLinz | 12 | free\nGraz | 9 | 4.50\n | 8 | free"
        )
    ]
    assert "# Free museums\n## Visits\n[Image: A bar chart: visits rose to 57 %]" in passages
    assert "# Free museums\n## Visits\n— Seán Ó Dálaigh" in passages  # who is quoted


def test_a_word_document_is_read_as_if_its_changes_were_accepted():
    passages = passages_of("review.docx", make_review())
    assert "# Fees\nThe ministry does not support free admission to national museums." in passages
    assert "# Fees\nNote: Counted by Nguyễn Thị Hạnh in 2016." in passages
    above = "# Fees\n## Income\n"
    assert [each for each in passages if "|" in each] == [
        (
            f"{above}Table 1. Income of the houses\nSource | 2013 (€ m) | 2016 (€ m)\n"
            "Donations | 22.5 | 14.8\nShop |  | 3.1\nCafé | 2.2 | \nWaits |  | see there"
        ),
        f"{above}House | Wait\nNáprstek | 27 s",
    ]
    assert f"{above}The grant fell to 12.1 million in the fifth year." in passages
    assert passages.count(f"{above}A box says that guards were hired.") == 1
    assert HIDDEN not in str(passages)
    once = ("comment", "deleted piece", "deleted row", "hidden piece")
    once += ("line of a table of contents", "page header or footer")
    left_out = read_document("review.docx", make_review()).left_out
    assert left_out == tuple(f"1 {each}" for each in once)


def test_what_divides_a_page_or_is_deleted_divides_no_words():
    page = b"<table><tr><td><h1>Fees</h1><p>One.<td><table><tr><td>a<td>b<tr><td>c<td>d</table>"
    assert passages_of("a.html", page) == ["# Fees\nOne.", "# Fees\na | b\nc | d"]
    body = paragraph("Fees ", marks="<w:rPr><w:del/></w:rPr>") + paragraph("pay for guards.")
    assert passages_of("a.docx", make_review(body)) == ["Fees pay for guards."]


@pytest.mark.parametrize("span", [2, 1000, 100_000])
def test_a_merged_cell_is_read_once_and_at_once(span):
    wide = cell("x" * 100_000, f'<w:gridSpan w:val="{span}"/>')
    body = f"<w:tbl><w:tr>{wide}</w:tr>{row('a', 'b')}</w:tbl>"
    started = process_time()
    parts = read_document("a.docx", make_review(body)).parts
    assert sum(part.text.count("x") for part in parts) == 100_000
    assert process_time() - started < 2


def test_deep_elements_bombs_and_pages_that_hide_all_are_refused():
    deep = "<w:sdt>" * 5_000 + "</w:sdt>" * 5_000
    with pytest.raises(InputError, match=r"a.docx: its elements are more than 256 deep"):
        read_document("a.docx", make_review(deep))
    with pytest.raises(InputError, match=r"a.docx: it is no .docx that can be read"):
        read_document("a.docx", make_review("&file;"))
    for mark in ("hidden", "style=display:none"):
        with pytest.raises(InputError, match="it has no words"):
            read_document("a.html", f"<body {mark}><p>{HIDDEN}</p></body>".encode())


def test_each_page_of_a_pdf_and_each_table_of_other_programs_is_a_place():
    made = bytes(typst.compile(b"Fees pay.\n#pagebreak()\nGuards come."))
    assert words_of("a.pdf", made) == [(", page 1", "Fees pay."), (", page 2", "Guards come.")]
    assert words_of("a.docx", make_docx()) == [
        (", paragraph 2", "# Fees Fees pay for guards."),
        (", table 1", "# Fees Year | Share 2016 | 31 per cent"),
    ]


def test_a_pdf_is_joined_over_lines_columns_and_pages():
    document = read_document("article.pdf", make_article())
    assert document.left_out == ("3 page numbers", "3 running heads")
    passages = passages_of("article.pdf", make_article())
    assert "Museum Review" not in str(passages)
    for number in range(42):  # one of them runs over each end of a column and of a page
        sentence = (
            f"Museum number {number} keeps its own count of visits, and the count of the year "
            f"{number + 1900} is kept beside it in the same book."
        )
        assert sum(sentence in each for each in passages) == 1
    assert all(each.startswith("# Free admission\n") for each in passages)
    assert passages[-2:] == [
        (
            "# Free admission\nTable 1: Waits at the door\nHouse | 2013 | 2016\n"
            "Náprstek | 27 s | 11 s\nKinský | 9 s | 14 s"
        ),
        "# Free admission\nThe last word of the article belongs to the guards.",
    ]


def test_a_word_that_the_end_of_a_line_breaks_can_be_quoted_in_both_ways():
    words = "The well-known critic spoke of an inconvenience. " * 9
    page = f'#set page(width: 7cm)\n#set text(hyphenate: true, lang: "en")\n{words}'
    [passage] = passages_of("a.pdf", bytes(typst.compile(page.encode())))
    assert passage == words.strip()
    alone = "#set page(width: 60pt, margin: 2pt)\nThe well-known critic"
    texts = passages_of("a.pdf", bytes(typst.compile(alone.encode())))
    passages = [Passage(1, "a", each) for each in texts]
    assert all(q.found for q in check_quotations("“The well-known critic” [1]", passages))


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


@pytest.mark.parametrize(
    "hidden",
    [
        f"<!-- TODO {HIDDEN}",
        f"<!--><!-- {HIDDEN} --!>",
        f"<dialog>{HIDDEN}</dialog>",
        f"<div popover>{HIDDEN}</div>",
        f'<p style="display:block;display : NONE !important">{HIDDEN}</p>',
        f"<p title='{HIDDEN}",
        f"<!DOCTYPE {HIDDEN}",
        f"<?php {HIDDEN} ?>",
        f"<style>@media screen{{.a{{display:none}}}}</style><p class=a>{HIDDEN}</p>",
        f"<style>@supports (a:b){{p.a{{display:none}}}}</style><p class=a>{HIDDEN}</p>",
        f"<style>.a/**/{{display:/**/none}}.a.b{{display:block}}</style><p class=a>{HIDDEN}",
        f"<style>.a.b{{visibility:collapse}}</style><p class='b a'>{HIDDEN}</p>",
        f"<style>#a{{display:none}}.a{{display:block}}</style><p id=a class=a>{HIDDEN}</p>",
        f"<style>@media print{{.a{{display:block}}}}.a{{display:none}}</style><p class=a>{HIDDEN}",
    ],
)
def test_words_that_a_page_hides_are_not_read(hidden):
    assert said_of(f"<p>Fees pay.</p>{hidden}") == ["Fees pay."]


@pytest.mark.parametrize(
    ("style", "named"),
    [
        ("@media print{.a{display:none}}", "a"),
        ("@media (max-width: 600px){.a{display:none}}", "a"),
        ("@media print{@media screen{.a{display:none}}}", "a"),
        ("@keyframes x{.a{display:none}}", "a"), (".a{display:none} .a{display:block}", "a"),
        (".a{display:none} .a.active{display:block}", "a active"),
        (".a{display:none} .js .a{display:block}", "a"),
        (".a{display:block!important} .a{display:none}", "a"), ("div.a{display:none}", "a"),
        (".menu .a{display:none}", "a"), (".a:hover{display:none}", "a"),
    ],
)  # fmt: skip
def test_words_that_a_rule_shows_or_hides_elsewhere_are_read(style, named):
    assert said_of(f"<style>{style}</style><p class='{named}'>Fees pay.") == ["Fees pay."]
    assert said_of("<style media=print>p{display:none}</style><p>Fees pay.") == ["Fees pay."]


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("10<sup>6</sup>, 10<sup>-3</sup> and 10<sup>−3</sup>", "10⁶, 10⁻³ and 10⁻³"),
        ("H<sub>2</sub>O, x<sub>1,2</sub>, 1<sup>st</sup>", "H₂O, x_(1,2), 1st"),
        ("2<sup>0.5</sup>", "2^(0.5)"),
        ("by 2 <math><mfrac><mn>1</mn><mn>3</mn></mfrac></math>.", "by 2 1/3."),
        ("<mn>2</mn><mfrac><mrow><mi>a</mi><mo>+</mo>b</mrow><mn>3</mn></mfrac>", "2 (a+b)/3"),
        ("<msup><mn>10</mn><mrow><mo>−</mo><mn>6</mn></mrow></msup>", "10⁻⁶"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x₁²"),
        ("<math>5<annotation>5 in TeX</annotation></math>", "5"),
        ("The museum <svg/> is free <button>x</button>for all.", "The museum is free for all."),
        ("free<script>x</script>dom<span hidden>x</span>s", "freedoms"),
        ("<span aria-hidden=true>−</span>3.5", "−3.5"),
        ("It does <del>not</del><s>never</s> <ins>always</ins> pay", "It does always pay"),
        ("a < b <!-- x -->and c > <a title='<!--'>d</a>", "a < b and c > d"),
    ],
)
def test_what_stands_within_a_paragraph_divides_none_and_keeps_its_value(page, said):
    assert said_of(f"<p>{page}</p>") == [said]


TAGS = ["<p>", "<tr>", "<div>", "<table>", "<table><tr><td>", "<li>", "<p hidden>", "<q>"]
ENDLESS = ["<!--", "<a ", '<a ="', "<style>", "<sup>1", "<mfrac>1", "<a <"]


@pytest.mark.parametrize("piece", TAGS + ENDLESS)
def test_markup_without_end_holds_nobody_up(piece):
    started = process_time()
    page = f"<p>words{piece * 10_000}more"
    assert "words" in str(read_document("a.html", page.encode()).parts)
    assert process_time() - started < (2.5 if piece in TAGS else 1.5)


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (run("10") + run("6", '<w:vertAlign w:val="superscript"/>'), "10⁶"),
        (run("H") + run("2", '<w:vertAlign w:val="subscript"/>') + run("O"), "H₂O"),
        (f"<w:sSup><w:e>{run('10')}</w:e><w:sup>{run('-6')}</w:sup></w:sSup>", "10⁻⁶"),
        (f"{run('2')}<w:f><w:num>{run('1')}</w:num><w:den>{run('3')}</w:den></w:f>", "2 1/3"),
        ('<w:r><w:sym w:font="Symbol" w:char="F02D"/></w:r>' + run("3.5"), "−3.5"),
        ('<w:r><w:sym w:font="Symbol" w:char="F0A3"/></w:r>' + run("5"), "≤5"),
    ],
)
def test_raised_divided_and_symbols_of_word_keep_their_value(runs, said):
    assert passages_of("a.docx", make_review(paragraph(runs))) == [said]


def test_what_is_deleted_or_unknown_is_counted():
    document = read_document("a.html", b"<p>a <del>b</del> <s>c</s> <strike>d</strike>")
    assert document.left_out == ("1 deleted piece", "2 struck pieces")
    odd = '<w:r><w:sym w:font="Wingdings" w:char="F04A"/></w:r>' + run("Fees")
    assert "1 symbol" in read_document("a.docx", make_review(paragraph(odd))).left_out


def test_words_have_a_limit_signs_that_can_be_written_and_readers_a_package(monkeypatch):
    def half(content, left_out):
        return iter([DocumentPart("", "a\ud835b \ud835\udc00")])

    monkeypatch.setitem(document_readers.READERS, ".docx", ("", half))
    assert read_document("a.docx", b"").parts[0].text == "a\ufffdb \U0001d400"
    monkeypatch.setattr(document_readers, "MOST_CHARACTERS", 100)
    with pytest.raises(InputError, match=r"a.html: it has more than 100 characters of words"):
        read_document("a.html", b"<p>some words" * 20)
    monkeypatch.setattr(document_readers, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"a.pdf: it is read with pypdf.*moot\[essays\]"):
        read_document("a.pdf", b"")
