"""``moot paper``: the folder it ends in, recounted from the transcripts; and its errors."""

import asyncio
import re
import sqlite3
from contextlib import closing
from functools import partial

import msgspec
import pytest

from moot.contrib.papers.published import NAMES
from moot.extend.studies import open_lab
from support import beside
from support.browser import opened, started

MODEL = ("--model", "simulated/people?accuracy=0.6")
LINES = ("published", "ours", "difference")


@pytest.fixture
def small(moot, tmp_path):
    """The community paper at a tenth of its size, and what was printed."""
    code, out, errors = moot("paper", "community", "--sums", "--scale", "0.2", *MODEL)
    assert code == 0, errors
    return tmp_path / "paper-community", out, errors


def read(folder):
    return msgspec.json.decode((folder / "paper.json").read_bytes())


def count_replies(tmp_path):
    with closing(sqlite3.connect(tmp_path / ".moot" / "moot.db")) as store:
        [[count]] = store.execute("select count(*) from replies")
    return count


async def recount(tmp_path, run, arm):
    """The share of right verdicts of an arm, from its transcripts alone."""
    async with open_lab(tmp_path / ".moot", readonly=True) as lab:
        row = lab.store.find_run(run)
        debates = [each.transcript for each in lab.store.debates(row.id, arm=arm)]
    right = [each.verdict.answer == each.question.answer for each in debates]
    return sum(right) / len(right), len(right)


async def test_every_value_stands_beside_ours_as_the_transcripts_have_it(small, tmp_path):
    values = read(small[0])["data"]["values"]
    table = [each for each in values if each["table"] == "table 5"]
    assert len(table) == 8
    for each in table:
        if each["column"] == "Network Accuracy":
            arm = f"network graph=cascade,agents={each['row'][0]}"
            share, n = await recount(tmp_path, "networks-sums", arm)
            assert each["ours"] == pytest.approx(share)
            assert each["questions"] == n == 10
            assert each["published"] == 0.44
            assert each["difference"] == pytest.approx(share - 0.44)
            assert each["within"] == (each["low"] <= 0.44 <= each["high"])


def test_the_folder_has_a_page_and_latex_in_the_papers_numbering(small):
    folder = small[0]
    page = (folder / "index.html").read_text()
    for number in range(1, 6):
        assert f"Table {number}. " in page
        latex = (folder / f"table-{number}.tex").read_text()
        assert all(rf"\hspace{{0pt}}{line} &" in latex or f"{line} &" in latex for line in LINES)
        assert latex.count(r"\begin{") == latex.count(r"\end{")
        assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    whole = (folder / "all.tex").read_text()
    opening = (folder / "summary.tex").read_text()
    assert whole.index(r"\input{summary}") < whole.index(r"\input{claims}")
    assert "Simulated: no language model takes part." in opening
    assert "Of 7 claims of the text: " in opening
    for named in re.findall(r"\\input\{([^}]+)\}", whole):
        assert (folder / f"{named}.tex").is_file()
    for named in re.findall(r"\\includegraphics\[[^]]*\]\{([^}]+)\}", whole):
        assert (folder / named).is_file()


def test_it_says_what_stands_in_for_what(small):
    folder, out, errors = small
    assert "Sums and moves of chess stand in for the paper's data" in " ".join(out.split())
    assert "Sums and moves of chess stand in" in errors
    assert read(folder)["simulated"] is True
    assert "What the text claims" in (folder / "index.html").read_text()


def test_running_again_calls_nothing_and_writes_the_same(small, moot):
    folder = small[0]
    before = (folder / "paper.json").read_bytes()
    code, _, errors = moot("paper", "community", "--sums", "--scale", "0.2", *MODEL)
    assert code == 0, errors
    assert (folder / "paper.json").read_bytes() == before


def test_what_a_study_has_paid_is_cached_for_the_paper_at_any_scale(moot, shared_data, tmp_path):
    """The paper leaves out the replies at equal price, so that its run is one of its own."""
    moot = partial(moot, MOOT_DATA=str(tmp_path / "data"))
    assert moot("data", "add", "gpqa", str(shared_data / "gpqa"))[0] == 0
    code, _, errors = moot("run", "networks", "--limit", "2", *MODEL)
    assert code == 0, errors
    paid = count_replies(tmp_path)
    only = ("--only", "table 3", "--scale", "0.04", "--yes")
    code, _, errors = moot("paper", "community", *only, *MODEL)
    assert code == 0, errors
    assert "networks: 12 debates" in errors
    assert count_replies(tmp_path) == paid > 0


