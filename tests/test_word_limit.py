"""A stranger's package of one file limits how many words agents may say, with no change to moot."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from support.commands import environment, printed, refused, start_command
from support.shown import DOCS, ROOT, find_blocks

PACKAGE = Path(__file__).parent / "fixtures" / "word_limit"
MODULE = PACKAGE / "word_limit.py"
NINE = "scripted?reply=I say so in a few words. Final answer: 4"
STUDY = f"""
name = "short"
[settings]
model = "{NINE}"
[[datasets]]
name = "arithmetic"
n = 2
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
rounds = 1
most_words = 20
agents = [{{most_words = 4}}, {{}}]
"""
SAY = """
import asyncio, json, sys
import moot
from moot.metrics.metric import registry as metrics

def lines(call):
    return [line for line in call.messages[-1].content.splitlines() if line.startswith("Use at")]

@moot.protocol(calls="2", runs=("single",), paper="none", roles=("solver",))
async def within(debate, question):
    [solver] = debate.seat("solver")
    await debate.ask(solver, "answer")
    inner = await debate.run("single", most_words=2)
    return moot.verdict_from(inner.view, by="inner")

async def ask(**settings):
    seen = []
    def say(call):
        seen.append([call.scene.agent, *lines(call)])
        return "Final answer: " + str(len(seen))
    given = {"kind": "number", "model": moot.Scripted(say), "store": sys.argv[1], **settings}
    answer = await moot.ask("What is 1 + 1?", **given)
    over = metrics.get("over-word-limit")(answer.transcript)
    return {"seen": seen, "own": answer.settings.get("most_words", "no"), "run": answer.run,
            "over": over}

