"""``moot check`` as a user has it: a text against a folder, without a model."""

import io
import json
import re

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.contrib.documents.document_readers import read_document

REVIEW = """# Review

The twelve museums abolished their fees in 2011. Visits rose by 71 per cent in five years.

The ministry does not support free admission. Donations fell to 14.8 million euros in 2016.
"""
PAPER = """# Free museums

It “does not support free admission” (Smith 2018), but
“the ministry does support free admission” [3].

According to the review, visits rose by 71 per cent. According to it, visits fell by 71 per cent.

Donations fell to $14.8 million [12], and costs to 99 million euros [12].

“Nobody has ever seen a museum at night from within” [4].
“The twelve museums abolished their fees” [7].

## References

[3] Smith, A.: “A book that nobody of the ministry has read”, 2018, 199 pages.
"""
STATES = [
    ("words", "does not support free admission", "found", 1),
    ("figure", "2018", "unchecked", None),
    ("words", "the ministry does support free admission", "altered", 1),
    ("figure", "71 per cent", "found", 2),
    ("figure", "71 per cent", "altered", 2),
    ("figure", "$14.8 million", "altered", 1),
    ("figure", "99 million euros", "missing", None),
    ("words", "Nobody has ever seen a museum at night from within", "missing", None),
    ("words", "The twelve museums abolished their fees", "found", 2),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Runs ``moot check`` in a folder with documents and a text; a model would be refused."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_MODEL", "no/such")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "review.md").write_text(REVIEW)
    (tmp_path / "paper.md").write_text(PAPER)

    def run(*words, stdin=None):
        done = CliRunner().invoke(cli, ["check", *words], input=stdin)
        assert isinstance(done.exception, SystemExit | None)
        return done.exit_code, done.stdout, done.stderr

    return run


def tell(made):
    return [
        (each["kind"], each["text"], each["state"], each["passage"] or each["stands_in"])
        for each in made["quotes"]
    ]


def test_each_quotation_is_checked_against_all_documents(here, tmp_path):
    code, out, _ = here("paper.md", "--evidence", "notes", "--json")
    made = json.loads(out)
    assert (code, tell(made)) == (0, STATES)
    assert made["counts"] == {"found": 3, "unchecked": 1, "altered": 3, "missing": 2}
    assert [each["source"] for each in made["passages"]] == ["review.md:5", "review.md:3"]
    altered = [each["nearest"] for each in made["quotes"] if each["state"] == "altered"]
    assert "The ministry does not support free admission" in altered[0]
    assert "14.8 million euros" in altered[2]
    assert made["notes"] == ["Its list of references was not checked."]
    for each in made["quotes"]:
        stop = each["start"] + len(each["text"])
        assert made["text"][each["start"] : stop] == each["text"]
    assert not (tmp_path / ".moot").exists()  # nothing is stored


def test_what_is_false_stands_first_and_ends_with_1_where_that_is_asked(here, tmp_path):
    code, out, _ = here("paper.md", "--evidence", "notes")
    assert code == 0
    assert out.index("Altered or not found: 5") < out.index("Found: 3") < out.index("Not checked")
    assert re.search(r"line 4 +ALTERED “the ministry does support free admission”; the evid", out)
    assert here("paper.md", "--evidence", "notes", "--strict")[0] == 1
    (tmp_path / "true.md").write_text("It “does not support free admission”.\n")
    code, out, _ = here("true.md", "--evidence", "notes", "--strict")
    assert (code, "Found: 1" in out) == (0, True)
    assert "neither a quotation nor a figure" in here("-", "--evidence", "notes", stdin="So.")[1]


def test_a_word_document_is_read_and_one_with_marks_is_written(here, tmp_path):
    from docx import Document

    document = Document()
    document.add_heading("Free museums", 1)
    document.add_paragraph("It “does support free admission to all” [1].")
    document.save(str(tmp_path / "paper.docx"))
    given = ["paper.docx", "--evidence", "notes"]
    code, out, _ = here(*given, "--output", "out.docx", "--strict")
    assert (code, out.count("ALTERED")) == (1, 1)
    written = Document(io.BytesIO((tmp_path / "out.docx").read_bytes()))
    [comment] = written.comments
    assert comment.text.startswith("ALTERED: the evidence has (review.md:5): “")
    assert "does not support free admission" in comment.text
    assert "ALTERED" not in "".join(each.text for each in written.paragraphs)
    again = json.loads(here("out.docx", "--evidence", "notes", "--json")[1])
    assert [state for _, _, state, _ in tell(again)] == ["altered"]
    code, _, err = here(*given, "--output", "out.docx")
    assert (code, "it is there; --force writes over it" in err) == (2, True)


@pytest.mark.parametrize("name", ["out.html", "out.md", "out.pdf", "out.json"])
def test_the_text_is_written_in_the_form_that_a_name_says(here, tmp_path, name):
    assert here("paper.md", "--evidence", "notes", "--output", name)[0] == 0
    content = (tmp_path / name).read_bytes()
    if name.endswith(".json"):
        assert tell(json.loads(content)) == STATES
        return
    parts = read_document(name, content).parts
    words = " ".join(" ".join(" ".join([*each.heads, each.text]).split()) for each in parts)
    assert "checked against notes" in words
    assert (b"no model was asked" in content) == (name != "out.pdf")
    assert words.count("ALTERED") >= 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nix.md", "--evidence", "notes"], "nix.md: No such file"),
        (["paper.md", "--evidence", "nix"], "--evidence nix: there is no such folder"),
        (["paper.md", "--evidence", "notes", "--output", "a.odt"], "give an ending of .md, .html"),
        (["empty.md", "--evidence", "notes"], "empty.md: it has no words to check"),
        (
            ["latin.txt", "--evidence", "notes"],
            "latin.txt: it is no UTF-8 (byte 1), and its coding",
        ),
        (["bad.docx", "--evidence", "notes"], "bad.docx: it is no .docx that can be read"),
        (["paper.md"], "Missing option '--evidence'"),
    ],
)
def test_what_cannot_be_read_is_named(here, tmp_path, given, said):
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "latin.txt").write_bytes(b"M\xfcseum\x00")
    (tmp_path / "bad.docx").write_bytes(b"PK")
    code, out, err = here(*given)
    assert (code, out) == (2, "")
    assert said in err


def test_documents_are_named_one_by_one_and_a_bad_one_is_left_out_on_request(here, tmp_path):
    (tmp_path / "notes" / "bad.pdf").write_bytes(b"x")
    (tmp_path / "old.txt").write_bytes("Im Müseum kostet es 5 Euro.".encode("latin-1"))
    given = ["paper.md", "--evidence", "notes", "--evidence", "old.txt"]
    code, _, err = here(*given)
    assert code == 2
    assert "bad.pdf: it is no .pdf that can be read" in err
    code, out, _ = here(*given, "--skip-unreadable", "--json")
    made = json.loads(out)
    assert code == 0
    told = [(k, t, s) for k, t, s, _ in tell(made)]
    assert told == [state[:3] for state in STATES]
    assert [each["source"] for each in made["passages"]] == [
        "notes/review.md:5",
        "notes/review.md:3",
    ]
    [told] = [note for note in made["notes"] if "bad.pdf" in note]
    assert told.startswith("Left out of the documents: notes/bad.pdf: it is no .pdf")
    assert "Read as Windows-1252, since no UTF-8: old.txt." in made["notes"]