def test_ticks_stand_beside_those_that_the_transcripts_show(moot, tmp_path):
    words = ("--sums", "--scale", "0.001", "--only", "table 1", "--out", "ticks")
    code, out, errors = moot("paper", "mad", *words, *MODEL)
    assert code == 0, errors
    found = read(tmp_path / "ticks")["data"]["values"]
    named = {
        "Medprompt": "medprompt",
        "Society of Minds": "society-of-minds",
        "Ensemble Refinement": "ensemble-refinement",
        "ChatEval": "chateval",
        "Self-consistency": "self-consistency",
        "Single-agent": "single",
        "Solo Performance Prompting": "solo-performance",
        "Multi-Persona": "multi-persona",
    }
    ticked = {(each["row"], each["column"]) for each in found if each["ours"]}
    shown = asyncio.run(tick(tmp_path, {"table3-sums", "protocols"}))
    assert ticked == {(row, column) for row, own in named.items() for column in shown[own]}
    same = [each for each in found if bool(each["ours"]) is bool(each["published"])]
    assert 30 < len(same) < 48 == len(found)
    assert f"Of 48 places of ticks our transcripts have {len(same)} as published." in " ".join(
        out.split()
    )
    latex = (tmp_path / "ticks" / "table-1.tex").read_text()
    assert latex.count(r"$\neq$ ") - 1 == 48 - len(same)  # the note has the sign once
    assert "Published and ours" not in (tmp_path / "ticks" / "index.html").read_text()


async def tick(tmp_path, runs):
    """The features of each protocol in stored transcripts, by the roles that moot gives them."""
    seen = {}
    async with open_lab(tmp_path / ".moot", readonly=True) as lab:
        for run in runs:
            for row in lab.store.debates(lab.store.find_run(run).id):
                said = row.transcript
                seen.setdefault(said.opened.protocol, []).append(said)
    shown = {}
    for protocol, own in seen.items():
        roles = {turn.role for said in own for turn in said.turns}
        has = {
            "Flexible Round Numbers": len({said.turns[-1].round for said in own}) > 1,
            "Judge": roles & {"judge", "aggregator"},
            "Summarizer": "summariser" in roles,
            "Sequential Interactions": any(turn.reads for said in own for turn in said.turns),
            "Multi API Calls": any(len(said.turns) > 1 for said in own),
            "Asymmetric Agents": roles >= {"affirmative", "negative"},
        }
        shown[protocol] = [column for column, ticked in has.items() if ticked]
    return shown


def test_a_part_runs_its_own_studies_alone(moot, tmp_path):
    code, _, errors = moot(
        *("paper", "community", "--sums", "--scale", "0.1", "--only", "table 1", "--out", "part"),
        *MODEL,
    )
    assert code == 0
    assert "networks-prompts-sums" in errors
    assert "hopfield" not in errors
    found = read(tmp_path / "part")
    assert {each["table"] for each in found["data"]["values"]} == {"table 1"}
    assert len(found["data"]["values"]) == 3


def test_absent_data_is_named_with_the_command_that_gets_it(moot, tmp_path):
    code, out, errors = moot("paper", "mad", *MODEL)
    assert (code, out) == (2, "")
    told = " ".join(errors.split())
    assert "medqa, pubmedqa, mmlu, cosmosqa, ciar, gpqa, chess-state-tracking" in told
    assert "moot data fetch --study table3 --study table3-few-shot" in told
    assert "--sums" in told
    assert not (tmp_path / "paper-mad").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_dry_run_of_each_paper_calls_nothing_and_writes_nothing(name, moot, tmp_path):
    code, _, errors = moot("paper", name, "--sums", "--scale", "0.01", "--dry-run", *MODEL)
    assert code == 0, errors
    assert "debates: expected" in errors
    assert not (tmp_path / f"paper-{name}").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nobody",), "nobody"),
        (("mad", "--scale", "0"), "--scale 0: must be above 0 and at most 1"),
        (("mad", "--scale", "nan"), "--scale nan: must be above 0 and at most 1"),
        (("mad", "--within", "-1"), "--within -1: must be US dollars, 0 or more"),
        (("mad", "--only", "table 22"), "table 2"),
        (("mad", "--price", "x"), "price"),
        (("mad", "--without", "table33"), "table3"),
    ],
)
def test_what_cannot_be_is_named(words, told, moot):
    code, out, errors = moot("paper", *words, "--sums", *MODEL)
    assert (code, out) == (2, "")
    assert told in errors
    assert "Traceback" not in errors


def test_a_folder_of_other_files_is_left_as_it_is(moot, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("mine")
    code, _, errors = moot("paper", "community", "--sums", "--out", "mine", *MODEL)
    assert code == 2
    assert "has files that are not of this command" in errors
    assert (tmp_path / "mine" / "index.html").read_text() == "mine"


def test_a_cap_stops_it_and_what_was_paid_is_shown(moot, tmp_path):
    price = ("--price", f"{MODEL[1]}=1000,1000")
    code, out, errors = moot(
        *("paper", "community", "--sums", "--scale", "0.1", "--within", "20", "--yes"),
        *(*MODEL, *price),
    )
    assert code == 3, errors
    assert "the same command goes on from there" in " ".join(out.split())
    assert (tmp_path / "paper-community" / "index.html").is_file()


@pytest.mark.soak
async def test_the_page_fits_and_is_for_everybody(small):
    beside.need(beside.miss_chromium())
    async with started() as browser, opened(browser) as tab:
        await tab.page.goto((small[0] / "index.html").as_uri())
        await tab.sound()
