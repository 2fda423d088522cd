"""A user's documents: which are read, how they are divided, and what is no folder of them."""

import os

import pytest

from moot.contrib.documents import documents
from moot.contrib.documents.documents import (
    LONGEST,
    hash_folder,
    join_sources,
    list_unread,
    read_documents,
    read_folder,
    split_passages,
    take_beginning,
    take_end,
)
from moot.core.errors import InputError


def test_a_passage_is_a_paragraph_with_its_line():
    text = "\ufeff"[:0] + "One.\nStill one.\r\n\r\n \t\nTwo.\r\rThree.\n"
    expected = [(1, "One.\nStill one.", 0), (5, "Two.", 0), (7, "Three.", 0)]
    assert list(split_passages(text)) == expected


def test_every_paragraph_has_the_headings_above_it():
    text = "# Title\n\n## Part\nWords.\n\nMore.\n\n## Other\n\nLast.\n\n# Alone\n\n# Alone, too\n"
    assert list(split_passages(text)) == [
        (4, "# Title\n## Part\nWords.", 16),
        (6, "# Title\n## Part\nMore.", 16),
        (10, "# Title\n## Other\nLast.", 17),
        (14, "# Alone", 0),
        (14, "# Alone, too", 0),
    ]
    code = "```\n# no heading\nx\n```"
    assert list(split_passages(f"{code}\n\nWords.")) == [(1, code, 0), (6, "Words.", 0)]


def test_a_table_stands_with_its_caption_and_a_long_one_is_divided_with_its_head():
    table = "Table 1: Prices\n\n| Museum | Price |\n|---|---|\n| Linz | 12 |"
    assert list(split_passages(table)) == [(1, table.replace("\n\n", "\n"), 0)]
    apart = split_passages("Table 1: Prices\n\nNo table.")
    assert [text for _, text, _ in apart] == ["Table 1: Prices", "No table."]
    rows = "".join(f"| Museum number {n} of the town | {n} |\n" for n in range(100))
    parts = list(split_passages(f"Table 1: Prices\n\n| Museum | Price |\n|---|---|\n{rows}"))
    head = "Table 1: Prices\n| Museum | Price |\n|---|---|\n"
    assert len(parts) > 2
    assert all(text.startswith(head) and len(text) <= LONGEST for _, text, _ in parts)
    assert all(own == len(head) for _, _, own in parts)
    assert "".join(text[own:] + "\n" for _, text, own in parts) == rows


def test_a_long_paragraph_is_divided_after_sentences_and_loses_nothing():
    text = "".join(f"This is sentence number {n} of them.\n" for n in range(200))
    parts = list(split_passages(text))
    assert len(parts) > 4
    assert all(len(part) <= LONGEST for _, part, _ in parts)
    assert all(part.endswith(".") for _, part, _ in parts)
    assert " ".join(part for _, part, _ in parts).split() == text.split()
    lines = text.splitlines()
    assert all(part.startswith(lines[line - 1]) for line, part, _ in parts)
    [*most, (_, last, _)] = split_passages("x" * (2 * LONGEST + 5))
    assert [len(part) for _, part, _ in most] == [LONGEST] * 2
    assert last == "x" * 5


def test_only_documents_that_are_there_are_read(tmp_path):
    folder, outside = tmp_path / "docs", tmp_path / "outside"
    for each in (folder / "deep", folder / ".git", outside):
        each.mkdir(parents=True)
    (folder / "b.MD").write_text("bee", encoding="utf-8-sig")
    (folder / "deep/a.txt").write_text("ay")
    for name in ("c.xlsx", ".hidden.txt", ".git/d.txt"):
        (folder / name).write_text("not this")
    (outside / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "linked").symlink_to(outside)
    os.mkfifo(folder / "pipe.txt")
    assert read_folder(str(folder)) == (("b.MD:1", "bee", 0), ("deep/a.txt:1", "ay", 0))
    assert list_unread(str(folder)) == ["c.xlsx"]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (None, "there is no such folder; give one with documents that end in .txt, .md, "),
        (b"", "it is no folder"),
        ({}, "it has no document; their names end in .txt, .md, .html, .htm, .pdf, .docx"),
        ({"a.xlsx": b"x"}, "it has no document"),
        ({"a.pdf": b"x", "b.txt": b"y"}, "a.pdf: it is no .pdf that can be read"),
        ({"a.txt": b"", "b.md": b" \n\n "}, "its documents are empty"),
        ({"a.txt": b"good", "b.txt": b"caf\xe9\0"}, "b.txt: it is no UTF-8 (byte 3)"),
        (
            {"a.pdf": b"x", "b.txt": b"y", "c.docx": b"PK"},
            "(Stream has ended unexpectedly); c.docx: it is no .docx that can be read",
        ),
    ],
)
def test_what_cannot_be_searched_is_told(made, told, tmp_path):
    folder = tmp_path / "docs"
    if made == b"":
        folder.write_bytes(made)
    elif made is not None:
        folder.mkdir()
        for name, content in made.items():
            (folder / name).write_bytes(content)
    for sought in (read_folder, hash_folder):
        with pytest.raises(InputError) as error:
            sought(str(folder))
        assert told in str(error.value)


@pytest.mark.parametrize(("name", "most"), [("FILES", 2), ("BYTES", 10)])
def test_there_is_a_limit(name, most, tmp_path, monkeypatch):
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("words")
    read_folder(str(tmp_path))
    monkeypatch.setattr(documents, name, most)
    with pytest.raises(InputError, match="it has 3 documents with 15 bytes; at most"):
        read_folder(str(tmp_path))


