"""Tables in Markdown, read by a Markdown reader."""

import pytest
from markdown_it import MarkdownIt

from moot.core.table import Cell, Column, ResultTable, TableRow
from moot.reports.markdown import markdown_table

ODD = (
    "a|b *c* _d_ `e` [f](http://g) <b>h</b> &amp; \\| ~~i~~ ![j](k) $l$ $2 www.m.n o@p.q ## r - 1. "
)


def grid(*rows):
    columns = (Column("Arm"), Column("Accuracy %", "percent"))
    return ResultTable(
        "Title *x*", columns, [TableRow([n, Cell(*v)]) for n, *v in rows], "Note <i>."
    )


def read(text):
    """The cells of the table as text, row by row, and the kinds of all that stands in them."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children}
    cells = [
        "".join(c.content for c in token.children if c.type != "html_inline") for token in inline
    ]
    return cells, kinds, tokens


def test_a_table_with_title_intervals_and_note():
    text = "\n".join(markdown_table(grid(("one", "66.7", "33.3 … 90.0"), ("two", "–"))))
    assert text.splitlines()[2:6] == [
        "| Arm | Accuracy % |",
        "| --- | ---: |",
        "| one | 66.7 (33.3 … 90.0) |",
        "| two | – |",
    ]
    cells, kinds, tokens = read(text)
    assert [token.tag for token in tokens][:1] == ["h3"]
    assert cells == [
        *("Title *x*", "Arm", "Accuracy %", "one", "66.7 (33.3 … 90.0)", "two", "–", "Note <i>.")
    ]
    assert kinds <= {"text", "text_special"}


@pytest.mark.parametrize("name", [ODD, "x\ny | z", "\\", "\\|", "`", "--- | ---", "<!-- x", "$x$"])
def test_a_name_stays_text(name):
    cells, kinds, tokens = read("\n".join(markdown_table(grid((name, "1")))))
    assert cells[3] == " ".join(name.split())
    assert len(cells) == 6
    assert kinds <= {"text", "text_special", "html_inline"}
    shown = [c.content for t in tokens if t.type == "inline" for c in t.children]
    assert {text for text in shown if text.startswith("<!--") and text.endswith("-->")} <= {
        "<!-- -->"
    }
