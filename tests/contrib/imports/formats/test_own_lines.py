import json

from moot import Transcript
from moot.extend.records import decode_transcript

FORM = "jsonl"


def test_an_export_comes_in_as_it_was(moot, tmp_path, read):
    moot("run", "demo", "--limit", "1")
    moot("export", "demo", "--format", "jsonl", "--out", str(tmp_path / "demo.jsonl"))
    debates, unread, _ = read(tmp_path / "demo.jsonl", form=FORM)
    assert not unread
    rows = [json.loads(line) for line in (tmp_path / "demo.jsonl").read_text().splitlines()]
    assert len(debates) == len(rows) > 1
    for debate, row in zip(debates, rows, strict=True):
        assert debate.moot["events"] == row["events"]
        assert (debate.moot["run"], debate.moot["arm"]["name"]) == (row["run"], row["arm"])
        assert (debate.id, debate.replicate) == (row["question"], row["replicate"])
        own = decode_transcript(json.dumps({"events": row["events"]}).encode(), "test")
        assert isinstance(own, Transcript)
        assert [turn.text for turn in debate.turns] == [turn.text for turn in own.turns]
        assert debate.question.answer == own.question.answer


def test_a_line_that_is_none_is_named(write, read):
    row = dict.fromkeys(["run", "study", "arm", "dataset", "question"], "x") | {"replicate": 0}
    debates, unread, _ = read(write([{**row, "events": [{"event": "nonsense"}]}], "log.jsonl"))
    assert not debates
    assert [each.place for each in unread] == ["log.jsonl, line 1"]
