"""What the README, the changelog and the citation state of moot is so."""

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from moot.debate.decision import registry as decisions
from moot.reports.portrait import describe_protocol
from moot.studies.dry_run import rehearse_debate
from protocol_pages import list_shipped_protocols
from support.commands import run_command

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FIRST = 'moot ask "Is the sun a star?" --kind boolean --max-tokens 60'
"""What the README, the first steps and `make demo` begin with."""


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/compare.md"])
def test_the_number_of_protocols_is_that_of_those_that_are_shipped(page):
    text = (ROOT / page).read_text()
    stated = re.findall(r"(\d+) \[?protocols|\| protocols \| (\d+)", text)
    numbers = {int(number) for found in stated for number in found if number}
    assert numbers == {len(list(list_shipped_protocols()))}


async def test_the_number_of_those_that_debate_is_theirs():
    """In a rehearsal two agents read each other; without controls and other libraries."""
    debates = 0
    for each in list_shipped_protocols():
        if each.needs or "a control for studies" in describe_protocol(each).use:
            continue
        rehearsed = await rehearse_debate(each, each.check({}))
        agent = {turn.id: turn.agent for turn in rehearsed.turns}
        read = {(turn.agent, agent.get(id_)) for turn in rehearsed.turns for id_ in turn.reads}
        debates += any(one != other and (other, one) in read for one, other in read)
    for page in ("README.md", "docs/compare.md"):
        [stated] = re.findall(r"of which (\d+) debate", (ROOT / page).read_text())
        assert int(stated) == debates


def test_the_model_that_is_fetched_is_the_one_that_is_asked():
    [file] = re.findall(r"^moot model fetch hf:\S+/(\S+)\.gguf$", README, re.MULTILINE)
    [name] = re.findall(r"--model local/(\S+)$", README, re.MULTILINE)
    assert name == file.lower()


def test_the_number_of_decision_rules_is_theirs():
    [number] = re.findall(r"(\d+) rules, replayed", (ROOT / "docs" / "compare.md").read_text())
    assert int(number) == len([each for each in decisions if "moot." in each.rule.__module__])


def test_every_extra_is_named():
    [line] = re.findall(r"^Extras are installed as .*\n.*", README, re.MULTILINE)
    named = set(re.findall(r"`([a-z]+)`", line))
    assert named == set(PROJECT["optional-dependencies"])


def test_the_citation_and_the_changelog_are_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    newest = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == PROJECT["version"]


def test_the_answer_shown_is_one_to_the_command_above_it():
    command, shown = re.findall(
        r"```sh\n(moot ask.*)\n```\n\n```text\n(.*?)```", README, re.DOTALL
    )[0]
    assert command == FIRST
    assert f"```sh\n{FIRST}\n```" in (ROOT / "docs" / "start.md").read_text()
    turns = re.findall(r"^  round (\d)  mind-(\d) ", shown, re.MULTILINE)
    assert sorted(turns) == [(round_, mind) for round_ in "12" for mind in "123"]
    assert "6 calls" in shown


def test_the_demonstration_is_that_debate_and_a_small_study(tmp_path):
    """Its first lines come with the first replies, and all of it fits into two minutes."""
    done = subprocess.run(
        ["make", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = [line.strip() for line in re.split(r"[\n;]", done.stdout) if "/moot " in line]
    first, study, report = [line.partition("/")[2].replace("bin/", "") for line in lines]
    assert first == FIRST
    assert report == "moot report demo"
    words = shlex.split(study)[1:]
    code, told, errors = run_command(tmp_path, *words, "--dry-run", MOOT_STORE=str(tmp_path))
    assert code == 0, errors
    [most] = re.findall(r"at most (\d+) calls", told + errors)
    assert int(most) <= 140  # 0.6 s each on two cores, with what is drawn twice made once


def test_its_pictures_are_small():
    shown = re.findall(r"!\[.+?\]\((.+?)\)", README)
    assert "docs/images/debate.webp" in shown
    assert [each for each in shown if (ROOT / each).stat().st_size > 1_000_000] == []