async def main():
    society = {"protocol": "society-of-minds", "agents": 2, "rounds": 1}
    found = {
        "off": await ask(**society),
        "all": await ask(**society, most_words=5),
        "one": await ask(**society | {"agents": [{"most_words": 2}, {}]}),
        "gate": await ask(protocol="agreement-gate", agents=2, rounds=2, most_words=1),
        "network": await ask(
            protocol="network", graph="cascade", agents=2, rounds=1, most_words=4
        ),
        "within": await ask(protocol="within", most_words=3),
    }
    print(json.dumps(found))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A folder of packages that has this one, as an installer leaves it."""
    folder = tmp_path_factory.mktemp("site")
    (folder / MODULE.name).write_text(MODULE.read_text())
    info = folder / "word_limit-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: word-limit\nVersion: 1.0\n")
    groups = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return str(folder)


@pytest.fixture
def moot(path, tmp_path):
    """Run a command beside the package."""
    return partial(start_command, tmp_path, PYTHONPATH=path)


@pytest.fixture(scope="module")
def found(path, tmp_path_factory):
    """What agents were told in debates of every form."""
    command = [sys.executable, "-c", SAY, tmp_path_factory.mktemp("store")]
    own = environment() | {"PYTHONPATH": path}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=own
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def told(found, name):
    return [each[1:] for each in found[name]["seen"]]


def test_it_uses_what_packages_may_use_alone(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    from contract import find_uses, is_public

    uses = find_uses(MODULE)
    assert uses
    assert all(map(is_public, uses))


def test_the_page_shows_the_package():
    page = (DOCS / "extending.md").read_text()
    assert MODULE.read_text() in find_blocks(page, "python")
    entries = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]
    shown = [tomllib.loads(each) for each in find_blocks(page, "toml") if "features" in each]
    assert shown == [{"project": {"entry-points": entries}}]


def test_all_agents_or_one_are_told(found):
    assert told(found, "off") == [[], []]
    assert (found["off"]["own"], found["off"]["over"]) == ("no", None)
    assert told(found, "all") == [["Use at most 5 words."]] * 2
    assert (found["all"]["own"], found["all"]["over"]) == (5, 0)
    assert found["one"]["seen"] == [["mind-1", "Use at most 2 words."]]  # the other's is known
    assert found["one"]["over"] == 1  # of those that have a limit
    assert len({found[name]["run"] for name in ("off", "all", "one")}) == 3


def test_it_holds_behind_a_gate_in_nodes_and_in_sub_debates(found):
    for name, most, over in (("gate", 1, 1), ("network", 4, 0)):
        assert len(told(found, name)) > 2
        assert all(each == [f"Use at most {most} words."] for each in told(found, name))
        assert found[name]["over"] == over
    assert told(found, "within") == [["Use at most 3 words."], ["Use at most 2 words."]]
    assert found["within"]["over"] == 0.5


def test_its_setting_is_a_flag_listed_and_checked_as_ours(moot):
    ask = ("ask", "2 + 2?", "--kind", "number", "--model", NINE)
    said = json.loads(printed(moot(*ask, "--most-words", "40", "--json")))
    assert said["settings"]["most_words"] == 40
    assert "most_words = none" in printed(moot("protocols", "single"))
    assert "over-word-limit" in printed(moot("metrics"))
    assert "setting most_words = '0': expected `int` >= 1" in refused(
        moot(*ask, "--most-words", "0")
    )


def test_a_study_has_it_goes_on_and_can_be_read_without_the_package(moot, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    first, again = (json.loads(printed(moot("run", "study.toml", "--json"))) for _ in "12")
    assert first["run"] == again["run"]
    assert (first["unchanged"], again["unchanged"]) == (0, 4)  # no debate, and so no call
    for each in (first, again):
        single, society = (arm["others"].get("over-word-limit") for arm in each["results"]["arms"])
        assert single is None
        assert society == {"total": 1.0, "known": 2}  # one of two agents, in each of two debates
    (tmp_path / "study.toml").write_text(STUDY.replace("= 4}", "= 5}"))
    assert json.loads(printed(moot("run", "study.toml", "--json")))["run"] != first["run"]
    without = partial(start_command, tmp_path)
    shown = printed(without("show", first["run"], "arithmetic-1-0-0"))
    assert "most_words = 20" in shown
    assert "I say so in a few words" in shown
    assert "unknown key 'most_words'" in refused(without("run", "study.toml"))
    ask = ("ask", "2 + 2?", "--model", NINE)
    assert "unknown setting 'most_words'" in refused(without(*ask, "--set", "most_words=3"))
    assert "No such option '--most-words'" in refused(without(*ask, "--most-words", "3"))


def test_a_run_is_reported_though_the_package_is_broken_by_now(moot, path, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    run = json.loads(printed(moot("run", "study.toml", "--json")))["run"]
    broken = tmp_path / "broken"
    shutil.copytree(path, broken)
    (broken / MODULE.name).write_text("import no_such_module\n")
    command = ("report", run, "--format", "markdown", "--out", "report")
    assert printed(start_command(tmp_path, *command, PYTHONPATH=str(broken)))
    [report] = (tmp_path / "report").rglob("*.md")
    assert "society-of-minds" in report.read_text()


def test_the_server_s_form_has_it(path, tmp_path):
    command = [sys.executable, "-m", "moot", "serve", "--port", "0", "--model", NINE]
    own = environment() | {"PYTHONPATH": path}
    with subprocess.Popen(command, cwd=tmp_path, env=own, stderr=-1, text=True) as server:
        try:
            url = re.search(r"http://127.0.0.1:\d+", server.stderr.readline())[0]
            page = urlopen(f"{url}/ask?protocol=single", timeout=30).read().decode()
            [field] = re.findall(r'<input[^>]* name="set.most_words"[^>]*>', page)
            assert 'type="number"' in field
            assert 'min="1"' in field
            form = {"question": "2 + 2?", "protocol": "single", "set.most_words": "6"}
            sent = urlopen(f"{url}/ask", urlencode(form).encode(), timeout=30)
            assert "/debates/" in sent.url
        finally:
            server.terminate()
