"""The blocks of an essay: its Markdown, with its quotations and references within."""

import io
from dataclasses import dataclass

import pytest

from moot.contrib.documents.document_readers import read_document
from moot.contrib.essays.essay_blocks import list_essay_blocks
from moot.contrib.essays.essay_files import write_docx, write_pdf
from moot.contrib.essays.essay_forms import essay_page
from moot.contrib.essays.essay_parts import split_at_quotes
from moot.contrib.essays.written import describe_essay
from support.essays import transcript

ESSAY = """## Who pays

**Fees** pay, *they say*, 2 * x and snake_case_word: “repairs **doubled** in ten years” [1].

* one item
* another **item**
- a last

1. first
2. second

> In our house, repairs
> doubled in ten years. [1]

| house | fee |
|---|---|
| Graz | free [1] |
| Linz | <b>x</b> |

The end says “repairs tripled in ten years” [1], and “nobody knows of it here” [2].
"""


@dataclass
class Pieces:
    essay: str
    quotes: tuple


def blocks_of(essay, known=(1, 2)):
    return list_essay_blocks(split_at_quotes(Pieces(essay, ())), known)


def words(runs):
    return "".join(run.text for run in runs)


def test_markdown_is_read_as_blocks():
    blocks = blocks_of(ESSAY)
    assert [block.kind for block in blocks] == [
        *("heading", "", "bullet", "bullet", "bullet", "number", "number", "quote", "table", "")
    ]
    assert (blocks[0].level, words(blocks[0].runs)) == (2, "Who pays")
    styled = [(run.text, run.bold, run.italic) for run in blocks[1].runs]
    assert ("Fees", True, False) in styled
    assert ("they say", False, True) in styled
    assert ("doubled", True, False) in styled
    assert "2 * x and snake_case_word" in words(blocks[1].runs)
    assert [run.passages for run in blocks[1].runs if run.passages] == [(1,)]
    assert [words(block.runs) for block in blocks[2:8]] == [
        *("one item", "another item", "a last", "1. first", "2. second"),
        "In our house, repairs\ndoubled in ten years. [1]",
    ]
    rows = [[words(cell) for cell in row] for row in blocks[8].rows]
    assert rows == [["house", "fee"], ["Graz", "free [1]"], ["Linz", "<b>x</b>"]]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("one\ntwo", [""]),
        ("a | b\nno rule", [""]),
        ("#no heading", [""]),
        ("-5 degrees", [""]),
        ("2011 was warm.\n1999. So what", [""]),
        ("> one\n\n> two", ["quote", "quote"]),
        ("text\n> quote", ["", "quote"]),
        ("* a\n  goes on", ["bullet"]),
        ("", []),
    ],
)
def test_what_only_looks_like_a_block_is_none(text, kinds):
    assert [block.kind for block in blocks_of(text)] == kinds


def test_all_that_is_no_mark_is_kept():
    text = "Signs * of_a \\ kind ** stay ~~ as [9] they | are <b>."
    assert words(blocks_of(text)[0].runs) == text
    assert not any(run.passages for run in blocks_of(text)[0].runs)  # there is no passage 9


@pytest.fixture
def written():
    return describe_essay(transcript(essay=ESSAY))


def test_a_page_has_elements_and_links_to_the_words_of_the_source(written):
    page = essay_page(written)
    for said in (
        '<strong class="heading">Who pays</strong>',
        "<strong>Fees</strong> pay, <em>they say</em>",
        "<ul><li>one item</li><li>another <strong>item</strong></li><li>a last</li></ul>",
        '<blockquote><mark class="found">In our house, repairs\ndoubled in ten years.',
        "<tr><td>Linz</td><td>&lt;b&gt;x&lt;/b&gt;</td></tr>",
        '<mark class="found">repairs <strong>doubled</strong> in ten years</mark>',
        '<a href="#passage-1">[1]</a>',
        'id="passage-1"',
        "<mark>In our house, repairs doubled in ten years.</mark>",
    ):
        assert said in page, said
    assert "**" not in page.partition("<article")[2].partition("</article>")[0]


def test_a_word_document_has_footnotes_comments_lists_and_tables(written):
    from docx import Document

    content = write_docx(written)
    document = Document(io.BytesIO(content))
    styles = [each.style.name for each in document.paragraphs]
    assert (styles.count("List Bullet"), styles.count("Quote")) == (3, 1)
    [table] = document.tables
    assert [cell.text for cell in table.rows[2].cells] == ["Linz", "<b>x</b>"]
    bold = [run.text for each in document.paragraphs for run in each.runs if run.bold]
    assert {"Fees", "doubled", "item"} <= set(bold)
    told = [each.text for each in document.comments if not each.text.startswith("?: it names no")]
    assert told[-2:] == [
        "ALTERED: the evidence has (notes/costs.md:3): “repairs doubled in ten years.”",
        "NOT FOUND: nothing like it stands in the documents",
    ]
    body = "\n".join(each.text for each in document.paragraphs)
    essay = body.partition("What went otherwise")[0]
    assert "‹" not in essay
    assert "[1]" not in essay.partition("References")[0]
    assert "[1] notes/costs.md:3: In our house" in essay
    read = read_document("essay.docx", content)  # notes as the reader of documents has them
    notes = [part.text for part in read.parts if "note" in part.place]
    assert notes[0] == "Note: notes/costs.md:3: “In our house, repairs doubled in ten years.”"
    assert len(notes) == 5  # one for each reference


def test_a_pdf_shows_the_same(written):
    parts = read_document("essay.pdf", write_pdf(written)).parts
    text = " ".join(" ".join(part.text for part in parts).split())
    assert "**" not in text
    for said in ("another item", "NOT FOUND", "ALTERED", "notes/costs.md:3", "Linz"):
        assert said in text
