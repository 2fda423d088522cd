"""Citations in a style, the references below an essay, and bibliographies of what it cites."""

import io
import json
import re
import zipfile

import msgspec
import pytest
from click.testing import CliRunner
from docx import Document

from moot.cli.main import moot as cli
from moot.contrib.essays.bibliography import format_bibliography
from moot.contrib.essays.checked_text import check_file
from moot.contrib.essays.citations import Citations, CitedWork, find_place, name_work
from moot.contrib.essays.essay_files import format_essay
from moot.contrib.essays.written import describe_essay
from moot.core.events import Passage
from support.essays import transcript

FEES = """---
title: On fees
author: Ada Stone
date: 2017-01-02
---

The twelve museums abolished their fees in 2011, and visits rose by 71 per cent.
"""
BLOG = """<title>Fees are fair</title><meta name="author" content="Ben Fry; Cy Ray; Di Oak">
<p>Fees pay for the guards at night, says the director of museums.</p>"""
PLAIN = "Museums are free of charge in four countries, as everybody knows.\n"
TEXT = """
The poor come: “abolished their fees in 2011” [FEES].
Others say that “Fees pay for the guards at night” [BLOG].

It is known [PLAIN, FEES], and “free of charge in four countries” [PLAIN]."""
MISSING = "the author of plain.txt; the title of plain.txt; the year of blog.html, plain.txt"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Runs ``moot write`` on an essay of one's own; returns its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_STORE", "store")
    (tmp_path / "notes").mkdir()
    for name, content in (("fees.md", FEES), ("blog.html", BLOG), ("plain.txt", PLAIN)):
        (tmp_path / "notes" / name).write_text(content)

    def run(*words):
        done = CliRunner().invoke(cli, ["write", *words])
        assert isinstance(done.exception, SystemExit | None)
        return done.exit_code, done.stdout, done.stderr

    given = ("--model", "simulated/people", "--protocol", "essay-plan", "--stance", "support")
    given += (
        "--evidence",
        "notes",
        "--until",
        "plan",
        "--output",
        "plan.toml",
        "--set",
        "passages=9",
    )
    code, _, err = run("Museums should be free of charge, and fees pay for guards.", *given)
    assert code == 0, err
    code, out, err = run("--from", "plan.toml", "--json")
    made = json.loads(out)
    assert (code, made["failed"]) == (0, None), err
    numbers = {
        each["source"].split(".")[0].upper(): each["number"]
        for each in made["passages"]
        if "---" not in each["text"]
    }
    text = re.sub(r"\b(FEES|BLOG|PLAIN)\b", lambda match: str(numbers[match[0]]), TEXT)
    draft = (tmp_path / "plan.toml").read_text()
    (tmp_path / "own.toml").write_text(f'{draft}\n\n[essay]\ntext = """{text}"""\n')
    return run


def test_a_dry_run_of_a_text_of_ones_own_says_that_no_model_is_asked(here):
    code, out, _ = here("--from", "own.toml", "--dry-run")
    assert code == 0
    assert "1 debate: no model is asked" in out
    assert "0 calls" not in out
    assert "paid for in all" not in out


def test_each_style_puts_documents_in_the_place_of_passages(here, tmp_path):
    shown = {}
    for style in ("numbers", "author-year", "footnotes"):
        code, _, err = here("--from", "own.toml", "--citations", style, "--output", f"{style}.txt")
        assert code == 0
        assert "no model was asked" in err
        assert "0 calls" not in err
        essay = (tmp_path / f"{style}.txt").read_text().partition("Essay ─")[2]
        shown[style] = " ".join(essay.replace("\u00a0", " ").split())
        assert err.count(MISSING) == 0  # it is said in the text itself
        assert MISSING in " ".join((tmp_path / f"{style}.txt").read_text().split())
    by_number, by_name, notes = shown.values()
    assert "in 2011” [1, line 7]." in by_number
    assert "at night” [2, para. 1]." in by_number
    assert "known [3, line 1; 1, line 7]," in by_number
    assert "[1] Stone, A. (2017). On fees. [2] Fry, B., Ray, C., & Oak, D. Fees" in by_number
    assert "Fees are fair. [3] plain.txt." in by_number
    assert "in 2011” (Stone, 2017, line 7)." in by_name
    assert "at night” (Fry et al., para. 1)." in by_name
    assert "known (plain.txt, line 1; Stone, 2017, line 7)," in by_name
    assert "References ─" in by_name
    assert by_name.index("Fry, B., Ray") < by_name.index("plain.txt. Stone, A. (2017)")
    assert "in 2011”[1]." in notes
    assert "[2] Fry, B., Ray, C., & Oak, D. Fees are fair, para. 1." in notes
    assert "[3] plain.txt, line 1. Stone, A. (2017). On fees, line 7." in notes


