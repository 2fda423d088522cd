"""What a session that is alone knows of recorded replies, so that new calls are not looked up."""

import asyncio

import pytest

from moot.core.calls import Reply
from moot.ledger import own_replies
from moot.ledger.store import Store


async def answer(store, call):
    """Claim a call, and record a reply where it has none."""
    found = await store.claim(call[0])
    return found or await store.record(*call, Reply(text="mine"))


@pytest.mark.parametrize("few", [10_000, 1])
async def test_replies_of_others_are_found_whenever_they_come(open_store, asked, monkeypatch, few):
    """They come without a session, as from a copy: before it, during it, and before own ones."""
    monkeypatch.setattr(own_replies, "_FEW", few)
    async with open_store() as one, open_store() as other:
        for number in range(3):
            await other.record(*asked(number), Reply(text="theirs"))
        texts = [(await answer(one, asked(number))).text for number in range(6)]
        assert texts == ["theirs"] * 3 + ["mine"] * 3
        await other.record(*asked(6), Reply(text="theirs"))
        assert (await one.claim(asked(6)[0])).text == "theirs"
        await other.record(*asked(7), Reply(text="theirs"))
        await answer(one, asked(8))
        found = await asyncio.gather(*(one.claim(asked(number)[0]) for number in range(9)))
        assert [reply.text for reply in found] == [*texts, "theirs", "theirs", "mine"]
        assert all(reply.replayed for reply in found)


async def test_new_calls_are_not_looked_up(tmp_path, asked):
    async with Store.open(tmp_path) as store:
        await answer(store, asked(0))
        queries = []
        store.database.reader.set_trace_callback(queries.append)
        for number in range(1, 50):
            await answer(store, asked(number))
        assert not [each for each in queries if "identity IN" in each]
        assert (await answer(store, asked(7))).replayed
        assert [each for each in queries if "identity IN" in each]
