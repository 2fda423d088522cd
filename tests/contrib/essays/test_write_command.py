"""``moot write`` as a user has it: its output, its exit code."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.contrib.documents.document_readers import read_document
from moot.contrib.essays.written import Remark, Written
from support.commands import begun, environment
from support.essays import ESSAY, PROPOSITION, steps


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Runs ``moot write`` in this process, in a folder with a scripted house and notes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_STORE", "store")
    monkeypatch.delenv("MOOT_MODEL", raising=False)
    (tmp_path / "house.jsonl").write_text("".join(f"{json.dumps(t)}\n" for _, _, t, _ in steps()))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "house.md").write_text("In museums, repairs doubled in ten years.\n")

    def run(*words, stdin=None):
        side = () if {"--stance", "--from"} & {*words} or not words else ("--stance", "oppose")
        given = ["write", *words, *side, "--model", "scripted/house.jsonl"]
        done = CliRunner().invoke(cli, given, input=stdin)
        assert isinstance(done.exception, SystemExit | None)
        return done.exit_code, done.stdout, done.stderr

    return run


def test_it_tells_each_stage_and_then_everything(here):
    code, out, err = here(PROPOSITION, "--evidence", "notes", "--set", "pool=4")
    assert code == 0
    lines = [" ".join(line.partition("  [")[0].split()) for line in err.splitlines()]
    told = ["personas 4 found", "team A taxpayer; A curator; A guard", "evidence 1 passage found"]
    assert [lines[:3], lines[-2:]] == [told, ["plan 2 points, something granted", "essay 30 words"]]
    parts = ["Personas", "Discussion", "Plan", "Evidence", "What went otherwise", "Essay"]
    places = [out.index(f"\n{part} ──") for part in parts]
    assert places == sorted(places)
    for told in ("not in the team", "✓ found", "✗ NOT FOUND", "12 calls, ", "moot show ask-"):
        assert told in out
    code, out, _ = here(PROPOSITION, "--evidence", "notes", "--set", "pool=4", "--max-calls", "0")
    assert code == 0  # replayed: nothing is paid for
    assert "Persuaded: yes" in CliRunner().invoke(cli, ["show", "ask"]).stdout


def test_a_file_that_is_there_is_not_written_over_without_force(here, tmp_path):
    (tmp_path / "essay.md").write_text("mine")
    code, _, err = here(PROPOSITION, "--output", "essay.md")
    assert (code, (tmp_path / "essay.md").read_text()) == (2, "mine")
    assert "--output essay.md: it is there; --force writes over it" in err
    assert here(PROPOSITION, "--output", "essay.md", "--force")[0] == 0
    assert (tmp_path / "essay.md").read_text().startswith("# ")


OTHERWISE = "Of 5 to 10 personas asked for, 4 could be read."


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("essay.md", f"# {PROPOSITION}\n"),
        ("essay.html", "<!DOCTYPE html>\n"),
        ("essay.json", "{\n"),
        ("new/essay.txt", f"{PROPOSITION}\n"),
        ("essay", f"{PROPOSITION}\n"),
        ("essay.docx", ""),
        ("essay.pdf", ""),
    ],
)
def test_a_file_has_the_form_that_its_name_says(here, tmp_path, name, begins):
    code, out, err = here(PROPOSITION, "--output", name)
    assert (code, out, OTHERWISE in err) == (0, f"{name}\n", True)
    content = (tmp_path / name).read_bytes()
    if not begins:
        parts = read_document(name, content).parts
        words = " ".join(" ".join([*part.heads, part.text]) for part in parts).split()
        assert PROPOSITION in " ".join(words)
        assert OTHERWISE in " ".join(words)
        code, _, err = here(PROPOSITION, "--format", name.rpartition(".")[2])
        assert (code, "name its file with --output" in err) == (2, True)
        return
    text = content.decode()
    assert text.startswith(begins)
    assert OTHERWISE in text.replace("\n", " ")
    assert not any(line.endswith(" ") for line in text.splitlines())
    assert "\x1b" not in text


def test_it_can_support_take_settings_and_read_standard_input(here):
    options = ["--stance", "support", "--protocol", "essay-plan", "--set", "points=2"]
    cast = ["--agent", "role=writer,temperature=0"]
    code, out, _ = here("-", *options, *cast, "--json", stdin="Museums are free.\n" + "x" * 99_000)
    made = json.loads(out)
    assert (code, made["stance"], made["calls"]) == (0, "support", 2)
    assert made["proposition"].startswith("Museums are free.\nxxx")
    assert made["settings"]["points"] == 2
    assert made["settings"]["cast"] == [{"role": "writer", "temperature": 0.0}]


def test_it_can_be_steered_by_options_and_files(here, tmp_path):
    (tmp_path / "outline.txt").write_text("1. Fees\n2. Crowds\n")
    (tmp_path / "team.toml").write_text('[[people]]\ndescription = "a curator"\n')
    named = ["--people", "team.toml", "--person", "name=Ada Stone,claim=Fees, and guards, matter."]
    brief = ["--words", "30", "--audience", "pupils", "--tone", "dry", "--language", "English"]
    own = ["--outline", "outline.txt", "--stance", "both", "--rounds", "1"]
    made = json.loads(here(PROPOSITION, *named, *brief, *own, "--json")[1])
    assert (made["pool"], made["stance"]) == ([], "both")
    people = [(each["description"], each["claim"]) for each in made["personas"]]
    assert people == [("a curator", ""), ("Ada Stone", "Fees, and guards, matter.")]
    asked = {"words": 30, "audience": "pupils", "tone": "dry", "language": "English"}
    assert made["settings"] == made["settings"] | asked | {"outline": "1. Fees\n2. Crowds"}
    code, out, _ = here(PROPOSITION, *named, "--outline", "1. Fees", "--dry-run", "--json")
    assert (code, json.loads(out)["estimate"]["calls"]) == (0, 3 * 3 + 2)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("--protocol debate-to-wite", "did you mean 'debate-to-write'"),
        ("--stance against", "unknown stance 'against'; "),
        ("--evidence ''", "evidence: it is empty"),
        ("--evidence nowhere", "'nowhere': there is no such folder"),
        ("--set stance=support", "--stance"),
        ("--set evidence=notes", "--evidence"),
        ("--set listen=1", "unknown setting 'listen'"),
        ("--person who=me", "--person who=me: unknown key 'who'"),
        ("--person me", "--person me: write --person key=value,…, e.g. --person "),
        ("--stance both --protocol americano", "argues one side"),
        ("--agent '' --set cast=[]", "--agent and --set cast"),
        ("--json --format html", "--json and --format html"),
        ("--output notes", "it is a folder"),
        ("--output house.jsonl/essay.md", "cannot be written"),
        ("--output essay.odt", "give --format, or an ending of .txt, .md"),
    ],
)
def test_what_cannot_be_is_refused_by_name_before_anything_is_called(here, words, named):
    code, out, err = here(PROPOSITION, *shlex.split(words))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("moot: ")
    assert named in err


def test_a_model_that_fails_is_exit_code_1_with_what_was_said(here, tmp_path):
    lines = (tmp_path / "house.jsonl").read_text().splitlines()[:4]
    (tmp_path / "house.jsonl").write_text("\n".join(lines))
    code, out, _ = here(PROPOSITION)
    assert code == 1
    assert "failed: ScriptEnded" in out
    assert "Agent B: A curator (discuss)" in out
    made = json.loads(here(PROPOSITION, "--json")[1])
    assert (made["essay"], len(made["dialogue"]), made["calls"]) == (None, 2, 4)
    assert "ScriptEnded" in made["failed"]


def test_a_budget_stops_it_and_more_goes_on(here):
    code, out, err = here(PROPOSITION, "--json", "--max-calls", "4")
    made = json.loads(out)
    assert code == 3
    assert "4 calls" in err
    assert set(made) == set(Written.__struct_fields__)
    assert (made["essay"], made["run"], made["calls"]) == (None, None, 4)
    assert made["failed"].startswith("BudgetReached: ")
    assert set(made["dialogue"][0]) == set(Remark.__struct_fields__)
    assert [each["step"] for each in made["dialogue"]] == ["discuss", "discuss"]
    code, out, _ = here(PROPOSITION, "--max-calls", "4")
    assert (code, out) == (3, "")
    assert here(PROPOSITION, "--max-calls", "12")[0] == 0


def test_it_stops_after_a_stage_and_goes_on_from_the_file(here, tmp_path):
    code, _, err = here(PROPOSITION, "--until", "plan", "--output", "draft.toml")
    assert code == 0
    assert "edit the draft, and go on: moot write --from draft.toml" in err
    assert "ended after the plan, as was asked: there is no essay yet" in err
    file = tmp_path / "draft.toml"
    assert "[plan]" in file.read_text()
    code, out, _ = here("--from", "draft.toml", "--dry-run", "--json")
    assert (code, json.loads(out)["estimate"]["calls"]) == (0, 1)
    code, out, err = here("--from", "draft.toml")
    assert code == 0
    assert ESSAY[:30] in out
    assert re.findall(r"\[(\w+)\]$", err, re.MULTILINE).count("given") == 11
    code, out, _ = here(PROPOSITION, "--until", "plan")
    assert (code, out) == (0, file.read_text())
    file.write_text(file.read_text().replace("[plan]", "[plann]"))
    code, _, err = here("--from", "draft.toml")
    assert (code, "unknown key 'plann'; did you mean 'plan'" in err) == (2, True)
    code, _, err = here()
    assert (code, "PROPOSITION is missing" in err) == (2, True)


def test_an_essay_is_revised_from_its_json(here):
    model = ("--protocol", "essay-plan", "--model", "simulated/people")
    assert here(PROPOSITION, *model, "--output", "essay.json")[0] == 0
    code, out, _ = here("--from", "essay.json", "--revise", "Say it shorter.", "--json")
    told = json.loads(out)
    assert (code, told["calls"], told["settings"]["revise"]) == (0, 1, "Say it shorter.")
    several = ("--alternatives", "2", *model, "--format", "text")
    assert re.search(r"Essay 2 of 2: \d+ words, \d+% of it word", here(PROPOSITION, *several)[1])
    code, out, _ = here("--from", told["run"], "--revise", "Once more.", "--dry-run")
    assert (code, "expected 1 call" in out, "at most 1 call" in out) == (0, True, True)


def test_the_side_is_the_user_s_own(here, tmp_path):
    plain = ["write", PROPOSITION, "--model", "scripted/house.jsonl"]
    done = CliRunner().invoke(cli, plain)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--stance oppose argues against PROPOSITION, --stance support for it" in done.stderr
    assert not (tmp_path / "store").exists()
    assert CliRunner().invoke(cli, [*plain, "--dry-run"]).exit_code == 0
    support = ("--stance", "support", "--until", "plan", "--output", "draft.toml")
    assert here(PROPOSITION, *support)[0] == 0
    assert json.loads(here("--from", "draft.toml", "--json")[1])["stance"] == "support"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize(
    ("typed", "code", "stance"), [(b"for\nsupport\n", 0, "support"), (b"\x04", 130, "")]
)
def test_a_terminal_is_asked_for_the_side(here, tmp_path, typed, code, stance):
    """A real terminal's other end: what is no side is asked for again; its end stops all."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "moot", "write", PROPOSITION, "--format", "json"]
    process = subprocess.Popen(
        [*command, "--model", "scripted/house.jsonl"],
        cwd=tmp_path,
        env=environment() | {"MOOT_STORE": "store"},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    os.write(ours, typed)
    out, err = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == code, err
    assert err.count(b"Which side does the essay take") == typed.count(b"\n") or not stance
    assert (json.loads(out)["stance"] if stance else out.decode()) == stance


@pytest.mark.soak
def test_ctrl_c_stops_it_and_says_how_far_it_came(tmp_path):
    house = "".join(f"{json.dumps(text)}\n" for _, _, text, _ in steps())
    (tmp_path / "house.jsonl").write_text(house)
    model = "scripted/house.jsonl?latency=1"
    command = [sys.executable, "-m", "moot", "write", PROPOSITION, "--json", "--stance", "oppose"]
    command += ["--model", model]
    options = {"cwd": tmp_path, "env": environment() | {"MOOT_STORE": "new"}, "text": True}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, **options, **pipes)
    end = time.monotonic() + 30
    while not begun(tmp_path / "new" / "moot.db"):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.3)  # recorded is not yet seen; the next reply comes after a second
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    made = json.loads(out)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert set(made) == set(Written.__struct_fields__)
    assert made["failed"] == "Interrupted: before the essay was written"
    assert (made["essay"], made["run"], len(made["pool"])) == (None, None, 4)
    assert made["seconds"] > 0
