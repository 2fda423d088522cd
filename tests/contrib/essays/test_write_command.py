"""``moot write`` as a user has it: its output, its exit code."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.contrib.essays.written import Remark, Written
from moot.debate.document_readers import read_document
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
        given = ["write", *words, "--model", "scripted/house.jsonl"]
        done = CliRunner().invoke(cli, given, input=stdin)
        assert isinstance(done.exception, SystemExit | None)
        return done.exit_code, done.stdout, done.stderr

    return run


def test_it_tells_each_stage_and_then_everything(here):
    code, out, err = here(PROPOSITION, "--evidence", "notes", "--set", "pool=4")
    assert code == 0
    lines = [" ".join(line.partition("  [")[0].split()) for line in err.splitlines()]
    assert lines == [
        "personas 4 found",
        "team A taxpayer; A curator; A guard",
        "evidence 1 passage found",
        *(f"round 1 {who}: not yet satisfied" for who in ("A taxpayer", "A curator", "A guard")),
        "round 1 critic: not yet persuaded",
        *(f"round 2 {who}: satisfied" for who in ("A taxpayer", "A curator", "A guard")),
        "round 2 critic: persuaded",
        "plan 2 points, something granted",
        "essay 30 words",
    ]
    parts = ["Personas", "Discussion", "Plan", "Evidence", "What went otherwise", "Essay"]
    places = [out.index(f"\n{part} ──") for part in parts]
    assert places == sorted(places)
    for told in ("chosen: knows the accounts", "not in the team", "✓ found", "✗ NOT FOUND"):
        assert told in out
    assert "12 calls, " in out
    assert "transcript: moot show ask-" in out
    code, out, _ = here(PROPOSITION, "--evidence", "notes", "--set", "pool=4", "--max-calls", "0")
    assert code == 0  # replayed: nothing is paid for
    shown = CliRunner().invoke(cli, ["show", "ask"])
    assert shown.exit_code == 0
    assert "Persuaded: yes" in shown.stdout


def test_documents_in_which_nothing_is_found_are_told(here, tmp_path):
    (tmp_path / "notes" / "house.md").write_text("Zebras graze.\n")
    code, out, err = here(PROPOSITION, "--evidence", "notes", "--set", "pool=4")
    assert code == 0
    assert "0 passages found" in err
    assert "Nothing was found in the documents: there was no evidence" in out


def test_json_is_one_object_with_everything(here):
    code, out, err = here(PROPOSITION, "--json")
    made = json.loads(out)
    assert (code, err) == (0, "")
    assert set(made) == set(Written.__struct_fields__)
    assert set(made["dialogue"][0]) == set(Remark.__struct_fields__)
    assert (made["essay"], made["stance"]) == (ESSAY, "oppose")
    assert made["plan"]["points"][0]["supports"][0] == "Repairs cost more each year."
    assert set(made["plan"]) == {"acknowledgment", "points"}
    code, out, err = here(PROPOSITION, "--format", "json")
    assert json.loads(out)["run"] == made["run"]
    assert "essay" in err


def test_a_file_that_is_there_is_not_written_over_without_force(here, tmp_path):
    (tmp_path / "essay.md").write_text("mine")
    code, _, err = here(PROPOSITION, "--output", "essay.md")
    assert (code, (tmp_path / "essay.md").read_text()) == (2, "mine")
    assert "--output essay.md: it is there; --force writes over it" in err
    assert here(PROPOSITION, "--output", "essay.md", "--force")[0] == 0
    assert (tmp_path / "essay.md").read_text().startswith("# ")


@pytest.mark.parametrize("name", ["essay.docx", "essay.pdf"])
def test_a_word_document_and_a_pdf_have_the_essay_and_what_went_otherwise(here, tmp_path, name):
    code, out, _ = here(PROPOSITION, "--output", name)
    assert (code, out) == (0, f"{name}\n")
    parts = read_document(name, (tmp_path / name).read_bytes()).parts
    words = " ".join(" ".join([*part.heads, part.text]) for part in parts)
    words = " ".join(words.split())
    assert PROPOSITION in words
    assert "Of 5 to 10 personas asked for, 4 could be read." in words
    code, _, err = here(PROPOSITION, "--format", name.rpartition(".")[2])
    assert code == 2
    assert "name its file with --output" in err


def test_an_ending_that_says_no_form_is_refused(here, tmp_path):
    code, _, err = here(PROPOSITION, "--output", "essay.odt")
    assert code == 2
    assert "give --format, or an ending of .txt, .md" in err
    assert not (tmp_path / "essay.odt").exists()


def test_a_file_has_the_form_that_its_name_says(here, tmp_path):
    for name, begins in (
        ("essay.md", f"# {PROPOSITION}\n"),
        ("essay.html", "<!DOCTYPE html>\n"),
        ("essay.json", "{\n"),
        ("new/essay.txt", f"{PROPOSITION}\n"),
        ("essay", f"{PROPOSITION}\n"),
    ):
        code, out, err = here(PROPOSITION, "--output", name)
        assert (code, out) == (0, f"{name}\n")
        text = (tmp_path / name).read_text()
        assert text.startswith(begins)
        assert "Of 5 to 10 personas asked for, 4 could be read." in text.replace("\n", " ")
        assert "Of 5 to 10 personas asked for, 4 could be read." in err
        assert not any(line.endswith(" ") for line in text.splitlines())
        assert "\x1b" not in text
    here(PROPOSITION, "--output", "page.txt", "--format", "html")
    assert (tmp_path / "page.txt").read_text().startswith("<!DOCTYPE")
    shown = here(PROPOSITION, "--format", "markdown")[1]  # but for how long it took, the same
    assert shown.splitlines()[:-1] == (tmp_path / "essay.md").read_text().splitlines()[:-1]


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
    code, out, _ = here(PROPOSITION, *named, *brief, *own, "--json")
    made = json.loads(out)
    assert (code, made["pool"], made["stance"]) == (0, [], "both")
    assert [(each["description"], each["claim"]) for each in made["personas"]] == [
        ("a curator", ""),
        ("Ada Stone", "Fees, and guards, matter."),
    ]
    assert made["settings"]["outline"] == "1. Fees\n2. Crowds"
    asked = {name: made["settings"][name] for name in ("words", "audience", "tone", "language")}
    assert asked == {"words": 30, "audience": "pupils", "tone": "dry", "language": "English"}
    code, out, _ = here(PROPOSITION, *named, "--outline", "1. Fees", "--dry-run", "--json")
    assert (code, json.loads(out)["estimate"]["calls"]) == (0, 3 * 3 + 2)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--protocol", "single"], ["'single'", "americano, debate-to-write, essay-direct"]),
        (["--protocol", "debate-to-wite"], ["did you mean 'debate-to-write'"]),
        (["--stance", "against"], ["'against'", "oppose, support"]),
        (["--evidence", "nowhere"], ["nowhere", "no such folder"]),
        (["--evidence", ""], ["evidence: it is empty"]),
        (["--set", "dialogue=none-at-all"], ["dialogue", "expected one of agents, single"]),
        (["--evidence", "notes", "--protocol", "americano"], ["americano takes none"]),
        (["--set", "stance=support"], ["--stance"]),
        (["--set", "evidence=notes"], ["--evidence"]),
        (["--set", "rounds=0"], ["rounds", ">= 1"]),
        (["--set", "round=1"], ["'rounds'"]),
        (["--set", "listen=1"], ["unknown setting 'listen'"]),
        (["--agent", "role=boss"], ["'boss'", "critic"]),
        (["--words", "some"], ["setting words = 'some'"]),
        (["--outline", "none.txt"], ["outline none.txt: No such file"]),
        (["--people", "none.toml"], ["people none.toml: No such file"]),
        (["--person", "who=me"], ["--person who=me", "unknown key 'who'"]),
        (["--person", "me"], ["--person me: write --person key=value,…, e.g. --person "]),
        (["--person", "name=a", "--team", "3"], ["setting team = 3: people names 1"]),
        (["--stance", "both", "--protocol", "americano"], ["argues one side"]),
        (["--outline", "1. a", "--protocol", "americano"], ["americano takes none"]),
        (["--agent", "", "--set", "cast=[]"], ["--agent and --set cast"]),
        (["--json", "--format", "html"], ["--json and --format html"]),
        (["--output", "notes"], ["notes", "it is a folder"]),
        (["--output", "house.jsonl/essay.md"], ["house.jsonl/essay.md", "cannot be written"]),
        (["--max-calls", "-1"], ["calls"]),
    ],
)
def test_what_cannot_be_is_refused_by_name_before_anything_is_called(here, words, named):
    code, out, err = here(PROPOSITION, *words)
    assert (code, out) == (2, "")
    assert err.startswith("moot: ")
    assert len(err.splitlines()) == 1
    assert [each for each in named if each not in err] == []


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
    assert [each["step"] for each in made["dialogue"]] == ["discuss", "discuss"]
    code, out, _ = here(PROPOSITION, "--max-calls", "4")
    assert (code, out) == (3, "")
    assert here(PROPOSITION, "--max-calls", "12")[0] == 0


def test_ctrl_c_stops_it_and_says_how_far_it_came(tmp_path):
    house = "".join(f"{json.dumps(text)}\n" for _, _, text, _ in steps())
    (tmp_path / "house.jsonl").write_text(house)
    model = "scripted/house.jsonl?latency=1"
    command = [sys.executable, "-m", "moot", "write", PROPOSITION, "--json", "--model", model]
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


def test_a_dry_run_tells_what_an_essay_will_take(tmp_path):
    asked = ["write", "Museums should be free.", "--model", "simulated/people"]
    done = CliRunner().invoke(cli, [*asked, "--store", str(tmp_path), "--dry-run", "--json"])
    assert done.exit_code == 0, done.output
    estimate = json.loads(done.stdout)["estimate"]
    assert estimate["fewest"] <= estimate["expected"]["calls"] <= estimate["calls"]
    done = CliRunner().invoke(cli, [*asked, "--store", str(tmp_path), "--json"])
    assert estimate["expected"]["calls"] == json.loads(done.stdout)["calls"]


def test_the_most_is_not_below_what_is_expected(moot):
    given = ("--protocol", "essay-plan", "--model", "simulated/people", "--dry-run", "--json")
    known = json.loads(moot("write", "Museums should be free.", *given)[1])["estimate"]
    [arm] = known["expected"]["arms"]
    assert arm["tokens"] <= arm["most"]["tokens"]
    assert known["expected"]["tokens"] <= known["tokens"] == arm["most"]["tokens"]


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


def test_a_proposition_or_a_draft_is_needed(here):
    code, _, err = here()
    assert (code, "PROPOSITION is missing" in err) == (2, True)


FORMS_OF_SEVERAL = {
    "text": r"Essay 2 of 3: \d+ words, \d+% of it word for word as in another",
    "markdown": r"## Essay 2 of 3: \d+ words",
    "html": "<h2>Essay 2 of 3: ",
}


@pytest.mark.parametrize("form", FORMS_OF_SEVERAL)
def test_alternatives_stand_one_after_another_with_their_differences(form, here):
    given = ("--alternatives", "3", "--protocol", "essay-plan", "--model", "simulated/people")
    code, out, _ = here(PROPOSITION, *given, "--format", form)
    assert code == 0
    assert re.search(FORMS_OF_SEVERAL[form], out)
    assert [out.index(f"Essay {n} of 3") for n in (1, 2, 3)] == sorted(
        out.index(f"Essay {n} of 3") for n in (1, 2, 3)
    )


@pytest.mark.parametrize("form", ["docx", "pdf"])
def test_files_have_the_alternatives_too(form, here, tmp_path):
    file = tmp_path / f"essay.{form}"
    given = ("--alternatives", "2", "--protocol", "essay-plan", "--model", "simulated/people")
    assert here(PROPOSITION, *given, "--output", str(file))[0] == 0
    words = str(read_document(file.name, file.read_bytes()))
    assert re.search(r"Essay 1 of 2: .*Essay 2 of 2: ", words, re.DOTALL)


def test_an_essay_is_revised_from_its_json(here):
    model = ("--protocol", "essay-plan", "--model", "simulated/people")
    assert here(PROPOSITION, *model, "--output", "essay.json")[0] == 0
    code, out, _ = here("--from", "essay.json", "--revise", "Say it shorter.", "--json")
    told = json.loads(out)
    assert (code, told["calls"], told["settings"]["revise"]) == (0, 1, "Say it shorter.")
    code, out, _ = here("--from", told["run"], "--revise", "Once more.", "--dry-run")
    assert (code, "expected 1 call" in out, "at most 1 call" in out) == (0, True, True)
