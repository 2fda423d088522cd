"""Word files: the blocks of an essay as a .docx, with footnotes and comments."""

import io
from typing import Any
from xml.sax.saxutils import escape

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, RGBColor

from moot.contrib.essays import essay_parts as parts
from moot.contrib.essays.citations import Citations
from moot.contrib.essays.essay_blocks import EssayBlock, EssayRun, close_notes
from moot.contrib.essays.written import Written
from moot.extend.words import make_visible

_KINDS = {"bullet": "List Bullet", "quote": "Quote"}
"""The style of a paragraph in Word's own template, by the kind of a block."""
_FOOTNOTES = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_RAISED = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
_CLOSE = '<w:pPr><w:spacing w:after="0"/></w:pPr>'
_SMALL = '<w:rPr><w:sz w:val="18"/></w:rPr>'
_LINES = "".join(
    f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{name}/></w:r></w:p></w:footnote>'
    for number, (kind, name) in enumerate(
        (("separator", "separator"), ("continuationSeparator", "continuationSeparator"))
    )
)
"""The lines above footnotes, which Word has as notes 0 and 1."""


class WordFile:
    """A Word document that an essay is written to, block by block.

    Args:
        written: the essay.
        citations: its citations in a style; None where each passage is a footnote.
    """

    def __init__(self, written: Written, citations: Citations | None = None) -> None:
        self._written, self._citations = written, citations
        self._document = Document()
        self._notes: list[str] = []
        core = self._document.core_properties
        core.title = make_visible(written.proposition)[:255]
        core.author = "moot"

    def add(self, block: EssayBlock) -> None:
        """Add a block at the end."""
        if block.kind == "heading":
            self._fill(self._document.add_heading("", min(block.level, 4)), block.runs)
        elif block.kind == "table":
            wide = max(map(len, block.rows))
            table = self._document.add_table(0, wide, style="Table Grid")
            for row in block.rows:
                for cell, runs in zip(table.add_row().cells, row, strict=False):
                    self._fill(cell.paragraphs[0], runs)
        else:
            paragraph = self._document.add_paragraph(style=_KINDS.get(block.kind))
            if block.kind == "number":
                paragraph.paragraph_format.left_indent = Cm(0.6)
            self._fill(paragraph, block.runs)

    def save(self) -> bytes:
        """Return the file's bytes."""
        if self._notes:
            xml = f"<w:footnotes {nsdecls('w')}>{_LINES}{''.join(self._notes)}</w:footnotes>"
            package = self._document.part.package
            part = Part(PackURI("/word/footnotes.xml"), _FOOTNOTES, xml.encode(), package)
            self._document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
        file = io.BytesIO()
        self._document.save(file)
        return file.getvalue()

    def _fill(self, paragraph: Any, runs: list[EssayRun]) -> None:  # noqa: ANN401 -- of python-docx
        """Add runs to a paragraph; what is not in the evidence has a comment that says so."""
        first: Any = None
        if self._citations is None or self._citations.style == "footnotes":
            runs = close_notes(runs)
        for place, each in enumerate(runs):
            cited = self._citations if each.passages else None
            if cited and cited.style != "footnotes":
                paragraph.add_run(cited.cite(each.passages))
                continue
            if notes := parts.list_notes(self._written, each.passages, cited):
                for note in notes:
                    self._add_note(paragraph, note)
                continue
            run = paragraph.add_run(each.text)
            run.font.strike = each.style == "struck" or None
            run.bold = each.style == "mark" or each.bold or None
            run.italic = each.style == "soft" or each.italic or None
            if each.style in {"mark", "false"}:
                run.font.color.rgb = RGBColor(0xA4, 0x1E, 0x22)
            begins = not place or runs[place - 1].quote != each.quote
            first = run if begins else first
            ends = place + 1 == len(runs) or runs[place + 1].quote != each.quote
            if each.quote is not None and each.style in {"false", "open"} and ends:
                told = parts.describe_evidence(self._written, each.quote)
                words = ": ".join(filter(None, [parts.mark(each.quote), told]))
                self._document.add_comment([first, run], words, author="moot", initials="m")

    def _add_note(self, paragraph: Any, text: str) -> None:  # noqa: ANN401 -- of python-docx
        """Add a footnote."""
        number = len(self._notes) + 2
        self._notes.append(
            f'<w:footnote w:id="{number}"><w:p>{_CLOSE}<w:r>{_RAISED}<w:footnoteRef/></w:r>'
            f'<w:r>{_SMALL}<w:t xml:space="preserve"> {escape(text)}</w:t></w:r></w:p></w:footnote>'
        )
        run = paragraph.add_run()
        run.font.superscript = True
        reference = OxmlElement("w:footnoteReference")
        reference.set(qn("w:id"), str(number))
        run._r.append(reference)  # noqa: SLF001 -- python-docx has no footnotes of its own
