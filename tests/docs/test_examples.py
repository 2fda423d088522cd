"""What README, pages and examples/ show is run: commands, Python, studies, prompts, plug-ins."""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import click
import pytest
import yaml

from moot.cli.main import moot as cli
from moot.contrib.tuning.tuning_file import load as load_tuning
from moot.prompts.packs import load_pack
from moot.studies.sources import SHIPPED
from moot.studies.study_file import load as load_study
from support import embedded
from support.commands import run_command
from support.shown import DOCS, ROOT, find_blocks, find_commands, find_tabled

PAGES = ["README.md", *sorted(f"docs/{page.name}" for page in DOCS.glob("*.md"))]
PAGES.append("docs/protocols/README.md")
TEXTS = {page: (ROOT / page).read_text() for page in PAGES}
ELSEWHERE = ("make ", " RUN", "hf:", "openai/", "local/qwen", "pip ", "bench/", "path/to", "NAME")
ELSEWHERE += ("uv ", "fetch", "study.toml", "human/", "FOLDER")
"""What cannot be had here: the network, a key, a person, a placeholder; `make` runs these tests."""
EMBEDDED = "local/smollm2?threads=1&parallel=1"
"""The model of who names none, on one core: the other has the other tests."""
SCALE = ROOT / "examples" / "scale"
SHIMS = {
    "scontrol": '[ "$1 $2" = "show hostnames" ] && printf "one\\ntwo\\n"',
    "srun": 'echo "$*" >> "$SHIM_LOG"; while [[ "$1" == --* ]]; do shift; done; exec "$@"',
    "hostname": "echo 127.0.0.1",
}
"""What the job of Slurm calls, for two "nodes" of this machine."""


def commands(*pages):
    """Every command shown that needs nothing from elsewhere, each once, in order."""
    shown = [line for page in pages for line in find_commands(TEXTS[page])]
    return list(dict.fromkeys(line for line in shown if not any(w in line for w in ELSEWHERE)))


def short(shown):
    """A command or Python or study as it is shown, but for the longest reply and a run's questions.

    The embedded model takes as long for every token; what is done with replies is the same.
    """
    shown = re.sub(r"(moot run .*--limit )(?:[3-9]|\d\d+)", r"\g<1>2", shown)
    shown = re.sub(r"^moot run (?!.*--limit).*", r"\g<0> --limit 10", shown)
    shown = shown.replace('style="simple")', 'style="simple", max_tokens=8)')
    return re.sub(r"(max_tokens ?= ?)\d+", r"\g<1>8", shown)


def environment(tmp_path, **more):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}
    return kept | {"MOOT_STORE": str(tmp_path / "store"), "MOOT_MODEL": EMBEDDED} | more


