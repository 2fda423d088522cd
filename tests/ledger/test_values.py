"""Values of recorded debates: where debates lie, and that only what was read is replaced."""

import pytest

from moot.core.errors import StoreError
from moot.ledger.values import Span, Update

NEW = b'{"calls":5.0}'


@pytest.fixture
async def store(open_store, transcript):
    """An open store, and in ``held`` a debate."""
    async with open_store() as opened:
        opened.held = transcript()
        yield opened


async def keep(store, run, *questions, **values):
    for question in questions:
        await store.save_debate(run, "arm", "set", question, 0, store.held, values or {"calls": 1})
    await store.flush()


def kept(store, run):
    return {row.question: row.values for row in store.values(run)}


async def test_debates_are_found_by_place_between_those_of_other_runs(store):
    one = store.begin_run("one", "one", b"").id
    two = store.begin_run("two", "two", b"").id
    assert store.debate_values.find_span(one) == Span(0, -1, 0)
    await keep(store, one, "a", "b")
    await keep(store, two, "a")
    await keep(store, one, "c")
    assert store.debate_values.find_span(one) == Span(1, 4, 3)
    assert store.debate_values.find_span(two) == Span(3, 3, 1)
    found = store.debate_values.read_span(one, 1, 4)
    assert [each.number for each in found] == [1, 2, 4]
    assert {each.values for each in found} == {b'{"calls":1}'}
    assert [each.number for each in store.debate_values.read_span(one, 2, 3)] == [2]


async def test_a_debate_that_was_held_or_measured_since_it_was_read_stays_as_it_is(store):
    run = store.begin_run("one", "one", b"").id
    await keep(store, run, "a", "b", "c")
    read = store.debate_values.read_span(run, 1, 3)
    await keep(store, run, "c", calls=7)
    assert await store.debate_values.replace([Update(2, read[1].stored, b'{"calls":6.0}')]) == 1
    assert (
        await store.debate_values.replace([Update(each.number, each.stored, NEW) for each in read])
        == 1
    )
    assert kept(store, run) == {"a": {"calls": 5}, "b": {"calls": 6}, "c": {"calls": 7}}
    assert await store.debate_values.replace([]) == 0


async def test_all_of_a_group_are_replaced_or_none(store, open_store):
    run = store.begin_run("one", "one", b"").id
    await keep(store, run, "a", "b")
    first, second = store.debate_values.read_span(run, 1, 2)
    with pytest.raises(StoreError):  # what stands there may not be nothing
        await store.debate_values.replace(
            [Update(first.number, first.stored, NEW), Update(second.number, second.stored, None)]
        )
    assert all(dict(each) == {"calls": 1.0} for each in kept(store, run).values())
    await keep(store, run, "d")  # and the store goes on
    await store.debate_values.replace([Update(first.number, first.stored, NEW)])
    async with open_store(readonly=True) as other:
        assert kept(other, run)["a"] == {"calls": 5}
        with pytest.raises(StoreError, match="for reading only"):
            await other.debate_values.replace([Update(first.number, first.stored, NEW)])
