"""What each sentence rests on: none is left out, and each is in one state."""

import json
import re

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.contrib.essays.quoting.quotation_check import check_quotations
from moot.contrib.essays.sentence_states import count_sentences, list_sentences
from moot.core.events import Passage

PASSAGES = [Passage(1, "a.md:1", "Repairs doubled in ten years, and visits rose by 71 per cent.")]
UNSHOWN = [Passage(2, "a.md:3", "Most visitors come once a year from the town.")]
TEXT = """# Fees

A fee is a wall. It is said that “repairs doubled in ten years” [1]. Visits rose by 71 per cent [1].
Visits fell by 71 per cent [1]. He said that “most visitors come once a year” [1].

Costs rose by 12 per cent. The house says that it has money troubles of its own [1].

- “Nobody has ever come here twice” [1]
- So let those who come pay"""
STATES = [
    "own", "found", "found", "false", "unshown", "open", "paraphrase", "false", "own",
]  # fmt: skip


def test_each_sentence_has_a_state_and_headings_have_none():
    quotes = check_quotations(TEXT, PASSAGES, unshown=UNSHOWN, unsourced=True)
    found = list_sentences(TEXT, quotes)
    assert [each.state for each in found] == STATES
    words = re.findall(r"\w+", TEXT.removeprefix("# Fees"))
    assert re.findall(r"\w+", " ".join(each.text for each in found)) == words
    assert all(TEXT[each.start :].lstrip().startswith(each.text) for each in found)


def test_the_counts_add_up_to_all():
    quotes = check_quotations(TEXT, PASSAGES, unshown=UNSHOWN, unsourced=True)
    told = count_sentences(list_sentences(TEXT, quotes))
    assert told.startswith("9 sentences: 2 with a quotation or figure that is altered")
    assert sum(map(int, re.findall(r"(?<!with )(?<![:\w])\b(\d+) (?:with|whose|that)", told))) == 9
    assert count_sentences([]) == ""


@pytest.mark.parametrize("end", ["md", "txt"])
def test_the_command_tells_and_lists_them(tmp_path, monkeypatch, end):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(PASSAGES[0].text)
    text = f"{TEXT}\n\n## References\n\nA book that nobody has read.\n"
    (tmp_path / f"paper.{end}").write_text(text)
    given = ["check", f"paper.{end}", "--evidence", "notes"]
    made = json.loads(CliRunner().invoke(cli, [*given, "--json"]).stdout)
    assert [each["state"] for each in made["sentences"]][:4] == STATES[:4]
    assert "book" not in str(made["sentences"])
    said = " ".join(CliRunner().invoke(cli, given).stdout.split())
    assert f"{len(made['sentences'])} sentences: " in said


def test_escaped_brackets_of_markdown_are_references(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(PASSAGES[0].text)
    (tmp_path / "paper.md").write_text(r"Visits rose by 71 per cent \[1, line 7; 2, para. 3\].")
    made = json.loads(
        CliRunner().invoke(cli, ["check", "paper.md", "--evidence", "notes", "--json"]).stdout
    )
    assert [(each["text"], each["state"]) for each in made["quotes"]] == [("71 per cent", "found")]
