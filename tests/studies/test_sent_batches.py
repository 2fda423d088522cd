"""Runs whose calls go out through the batches API, against a server of it."""

import msgspec
import pytest

import moot
from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.models.batch_server import BatchServer, LineFailure
from moot.models.scripted import Scripted
from moot.studies import sent_batches
from moot.studies.lab import open_lab

ARMS = [{"protocol": "single"}, {"protocol": "society-of-minds", "agents": 3, "rounds": 2}]
FOUR = Reply(text="Final answer: 4", prompt_tokens=50, completion_tokens=7)


class ProcessEnd(Exception):
    """The process ends here."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(sent_batches, "SOON", 0.0)
    monkeypatch.delenv("MOOT_API_KEY", raising=False)


def serve(**options):
    return BatchServer(Scripted(lambda _: FOUR), **options)


def study(server, arms=ARMS, **more):
    return {
        "name": "small",
        "settings": {"model": f"{server.base}/llama"},
        "datasets": [{"name": "arithmetic", "n": 4}],
        "arms": arms,
    } | more


def lines_of(server, batch):
    return server.files[server.batches[batch]["input_file_id"]].splitlines()


async def test_a_run_that_waits_sends_a_batch_for_each_call_of_its_longest_chain(tmp_path):
    async with serve() as server:
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed, outcome.stopped) == (8, 0, None)
        assert [len(lines_of(server, each)) for each in server.batches] == [12, 12]
        again = await moot.run(study(server), store=tmp_path)  # all is in the ledger
        assert again.done == 8
        assert len(server.batches) == 2


async def test_a_run_that_ends_is_picked_up_again_and_nothing_is_sent_twice(tmp_path):
    async with serve() as server:
        states, done = [], 0
        while True:
            outcome = await moot.run(study(server), store=tmp_path, batch=True)
            if not outcome.waiting:
                break
            states.append(dict(outcome.waiting))
            assert outcome.stopped == "12 calls wait for a batch"
            assert outcome.done >= done
        assert (outcome.done, outcome.failed, outcome.stopped) == (8, 0, None)
        assert [len(lines_of(server, each)) for each in server.batches] == [12, 12]
        [first, *_] = states
        assert list(first) == [f"{server.base}/llama: batch_00000002 (validating)"]


async def test_a_batch_whose_creation_no_process_saw_is_found(tmp_path, monkeypatch):
    async with serve() as server:
        create = sent_batches.BatchClient.create

        async def die(self, *given):
            await create(self, *given)
            raise ProcessEnd

        with monkeypatch.context() as patch:
            patch.setattr(sent_batches.BatchClient, "create", die)
            with pytest.raises(ProcessEnd):
                await moot.run(study(server), store=tmp_path, batch=True)
        assert len(server.batches) == 1
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert outcome.done == 8
        assert [len(lines_of(server, each)) for each in server.batches] == [12, 12]


async def test_a_batch_that_was_never_created_is_sent(tmp_path, monkeypatch):
    async with serve() as server:

        async def die(*_):
            raise ProcessEnd

        with monkeypatch.context() as patch:
            patch.setattr(sent_batches.BatchClient, "create", die)
            with pytest.raises(ProcessEnd):
                await moot.run(study(server), store=tmp_path, batch=True)
        assert not server.batches
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert outcome.done == 8
        assert len(server.batches) == 2


@pytest.mark.parametrize("end", ["expired", "cancelled"])
async def test_what_an_unfinished_batch_did_not_answer_goes_out_again(tmp_path, end, caplog):
    async with serve(ends=end, answered=5) as server:
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (8, 0)
        sizes = [len(lines_of(server, each)) for each in server.batches]
        assert sum(min(5, size) for size in sizes) == 24  # each is answered once
        assert sizes[:2] != [12, 12]
        assert end in caplog.text
        async with open_lab(tmp_path, readonly=True) as lab:
            assert lab.store.sum_spent(lab.store.find_run(outcome.run).id).calls == 24


async def test_lines_that_may_pass_go_out_again(tmp_path):
    seen = set()

    def fails(line):
        if len(seen) < 3 and line["custom_id"] not in seen:
            seen.add(line["custom_id"])
            return LineFailure(429, "slow down")
        return None

    async with serve(fails=fails) as server:
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (8, 0)
        assert sum(len(lines_of(server, each)) for each in server.batches) == 24 + 3


async def test_a_line_that_always_fails_goes_out_as_often_as_the_study_retries(tmp_path):
    async with serve(fails=lambda _: LineFailure(500, "broken")) as server:
        spec = study(server, arms=ARMS[:1], retry={"attempts": 3})
        outcome = await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (4, 4)
        assert [len(lines_of(server, each)) for each in server.batches] == [4, 4, 4]


async def test_lines_that_will_not_pass_fail_their_debates_and_are_not_sent_again(tmp_path):
    refused = set()

    def fails(line):
        if line["custom_id"] in refused or not refused:
            refused.add(line["custom_id"])
            return LineFailure(400, "no such thing", "invalid_request_error")
        return None

    async with serve(fails=fails) as server:
        while True:  # each time as in a new process
            outcome = await moot.run(study(server), store=tmp_path, batch=True)
            if not outcome.waiting:
                break
        assert outcome.done == 8
        assert outcome.failed >= 1
        assert any("no such thing" in reason for reason in outcome.reasons)
        sent = [
            msgspec.json.decode(line)["custom_id"]
            for each in server.batches
            for line in lines_of(server, each)
        ]
        assert [sent.count(each) for each in refused] == [1]


async def test_a_file_that_is_not_accepted_stops_the_run_with_the_endpoints_words(tmp_path):
    async with serve(ends="failed") as server:
        with pytest.raises(InputError, match="was not accepted: the file has no requests"):
            await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)


async def test_replies_cost_the_batch_price_of_their_provider(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOT_API_KEY", "sk-mine")
    async with serve() as server:
        name = f"openai/gpt-4o-mini?base={server.base}"
        spec = study(server, settings={"model": name}, arms=ARMS[:1])
        spec["prices"] = {name: {"input": 10.0, "output": 100.0}}
        outcome = await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)
        [arm] = outcome.results.arms
        assert arm.cost.total == pytest.approx(4 * (50 * 10 + 7 * 100) / 1e6 / 2)


async def test_a_budget_ends_the_run_before_a_batch_would_pass_it(tmp_path):
    async with serve() as server:
        spec = study(server, budget={"calls": 14})
        outcome = await moot.run(spec, store=tmp_path, batch=True, batch_wait=True)
        assert "14 calls" in outcome.stopped
        assert sum(len(lines_of(server, each)) for each in server.batches) == 14


async def test_large_files_go_out_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(sent_batches, "MOST_LINES", 5)
    async with serve() as server:
        outcome = await moot.run(study(server), store=tmp_path, batch=True, batch_wait=True)
        assert outcome.done == 8
        assert [len(lines_of(server, each)) for each in server.batches] == [5, 5, 2] * 2


async def test_options_that_do_not_go_together_are_told(tmp_path):
    async with serve() as server:
        for given, told in (
            ({"batch": "a.jsonl", "batch_wait": True}, "--batch-wait goes with --batch alone"),
            ({"batch": True, "replies": ["a.jsonl"]}, "--replies goes with --batch FILE.jsonl"),
        ):
            with pytest.raises(InputError, match=told):
                await moot.run(study(server), store=tmp_path, **given)
        spec = study(server, settings={"model": "simulated/people?accuracy=0.6"})
        with pytest.raises(InputError, match="no model of this study takes batches"):
            await moot.run(spec, store=tmp_path, batch=True)
        assert not server.requests
