import json

from moot.core.redaction import redact
from moot.core.stored import decode_transcript
from moot.reports.export.jsonl_file import jsonl_file


def test_a_line_holds_the_whole_transcript(tmp_path, debates, held):
    path = tmp_path / "t.jsonl"
    with jsonl_file(path) as write:
        for debate in debates:
            write(debate)
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert len(lines) == len(held)
    for line, debate, (arm, dataset, transcript) in zip(lines, debates, held, strict=True):
        told = json.loads(line)
        assert list(told) == [
            "run", "study", "arm", "dataset", "question", "replicate", "values", "events"
        ]  # fmt: skip
        assert (told["run"], told["study"]) == ("trial-1", "Trial")
        assert (told["arm"], told["dataset"]) == (arm, dataset)
        assert told["values"] == debate.row.values
        events = decode_transcript(line, "it").events
        assert events == redact(transcript).events
