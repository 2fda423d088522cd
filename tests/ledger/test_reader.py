"""Reading a store beside those who write it."""

from moot.ledger.reader import HEAD
from moot.ledger.sqlite import open_reader
from support.stored_runs import mixed


async def test_failures_are_counted_from_a_row_on_and_long_transcripts_cut(tmp_path):
    outcome = await mixed(tmp_path / "store")
    assert outcome.failed
    with open_reader(tmp_path / "store" / "moot.db") as reader:
        run = reader.run(outcome.run).id
        assert reader.progress(run).replied is not None
        assert reader.count_failures(run, 0) == outcome.failed
        assert reader.count_failures(run, reader.progress(run).newest) == 0
        held = next(reader.list_debates(run))
        whole = reader.transcript(run, (held.arm, held.dataset, held.question, held.replicate))
        assert reader.transcripts([held.number], most=10**6) == {held.number: whole}
        assert reader.transcripts([held.number], most=10) == {held.number: whole[:HEAD]}
        assert reader.transcript(run, ("no", "such", "debate", 0)) is None