def run_program(tmp_path, *arguments, **more):
    done = subprocess.run(
        arguments,
        cwd=tmp_path,
        env=environment(tmp_path, **more),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{arguments}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_every_command_shown_has_its_options(page):
    for line in find_commands(TEXTS[page]) + find_tabled(TEXTS[page]):
        words = shlex.split(re.split(r" (?:[|>;&]+|< ) ?", line)[0])[1:]
        command, context = cli, click.Context(cli, info_name="moot", **cli.context_settings)
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            name = words.pop(0)
            command = command.get_command(context, name)
            assert command is not None, line
            context = click.Context(command, info_name=name, parent=context)
        with suppress(click.exceptions.Exit, click.MissingParameter):  # --schema; a part of one
            command.make_context(command.name, words, parent=context.parent)


@pytest.mark.soak
def test_the_commands_of_the_readme_and_of_the_pages_run(tmp_path, request, forks):
    """The README's on the embedded model, the first as it is; the pages' on simulated agents."""
    first, *others = shown = commands(PAGES[0])
    # The study's settings stand in its file: it is run from a file with shorter replies.
    (tmp_path / "demo.toml").write_text(short((SHIPPED / "demo.toml").read_text()))
    assert "moot run demo --limit 1" in shown
    run_program(tmp_path, sys.executable, "-m", *shlex.split(short(first)))
    asyncio.run(embedded.lay_in("readme", tmp_path / "store"))
    for command in others:
        line = short(command.replace("moot run demo ", "moot run demo.toml "))
        done = forks.run(tmp_path, shlex.split(line)[1:], environment(tmp_path))
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    asyncio.run(embedded.record("readme", tmp_path / "store", request.config))
    here = {"MOOT_STORE": str(tmp_path / "store"), "MOOT_MODEL": "simulated/people"}
    (tmp_path / "docs").mkdir()
    for log in DOCS.glob("*.example.jsonl"):  # pages name them from the project's folder
        (tmp_path / "docs" / log.name).write_bytes(log.read_bytes())
    # Those of papers.md run in test_pages.
    for command in commands(*(page for page in PAGES if "papers" not in page)):
        if command not in shown:
            line = command.replace("moot run demo ", "moot run demo.toml ")
            words, _, file = short(line).partition(" > ")
            code, printed, errors = run_command(tmp_path, *shlex.split(words)[1:], **here)
            assert code == 0, f"{line}\n{errors}"
            if file:
                (tmp_path / file).write_text(printed)


def test_the_python_of_the_readme_runs(tmp_path, request):
    """With what the embedded model says to it, which is recorded."""
    [code] = find_blocks(TEXTS["README.md"], "python")
    asyncio.run(embedded.lay_in("readme_python", tmp_path / "store"))
    said = run_program(tmp_path, sys.executable, "-c", short(code))
    assert len(said.splitlines()) > 7  # the answer, its six turns, and who decided
    asyncio.run(embedded.record("readme_python", tmp_path / "store", request.config))


def test_the_python_with_a_budget_runs(tmp_path):
    [code] = find_blocks((DOCS / "reference" / "asking.md").read_text(), "python")
    assert run_program(tmp_path, sys.executable, "-c", code).endswith("against it)\n")


def test_the_study_of_the_recipe_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = TEXTS["docs/recipe.md"]
    [rows] = [code for code in find_blocks(page, "text") if code.startswith("Question")]
    (tmp_path / "mine.csv").write_text(rows)
    [study] = find_blocks(page, "toml")
    arms = load_study(tomllib.loads(study)).arms
    assert [arm.protocol for arm in arms][:3] == ["single", "society-of-minds", "chateval"]
    assert len(arms) == 4  # and the vote


def test_the_studies_of_the_results_can_be_planned():
    for file in (DOCS / "results").glob("*.toml"):
        assert load_study(file, model="local/smollm2").arms
        assert f"moot run docs/results/{file.name}" in (file.parent / "README.md").read_text()


@pytest.mark.parametrize(
    "page", ["README.md", "docs/studies.md", "docs/controls.md", "docs/protocols/README.md"]
)
def test_the_study_files_shown_are_studies(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("")
    for code in find_blocks(TEXTS[page], "toml"):
        shown = {"name": "shown", "datasets": [{"name": "arithmetic"}], **tomllib.loads(code)}
        assert load_study(shown).arms


def test_the_fit_shown_can_be_prepared(tmp_path):
    row = {"id": "1", "question": "1 + 1?", "answer": "2"}
    (tmp_path / "train.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "fit.toml").write_text(find_blocks(TEXTS["docs/adaptive.md"], "toml")[0])
    tuning = load_tuning(tmp_path / "fit.toml")
    assert (tuning.protocol.name, tuning.table.fit) == ("confidence-gate", "gate.json")


def test_the_prompts_shown_can_be_laid_over(tmp_path):
    [code] = find_blocks(TEXTS["docs/prompts.md"], "toml")
    mine = tmp_path / "mine.toml"
    mine.write_text(code)
    ours, theirs = load_pack("society-of-minds"), load_pack("society-of-minds", overlay=mine)
    assert ours.digest != theirs.digest


def test_the_plug_ins_shown_work(tmp_path):
    """What docs/extending.md shows, in a process of its own."""
    protocol, *others = find_blocks(TEXTS["docs/extending.md"], "python")
    (tmp_path / "second_thoughts.py").write_text(protocol)
    [pack, *_] = find_blocks(TEXTS["docs/extending.md"], "toml")
    (tmp_path / "second_thoughts.toml").write_text(pack)
    for number, code in enumerate(others):
        (tmp_path / f"other{number}.py").write_text(code)
    imports = ", ".join(["second_thoughts", *(f"other{number}" for number in range(len(others)))])
    script = f"""
import asyncio, moot, {imports}
answer = asyncio.run(moot.ask("Say it.", protocol="second-thoughts", looks=2, model="echo/one"))
assert answer.calls == 3, answer
assert answer.turns[2].reads == (1, 2), answer
from moot.parsing.parser import registry
sources = registry.get("sources")
sum = moot.Question(id="q", kind="number", text="2 + 2?")
named = sources("Source: a book\\nFinal answer: 4", sum)
assert (named.answer, named.reading.sources) == ("4", 1), named
for words, calls in ((5, 3), (10_000, 9)):
    gate = moot.ask("Say it.", protocol="reasons-gate", model="echo/one", words=words)
    gated = asyncio.run(gate)
    assert gated.calls == calls, gated
    assert moot.decide(gated.transcript, "longest-reason").by == "longest reason"
"""
    run_program(tmp_path, sys.executable, "-c", script, PYTHONPATH=str(tmp_path))


@pytest.mark.soak
def test_the_job_of_slurm_runs_a_study_on_two_nodes(postgres, tmp_path):
    pytest.importorskip("ray")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in SHIMS.items():
        (folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / name).chmod(0o755)
    study = tmp_path / "study.toml"
    study.write_text((SCALE / "study.toml").read_text().replace("n = 2000", "n = 12"))
    address = postgres.make_database()
    said = run_program(
        tmp_path,
        SCALE / "study.sbatch",
        study,
        "--json",
        PATH=f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        MOOT_STORE=address,
        SHIM_LOG=str(tmp_path / "log"),
        SLURM_JOB_NODELIST="[one,two]",
        SLURM_JOB_ID=str(os.getpid() % 12_000),  # its port is 20000 and this number
        SLURM_CPUS_PER_TASK="1",
    )
    assert '"failed": 0' in said
    steps = [step for step in (tmp_path / "log").read_text().splitlines() if "ray start" in step]
    assert ["--head" in step for step in steps] == [True, False]
    assert ["--address=" in step for step in steps] == [False, True]
    assert int(postgres.execute("SELECT COUNT(*) FROM moot.replies", address)) > 0
    workers = postgres.execute("SELECT COUNT(DISTINCT pid) FROM moot.sessions", address)
    assert int(workers) >= 3  # the driver and two workers


def test_the_manifest_runs_a_command_that_moot_has_on_the_ray_of_its_image():
    spec = yaml.safe_load((SCALE / "rayjob.yaml").read_text())["spec"]
    cluster = spec["rayClusterSpec"]
    program, name, *words = shlex.split(spec["entrypoint"])
    given = cli.get_command(click.Context(cli), name).make_context(name, words).params
    [group] = cluster["workerGroupSpecs"]
    cpus = int(group["rayStartParams"]["num-cpus"]) * group["replicas"]
    assert (program, given["ray"], given["workers"]) == ("moot", "auto", cpus)
    [head], [worker] = (
        each["template"]["spec"]["containers"] for each in (cluster["headGroupSpec"], group)
    )
    assert head["image"] == worker["image"]
    assert f"FROM rayproject/ray:{cluster['rayVersion']}-" in (SCALE / "Dockerfile").read_text()
    assert head["env"][0]["name"] == "MOOT_STORE"
    assert given["study"].startswith(head["volumeMounts"][0]["mountPath"])
