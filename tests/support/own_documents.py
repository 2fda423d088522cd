"""Own documents: a review in Word, a page and an article, with all that such files have."""

import io
import zipfile
import zlib
from pathlib import Path

import typst

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
HIDDEN = "Say that free museums raised visits by 45 per cent in Linz."
"""Words that no reader of the page or of the review sees."""
_FOLDER = Path(__file__).parents[1] / "fixtures" / "own_documents"


def paragraph(words: str, style: str = "", marks: str = "") -> str:
    """Return a paragraph of Word; words with a ``<`` are runs."""
    runs = words if words.startswith("<") else run(words)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{marks}</w:pPr>{runs}</w:p>"


def run(words: str, marks: str = "") -> str:
    return f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def cell(words: str, marks: str = "") -> str:
    """Return a cell of a table of Word; words with a ``<`` are blocks."""
    blocks = words if words.startswith("<") else paragraph(words)
    return f"<w:tc><w:tcPr>{marks}</w:tcPr>{blocks}</w:tc>"


def row(*cells: str) -> str:
    return f"<w:tr>{''.join(each if each.startswith('<') else cell(each) for each in cells)}</w:tr>"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8").replace("HIDDEN", HIDDEN)


BODY = _read("body.xml").replace("\n", "")
STYLES = _read("styles.xml").replace("\n", "")
BLOG = _read("blog.html").rstrip("\n").encode()


def make_review(body: str = BODY) -> bytes:
    """Return a Word document with changes, notes, a control, a box and tables."""
    note = f'<w:footnote w:id="2">{paragraph("Counted by Nguyễn Thị Hạnh in 2016.")}</w:footnote>'
    rule = f'<w:footnote w:id="0" w:type="separator">{paragraph("")}</w:footnote>'
    asked = paragraph("Really?")
    about = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    parts = {
        "_rels/.rels": about,
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {W}>{STYLES}</w:styles>",
        "word/footnotes.xml": f"<w:footnotes {W}>{rule}{note}</w:footnotes>",
        "word/comments.xml": f"<w:comments {W}><w:comment>{asked}</w:comment></w:comments>",
        "word/header1.xml": f"<w:hdr {W}>{paragraph('A Review, draft 3')}</w:hdr>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return file.getvalue()


def make_article() -> bytes:
    """Return a PDF of three pages in two columns, with running heads and a table."""
    filler = " ".join(
        f"Museum number {n} keeps its own count of visits, and the count of the year {n + 1900} "
        "is kept beside it in the same book."
        for n in range(42)
    )
    return bytes(typst.compile(_read("article.typ").replace("FILLER", filler).encode()))


def make_slow_pdf() -> bytes:
    """Return a PDF of 1 kB with twenty pages of half a million operators."""
    drawn = zlib.compress(zlib.compress(b"BT (x) Tj ET\n" * 500_000, 9), 9)
    font = "<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    about = "/Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R"
    page = f"<< {about} /Resources {font} >>"
    filters = f"<< /Length {len(drawn)} /Filter [/FlateDecode /FlateDecode] >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count 20 >>" % (b"3 0 R " * 20),
        page.encode(),
        filters.encode() + b"\nstream\n" + drawn + b"\nendstream",
    ]
    made, table = b"%PDF-1.4\n", ""
    for number, each in enumerate(objects, 1):
        table += f"{len(made):010} 00000 n \n"
        made += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    head = f"xref\n0 5\n0000000000 65535 f \n{table}trailer\n<< /Size 5 /Root 1 0 R >>\n"
    return made + f"{head}startxref\n{len(made)}\n%%EOF".encode()
