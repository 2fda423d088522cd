"""What the README and single pages state: numbers, decision rules, papers, the notebook."""

import json
import re
import shlex
import subprocess
import tempfile
import tomllib
import warnings
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.debate.decision import registry as decisions
from moot.debate.protocol import registry as protocols
from moot.reports.portrait import describe_protocol
from moot.studies.dry_run import rehearse_debate
from moot.studies.sources import list_shipped_names
from protocol_pages import list_shipped_protocols
from support.commands import run_command
from support.shown import DOCS, ROOT, find_commands, find_tabled

README = (ROOT / "README.md").read_text()
COMPARED = (DOCS / "compare.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FIRST = 'moot ask "Is the sun a star?" --kind boolean --max-tokens 60'
"""What the README, the first steps and `make demo` begin with."""
RULES = (DOCS / "decision-rules.md").read_text()
PAPERS = (DOCS / "papers.md").read_text()
SECTIONS = {part.partition("\n")[0]: part for part in PAPERS.split("\n## ")[1:]}
LONG, SHORT = list(SECTIONS)[:2], list(SECTIONS)[2:]
SOCIETAL = ("society", "fidelity-costs")
LIBRARIES = ("langgraph", "camel", "autogen")
NOTEBOOK = DOCS / "notebook.ipynb"
NO_PAPER = {"demo", "sums", "protocols", "refinement", "controls", "oversight", "league"}
NO_PAPER |= {"adaptive", "adaptive-fit", "adaptive-features", "documents", "documents-own"}


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/compare.md"])
def test_the_number_of_protocols_is_that_of_those_that_are_shipped(page):
    stated = re.findall(r"(\d+) \[?protocols|\| protocols \| (\d+)", (ROOT / page).read_text())
    numbers = {int(number) for found in stated for number in found if number}
    assert numbers == {len(list(list_shipped_protocols()))}


async def test_the_numbers_of_those_that_debate_and_of_decision_rules_are_theirs():
    """In a rehearsal two agents read each other; without controls and other libraries."""
    debates = 0
    for each in list_shipped_protocols():
        if each.needs or "a control for studies" in describe_protocol(each).use:
            continue
        rehearsed = await rehearse_debate(each, each.check({}))
        agent = {turn.id: turn.agent for turn in rehearsed.turns}
        read = {(turn.agent, agent.get(id_)) for turn in rehearsed.turns for id_ in turn.reads}
        debates += any(one != other and (other, one) in read for one, other in read)
    for text in (README, COMPARED):
        assert re.findall(r"of which (\d+) debate", text) == [str(debates)]
    rules = [each for each in decisions if "moot." in each.rule.__module__]
    assert re.findall(r"(\d+) rules, replayed", COMPARED) == [str(len(rules))]


def test_names_are_those_of_the_package():
    [file] = re.findall(r"^moot model fetch hf:\S+/(\S+)\.gguf$", README, re.MULTILINE)
    assert re.findall(r"--model local/(\S+)$", README, re.MULTILINE) == [file.lower()]
    [line] = re.findall(r"^Extras are installed as .*\n.*", README, re.MULTILINE)
    assert set(re.findall(r"`([a-z]+)`", line)) == set(PROJECT["optional-dependencies"])
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    newest = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert citation["version"] == newest[1] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]


def test_the_answer_shown_is_one_to_the_command_above_it():
    shown = re.findall(r"```sh\n(moot ask.*)\n```\n\n```text\n(.*?)```", README, re.DOTALL)
    command, answer = shown[0]
    assert command == FIRST
    assert f"```sh\n{FIRST}\n```" in (DOCS / "start.md").read_text()
    assert len(re.findall(r"^  round [12]  mind-[123] ", answer, re.MULTILINE)) == 6
    assert "6 calls" in answer


def test_the_demonstration_is_that_debate_and_a_small_study(tmp_path):
    """Its first lines come with the first replies, and all of it fits into two minutes."""
    done = subprocess.run(
        ["make", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = [line.strip() for line in re.split(r"[\n;]", done.stdout) if "/moot " in line]
    first, study, report = [line.partition("/")[2].replace("bin/", "") for line in lines]
    assert (first, report) == (FIRST, "moot report demo")
    words = shlex.split(study)[1:]
    code, told, errors = run_command(tmp_path, *words, "--dry-run", MOOT_STORE=str(tmp_path))
    assert code == 0, errors
    [most] = re.findall(r"at most (\d+) calls", told + errors)
    assert int(most) <= 140  # 0.6 s each on two cores, with what is drawn twice made once


def test_the_page_says_when_to_use_each_decision_rule_and_who_does_not_vote():
    before = RULES.partition("## What the analysis says")[0]
    assert [each.name for each in decisions if f"`{each.name}`" not in before] == []
    text = " ".join(RULES.split()).partition("Who votes:")[2].partition("The analysis")[0]
    named = {each for each in text.split("`")[1::2] if each != "decision"}
    assert named == {each.name for each in list_shipped_protocols() if not each.rules}


@pytest.mark.parametrize(
    "title", [*(pytest.param(each, marks=pytest.mark.soak) for each in LONG), *SHORT]
)
def test_every_command_of_a_paper_runs(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_STORE", str(tmp_path / "store"))
    societies = all(protocols.get(each).is_installed for each in LIBRARIES)
    ran = 0
    for line in find_commands(SECTIONS[title]) + find_tabled(SECTIONS[title]):
        if " RUN" in line or (not societies and any(part in line for part in SOCIETAL)):
            continue
        words = shlex.split(line)[1:]
        done = CliRunner().invoke(cli, words + {"run": ["--limit", "1"]}.get(words[0], []))
        assert done.exit_code == 0, (words, done.output)
        assert done.output.strip()
        ran += 1
    assert ran


def test_every_study_and_picture_of_the_papers_is_on_the_page():
    pictures = re.findall(r"^!\[([^\]]+)\]\((images/papers/[^)]+)\)$", PAPERS, re.MULTILINE)
    assert [told for told, _ in pictures if len(told.split()) < 9] == []
    assert [at for _, at in pictures if (DOCS / at).stat().st_size > 65_000] == []
    kept = {f"images/papers/{path.name}" for path in (DOCS / "images" / "papers").iterdir()}
    assert {at for _, at in pictures} == kept
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
