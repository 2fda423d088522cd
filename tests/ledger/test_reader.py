"""Reading a store beside those who write it."""

import pytest

from moot.ledger.reader import HEAD
from moot.ledger.sqlite_store import Store, open_reader
from support.stored_runs import debates, fill, mixed


@pytest.fixture
async def filled(tmp_path):
    """A store with a run of 30 questions, and a reader of it."""
    held = await debates(tmp_path / "few", n=5)
    await fill(tmp_path / "store", held, key="filled-1", n=30)
    with open_reader(tmp_path / "store" / "moot.db") as reader:
        yield reader


async def test_failed_debates_are_counted_from_a_row_on(tmp_path):
    outcome = await mixed(tmp_path / "store")
    assert outcome.failed
    with open_reader(tmp_path / "store" / "moot.db") as reader:
        run = reader.run(outcome.run).id
        assert reader.progress(run).replied is not None
        assert reader.count_failures(run, 0) == outcome.failed
        assert reader.count_failures(run, reader.progress(run).newest) == 0


async def test_of_a_long_transcript_the_beginning_is_read(filled):
    held = next(filled.list_debates(filled.run("filled-1").id))
    whole = filled.transcript(1, (held.arm, held.dataset, held.question, held.replicate))
    assert filled.transcripts([held.number], most=10**6) == {held.number: whole}
    assert filled.transcripts([held.number], most=10) == {held.number: whole[:HEAD]}
    assert filled.transcript(1, ("no", "such", "debate", 0)) is None


async def test_every_debate_is_given_with_what_lists_need_and_a_run_grows(filled, tmp_path):
    assert filled.run("filled") is None  # the whole key is needed
    [listed] = filled.list_runs("ask", other=True, before=None, most=3)
    assert (listed.row.key, listed.standing.debates) == ("filled-1", 60)
    for name, before in (("filled", listed.row.id), ("ask", None)):
        assert filled.list_runs(name, other=False, before=before, most=3) == []
    run = filled.run("filled-1").id
    found, before = list(filled.list_debates(run)), filled.progress(run)
    assert len(found) == len({each.number for each in found}) == before.debates == 60
    assert {each.arm for each in found} == {"single", "minds"}
    minds = next(each for each in found if each.arm == "minds")
    assert minds.values.accuracy in {0.0, 1.0}
    assert minds.values.wrong_to_right is not None
    assert before.replied is None
    async with Store.open(tmp_path / "store") as store:
        row = next(store.debates(run))
        await store.save_debate(run, "single", "sums", "new", 0, row.transcript, row.values)
        await store.flush()
        after = filled.progress(run)
    assert (after.debates, after.newest) == (61, before.newest + 1)
