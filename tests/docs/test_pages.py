"""What single pages state: decision rules, papers, the notebook."""

import json
import re
import shlex
import tempfile
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.debate.decision import registry as decisions
from moot.debate.protocol import registry as protocols
from moot.studies.sources import list_shipped_names
from protocol_pages import list_shipped_protocols
from support.shown import DOCS, find_commands

RULES = (DOCS / "decision-rules.md").read_text()
PAPERS = (DOCS / "papers.md").read_text()
SECTIONS = {part.partition("\n")[0]: part for part in PAPERS.split("\n## ")[1:]}
SOCIETAL = ("society", "fidelity-costs")
LIBRARIES = ("langgraph", "camel", "autogen")
NOTEBOOK = DOCS / "notebook.ipynb"
NO_PAPER = {"demo", "sums", "protocols", "refinement", "controls", "oversight", "league"}
NO_PAPER |= {"adaptive", "adaptive-fit", "adaptive-features", "documents", "documents-own"}


def test_the_page_says_when_to_use_each_decision_rule_and_who_does_not_vote():
    before = RULES.partition("## What the analysis says")[0]
    assert [each.name for each in decisions if f"`{each.name}`" not in before] == []
    text = " ".join(RULES.split()).partition("Who votes:")[2].partition("The analysis")[0]
    named = {each for each in text.split("`")[1::2] if each != "decision"}
    assert named == {each.name for each in list_shipped_protocols() if not each.rules}


LONG = list(SECTIONS)[:2]


@pytest.mark.parametrize(
    "title",
    [pytest.param(each, marks=[pytest.mark.soak] if each in LONG else []) for each in SECTIONS],
)
def test_every_command_of_a_paper_runs(title, tmp_path, monkeypatch):
    """On a few questions; each gives something."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_STORE", str(tmp_path / "store"))
    societies = all(protocols.get(each).is_installed for each in LIBRARIES)
    ran = 0
    for line in find_commands(SECTIONS[title]):
        if " RUN" in line or (not societies and any(part in line for part in SOCIETAL)):
            continue
        words = shlex.split(line)[1:]
        done = CliRunner().invoke(cli, words + {"run": ["--limit", "1"]}.get(words[0], []))
        assert done.exit_code == 0, (words, done.output)
        assert done.output.strip()
        ran += 1
    assert ran


def test_every_figure_has_a_picture_that_says_what_is_seen_and_no_other_is_kept():
    for number, part in enumerate(SECTIONS.values(), 1):
        pictures = re.findall(r"^!\[([^\]]+)\]\(([^)]+)\)$", part, re.MULTILINE)
        for told, path in pictures:
            assert len(told.split()) > 8
            assert 1_000 < (DOCS / path).stat().st_size < 65_000, path
        for row in re.findall(r"^\| (figure[^|]+) \|.* --format pdf` \|$", part, re.MULTILINE):
            start = f"images/papers/{number}-{re.sub('[^a-z0-9]+', '-', row)}-"
            assert any(path.startswith(start) for _, path in pictures), row
    kept = {path.name for path in (DOCS / "images" / "papers").iterdir()}
    assert kept == set(re.findall(r"\(images/papers/([^)]+)\)", PAPERS))


def test_every_study_of_a_paper_is_on_the_page():
    papers = {name.removesuffix("-sums") for name in list_shipped_names()} - NO_PAPER
    assert [name for name in sorted(papers) if name not in PAPERS] == []


def read_outputs(notebook):
    """The plain outputs of each cell, and whether it has HTML."""
    found = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    data = [(output.get("data", {}), output.get("text", "")) for output in found]
    return [("".join(each.get("text/plain", text)), "text/html" in each) for each, text in data]


@pytest.mark.soak
def test_the_notebook_runs_and_shows_what_is_committed():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    committed = json.loads(NOTEBOOK.read_text("utf-8"))
    notebook = nbformat.reads(NOTEBOOK.read_text("utf-8"), as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries of Jupyter
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert read_outputs(notebook) == read_outputs(committed)
    assert sum(html for _, html in read_outputs(committed)) >= 5


def test_the_notebook_committed_is_small_and_names_no_folder():
    text = NOTEBOOK.read_text("utf-8")
    assert len(text.encode()) < 120_000
    assert "simulated" in text
    folders = (str(Path.home()), tempfile.gettempdir(), str(DOCS.parent), "site-packages")
    assert [each for each in folders if each in text] == []
