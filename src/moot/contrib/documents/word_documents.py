"""Word documents: their words as they stand, in headings, paragraphs, tables, notes and boxes.

What was inserted is read and what was deleted is not, as if all changes had been accepted.
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, NamedTuple
from xml.etree.ElementTree import Element, iterparse

from moot import InputError
from moot.contrib.documents.document_blocks import (
    Block,
    join_fraction,
    lower_digits,
    raise_digits,
    table_blocks,
)

LARGEST = 64 * 2**20
"""Bytes of a document when it is unpacked."""
WIDEST = 64
"""Places of a table that one cell spans at most; it stands in the first of them."""
OUTLINES = frozenset("012345")
"""Levels of an outline that are headings."""
DEEPEST = 256
"""Elements of a document within one another."""
_THROUGH = frozenset(
    (
        *("ins", "moveTo", "sdt", "sdtContent", "r", "hyperlink", "smartTag", "fldSimple"),
        *("customXml", "bdo", "dir", "ruby", "rubyBase", "oMath", "oMathPara", "e", "num", "den"),
        *("sub", "sup", "deg", "fName", "lim", "d", "f", "rad", "nary", "sSup", "sSub", "func"),
    )
)
"""Elements whose words are read as a part of the paragraph that they stand in."""
_SYMBOLS = {
    0x2D: "−",
    0xA3: "≤",
    0xB3: "≥",
    0xB1: "±",
    0xB4: "×",
    0xB8: "÷",
    0xB9: "≠",
    0xBB: "≈",
    0xB0: "°",
    0xA5: "∞",
    0xD7: "⋅",
    0xBA: "≡",
    0xD6: "√",
    0xE5: "∑",
    0xAE: "→",
    0xD8: "¬",
    0x61: "α",
    0x62: "β",
    0x67: "γ",
    0x64: "δ",
    0x65: "ε",
    0x6C: "λ",
    0x6D: "μ",
    0x70: "π",
    0x73: "σ",
    0x44: "Δ",
    0x53: "Σ",
    0x57: "Ω",
    0x72: "ρ",
    0x74: "τ",
    0x71: "θ",
    0x63: "χ",
}
"""Signs of the font Symbol, by their codes."""
_SIGNS = {"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-", "ptab": " "}


class _Style(NamedTuple):
    """A style of paragraphs: the level of a heading, 0 for others, and its name."""

    level: int
    name: str


@dataclass
class _Reading:
    """A document that is being read.

    Attributes:
        styles: by their ids.
        notes: the blocks of each note, by kind and id.
        left_out: how many of what were left out.
        side: what stands beside the paragraph: notes, boxes, pictures.
        numbers: how many notes were met.
        carried: words of a paragraph whose end was deleted.
    """

    styles: dict[str, _Style]
    notes: dict[tuple[str, str], list[Block]]
    left_out: Counter[str]
    side: list[Block] = field(default_factory=list)
    numbers: int = 0
    carried: str = ""


def read_word(content: bytes, left_out: Counter[str]) -> Iterator[Block]:
    """Read the words of a document.

    Args:
        content: its bytes.
        left_out: how many of what were left out is counted in it.

    Raises:
        InputError: it is too large when it is unpacked.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(each.file_size for each in packed.infolist()) > LARGEST:
            raise InputError(f"it has more than {LARGEST:,} bytes when it is unpacked")
        main = _find_main(packed)
        folder = main.rpartition("/")[0]
        reading = _Reading(_read_styles(packed, f"{folder}/styles.xml"), {}, left_out)
        for kind in ("footnote", "endnote"):
            _read_notes(packed, f"{folder}/{kind}s.xml", kind, reading)
        _count_left(packed, folder, left_out)
        with packed.open(main) as file:
            yield from _read_body(file, reading)


def _find_main(packed: zipfile.ZipFile) -> str:
    for each in parse_part(packed, "_rels/.rels"):
        if (each.get("Type") or "").endswith("/officeDocument"):
            return (each.get("Target") or "").lstrip("/")
    return "word/document.xml"


def parse_part(packed: zipfile.ZipFile, name: str) -> list[Element]:
    """Return the elements within the root of a part; none where there is no such part."""
    if name not in packed.namelist():
        return []
    with packed.open(name) as file:
        return [element for depth, element, _ in _stream(file) if depth == 1]


