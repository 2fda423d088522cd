"""Build the dictionary of ``moot.ledger.compression`` from what is registered now.

    python bench/dictionaries.py FILE

Transcripts are compressed with a file in ``src/moot/ledger/dictionaries``. None of these ever
changes: an older store needs them. Once many settings are new, build another and add it.
"""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import moot
from moot.core.stored import DebateRow
from moot.debate.protocol import registry
from moot.ledger.store import Store
from moot.ledger.stored_records import encode

COMMON = ("society-of-minds", "single")
"""The protocols of most debates. Theirs stands last, where deflate finds it first."""


async def run_debate(protocol: str) -> DebateRow:
    """Return a debate of a protocol, as a store has it."""
    model = moot.Scripted(lambda _: "Final answer: 4", name="m")
    with TemporaryDirectory() as place:
        answer = await moot.ask(
            "What?", protocol=protocol, model=model, store=place, kind="number", answer="4"
        )
        async with Store.open(Path(place), readonly=True) as store:
            return next(store.debates(store.find_run(answer.run).id))


def build_transcripts(rows: list[DebateRow]) -> bytes:
    """Return the settings of all protocols, and the common debates up to their second turns."""
    *others, last = [row.encoded for row in rows]
    others = [b'{"event":"turn"'.join(each.split(b'{"event":"turn"')[:2]) for each in others]
    whole = b",".join([*others, last])
    own = dict.fromkeys(
        b'"%b":%b' % (each.name.encode(), encode(each.default))
        for protocol in registry
        for each in protocol.described_settings
    )
    return b",".join([*(each for each in own if each not in whole), whole])


def main() -> None:
    rows = [asyncio.run(run_debate(name)) for name in COMMON]
    content = build_transcripts(rows)
    Path(sys.argv[1]).write_bytes(content)
    print(f"{len(content)} bytes")


if __name__ == "__main__":
    main()
