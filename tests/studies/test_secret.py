"""A secret question is asked, and then neither stored nor shown."""

import asyncio
import json
import os

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

import moot
from moot.core.questions import WITHHELD, Question
from moot.datasets import library
from moot.studies.lab import open_lab
from support.archives import add_gpqa
from support.commands import run_command
from support.stored import read_debates
from support.sums import sums

TOLD = "Which of our own words is the longest of all?"
WORDS = (TOLD, "extraordinary", "whenever")


@pytest.fixture(autouse=True)
def gpqa(tmp_path):
    add_gpqa(tmp_path, f"rec1,{TOLD},extraordinary,itself,whenever,something")


def study(model, dataset="gpqa", **parameters):
    arms = [{"protocol": "single"}, {"protocol": "society-of-minds", "rounds": 2}]
    return sums("trial", model, arms=arms, datasets=[{"name": dataset, **parameters}])


def written(folder):
    """Everything that lies in a folder, as one text."""
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return b"".join(files).decode(errors="replace")


def own_file(folder):
    """A file of one secret question, with its context and documents."""
    row = {
        "id": "own-1",
        "question": TOLD,
        "context": "A passage of our own about long words.",
        "choices": ["extraordinary", "itself", "whenever"],
        "answer": "extraordinary",
        "documents": ["A document that nobody else may read."],
        "secret": True,
    }
    path = folder / "own.jsonl"
    path.write_text(json.dumps(row))
    return path, (*WORDS, "our own about long", "nobody else may read")


@pytest.mark.parametrize("dataset", ["gpqa", "file"])
def test_neither_the_store_nor_anything_printed_has_its_texts(tmp_path, dataset):
    path, words = own_file(tmp_path)
    own = dataset == "file"
    folder, page, data = tmp_path / "kept", tmp_path / "out.html", tmp_path / "elsewhere"
    asked = study("simulated/people?accuracy=1", dataset, **({"path": str(path)} if own else {}))
    outcome = asyncio.run(moot.run(asked, store=folder))
    assert [arm.accuracy.mean for arm in outcome.results.arms] == [1.0, 1.0]
    peek = ["data", "peek", dataset, *(("--set", f"path={path}") if own else ())]
    show = ["show", outcome.run, "own-1" if own else "gpqa-rec1", "--store", folder]
    said = ""
    for arguments in (
        *(peek, [*peek, "--json"], show, [*show, "--json"]),
        ["export", outcome.run, "--store", folder, "--format", "jsonl", "--out", data],
        ["report", outcome.run, "--store", folder, "--out", page],
    ):
        code, out, err = run_command(tmp_path, *arguments, MOOT_DATA=os.environ["MOOT_DATA"])
        assert code == 0, (arguments, err)
        said += out + err
    assert said.count(WITHHELD) > 10
    exported = data.read_text("utf-8") if data.is_file() else written(data)
    assert exported
    assert WITHHELD in page.read_text("utf-8")
    for word in words:
        for told in (written(folder), said, page.read_text("utf-8"), exported):
            assert word not in told
    open_ = tmp_path / "open.jsonl"
    open_.write_text(json.dumps({"question": TOLD, "answer": "whenever"}))
    asked = study("simulated/people", "file", path=str(open_))  # one that is not secret is stored
    asyncio.run(moot.run(asked, store=tmp_path / "other"))
    assert written(tmp_path / "other").count(TOLD) > 5


def test_what_is_printed_of_a_secret_row_is_read_again_as_secret(tmp_path):
    path, _ = own_file(tmp_path)
    peek = ["data", "peek", "file", "--json", "--set"]
    code, out, err = run_command(tmp_path, *peek, f"path={path}")
    assert (code, json.loads(out)["secret"]) == (0, True), err
    again = tmp_path / "again.jsonl"
    again.write_text(out)
    [question] = library.questions("file", path=str(again))
    assert (question.secret, question.answer, question.text) == (True, "A", WITHHELD)
    assert run_command(tmp_path, *peek, f"path={again}")[1] == out


@pytest.mark.parametrize(
    "more",
    [
        {"answer": "hidden treasure"},
        {"answer": "B", "answer_again": "hidden treasure"},
        {"choices": ["b", "A"], "answer": "A"},
        {"choices": None, "answer": "hidden 7"},
    ],
)
def test_an_error_quotes_nothing_of_a_secret_row(tmp_path, more):
    row = {"question": TOLD, "choices": ["extraordinary", "itself"], "secret": True, **more}
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(row))
    columns = {each: each for each in row}
    with pytest.raises(moot.MootError) as caught:
        library.questions("file", path=str(path), columns=columns)
    assert not any(word in str(caught.value) for word in ("hidden", *WORDS))


async def test_a_run_is_resumed_from_replies_that_are_kept(tmp_path):
    model = "scripted?reply=It is the third. Final answer: C"
    first = await moot.run(study(model), store=tmp_path / "kept")
    again = await moot.run(study(model), store=tmp_path / "kept")
    assert first.run == again.run
    assert again.results.arms[0].accuracy == first.results.arms[0].accuracy
    async with open_lab(tmp_path / "kept", readonly=True) as lab:
        for row in lab.store.debates(lab.store.find_run(first.run).id):
            transcript = row.transcript
            assert {turn.text for turn in transcript.turns} == {WITHHELD}
            assert {turn.answer for turn in transcript.turns} == {"C"}
            assert transcript.verdict.answer == "C"
            assert transcript.question.choices == (WITHHELD,) * 4
            call = bytes.fromhex(transcript.turns[0].call)
            assert {message.content for message in lab.store.request(call).messages} == {WITHHELD}
            assert (await lab.store.find(call)).text.startswith("It is the third")


async def test_an_error_that_quotes_it_is_kept_without_its_text(tmp_path):
    async def refuse(request):
        return web.Response(status=400, text=f"cannot take {await request.text()}")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", refuse)
    async with TestServer(app) as server:
        model = str(server.make_url("/v1/llama"))
        outcome = await moot.run(study(model), store=tmp_path / "kept")
    assert outcome.results.arms[0].failed == 1
    assert not any(word in written(tmp_path / "kept") for word in WORDS)
    for row in await read_debates(tmp_path / "kept", outcome.run):
        assert row.transcript.failed.reason == WITHHELD


def test_what_does_not_quote_it_is_told():
    choices = ("a\nb" * 20, "no")
    question = Question(id="q", kind="choice", text=TOLD, choices=choices, answer="A", secret=True)
    for said, told in (
        ("no such model: a key is missing", "no such model: a key is missing"),
        (f"bad request: {TOLD[10:40]!r}", WITHHELD),
        (r"bad request: a\nba\nba\nba\nba\nba\nba\nba\nba\nb", WITHHELD),
    ):
        assert question.hide_quotation(said) == told
    assert question.redacted.answer == "A"
    open_ = Question(id="q", kind="text", text=TOLD)
    assert open_.hide_quotation(TOLD) == TOLD
    assert open_.redacted is open_
