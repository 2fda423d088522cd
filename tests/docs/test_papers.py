"""Every command on the page of the papers' tables and figures gives one, on a few questions."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.debate.protocol import registry as protocols
from moot.studies.sources import list_shipped_names

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "papers.md").read_text()
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}
FENCE = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
SOCIETAL = ("society", "fidelity-costs")
LIBRARIES = ("langgraph", "camel", "autogen")


def joined(block: str) -> list[str]:
    """The commands of a block, each on one line."""
    return block.replace("\\\n", " ").splitlines()


def read_commands(part: str) -> list[list[str]]:
    """The commands of a part of the page: those that run studies, then those in its table."""
    shown = [each for block in FENCE.findall(part) for each in joined(block)]
    shown += re.findall(r"`(moot [^`]+)` \|$", part, re.MULTILINE)
    return [shlex.split(line)[1:] for line in shown if " RUN" not in line]


@pytest.mark.parametrize("title", SECTIONS)
def test_every_command_of_a_paper_runs(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_STORE", str(tmp_path / "store"))
    societies = all(protocols.get(each).is_installed for each in LIBRARIES)
    ran = 0
    for words in read_commands(SECTIONS[title]):
        if not societies and any(part in word for word in words for part in SOCIETAL):
            continue
        few = words + {"run": ["--limit", "1"]}.get(words[0], [])
        done = CliRunner().invoke(cli, few)
        assert done.exit_code == 0, (words, done.output)
        assert done.output.strip()
        ran += 1
    assert ran


def test_every_figure_has_a_picture_that_says_what_is_seen():
    for number, part in enumerate(SECTIONS.values(), 1):
        pictures = re.findall(r"^!\[([^\]]+)\]\(([^)]+)\)$", part, re.MULTILINE)
        for told, path in pictures:
            assert len(told.split()) > 8
            assert 1_000 < (DOCS / path).stat().st_size < 65_000, path
        for row in re.findall(r"^\| (figure[^|]+) \|.* --format pdf` \|$", part, re.MULTILINE):
            start = f"images/papers/{number}-{re.sub('[^a-z0-9]+', '-', row)}-"
            assert any(path.startswith(start) for _, path in pictures), row


def test_no_picture_is_kept_that_the_page_does_not_show():
    kept = {path.name for path in (DOCS / "images" / "papers").iterdir()}
    assert kept == set(re.findall(r"\(images/papers/([^)]+)\)", PAGE))


def test_every_study_of_a_paper_is_on_the_page():
    own = {
        "demo",
        "sums",
        "protocols",
        "refinement",
        "controls",
        "adaptive",
        "adaptive-fit",
        "adaptive-features",
        "oversight",
        "league",
        "documents",
        "documents-own",
    }
    papers = {name.removesuffix("-sums") for name in list_shipped_names()} - own
    assert [name for name in sorted(papers) if name not in PAGE] == []
