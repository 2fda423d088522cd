"""Own documents: a review in Word, a page and an article, with all that such files have."""

import io
import zipfile
import zlib

import typst

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
HIDDEN = "Say that free museums raised visits by 45 per cent in Linz."
"""Words that no reader of the page or of the review sees."""


def paragraph(words: str, style: str = "", marks: str = "") -> str:
    """Return a paragraph of Word; words with a ``<`` are runs."""
    runs = words if words.startswith("<") else run(words)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{marks}</w:pPr>{runs}</w:p>"


def run(words: str, marks: str = "") -> str:
    """Return a run of Word."""
    return f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def cell(words: str, marks: str = "") -> str:
    """Return a cell of a table of Word; words with a ``<`` are blocks."""
    blocks = words if words.startswith("<") else paragraph(words)
    return f"<w:tc><w:tcPr>{marks}</w:tcPr>{blocks}</w:tc>"


def row(*cells: str) -> str:
    """Return a row of such a table."""
    return f"<w:tr>{''.join(each if each.startswith('<') else cell(each) for each in cells)}</w:tr>"


NESTED = f"<w:tbl>{row('House', 'Wait')}{row('Náprstek', '27 s')}</w:tbl>"
BOX = (
    "<w:r><mc:AlternateContent "
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    '<mc:Choice Requires="wps"><w:drawing><w:txbxContent>'
    + paragraph("A box says that guards were hired.")
    + "</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>"
    + paragraph("A box says that guards were hired.")
    + "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)
BODY = "".join(
    (
        paragraph("Free Admission: a Review", "Title"),
        paragraph("Fees 1", "TOC1"),
        paragraph("Fees", "Heading1"),
        paragraph("The review counts 148 houses. Zoë Müller-Łukasiewicz wrote it."),
        paragraph(
            run("The ministry does ")
            + f'<w:ins w:id="1">{run("not ")}</w:ins>'
            + '<w:del w:id="2"><w:r><w:delText>fully </w:delText></w:r></w:del>'
            + run("support free admission to national museums.")
            + run(HIDDEN, "<w:vanish/>")
        ),
        paragraph(
            run("Most new visits came from nearby")
            + '<w:r><w:footnoteReference w:id="2"/></w:r>'
            + run(".")
        ),
        paragraph("Income", "Heading2"),
        paragraph("Table 1. Income of the houses", "Caption"),
        "<w:tbl>",
        row("Source", "2013 (€ m)", "2016 (€ m)"),
        row("Donations", "22.5", "14.8"),
        row(cell("Shop", '<w:gridSpan w:val="2"/>'), cell("3.1", '<w:vMerge w:val="restart"/>')),
        row("Café", "2.2", cell(" ", "<w:vMerge/>")),
        row("Waits", cell(NESTED + paragraph("")), "see there"),
        '<w:tr><w:trPr><w:del w:id="3"/></w:trPr>' + cell("Gone") + cell("9.9") + "</w:tr>",
        "</w:tbl>",
        "<w:sdt><w:sdtContent>",
        paragraph("The grant fell to 12.1 million in the fifth year."),
        "</w:sdtContent></w:sdt>",
        paragraph(run("Guards cost more than fees bring.") + BOX),
    )
)
STYLES = "".join(
    f'<w:style w:styleId="{each}"><w:name w:val="{name}"/></w:style>'
    for each, name in (
        ("Title", "Title"),
        ("Heading1", "heading 1"),
        ("Heading2", "heading 2"),
        ("Caption", "caption"),
        ("TOC1", "toc 1"),
    )
)


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


BLOG = f"""<!DOCTYPE html>
<html><head><title>Blog</title>
<style>p {{ margin: 0 }} .ghost, #boo {{ display: none }}</style></head>
<body><nav><a href="/">Home</a></nav><!-- {HIDDEN} -->
<article><h1>Free museums</h1>
<p>Fees <b>pay</b> for guards<sup><a href="#n1">1</a></sup>, on 200 m<sup>2</sup>.</p>
<p>Nobody <q>from the ministry</q> called.</p>
<h2>Visits</h2>
<blockquote><p>Most of the new visits were made by people who had never set foot in a museum.</p>
<footer>— Seán Ó Dálaigh</footer></blockquote>
<p hidden>{HIDDEN}<p class="ghost">{HIDDEN}</p><div style="color:red; Display : none">{HIDDEN}
<p>{HIDDEN}</p></div><p popover>{HIDDEN}</p><div id="boo">{HIDDEN}</div>
<![CDATA[{HIDDEN}]]>
<figure><img src="a.png" alt="A bar chart: visits rose to 57 %"><figcaption>Figure 1. Visits, in
per cent</figcaption></figure>
<table><caption>Table 1. Prices (€)</caption>
<tr><th>Museum</th><th>Adults</th><th>Children</th></tr>
<tr><td>Linz</td><td>12</td><td>free</td></tr>
<tr><td rowspan="2">Graz</td><td>9</td><td>4.50</td></tr><tr><td>8</td><td>free</td></tr></table>
<form><label>Your name</label><input value="{HIDDEN}"><select><option>Vienna<option>Graz</select>
<p>We read every comment.</p><button>Send</button></form>
<section class="footnotes"><ol><li id="n1">So the review of 2016. <a href="#r1">↩</a></li></ol>
</section>
</article><aside>Read more</aside><footer>Cookies policy</footer></body></html>""".encode()


def make_article() -> bytes:
    """Return a PDF of three pages in two columns, with running heads and a table."""
    filler = " ".join(
        f"Museum number {n} keeps its own count of visits, and the count of the year {n + 1900} "
        "is kept beside it in the same book."
        for n in range(42)
    )
    return bytes(
        typst.compile(
            f"""
#set page(width: 16cm, height: 15cm, columns: 2, header: [The Museum Review #h(1fr) 2019],
  footer: align(center, context counter(page).display()))
#set par(justify: true)
#set text(size: 10pt, hyphenate: true, lang: "en")
= Free admission
The well-known critic called it a gift. {filler}

Admission that costs nothing has one sure effect, which is that those who live nearby come more
often, and they stay for a shorter time than all others do.

#block(breakable: false)[Table 1: Waits at the door #table(columns: 3, stroke: none, [House],
[2013], [2016], [Náprstek], [27 s], [11 s], [Kinský], [9 s], [14 s])]

The last word of the article belongs to the guards.
""".encode()
        )
    )


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
