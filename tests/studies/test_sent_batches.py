"""Runs whose calls go out through the batches API, against a server of it."""

import asyncio
import signal

import msgspec
import pytest
from aiohttp import web
from click.testing import CliRunner

import moot
from moot.cli.main import moot as command
from moot.core.calls import Reply
from moot.core.errors import AccessError, InputError, TransientError
from moot.models import batch_client
from moot.models.http import HttpModel
from moot.models.scripted import Scripted
from moot.studies import sent_batches
from moot.studies.lab import open_lab
from support.batch_server import BatchServer, LineFailure
from support.commands import environment
from support.stored import read_spent
from support.sums import sums

# The first call of each kind goes by itself, so one line is missing in the first batch.
ARMS = [{"protocol": "single"}, {"protocol": "society-of-minds", "agents": 3, "rounds": 2}]
FOUR = Reply(text="Final answer: 4", prompt_tokens=50, completion_tokens=7)


class ProcessEnd(Exception):
    """The process ends here."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(sent_batches, "SOON", 0.0)
    monkeypatch.setattr(sent_batches, "_SETTLE", 0.0)
    monkeypatch.delenv("MOOT_API_KEY", raising=False)


def serve(**options):
    return BatchServer(Scripted(lambda _: FOUR), **options)


def study(server, arms=ARMS, **more):
    return sums("small", f"{server.base}/llama", 4, arms, **more)


def lines_of(server, batch):
    return server.files[server.batches[batch]["input_file_id"]].splitlines()


def sizes(server):
    """How many lines each batch has."""
    return [len(lines_of(server, each)) for each in server.batches]


def names_sent(server):
    """The names of all lines of all batches."""
    lines = [line for each in server.batches for line in lines_of(server, each)]
    return [msgspec.json.decode(line)["custom_id"] for line in lines]


async def run_again_and_again(spec, store, after=None):
    """Run until nothing waits, each time as in a new process; return the outcomes."""
    outcomes = []
    while not outcomes or outcomes[-1].waiting:
        outcomes.append(await moot.run(spec, store=store, batch=True))
        if after:
            await asyncio.to_thread(after)
    return outcomes


async def test_a_run_that_ends_is_picked_up_again_and_nothing_is_sent_twice(tmp_path):
    shown = []

    def show():
        words = ["show", "small", "--store", str(tmp_path)]
        shown.append(CliRunner().invoke(command, words).stdout)

    async with serve() as server:
        first, *_, last = await run_again_and_again(study(server), tmp_path, after=show)
        assert (last.done, last.failed, last.stopped) == (8, 0, None)
        assert sizes(server) == [11, 12]
        assert len(names_sent(server)) == len(set(names_sent(server))) == 23
        assert (len(server.direct), first.stopped) == (1, "11 calls wait for a batch")
        [told] = first.waiting
        assert told.startswith(f"{server.base}/llama: batch_00000002, since 20")
        assert told.endswith("(validating)")
        words = " ".join(shown[0].split())
        assert f"{told.removesuffix(' (validating)')} (validating when last seen): 11" in words
        assert "26 of 28 replies came in batches" in shown[-1]  # two arms use the other
        assert "batch_" not in shown[-1]
        assert (await moot.run(study(server), store=tmp_path)).done == 8  # all is in the ledger
        assert len(server.batches) == 2


async def test_a_budget_or_the_size_of_a_file_ends_a_batch(tmp_path, monkeypatch):
    async with serve() as server:
        spec = study(server, budget={"calls": 14})
        outcome = await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)
        assert len(names_sent(server)) + len(server.direct) == 14
        assert "14 calls" in outcome.stopped
        async with open_lab(tmp_path, readonly=True) as lab:
            assert (
                lab.store.find_run(outcome.run).described_status == "stopped at the cap of 14 calls"
            )
        whole = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        async with open_lab(tmp_path, readonly=True) as lab:
            assert lab.store.find_run(whole.run).described_status == "done"
    monkeypatch.setattr(sent_batches, "MOST_LINES", 5)
    async with serve() as server:
        parts = tmp_path / "parts"
        outcome = await moot.run(study(server), store=parts, batch=True, batch_wait=True)
        assert (outcome.done, sizes(server)) == (8, [5, 5, 1, 5, 5, 2])


async def test_what_an_endpoint_does_not_accept_is_told(tmp_path):
    async with serve(ends="failed") as server:
        with pytest.raises(InputError, match="was not accepted: the file has no requests"):
            await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
    async with serve(key="sk-right") as server:
        with pytest.raises(AccessError, match="401"):
            await moot.run(study(server), store=tmp_path / "other", batch=True)
        assert server.requests == [("GET", "/v1/batches")]  # nothing was sent


@pytest.mark.parametrize("created", [True, False])
async def test_a_batch_is_created_once_whatever_a_process_saw(tmp_path, monkeypatch, created):
    async with serve() as server:
        create = sent_batches.BatchClient.create

        async def die(self, *given):
            if created:
                await create(self, *given)
            raise ProcessEnd

        with monkeypatch.context() as patch:
            patch.setattr(sent_batches.BatchClient, "create", die)
            with pytest.raises(ProcessEnd):
                await moot.run(study(server), store=tmp_path, batch=True)
        assert len(server.batches) == created
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, sizes(server)) == (8, [11, 12])


@pytest.mark.parametrize("end", ["expired", "cancelled"])
async def test_what_an_unfinished_batch_did_not_answer_goes_out_again(tmp_path, end, caplog):
    async with serve(ends=end, answered=5) as server:
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (8, 0)
        assert sum(min(5, size) for size in sizes(server)) == 23  # each is answered once
        assert sizes(server)[:2] != [11, 12]
        assert end in caplog.text
        assert (await read_spent(tmp_path, outcome.run)).calls == 24


async def test_a_line_that_always_fails_goes_out_as_often_as_the_study_retries(tmp_path):
    async with serve(fails=lambda _: LineFailure(500, "broken")) as server:
        spec = study(server, arms=ARMS[:1], retry={"attempts": 3})
        *_, outcome = await run_again_and_again(spec, tmp_path)  # processes count together
        assert (outcome.done, outcome.failed) == (4, 3)
        assert sizes(server) == [3, 3, 3]


async def test_lines_that_may_pass_go_out_again_and_those_that_will_not_fail(tmp_path):
    busy, refused = set(), set()

    def fails(line):
        name = line["custom_id"]
        if name in refused or not refused:
            refused.add(name)
            return LineFailure(400, "no such thing", "invalid_request_error")
        if len(busy) < 3 and name not in busy:
            busy.add(name)
            return LineFailure(429, "slow down")
        return None

    async with serve(fails=fails) as server:
        *_, outcome = await run_again_and_again(study(server), tmp_path)
        assert outcome.done == 8
        assert outcome.failed >= 1
        assert any("no such thing" in reason for reason in outcome.reasons)
        assert [names_sent(server).count(each) for each in refused] == [1]
        assert [names_sent(server).count(each) for each in busy] == [2] * 3


async def test_replies_cost_the_batch_price_of_their_provider(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOT_API_KEY", "sk-mine")
    async with serve() as server:
        name = f"openai/gpt-4o-mini?base={server.base}"
        spec = study(server, settings={"model": name}, arms=ARMS[:1])
        spec["prices"] = {name: {"input": 10.0, "output": 100.0}}
        outcome = await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)
        [arm] = outcome.results.arms
        usual = (50 * 10 + 7 * 100) / 1e6
        assert arm.cost.total == pytest.approx(usual + 3 * usual / 2)  # one went by itself
        assert (arm.batched, arm.batch_saving.total) == (3, pytest.approx(3 * usual / 2))
        spec["prices"][name]["batch"] = 0.25
        other = await moot.run(spec, store=tmp_path / "other", batch=True, batch_wait=True)
        assert other.results.arms[0].cost.total == pytest.approx(usual + 3 * usual / 4)


async def test_options_that_do_not_go_together_are_told(tmp_path):
    async with serve() as server:
        here = study(server, settings={"model": "simulated/people?accuracy=0.6"})
        for spec, given, told in (
            (study(server), {"batch": "a.jsonl", "batch_wait": True}, "--batch-wait goes with"),
            (study(server), {"batch": True, "replies": ["a.jsonl"]}, "--replies goes with --batch"),
            (here, {"batch": True}, "no model of this study takes batches"),
            (study(server), {"batch": "a.jsonl", "batch_cancel": True}, "not of files"),
        ):
            with pytest.raises(InputError, match=told):
                await moot.run(spec, store=tmp_path, **given)
        assert not server.requests


@pytest.mark.parametrize("directly", [True, False])
async def test_a_refused_parameter_costs_no_batch_or_one(tmp_path, monkeypatch, directly):
    """It is learnt from the first call, or else from the first batch; other processes know it."""
    monkeypatch.setattr(HttpModel, "answers_directly", directly)
    arms = [{**each, "max_tokens": 64} for each in ARMS]
    async with serve(refuses=frozenset({"max_tokens", "seed"})) as server:
        *_, outcome = await run_again_and_again(study(server, arms), tmp_path)
        assert (outcome.done, outcome.failed) == (8, 0)
        for batch in [*server.batches][-2:]:
            lines = [msgspec.json.decode(line) for line in lines_of(server, batch)]
            assert all("max_completion_tokens" in line["body"] for line in lines)
        if directly:
            assert sizes(server) == [11, 12]
            assert [len(body) for body in server.direct] == [5, 5, 4]
        else:  # a batch for each of the two parameters, and no more
            assert sizes(server) == [12, 12, 12, 12]
            assert not server.direct


async def test_endpoints_without_batches_are_all_named_before_anything_is_sent(tmp_path):
    one = {"name": "one", "protocol": "single"}
    async with serve() as server:
        nowhere = f"{server.base.replace('/v1', '/v2')}/other"
        for models, told in (
            (("mistral/small", "anthropic/claude"), r"(?s)mistral/small.*anthropic/c.*nothing was"),
            ((nowhere,), r"/v2/other: no batches API at .*/v2 \(404\)"),
        ):
            arms = [one, *({**one, "name": model, "model": model} for model in models)]
            with pytest.raises(InputError, match=told):
                await moot.run(study(server, arms), store=tmp_path, batch=True)
        assert not server.files


async def test_models_and_endpoints_have_batches_of_their_own(tmp_path):
    async with serve() as server, serve() as other:
        models = f"{server.base}/qwen", f"{other.base}/qwen", "simulated/people?accuracy=0.6"
        own = [{"name": model, "protocol": "single", "model": model} for model in models]
        spec = study(server, [*ARMS, *own])
        outcome = await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (20, 0)
        assert (sorted(sizes(server)), sizes(other)) == ([3, 11, 12], [3])


async def test_calls_that_are_under_way_are_not_made_in_another_way(tmp_path):
    async with serve() as server:
        spec = study(server)
        await moot.run(spec, store=tmp_path, batch=True)
        for other in ({}, {"batch": tmp_path / "calls.jsonl"}):
            with pytest.raises(InputError, match="--batch goes on with them, --batch-cancel ends"):
                await moot.run(spec, store=tmp_path, **other)
        assert len(server.direct) == 1


async def test_open_batches_are_cancelled_and_what_they_answered_is_taken_in(tmp_path):
    async with serve(answered=5) as server:
        spec = study(server)
        await moot.run(spec, store=tmp_path, batch=True)
        cancelling = await moot.run(spec, store=tmp_path, batch_cancel=True)
        assert "cancelling" in next(iter(cancelling.waiting))
        await moot.run(spec, store=tmp_path, batch_cancel=True)
        ended = await moot.run(spec, store=tmp_path, batch_cancel=True)
        assert ended.waiting[f"{server.base}/llama"] > 0
        assert sizes(server) == [11]  # nothing more was sent
        assert (await read_spent(tmp_path, ended.run)).calls == 1 + 5
        done = await moot.run(spec, store=tmp_path)  # the rest goes by itself
        assert (done.done, done.failed, len(server.direct)) == (8, 0, 24 - 5)


async def test_a_batch_that_its_endpoint_does_not_know_can_be_given_up(tmp_path):
    async with serve() as server:
        spec = study(server)
        await moot.run(spec, store=tmp_path, batch=True)
        server.batches.clear()
        with pytest.raises(InputError, match=r"does not know batch .* --batch-cancel gives it up"):
            await moot.run(spec, store=tmp_path, batch=True)
        given_up = await moot.run(spec, store=tmp_path, batch_cancel=True)
        assert sum(given_up.waiting.values()) == 11
        assert (await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)).done == 8


async def test_a_batch_that_finds_the_queue_full_goes_out_when_others_have_ended(
    tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(sent_batches, "MOST_LINES", 6)

    class Full(BatchServer):
        def _validate(self, content):
            others = [each for each in self.batches.values() if each["status"] == "in_progress"]
            fault = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}
            return [fault] if others else super()._validate(content)

    async with Full(Scripted(lambda _: FOUR)) as server:
        spec = study(server, ARMS[:1], datasets=[{"name": "arithmetic", "n": 12}])
        outcome = await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (12, 0)
        assert sizes(server) == [6, 5, 5]
        assert "it waits again: Enqueued token limit reached" in caplog.text


async def test_a_process_that_waits_goes_on_when_the_endpoint_is_there_again(
    tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(batch_client, "_PAUSES", ())
    async with serve() as server:
        retrieve, lost = sent_batches.BatchClient.retrieve, []

        async def lose(self, batch):
            if len(lost) < 3:
                lost.append(batch)
                raise TransientError("the network is gone")
            return await retrieve(self, batch)

        monkeypatch.setattr(sent_batches.BatchClient, "retrieve", lose)
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, sizes(server)) == (8, [11, 12])
        assert caplog.text.count("moot goes on asking") == 1


KILLED = """
name = "small"
settings = {{ model = "{base}/llama" }}
datasets = [{{ name = "arithmetic", n = 4 }}]
arms = [
    {{ protocol = "single" }}, {{ protocol = "society-of-minds", agents = 3, rounds = 2 }}
]
"""


class KillingServer(BatchServer):
    """A server that kills a process once, before or after its nth request of a kind is handled.

    Batches end when they are looked at.
    """

    process = None

    def __init__(self, model, moment, nth):
        super().__init__(model)
        self.when, self.method, self.part = moment.split()
        self.nth = nth

    async def _retrieve(self, request):
        batch = self.batches[request.match_info["id"]]
        while batch["status"] != "completed":
            await self._advance(batch)
        return web.json_response(batch)

    @web.middleware
    async def _admit(self, request, handler):
        wanted = request.method == self.method and request.path.endswith(self.part)
        self.nth -= wanted
        now = wanted and self.nth == 0
        if now and self.when == "before":
            self.process.kill()
            return web.Response(status=500)
        answer = await super()._admit(request, handler)
        if now:
            self.process.kill()
        return answer


MOMENTS = [
    ("before POST /files", 1, "sqlite"),  # before the upload
    ("before POST /batches", 1, "sqlite"),  # between upload and creation
    ("after POST /batches", 1, "sqlite"),  # created, and no process knows
    ("after POST /batches", 1, "postgresql"),
    ("before GET /content", 1, "sqlite"),  # the replies are to be fetched
    ("before POST /files", 2, "sqlite"),  # the replies are taken in, the next ones wait
]


@pytest.mark.soak
@pytest.mark.parametrize(("moment", "nth", "kind"), MOMENTS)
async def test_a_killed_process_costs_no_second_batch_and_no_second_reply(
    tmp_path, request, monkeypatch, forks, moment, nth, kind
):
    monkeypatch.setattr(sent_batches, "SOON", 0.0)
    monkeypatch.setattr(sent_batches, "_SETTLE", 0.0)
    store = tmp_path / "store"
    if kind == "postgresql":
        store = request.getfixturevalue("postgres").make_database()
    async with KillingServer(Scripted(lambda _: "Final answer: 4"), moment, nth) as server:
        study = tmp_path / "small.toml"
        study.write_text(KILLED.format(base=server.base))
        words = ["run", study, "--batch", "--store", store]
        code = 6
        while code == 6:  # a process sends a wave at most; another goes on
            server.process = forks.start(tmp_path, words, environment())
            await asyncio.to_thread(server.process.communicate, 60)
            code = server.process.returncode
        assert code == -signal.SIGKILL
        outcome = await moot.run(study, store=store, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (8, 0)
        lines = names_sent(server)
        assert len(lines) == len(set(lines)) == 24 - len(server.direct)
        assert len(server.batches) == 2
        assert (await read_spent(store, outcome.run)).calls == 24
