"""``moot essays``, from a run to its tables, with a judge and without."""

import asyncio
import json

import pytest
from click.testing import CliRunner

import moot
from moot.cli.main import moot as cli
from support.essays import endpoint_apart, study

ESSAY = "scripted?reply={0} prose says {0} things, and says {0} things at some length."
FIRST = "scripted?reply=Final answer: A"
JUDGE = ("--judge", FIRST, "--grades", "0")


@pytest.fixture
def essays(tmp_path):
    """Runs the command over a run of two arms."""
    arms = [
        {"name": name, "protocol": "essay-direct", "model": ESSAY.format(name)}
        for name in ("plain", "rich")
    ]
    store = str(tmp_path / "store")
    asyncio.run(moot.run(study(tmp_path, arms=arms, replicates=2), store=store))

    def run(*words):
        done = CliRunner().invoke(cli, ["essays", "tried", "--store", store, *words])
        return done.exit_code, done.stdout, done.stderr

    return run


def test_without_a_judge_nothing_is_asked_and_it_is_said_how_to_ask_one(essays):
    code, out, err = essays()
    said = " ".join(out.split())
    assert (code, err) == (0, "")
    assert out.startswith("SIMULATED")
    assert "S-BLEU" in said
    assert "--judge MODEL" in said
    assert "Pers. n" not in said
    assert "judged by" not in said


def test_a_judge_is_told_in_every_form_and_its_debates_are_shown(essays, tmp_path):
    code, out, err = essays(*JUDGE)
    said = " ".join(out.split())
    assert code == 0
    assert "24 debates: expected 16 calls" in err
    assert "(lengths and ends unknown: the store has few replies of this model)" in err
    assert "at most 24 calls" in err
    assert "judged by relevance" in said
    assert "SIMULATED: no language model. 24 of 24 debates held, 16 calls paid for" in said
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = essays(*JUDGE, "--format", "markdown")
    assert code == 0
    assert "| relevance | 0.0 (0.0 … 70.8) | 100.0 (29.2 … 100.0) |" in out
    code, out, _ = essays(*JUDGE, "--format", "latex")
    assert (code, out[:13], "whether the order matters" in out) == (0, "% SIMULATED: ", True)
    store = ["--store", str(tmp_path / "store")]
    done = CliRunner().invoke(cli, ["show", "tried-judged", "m0: rich / plain", *store])
    assert done.exit_code == 0, done.stderr
    assert "the second essay" in done.output
    done = CliRunner().invoke(cli, ["essays", "tried-judged", *store])
    assert (done.exit_code, "name the run that has the essays" in done.stderr) == (2, True)


def test_the_analysis_reads_what_a_judge_has_said(essays, tmp_path):
    store = ["--store", str(tmp_path / "store"), "--format", "json"]
    essays(*JUDGE)
    recorded = CliRunner().invoke(cli, ["analyse", "essays", "tried", *store])
    assert recorded.exit_code == 0, recorded.stderr
    found = json.loads(recorded.stdout)
    assert "judged by relevance" in found["tables"][3]["title"]
    assert found == json.loads(essays(*JUDGE, "--json")[1])
    last = "scripted?reply=Final answer: B"
    essays("--judge", last, "--grades", "0")
    [newest] = [note for note in analysed(store)["notes"] if note.startswith("Judge: ")]
    assert "answer: B" in newest
    key = next(n for n in found["notes"] if n.startswith("Judge: ")).partition("moot show ")[2]
    [chosen] = [
        note
        for note in analysed([*store, "--judge", key.rstrip(".")])["notes"]
        if note.startswith("Judge: ")
    ]
    assert "answer: A" in chosen
    done = CliRunner().invoke(cli, ["analyse", "essays", "tried", *store, "--judge", "tried"])
    assert (done.exit_code, "no judge of the essays of tried" in done.stderr) == (2, True)


def analysed(options):
    return json.loads(CliRunner().invoke(cli, ["analyse", "essays", "tried", *options]).stdout)


def test_a_plan_is_shown_and_a_budget_stops_it_until_it_is_called_again(essays):
    judge = (*JUDGE, "--judge-protocol", "self-consistency", "--set", "samples=2")
    code, out, _ = essays(*judge, "--dry-run")
    assert code == 0
    assert "at most 36 calls" in " ".join(out.split())
    assert "relevance: 6 by self-consistency" in out
    planned = json.loads(essays(*judge, "--dry-run", "--json")[1])
    code, out, _ = essays(*judge, "--max-calls", "3", "--json")
    notes = json.loads(out)["notes"]
    said = f"3 calls paid for, $0; see moot show {planned['run']}."
    assert (code, said in " ".join(notes), "Stopped: " in notes[-1]) == (3, True, True)
    code, out, _ = essays(*judge, "--json")
    assert (code, planned["run"] in out, "Stopped: " in out) == (0, True, False)


def test_an_endpoint_s_embeddings_are_in_the_estimate_the_budget_and_the_notes(essays):
    with endpoint_apart() as endpoint:
        name = f"{endpoint.address}/v1/small"
        embedding = ("--embedder", name, "--price", f"{name}=1000,0")
        code, out, _ = essays(*embedding, *JUDGE, "--dry-run")
        assert (code, endpoint.seen) == (0, [])
        assert "24 debates: expected 54 calls" in " ".join(out.split())
        assert "at most 86 calls" in " ".join(out.split())
        code, _, err = essays(*embedding[:2], "--max-cost", "1")
        assert (code, "is unknown: state it with --price" in " ".join(err.split())) == (2, True)
        code, out, _ = essays(*embedding, "--max-calls", "1")
        said = " ".join(out.split())
        assert (
            code,
            "1 call paid for, $0.007; not all were made: stopped at the cap of 1 call" in said,
        ) == (3, True)
        code, out, _ = essays(*embedding, "--max-cost", "1")
        assert (code, "2 calls paid for, $0.014." in " ".join(out.split())) == (0, True)
        assert len(endpoint.seen) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--pairs", "2"), "say who judges with --judge MODEL"),
        (("--judge", "nobody/here"), "nobody"),
        (("--judge", FIRST, "--pairs", "0"), "pairs = 0: must be at least 1"),
        (("--judge", FIRST, "--max-calls", "-1"), "must be a number, 0 or more"),
        (("--embedder", "words"), "write embedded, provider/MODEL"),
        (("--price", "openai/x=0.1"), "--price openai/x: write --price MODEL=INPUT,OUTPUT"),
        (("--price", "openai/x=-1,0"), "--price openai/x: price input = -1.0: give US dollars"),
        (("--price", "openai/x=1,2"), "price: unknown model 'openai/x'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_clear_text(essays, words, says):
    code, _, err = essays(*words)
    assert (code, says in " ".join(err.split())) == (2, True), err
