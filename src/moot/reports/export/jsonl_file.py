"""Whole transcripts as JSON lines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from moot.core.stored import decode_record
from moot.reports.export.outline import ExportedDebate


class _Encoded(msgspec.Struct):
    """A transcript in the store, its events left as they are encoded."""

    events: msgspec.Raw


class _Line(msgspec.Struct):
    """One debate, with the keys of ``moot show --json``."""

    run: str
    study: str
    arm: str
    dataset: str
    question: str
    replicate: int
    values: dict[str, float | None]
    events: msgspec.Raw


@contextmanager
def jsonl_file(path: Path) -> Iterator[Callable[[ExportedDebate], None]]:
    """Write one debate a line; its events as they are kept, without being decoded."""
    decode = msgspec.json.Decoder(_Encoded).decode
    encode = msgspec.json.Encoder().encode
    with path.open("xb") as file:

        def write(debate: ExportedDebate) -> None:
            row = debate.row
            line = _Line(
                run=debate.run.key,
                study=debate.run.name,
                arm=row.arm,
                dataset=row.dataset,
                question=row.question,
                replicate=row.replicate,
                values=dict(row.values),
                events=decode_record(decode, row.encoded, row.described).events,
            )
            file.write(encode(line) + b"\n")

        yield write