def test_a_folder_is_read_once_and_anew_when_it_changes(tmp_path):
    (tmp_path / "a.txt").write_text("the moon is far")
    first, before = read_folder(str(tmp_path)), hash_folder(str(tmp_path))
    assert read_folder(str(tmp_path)) is first
    (tmp_path / "b.txt").write_text("the sun is farther")
    assert len(read_folder(str(tmp_path))) == 2
    assert hash_folder(str(tmp_path)) != before


@pytest.mark.parametrize(
    ("content", "words", "coding"),
    [
        ("café – 5 €".encode("cp1252"), "café – 5 €", "Windows-1252"),
        ("Gebühren für Museen".encode("latin-1"), "Gebühren für Museen", "Windows-1252"),
        ("¿Cuánto? 5 m³, 1ª sala¹.".encode("cp1252"), "¿Cuánto? 5 m³, 1ª sala¹.", "Windows-1252"),
        ("Free for all.".encode("utf-16"), "Free for all.", "UTF-16"),
        ("Free für alle".encode(), "Free für alle", ""),
    ],
)
def test_a_text_in_another_coding_is_read_and_that_is_known(content, words, coding, tmp_path):
    (tmp_path / "a.txt").write_bytes(content)
    read = read_documents(str(tmp_path))
    assert [piece.text for piece in read.pieces] == [words]
    assert read.details["a.txt"].coding == coding


@pytest.mark.parametrize(
    "content",
    [
        *(b"\xff", b"\xe4\xf6\xfc", b"a\x81b", b"caf\xe9\x00", b"\xff\xfe"),
        "Wstęp do muzeum był za darmo, a zażalenia są rzadkie.".encode("cp1250"),
    ],
)
def test_bytes_that_are_no_text_are_refused(content, tmp_path):
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.txt: it is no UTF-8"):
        read_folder(str(tmp_path))


@pytest.fixture
def several(tmp_path):
    for name, words in (
        ("one/a.md", "ay"),
        ("one/b.md", "bee"),
        ("two/a.md", "too"),
        ("c.txt", "cee"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(words)
    (tmp_path / "one" / "bad.pdf").write_bytes(b"x")
    (tmp_path / "one" / "worse.docx").write_bytes(b"x")
    return tmp_path


def test_documents_are_of_folders_and_files(several):
    (several / "one" / "bad.pdf").unlink()
    (several / "one" / "worse.docx").unlink()
    whole = join_sources([several / "one", several / "two", several / "c.txt"])
    assert read_folder(whole) == (
        ("c.txt:1", "cee", 0),
        ("one/a.md:1", "ay", 0),
        ("one/b.md:1", "bee", 0),
        ("two/a.md:1", "too", 0),
    )
    assert read_folder(str(several / "c.txt")) == (("c.txt:1", "cee", 0),)
    assert hash_folder(join_sources([several / "two"])) == hash_folder(str(several / "two"))
    alone, kept = several / "one" / "a.md", several / "two" / "a.md"
    with pytest.raises(InputError, match=r"a\.md: two documents have this name"):
        read_folder(join_sources([alone, kept]))
    with pytest.raises(InputError, match="none: there is no such folder"):
        read_folder(join_sources([several / "two", several / "none"]))


def test_folders_of_one_name_are_read_where_their_documents_differ(tmp_path):
    for place in ("x/docs/a.txt", "y/docs/b.txt"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(place)
    both = join_sources([tmp_path / "x" / "docs", tmp_path / "y" / "docs"])
    assert read_folder(both) == (
        ("docs/a.txt:1", "x/docs/a.txt", 0),
        ("docs/b.txt:1", "y/docs/b.txt", 0),
    )
    assert read_documents(f"{both}\n!docs/b.txt").gaps == ("docs/b.txt: all of it, as was asked",)


def test_a_name_that_leaves_nothing_out_and_a_path_that_looks_like_one_are_refused(
    several, monkeypatch
):
    monkeypatch.chdir(several)  # where there is a c.txt
    with pytest.raises(InputError, match=r"!c\.txt: no document has the name c\.txt"):
        read_folder("two\n!c.txt")
    for path, told in (("!z", "!z: ! stands before"), ("two\nthree", "a path has no line's end")):
        (several / path).mkdir()
        (several / path / "a.txt").write_text("ay")
        with pytest.raises(InputError, match=told):
            join_sources([path])
    with pytest.raises(InputError, match="it names no folder and no document"):
        read_folder("!z")
    assert read_folder(join_sources([several / "!z"])) == (("a.txt:1", "ay", 0),)


def test_documents_that_cannot_be_read_are_named_and_left_out_where_that_is_asked(several):
    with pytest.raises(InputError) as error:
        read_folder(str(several / "one"))
    assert "bad.pdf: it is no .pdf" in str(error.value)
    assert "worse.docx: it is no .docx" in str(error.value)
    asked = join_sources([several / "one"], skip_unreadable=True)
    assert asked == f"{several / 'one'}\n!bad.pdf\n!worse.docx"
    read = read_documents(asked)
    assert [piece.source for piece in read.pieces] == ["a.md:1", "b.md:1"]
    assert [each.partition(":")[0] for each in read.gaps] == ["bad.pdf", "worse.docx"]
    assert all("it is no ." in each and "left out" in each for each in read.gaps)
    named = join_sources([several / "one", several / "two"], skip_unreadable=True)
    assert "\n!one/bad.pdf\n" in named
    assert len(read_folder(named)) == 3


def test_what_is_around_a_passage_is_cut_at_sentences():
    text = "One is here. Two is there. Three is nowhere."
    assert take_beginning(text, 20) == "One is here."
    assert take_beginning(text, 5) == "One…"
    assert take_beginning("no end of it at all", 10) == "no end…"
    assert take_end(text, 20) == "Three is nowhere."
    assert take_end("no end of it at all", 10) == "…at all"
    assert take_end(text, 500) == take_beginning(text, 500) == text
