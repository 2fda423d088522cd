"""A process that sends batches is killed at each moment: nothing is created or paid for twice."""

import asyncio
import signal

import msgspec
import pytest
from aiohttp import web

import moot
from moot.models.batch_server import BatchServer
from moot.models.scripted import Scripted
from moot.studies import sent_batches
from moot.studies.lab import open_lab
from support.commands import environment

DATA = '[[datasets]]\nname = "arithmetic"\nn = 4\n[[arms]]\nprotocol = "single"\n'
SOCIETY = '[[arms]]\nprotocol = "society-of-minds"\nagents = 3\nrounds = 2\n'
STUDY = f'name = "small"\n[settings]\nmodel = "{{base}}/llama"\n{DATA}{SOCIETY}'


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
    ("before POST /batches", 1, "postgresql"),
    ("after POST /batches", 1, "sqlite"),  # created, and no process knows
    ("after POST /batches", 1, "postgresql"),
    ("before GET /content", 1, "sqlite"),  # the replies are to be fetched
    ("before POST /files", 2, "sqlite"),  # the replies are taken in, the next ones wait
    ("before POST /files", 2, "postgresql"),
    ("after POST /batches", 2, "sqlite"),
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
        study.write_text(STUDY.format(base=server.base))
        words = ["run", study, "--batch", "--store", store]
        code = 6
        while code == 6:  # a process sends a wave at most; another goes on
            server.process = forks.start(tmp_path, words, environment())
            await asyncio.to_thread(server.process.communicate, 60)
            code = server.process.returncode
        assert code == -signal.SIGKILL
        outcome = await moot.run(study, store=store, batch=True, batch_wait=True)
        assert (outcome.done, outcome.failed) == (8, 0)
        lines = [
            msgspec.json.decode(line)["custom_id"]
            for batch in server.batches.values()
            for line in server.files[batch["input_file_id"]].splitlines()
        ]
        assert len(lines) == len(set(lines))
        assert len(lines) + len(server.direct) == 24
        assert len(server.batches) == 2
        async with open_lab(store, readonly=True) as lab:
            assert lab.store.sum_spent(lab.store.find_run(outcome.run).id).calls == 24