def _stream(file: IO[bytes]) -> Iterator[tuple[int, Element, Element]]:
    """Yield each element at its end, with how many stand around it and the next of these."""
    around: list[Element] = []
    for event, element in iterparse(file, events=("start", "end")):  # noqa: S314 -- Expat bounds entities, and follows none
        if event == "start":
            if len(around) == DEEPEST:
                raise InputError(f"its elements are more than {DEEPEST} deep")
            around.append(element)
        else:
            around.pop()
            if around:
                yield len(around), element, around[-1]


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _get(element: Element | None, name: str) -> str:
    """Return an attribute of an element, whatever its namespace."""
    named = element.attrib.items() if element is not None else ()
    found = (value for key, value in named if str(key).rpartition("}")[2] == name)
    return str(next(found, ""))


def _child(element: Element | None, *path: str) -> Element | None:
    """Return the first element on a path of names."""
    for name in path:
        listed = element if element is not None else ()
        element = next((each for each in listed if _name(each) == name), None)
    return element


def _is_on(element: Element | None) -> bool:
    return element is not None and _get(element, "val") not in {"0", "false", "off", "none"}


def _read_styles(packed: zipfile.ZipFile, name: str) -> dict[str, _Style]:
    styles: dict[str, _Style] = {}
    for each in parse_part(packed, name):
        if _name(each) == "style":
            called = _get(_child(each, "name"), "val").casefold()
            outline = _get(_child(each, "pPr", "outlineLvl"), "val")
            level = int(outline) + 1 if outline in OUTLINES else 0
            if match := re.fullmatch(r"heading (\d)", called):
                level = min(int(match[1]), 6)
            styles[_get(each, "styleId")] = _Style(1 if called == "title" else level, called)
    return styles


def _read_notes(packed: zipfile.ZipFile, name: str, kind: str, reading: _Reading) -> None:
    for each in parse_part(packed, name):
        if _name(each) == kind and _get(each, "type") in {"", "normal"}:
            reading.notes[kind, _get(each, "id")] = list(_read_blocks(each, reading))


def _count_left(packed: zipfile.ZipFile, folder: str, left_out: Counter[str]) -> None:
    """Count what readers of a printed document do not read as a part of its text."""
    left_out["comment"] += sum(
        _name(each) == "comment" for each in parse_part(packed, f"{folder}/comments.xml")
    )
    running = re.compile(rf"{re.escape(folder)}/(?:header|footer)\d*\.xml")
    for name in filter(running.fullmatch, packed.namelist()):
        said = ("".join(each.itertext()) for each in parse_part(packed, name))
        left_out["page header or footer"] += any(each.strip() for each in said)


def _read_body(file: IO[bytes], reading: _Reading) -> Iterator[Block]:
    """Read the document's body a block at a time, and drop each when it is read."""
    for depth, element, parent in _stream(file):
        if depth == 2:
            yield from _read_block(element, reading)
            parent.clear()
    if reading.carried:
        yield Block(reading.carried)


def _read_blocks(element: Element, reading: _Reading) -> Iterator[Block]:
    for each in element:
        yield from _read_block(each, reading)


def _read_block(element: Element, reading: _Reading) -> Iterator[Block]:
    name = _name(element)
    if name == "p":
        yield from _read_paragraph(element, reading)
    elif name == "tbl":
        yield from table_blocks(list(_read_rows(element, reading)))
    elif name in {"sdt", "sdtContent", "ins", "moveTo", "customXml"}:
        yield from _read_blocks(element, reading)
    elif name in {"del", "moveFrom"}:
        reading.left_out["deleted piece"] += 1
    elif name == "altChunk":
        reading.left_out["document within it"] += 1


def _read_paragraph(element: Element, reading: _Reading) -> Iterator[Block]:
    properties = _child(element, "pPr")
    style = reading.styles.get(_get(_child(properties, "pStyle"), "val"), _Style(0, ""))
    outline = _get(_child(properties, "outlineLvl"), "val")
    level = int(outline) + 1 if outline in OUTLINES else style.level
    outer, reading.side = reading.side, []
    pieces: list[str] = []
    _read_pieces(element, reading, pieces)
    words = " ".join(f"{reading.carried}{''.join(pieces)}".split())
    side, reading.side, reading.carried = reading.side, outer, ""
    if re.fullmatch(r"toc \d|toc heading|table of figures", style.name):
        reading.left_out["line of a table of contents"] += bool(words)
    elif _child(properties, "rPr", "del") is not None and words:  # its end was deleted
        reading.carried = "".join(pieces)
    elif words:
        yield Block(words, level, is_caption=style.name == "caption")
    yield from side


