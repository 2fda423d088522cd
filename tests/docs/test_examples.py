"""What the README and the pages show is run: commands, Python, studies, prompts, plug-ins."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from moot.prompts.packs import load_pack
from moot.studies.sources import SHIPPED
from moot.studies.study import load as load_study
from support import embedded
from support.commands import run_command

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "docs" / "protocols" / "README.md",
]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ELSEWHERE = (
    "make ",
    " RUN",
    "hf:",
    "openai/",
    "local/qwen",
    "pip ",
    "bench/",
    "path/to",
    "NAME",
    "uv ",
    "fetch",
    "study.toml",
    "human/",
)
"""What cannot be had here: the network, a key, a person, a placeholder; `make` runs these tests."""


def blocks(page: Path, language: str) -> list[str]:
    return [code for name, code in FENCE.findall(page.read_text()) if name == language]


def commands(*pages: Path) -> list[str]:
    """Every command shown that needs nothing from elsewhere, each once, in order."""
    text = "\n".join(code for page in pages for code in blocks(page, "sh")).replace("\\\n", " ")
    lines = [line.partition("  #")[0].strip() for line in text.splitlines()]
    shown = [line for line in lines if line.startswith("moot ")]
    return list(dict.fromkeys(line for line in shown if not any(w in line for w in ELSEWHERE)))


def short(shown: str) -> str:
    """A command or Python or study as it is shown, but for the longest reply and a run's questions.

    The embedded model takes as long for every token; what is done with replies is the same.
    """
    shown = re.sub(r"(moot run .*--limit )(?:[3-9]|\d\d+)", r"\g<1>2", shown)
    shown = re.sub(r"^moot run (?!.*--limit).*", r"\g<0> --limit 10", shown)
    shown = shown.replace('style="simple")', 'style="simple", max_tokens=8)')
    return re.sub(r"(max_tokens ?= ?)\d+", r"\g<1>8", shown)


HERE = [page for page in PAGES if page.name != "papers.md"]
"""The pages whose commands run here; those of papers.md run in test_papers."""
EMBEDDED = "local/smollm2?threads=1&parallel=1"
"""The model of who names none, on one core: the other has the other tests."""


def environment(tmp_path: Path, model: str = EMBEDDED) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}
    return kept | {"MOOT_STORE": str(tmp_path / "store"), "MOOT_MODEL": model}


@pytest.mark.slow
def test_the_commands_of_the_readme_and_of_the_pages_run(tmp_path, request, forks):
    """Those of the README in processes, the first on the embedded model as it is.

    What it says to the others is recorded; they run in forks. The pages' come after them, in the
    same folder and in this process, with simulated agents.
    """
    first, *others = shown = commands(PAGES[0])
    assert first.startswith("moot ask")
    # The study's settings stand in its file: it is run from a file with shorter replies.
    (tmp_path / "demo.toml").write_text(short((SHIPPED / "demo.toml").read_text()))
    assert "moot run demo --limit 1" in shown
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(short(first))],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{first}\n{done.stderr}"
    asyncio.run(embedded.lay_in("readme", tmp_path / "store"))
    for command in others:
        line = short(command.replace("moot run demo ", "moot run demo.toml "))
        done = forks.run(tmp_path, shlex.split(line)[1:], environment(tmp_path))
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    asyncio.run(embedded.record("readme", tmp_path / "store", request.config))
    here = {"MOOT_STORE": str(tmp_path / "store"), "MOOT_MODEL": "simulated/people"}
    for command in commands(*HERE):
        if command not in shown:
            line = command.replace("moot run demo ", "moot run demo.toml ")
            code, _, errors = run_command(tmp_path, *shlex.split(short(line))[1:], **here)
            assert code == 0, f"{line}\n{errors}"


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path, request):
    """With what the embedded model says to it, which is recorded."""
    [code] = blocks(ROOT / "README.md", "python")
    asyncio.run(embedded.lay_in("readme_python", tmp_path / "store"))
    done = subprocess.run(
        [sys.executable, "-c", short(code)],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 7  # the answer, its six turns, and the essay
    asyncio.run(embedded.record("readme_python", tmp_path / "store", request.config))


def test_the_network_shown_is_one():
    [code] = blocks(ROOT / "docs" / "protocols" / "README.md", "toml")
    study = load_study(
        {"name": "wired", "datasets": [{"name": "arithmetic"}], **tomllib.loads(code)}
    )
    assert [node["name"] for node in study.arms[0].settings["nodes"]] == ["votes", "debates"]


def test_the_studies_of_the_results_can_be_planned():
    files = sorted((ROOT / "docs" / "results").glob("*.toml"))
    assert files
    for file in files:
        study = load_study(file, model="local/smollm2")
        assert study.arms
        assert f"moot run docs/results/{file.name}" in (file.parent / "README.md").read_text()


@pytest.mark.parametrize("page", ["README.md", "docs/studies.md", "docs/controls.md"])
def test_the_study_files_shown_are_studies(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("")
    for code in blocks(ROOT / page, "toml"):
        assert load_study(tomllib.loads(code)).arms


def test_the_prompts_shown_can_be_laid_over(tmp_path):
    [code] = blocks(ROOT / "docs" / "prompts.md", "toml")
    mine = tmp_path / "mine.toml"
    mine.write_text(code)
    ours, theirs = load_pack("society-of-minds"), load_pack("society-of-minds", overlay=mine)
    assert ours.digest != theirs.digest


def test_the_plug_ins_shown_work(tmp_path):
    """What docs/extending.md shows, in a process of its own."""
    page = ROOT / "docs" / "extending.md"
    protocol, *others = blocks(page, "python")
    (tmp_path / "second_thoughts.py").write_text(protocol)
    (tmp_path / "second_thoughts.toml").write_text(blocks(page, "toml")[0])
    assert all(len(code.splitlines()) < 40 for code in [protocol, *others])
    for number, code in enumerate(others):
        (tmp_path / f"other{number}.py").write_text(code)
    imports = ", ".join(["second_thoughts", *(f"other{number}" for number in range(len(others)))])
    script = f"""
import asyncio, moot, {imports}
answer = asyncio.run(moot.ask("Say it.", protocol="second-thoughts", looks=2, model="echo/one"))
assert answer.calls == 3, answer
assert answer.turns[2].reads == (1, 2), answer
from moot.parsing.parsers import registry
sources = registry.get("sources")
sum = moot.Question(id="q", kind="number", text="2 + 2?")
named = sources("Source: a book\\nFinal answer: 4", sum)
assert (named.answer, named.reading.sources) == ("4", 1), named
for words, calls in ((5, 3), (10_000, 9)):
    gated = asyncio.run(
        moot.ask("Say it.", protocol="reasons-gate", model="echo/one", words=words)
    )
    assert gated.calls == calls, gated
    assert moot.decide(gated.transcript, "longest-reason").by == "longest reason"
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment(tmp_path) | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
