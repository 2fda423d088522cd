"""Recorded replies of the embedded model, for tests that are not about its words.

A call that is not recorded, since its prompt is another now, is made by the model: such tests pass
all the same and take longer. ``pytest … --snapshot-update`` records what they ask today.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from moot.core.calls import Call, Draw, Message, Reply, Sampling, identity
from moot.ledger.store import Store

RECORDED = Path(__file__).parents[1] / "fixtures" / "embedded"
_Request = tuple[str, tuple[Message, ...], Sampling]
_Line = tuple[_Request, tuple[int, int, int], Reply]


async def lay_in(name: str, store: Path) -> int:
    """Put the replies that were recorded under a name into a store; return how many there are."""
    file, number = RECORDED / f"{name}.jsonl", 0
    async with Store.open(store) as opened:
        for line in file.read_bytes().splitlines() if file.exists() else ():
            (model, messages, sampling), draw, reply = msgspec.json.decode(line, type=_Line)
            call = Call(model=model, messages=messages, sampling=sampling, draw=Draw(*draw))
            key = identity(call.request(), call.draw)
            if await opened.claim(key) is None:
                await opened.record(key, call, call.request(), reply)
                number += 1
    return number


async def record(name: str, store: Path, config: pytest.Config) -> None:
    """Where snapshots are to be updated: keep all replies of the embedded model in a store."""
    if not config.getoption("update_snapshots"):
        return
    with closing(sqlite3.connect(store / "moot.db")) as connection:
        rows = connection.execute("SELECT request, replicate, seat, repeat FROM replies").fetchall()
    lines = []
    async with Store.open(store) as opened:
        for request, *draw in rows:
            asked = msgspec.json.decode(request, type=_Request)
            reply = await opened.find(identity(request, Draw(*draw)))
            if asked[0] == "local/smollm2":
                kept = msgspec.structs.replace(reply, replayed=False, seconds=0.0, cached_tokens=0)
                lines.append(msgspec.json.encode((asked, draw, kept)))
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / f"{name}.jsonl").write_bytes(b"".join(line + b"\n" for line in sorted(lines)))
