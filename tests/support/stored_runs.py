"""Stores for tests of pages: runs of any size made of a few real debates."""

import asyncio
import atexit
import json
import sqlite3
import sys
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import msgspec

import moot
from moot.core.errors import RefusedError
from moot.core.events import Opened, Transcript, Turn
from moot.core.stored import Arm, StudyRow
from moot.ledger.store import Store
from moot.ledger.stored_records import parse_values
from moot.metrics.metric import measure
from moot.studies.lab import open_lab
from moot.studies.measuring import measure_again

SIMULATED = "simulated/people?accuracy=0.6&unparseable=0.08"
ARMS = [
    {"protocol": "single"},
    {"name": "minds", "protocol": "society-of-minds", "agents": 3, "rounds": 2},
]
HOLD = """
import asyncio, moot
study = {{"name": "slow", "settings": {{"model": "simulated/slow?latency=0.05"}}, "at_once": 2,
         "datasets": [{{"name": "arithmetic", "n": {n}, "difficulty": 4}}],
         "arms": [{{"protocol": "self-consistency", "samples": 3}}]}}
asyncio.run(moot.run(study, store={store!r}))
"""
Debates = dict[str, list[Transcript]]  # by arm


def study(n=12, **more):
    """A study of two arms, that a page shows everything of."""
    return {
        "name": "trial",
        "settings": {"model": SIMULATED},
        "datasets": [{"name": "arithmetic", "n": n, "difficulty": 4}],
        "arms": ARMS,
    } | more


async def run(store: Path, **more):
    return await moot.run(study(**more), store=store)


async def mixed(store: Path, n=12):
    def says(call):
        return RefusedError("no: <b>not</b> today") if "+1" in call.messages[-1].content else "4"

    model = moot.Scripted(says, name="moody")
    arms = [*ARMS, {"name": "moody", "protocol": "single", "model": model.name}]
    return await moot.run(study(n, arms=arms), store=store, models=[model])


async def debates(place: Path, n=40) -> Debates:
    """Real debates of both arms, held in a store of their own."""
    outcome = await run(place, n=n)
    found: Debates = {}
    async with open_lab(place, readonly=True) as lab:
        for row in lab.store.debates(lab.store.find_run(outcome.run).id):
            found.setdefault(row.arm, []).append(row.transcript)
    return found


async def fill(
    store: Path, held: Debates, *, key: str, n: int, status="done", simulated=True, dataset="sums"
) -> str:
    """Keep a run of ``n`` questions, in which real debates come again under other ids."""
    arms = tuple(
        Arm(name=name, protocol=opened.protocol, settings=dict(opened.settings))
        for name, (transcript, *_) in held.items()
        for opened in [transcript.opened]
    )
    of = tuple(held) if simulated else ()
    about = StudyRow(name="filled", arms=arms, baseline=next(iter(held)), simulated=of)
    async with Store.open(store) as opened:
        row = opened.begin_run(key, "filled", msgspec.json.encode(about))
        for arm, each in held.items():
            known = [(transcript, measure(transcript)) for transcript in each]
            for number, (transcript, values) in enumerate(islice(cycle(known), n)):
                again = renamed(transcript, f"q{number}")
                await opened.save_debate(row.id, arm, dataset, f"q{number}", 0, again, values)
        opened.set_status(row.id, status)
    return row.key


def renamed(transcript: Transcript, name: str) -> Transcript:
    opened = transcript.opened
    question = msgspec.structs.replace(opened.question, id=name)
    first = msgspec.structs.replace(opened, question=question)
    return Transcript((first, *transcript.events[1:]))


def reworded(transcript: Transcript, text: str, *, names: bool = False) -> Transcript:
    """The same debate in which this was asked and said, by agents that are called so, too."""
    return Transcript(tuple(_reworded(transcript.events, text, names=names)))


def secret(transcript: Transcript, text: str) -> Transcript:
    """The same debate of a secret question with this text, as it was before it is stored."""
    again = reworded(transcript, text)
    question = msgspec.structs.replace(again.question, secret=True)
    opened = msgspec.structs.replace(again.opened, question=question)
    return Transcript((opened, *again.events[1:]))


def _reworded(events: Iterable[object], text: str, *, names: bool):
    for event in events:
        if isinstance(event, Opened):
            question = msgspec.structs.replace(event.question, text=text)
            yield msgspec.structs.replace(event, question=question)
        elif isinstance(event, Turn):
            agent = text if names else event.agent
            yield msgspec.structs.replace(event, text=text, agent=agent)
        else:
            yield event


@cache
def big(n=10_000) -> tuple[Path, str]:
    """A store with one run of many questions, and the run's key; no loop may be running."""
    place = Path(mkdtemp(prefix="moot-big-"))
    atexit.register(rmtree, place, ignore_errors=True)

    async def made() -> str:
        return await fill(place / "big", await debates(place / "few"), key="big-1", n=n)

    return place / "big", asyncio.run(made())


async def hold(store, n):
    """Hold a slow run in another process; gives the process once the run has begun."""
    code = HOLD.format(n=n, store=str(store))
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    async with Store.open(store) as opened:
        while not opened.runs():
            await asyncio.sleep(0.05)
        return process, opened.runs()[0].key


def copy_as_older(store, old, *parts):
    """Copy a store as a moot left it that knew no metric with one of these parts in its name."""

    def forget(stored):
        values = parse_values(stored, "it").items()
        kept = {name: each for name, each in values if not any(part in name for part in parts)}
        return json.dumps(kept).encode()

    async def measure_all():
        async with open_lab(old) as lab:
            for row in lab.store.runs():
                await measure_again(lab, row.key, processes=1)

    old.mkdir()
    (old / "moot.db").write_bytes((store / "moot.db").read_bytes())
    asyncio.run(measure_all())
    with closing(sqlite3.connect(old / "moot.db")) as file, file:
        file.create_function("forget", 1, forget)
        file.execute("UPDATE debates SET values_digest = NULL, measured_by = NULL")
        file.execute("UPDATE debates SET metrics = forget(metrics)")