def _read_pieces(element: Element, reading: _Reading, pieces: list[str]) -> None:
    """Add the words within an element, and beside it what stands in notes and boxes."""
    for each in element:
        name = _name(each)
        if name == "t" or name in _SIGNS:
            pieces.append(_SIGNS.get(name) or each.text or "")
        elif name in {"del", "moveFrom"}:
            reading.left_out["deleted piece"] += 1
        elif name in {"r", "sSup", "sSub", "f", "sym"}:
            _read_shifted(each, reading, pieces)
        elif name == "sdt" and _is_on(_child(each, "sdtPr", "showingPlcHdr")):
            continue
        elif name in _THROUGH:
            _read_pieces(each, reading, pieces)
        elif name in {"footnoteReference", "endnoteReference"}:
            _add_note(each, name.removesuffix("Reference"), reading)
        elif name == "AlternateContent":
            chosen = _child(each, "Choice")
            _read_drawing(chosen if chosen is not None else each, reading)
        elif name in {"drawing", "pict", "object"}:
            _read_drawing(each, reading)


def _read_symbol(element: Element) -> str:
    """Return a sign of the font Symbol; empty for one that is not known."""
    code = _get(element, "char")
    is_known = _get(element, "font") == "Symbol" and re.fullmatch(r"[0-9A-Fa-f]{1,4}", code)
    return _SYMBOLS.get(int(code, 16) & 0xFF, "") if is_known else ""


def _read_shifted(element: Element, reading: _Reading, pieces: list[str]) -> None:
    """Add the words of a run or a formula; what is raised, lowered or divided is on one line."""

    def read(within: Element | None) -> str:
        found: list[str] = []
        if within is not None:
            _read_pieces(within, reading, found)
        return "".join(found)

    name = _name(element)
    if name == "f":
        sides = (read(_child(element, each)) for each in ("num", "den"))
        pieces.append(join_fraction(pieces[-1] if pieces else "", *sides))
    elif name == "sSup":
        pieces += read(_child(element, "e")), raise_digits(read(_child(element, "sup")))
    elif name == "sSub":
        pieces += read(_child(element, "e")), lower_digits(read(_child(element, "sub")))
    elif name == "sym":
        pieces.append(_read_symbol(element))
        reading.left_out["symbol"] += not pieces[-1]
    elif _is_on(_child(element, "rPr", "vanish")):
        reading.left_out["hidden piece"] += 1
    else:
        shift = _get(_child(element, "rPr", "vertAlign"), "val")
        moved = {"superscript": raise_digits, "subscript": lower_digits}.get(shift)
        pieces.append(moved(read(element)) if moved else read(element))


def _add_note(element: Element, kind: str, reading: _Reading) -> None:
    blocks = reading.notes.get((kind, _get(element, "id")), [])
    if words := " ".join(each.text for each in blocks if each.text):
        reading.numbers += 1
        reading.side.append(Block(f"Note: {words}", place=f"note {reading.numbers}"))
        reading.side += [each for each in blocks if each.rows]


def _read_drawing(element: Element, reading: _Reading) -> None:
    """Add the words of text boxes, and what pictures show according to their authors."""
    for each in element:
        name = _name(each)
        if name == "txbxContent":
            reading.side += _read_blocks(each, reading)
            continue
        if name == "docPr" and (shown := _get(each, "descr").strip()):
            reading.side.append(Block(f"[Image: {' '.join(shown.split())}]"))
        _read_drawing(each, reading)


def _read_rows(table: Element, reading: _Reading) -> Iterator[list[list[Block]]]:
    """Yield the cells of each row; what a merged cell goes on in is empty."""
    for each in table:
        name = _name(each)
        if name in {"sdt", "sdtContent", "ins", "customXml"}:
            yield from _read_rows(each, reading)
        elif name == "tr":
            if _child(each, "trPr", "del") is not None:
                reading.left_out["deleted row"] += 1
            else:
                yield list(_read_cells(each, reading))


def _read_cells(row: Element, reading: _Reading) -> Iterator[list[Block]]:
    for each in row:
        name = _name(each)
        if name in {"sdt", "sdtContent", "ins", "customXml"}:
            yield from _read_cells(each, reading)
        elif name == "tc":
            merged = _child(each, "tcPr", "vMerge")
            goes_on = merged is not None and _get(merged, "val") in {"", "continue"}
            is_deleted = _child(each, "tcPr", "cellDel") is not None
            reading.left_out["deleted cell"] += is_deleted
            yield [] if goes_on or is_deleted else list(_read_blocks(each, reading))
            wide = _get(_child(each, "tcPr", "gridSpan"), "val")[:4]
            yield from ([] for _ in range(min(int(wide), WIDEST) - 1 if wide.isdecimal() else 0))