@pytest.mark.parametrize("form", ["md", "html", "txt"])
def test_numbers_of_references_begin_at_1_and_have_no_gaps(here, tmp_path, form):
    assert here("--from", "own.toml", "--citations", "numbers", "--output", f"a.{form}")[0] == 0
    text = re.sub(r"<[^>]+>", "", (tmp_path / f"a.{form}").read_text()).replace("\\", "")
    start = text.index("The poor come")
    essay = text[start : text.index("countries”", start) + 60]
    numbers = {
        int(n)
        for each in re.findall(r"\[([^\]]+)\]", essay)
        for n in re.findall(r"(?:^|; )(\d+),", each)
    }
    assert numbers == {1, 2, 3}


def test_word_has_styles_too_with_footnotes_of_its_own(here, tmp_path):
    for style in ("author-year", "footnotes"):
        assert here("--from", "own.toml", "--citations", style, "--output", f"{style}.docx")[0] == 0
    content = (tmp_path / "author-year.docx").read_bytes()
    words = "\n".join(each.text for each in Document(io.BytesIO(content)).paragraphs)
    assert "“abolished their fees in 2011” (Stone, 2017, line\u00a07)." in words
    assert "\nFry, B., Ray, C., & Oak, D. Fees are fair.\n" in words
    with zipfile.ZipFile(tmp_path / "footnotes.docx") as packed:
        notes = re.findall(r"<w:t [^>]*>([^<]+)</w:t>", packed.read("word/footnotes.xml").decode())
    assert notes[0] == " Stone, A. (2017). On fees, line\u00a07."
    assert len(notes) == 4


def test_a_bibliography_has_what_is_cited_and_nothing_that_is_not_known(here, tmp_path):
    code, _, err = here("--from", "own.toml", "--bibliography", "refs.bib", "--output", "a.md")
    assert code == 0, err
    bib = (tmp_path / "refs.bib").read_text()
    entries = dict(re.findall(r"@misc\{(\S+),\n(.*?)\n\}", bib, re.DOTALL))
    assert list(entries) == ["fryfees", "plain", "stone2017fees"]
    assert "author = {Fry, Ben and Ray, Cy and Oak, Di}" in entries["fryfees"]
    assert "year" not in entries["fryfees"]
    assert entries["stone2017fees"].split("\n")[2] == "  year = {2017},"
    assert here("--from", "own.toml", "--bibliography", "refs.json", "--output", "b.md")[0] == 0
    items = {each["id"]: each for each in json.loads((tmp_path / "refs.json").read_text())}
    assert list(items) == list(entries)
    assert items["stone2017fees"]["author"] == [{"family": "Stone", "given": "Ada"}]
    assert items["stone2017fees"]["issued"] == {"date-parts": [[2017]]}
    assert "issued" not in items["fryfees"]
    assert items["fryfees"]["type"] == "webpage"


def test_names_and_addresses_end_no_field_of_bibtex():
    names = ("Ada {Stone", "Ministry of R&D")
    work = CitedWork("a.md", "On fees", names, address="https://example.org/{a}\\b}%20c_d")
    made = format_bibliography([work], "bibtex")
    assert "  author = {{Ada \\textbraceleft{}Stone} and {Ministry of R\\&D}},\n" in made
    assert "  url = {https://example.org/%7Ba%7D%5Cb%7D%20c_d},\n" in made
    assert made.count("{") == made.count("}")


