"""Reading a store beside those who write it."""

import pytest

from moot.ledger.reader import HEAD
from moot.ledger.sqlite_store import open_reader
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
