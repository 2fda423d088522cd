"""What a store keeps of batches, and what another process finds of it."""

from moot.ledger.batches import CREATING, RefusedCall


async def begin(store, name="small"):
    return store.begin_run(f"{name}-1", name, b"{}").id


async def test_another_process_finds_the_batches_that_are_not_taken(open_store):
    async with open_store() as store:
        run, other = await begin(store), await begin(store, "other")
        first = await store.batches.begin(run, "k-1", "m", 3, b"{}")
        await store.batches.begin(run, "k-2", "n", 4)
        await store.batches.begin(other, "k-3", "m", 5)
        assert (first.name, first.status, first.taken) == (None, CREATING, None)
        await store.batches.update(first.id, "batch_1", "in_progress")
    async with open_store() as store:
        found = store.batches.list_open(run)
        open_ones = [(each.key, each.model, each.calls) for each in found]
        assert open_ones == [("k-1", "m", 3), ("k-2", "n", 4)]
        assert (found[0].name, found[0].status) == ("batch_1", "in_progress")
        await store.batches.update(first.id, None, "completed")
        await store.batches.take(first.id)
    async with open_store() as store:
        assert [each.key for each in store.batches.list_open(run)] == ["k-2"]
        assert [each.learnt for each in store.batches.list_sent(run)] == [b"{}", None]


async def test_refused_calls_are_those_of_their_run_until_they_are_forgotten(open_store):
    key, refused = b"k" * 16, RefusedCall(400, b'{"error": "no"}')
    passing = RefusedCall(500, b"", tries=2)
    async with open_store() as store:
        run, other = await begin(store), await begin(store, "other")
        await store.batches.refuse(run, {key: refused})
        await store.batches.refuse(run, {key: refused, b"p" * 16: passing._replace(tries=1)})
        await store.batches.refuse(run, {b"p" * 16: passing})
    async with open_store() as store:
        assert store.batches.list_refused(run) == {key: refused, b"p" * 16: passing}
        assert store.batches.list_refused(other) == {}
        await store.batches.forget(run)
        assert store.batches.list_refused(run) == {}