@pytest.mark.parametrize("form", ["html", "markdown", "docx", "pdf"])
def test_a_table_with_an_empty_cell_is_shown_in_the_style_of_footnotes(tmp_path, form):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "plain.txt").write_text(PLAIN)
    table = "| | “free of charge in four countries” [1] |\n|---|---|\n| Rome | free |\n"
    (tmp_path / "own.md").write_text(f"Compare:\n\n{table}")
    checked = check_file(str(tmp_path / "own.md"), str(tmp_path / "notes")).to_written()
    made = format_essay(checked, form, "footnotes")
    if form == "html":
        assert '<a href="#note-1" id="cited-1">1</a>' in made
        assert "<td></td>" in made
    elif form == "docx":
        assert Document(io.BytesIO(made)).tables[0].cell(0, 0).text == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--citations", "numbers", "--json"], "json has the numbers of passages"),
        (
            ["--bibliography", "refs.doc"],
            "--bibliography refs.doc: give an ending of .bib or .csl.json",
        ),
        (["--bibliography", "own.toml"], "own.toml"),
        (["--citations", "apa"], "'apa' is not one of"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_done(here, words, told):
    code, out, err = here("--from", "own.toml", *words)
    assert code == 2
    assert told in err + out


@pytest.mark.parametrize(
    ("source", "name", "place"),
    [
        ("a/b.pdf, page 3", "a/b.pdf", "p. 3"),
        ("b.pdf, pages 3-4", "b.pdf", "pp. 3–4"),
        ("b.pdf, page 3 to b.pdf, page 4", "b.pdf", "pp. 3–4"),
        ("c.docx, paragraph 12", "c.docx", "para. 12"),
        ("c.docx, table 2", "c.docx", "table 2"),
        ("c.html, before paragraph 1", "c.html", ""),
        ("notes: old.md:12", "notes: old.md", "line 12"),
        ("a passage of the question", "a passage of the question", ""),
    ],
)
def test_a_source_is_a_document_and_a_place(source, name, place):
    assert (name_work(source), find_place(source).replace("\u00a0", " ")) == (name, place)


def test_two_works_of_a_year_have_letters_and_without_a_year_their_titles(here, tmp_path):
    for name, old, new in (("more.md", "On fees", "More on fees"), ("old.md", "date", "draft")):
        (tmp_path / "notes" / name).write_text(FEES.replace(old, new))
    (tmp_path / "notes" / "older.md").write_text(FEES.replace("date", "draft").replace("On", "In"))
    draft = (tmp_path / "plan.toml").read_text()
    code, out, err = here("--from", "plan.toml", "--json")
    assert code == 0, err
    shown = [each for each in json.loads(out)["passages"] if each["source"].endswith(".md:7")]
    said = " ".join(f"A [{each['number']}]." for each in shown)
    (tmp_path / "own.toml").write_text(f'{draft}\n\n[essay]\ntext = "{said}"\n')
    assert here("--from", "own.toml", "--citations", "author-year", "--output", "a.md")[0] == 0
    text = (tmp_path / "a.md").read_text().replace("\u00a0", " ")
    cited = set(re.findall(r"A \(([^)]+), line 7\)", text))
    assert cited == {"Stone, 2017a", "Stone, 2017b", "Stone, “On fees”", "Stone, “In fees”"}
    assert "- Stone, A. (2017a). More on fees.\n" in text
    assert "- Stone, A. (2017b). On fees.\n" in text
    assert "- Stone, A. On fees.\n" in text


def cite_each(rows):
    """Cites one passage of each document by author and year; returns the citations of an essay."""
    made = describe_essay(transcript(), "ask-1")
    numbers = range(1, len(rows) + 1)
    written = msgspec.structs.replace(
        made,
        essay=" ".join(f"A [{number}]." for number in numbers),
        quotes=(),
        passages=tuple(
            Passage(number, f"{row['document']}:1", "A") for number, row in enumerate(rows, 1)
        ),
        documents=tuple(rows),
    )
    citations = Citations(written, "author-year")
    return citations, [citations.cite([number]) for number in numbers]


def test_no_two_documents_are_cited_alike_however_many_of_a_year():
    rows = [
        {
            "document": f"{n:02}.md",
            "title": f"Fees {n:02}",
            "authors": ["Ada Stone"],
            "year": "2017",
        }
        for n in range(28)
    ]
    citations, cited = cite_each(rows)
    assert len(set(cited)) == 28
    assert [cited[n].split(",")[1] for n in (0, 25, 26, 27)] == [
        " 2017a", " 2017z", " 2017aa", " 2017ab"
    ]  # fmt: skip
    assert [work.document for work in citations.works] == [row["document"] for row in rows]


@pytest.mark.parametrize("authors", [(), ("Ada Stone",)])
def test_documents_that_say_the_same_of_themselves_are_cited_by_their_names(authors):
    title = "The fees of museums in Europe"
    rows = [
        {"document": name, "title": f"{title} {name}", "authors": authors}
        for name in ("a.md", "b.md", f"{'long' * 60}.md", f"{'long' * 60}2.md")
    ]
    _, cited = cite_each(rows)
    assert len(set(cited)) == 4
    assert [row["document"] in words for row, words in zip(rows, cited, strict=True)] == [True] * 4


def test_citations_of_an_essay_that_cites_nothing_are_said_to_be_none(here, tmp_path):
    given = ["Fees are fair.", "--model", "simulated/people", "--protocol", "essay-direct"]
    asked = ["--stance", "support", "--citations", "numbers", "--bibliography", "e.bib"]
    code, _, err = here(*given, *asked)
    assert code == 0
    assert "--citations numbers, --bibliography e.bib: the essay cites no document\n" in err
    assert (tmp_path / "e.bib").read_text() == ""
    _, _, err = here("--from", "own.toml", "--citations", "numbers", "--bibliography", "f.bib")
    assert "cites no document" not in err


def test_a_dry_run_tells_what_is_read_of_each_document(here):
    given = ("Museums should be free.", "--evidence", "notes", "--model", "simulated/people")
    code, out, _ = here(*given, "--dry-run")
    assert code == 0
    assert "  fees.md: 2 passages; Ada Stone, On fees, 2017\n" in out
    assert "  plain.txt: 1 passage; states no author, no title, no year\n" in out
