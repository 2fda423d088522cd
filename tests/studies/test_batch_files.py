"""Calls that go out as files, and replies that come in from them."""

import pytest

from moot.core.errors import CallWaits
from moot.ledger.sqlite_store import Store
from moot.runtime.batch_path import BatchPath
from moot.studies.batch_files import BatchFiles
from support.batches import Lined, Waves, answer
from support.debates import hold
from support.promises.table import PROMISES


def speaks(name):
    promise = PROMISES[name]
    return lambda call: promise.speaks(call, 2)


@pytest.mark.parametrize("name", ["council", "network", "society-of-minds"])
async def test_files_of_a_few_protocols(name, tmp_path):
    await check_files(name, tmp_path)


async def check_files(name, tmp_path):
    """Each file has what a wave of calls has, where each begins when the one before has ended."""
    settings = PROMISES[name].settings
    waves = Waves(speaks(name))
    async with Store.open(tmp_path / "direct") as store:
        direct = await hold(name, waves, store, **settings)
    assert direct.failed is None

    model, files, replies = Lined(speaks(name)), [], []
    held = None
    while held is None:
        calls, came = tmp_path / f"calls-{len(files)}.jsonl", tmp_path / f"replies-{len(files)}"
        async with Store.open(tmp_path / "batched") as store:  # each time as in a new process
            with BatchFiles(calls, replies[-1:]) as batch:
                path = BatchPath(store, batch=batch)
                try:
                    held = await hold(name, model, store, path=path, **settings)
                except CallWaits:
                    assert await batch.finish() == {str(calls): sum(batch._counts.values())}
                    files.append(answer(model, calls, came))
                    replies.append(came)
    assert files == waves.waves
    assert [turn.text for turn in held.turns] == [turn.text for turn in direct.turns]
    assert held.verdict == direct.verdict
