"""Several processes on one store: how many calls are paid for twice, also where some are killed.

    python bench/processes.py                     # all of it, some three minutes
    python bench/processes.py --only kills --kills 200 --seed 7

A server on loopback notes every call that it gets. ``same``: one study is started twice, 0.15 s
apart, without and with --wait. ``shared``: 2 and 4 studies that have calls in common run at the
same time. ``kills``: two such studies, of which one or the other is killed (SIGKILL) at random
moments and started again. ``cap``: three processes want one run whose budget is 200 calls.
``paused``: one of two is suspended (SIGSTOP) while the other waits for its calls. Exits with 1
where a call is paid for twice that was in flight in no killed process, or the cap is exceeded.
"""

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from hashlib import blake2b
from pathlib import Path

import msgspec
from shared import HttpConnection, completion, stored_calls

STUDY = """
name = "{name}"
baseline = "single"

[settings]
model = "http://127.0.0.1:{port}/v1/plain?concurrency=8"
temperature = 0.7
{more}

[[datasets]]
name = "arithmetic"
n = {questions}

[[arms]]
protocol = "single"

[[arms]]
protocol = "self-consistency"
samples = {samples}

[[arms]]
protocol = "society-of-minds"
"""


def key_of(messages: object, seed: object) -> str:
    """What tells one call from another."""
    return blake2b(json.dumps([messages, seed], sort_keys=True).encode(), digest_size=8).hexdigest()


class Server(HttpConnection):
    """One connection to the server that notes every call."""

    def __init__(self, notes: "Notes") -> None:
        super().__init__()
        self.notes = notes
        self.asked: list[str] = []

    def connection_made(self, transport):
        """Note it."""
        super().connection_made(transport)
        self.notes.open.add(self)

    def connection_lost(self, _):
        """Note that its process has closed it, or was killed."""
        self.notes.open.discard(self)
        self.notes.lost.append(self)

    def handle(self, body):
        """Note a request, and answer it after a while."""
        asked = json.loads(body)
        key = key_of(asked["messages"], asked.get("seed"))
        self.asked.append(key)
        self.notes.calls[key] += 1
        self.notes.again += [key] if key in self.notes.durable else []
        text = f"I add the numbers up. Final answer: {int(key, 16) % 50}"
        wait = self.notes.latency * random.uniform(0.5, 1.5)
        self.later(wait, self.send_json, completion(text, 50, 9))


class Notes:
    """What the server has seen."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.reset()
        self.open: set[Server] = set()

    def reset(self) -> None:
        """Begin anew."""
        self.calls: Counter[str] = Counter()
        self.lost: list[Server] = []
        self.durable: set[str] = set()
        self.again: list[str] = []
        """Asked again though durable."""

    @property
    def total(self) -> int:
        """Calls that were paid for."""
        return self.calls.total()

    @property
    def twice(self) -> int:
        """Calls that were paid for more often than once."""
        return self.total - len(self.calls)


def recorded(store: Path) -> set[str]:
    """Return the keys of the calls whose replies are in the store."""
    return {
        key_of(msgspec.to_builtins(call.messages), call.seed())
        for call in stored_calls(store / "moot.db")
    }


class Place:
    """A folder with a store and studies."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port, self.store = folder, port, folder / "store"

    def study(self, name: str, *, questions: int, samples: int = 3, more: str = "") -> Path:
        """Write the file of a study."""
        file = self.folder / f"{name}.toml"
        fields = {"name": name, "port": self.port, "questions": questions, "samples": samples}
        file.write_text(STUDY.format(**fields, more=more))
        return file

    async def start(self, study: Path, *options: str) -> asyncio.subprocess.Process:
        """Start a process that runs a study."""
        command = ["run", str(study), "--store", str(self.store), "--json", "--yes", *options]
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "moot", *command),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )


async def ended(*processes: asyncio.subprocess.Process) -> list[tuple[int, dict, str]]:
    """Exit code, outcome and standard error of each."""
    outputs = await asyncio.gather(*(each.communicate() for each in processes))
    return [
        (each.returncode, json.loads(out) if out else {}, error.decode().strip())
        for each, (out, error) in zip(processes, outputs, strict=True)
    ]


async def same(place: Place, notes: Notes, options: argparse.Namespace) -> bool:
    study = place.study("same", questions=options.questions)
    one = await place.start(study)
    await asyncio.sleep(0.15)
    outcomes = await ended(one, await place.start(study))
    codes = [code for code, *_ in outcomes]
    print(f"same: {notes.total} calls, {notes.twice} twice; exit codes {codes}")
    print(*[f"  {told}" for *_, told in outcomes if told], sep="\n")
    good = notes.twice == 0 and sorted(codes) == [0, 4]
    notes.reset()
    place.store = place.folder / "waited"
    one = await place.start(study)
    await asyncio.sleep(0.15)
    outcomes = await ended(one, await place.start(study, "--wait"))
    codes = [code for code, *_ in outcomes]
    print(f"same, --wait: {notes.total} calls, {notes.twice} twice; exit codes {codes}")
    print(*[f"  {told}" for *_, told in outcomes if told], sep="\n")
    return good and notes.twice == 0 and codes in ([0, 0], [4, 0])


async def shared(place: Place, notes: Notes, options: argparse.Namespace) -> bool:
    good = True
    for number in (2, 4):
        notes.reset()
        part = Place(place.folder / f"of{number}", place.port)
        part.folder.mkdir()
        studies = [
            part.study(f"s{each}", questions=options.questions, samples=3 + each)
            for each in range(number)
        ]
        began = time.monotonic()
        outcomes = await ended(*[await part.start(study) for study in studies])
        came = [sum(outcome.get("shared", {}).values()) for _, outcome, _ in outcomes]
        codes = [code for code, *_ in outcomes]
        seconds = time.monotonic() - began
        words = f"{notes.total} calls, {notes.twice} twice, {seconds:.1f} s"
        print(f"shared by {number}: {words}; exit codes {codes}; waited for by each: {came}")
        good &= notes.twice == 0 and not any(codes)
    return good


async def kills(place: Place, notes: Notes, options: argparse.Namespace) -> bool:
    """Kill one or the other at random moments."""
    draw = random.Random(options.seed)
    killed = in_flight = rounds = 0
    twice = again = 0
    while killed < options.kills:
        rounds += 1
        notes.reset()
        part = Place(place.folder / f"round{rounds}", place.port)
        part.folder.mkdir()
        studies = [
            part.study(f"k{each}", questions=options.questions, samples=3 + each)
            for each in range(2)
        ]
        processes = [await part.start(study) for study in studies]
        while killed < options.kills:
            await asyncio.sleep(draw.uniform(0.1, 2.5))
            which = draw.randrange(2)
            if processes[which].returncode is not None:
                break
            notes.lost.clear()
            processes[which].kill()
            # At once: the server is in this loop, so nothing is answered before this is read.
            kept = recorded(part.store)
            notes.durable = kept
            killed += 1
            await processes[which].communicate()
            await asyncio.sleep(0.2)  # the end of its connections is noticed
            in_flight += len({key for each in notes.lost for key in each.asked} - kept)
            processes[which] = await part.start(studies[which])
        outcomes = await ended(*processes)
        assert not any(code for code, *_ in outcomes), outcomes
        twice += notes.twice
        again += len(notes.again)
    words = f"{twice} calls twice, {in_flight} were in flight in killed processes"
    print(
        f"kills: {killed} in {rounds} rounds (seed {options.seed}): {words}; {again} durable again"
    )
    return twice <= in_flight and again == 0


async def cap(place: Place, notes: Notes, options: argparse.Namespace) -> bool:
    more = "\n[budget]\ncalls = 200"
    study = place.study("cap", questions=options.questions, more=more)
    outcomes = await ended(*[await place.start(study, "--wait") for _ in range(3)])
    codes = [code for code, *_ in outcomes]
    print(f"cap: {notes.total} calls of 200, {notes.twice} twice; exit codes {codes}")
    return notes.total == 200 and notes.twice == 0 and codes == [3, 3, 3]


async def paused(place: Place, notes: Notes, options: argparse.Namespace) -> bool:
    """A suspended process keeps its calls; they go on when it does."""
    studies = [place.study(f"p{each}", questions=options.questions) for each in range(2)]
    one = await place.start(studies[0])
    while notes.total < 40:  # noqa: ASYNC110  nothing else happens meanwhile
        await asyncio.sleep(0.01)
    one.send_signal(signal.SIGSTOP)
    two = await place.start(studies[1])
    await asyncio.sleep(8)
    waiting = two.returncode is None
    one.send_signal(signal.SIGCONT)
    outcomes = await ended(one, two)
    codes = [code for code, *_ in outcomes]
    print(f"paused: waits {waiting}; {notes.total} calls, {notes.twice} twice; exit codes {codes}")
    return waiting and notes.twice == 0 and codes == [0, 0]


async def main(options: argparse.Namespace) -> int:
    notes = Notes(options.latency)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Server(notes), "127.0.0.1", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    good = True
    for scenario in (same, shared, cap, paused, kills):
        if options.only in {None, scenario.__name__}:
            notes.reset()
            with tempfile.TemporaryDirectory() as folder:
                good &= await scenario(Place(Path(folder), port), notes, options)
    server.close()
    print("good" if good else "NOT GOOD")
    return not good


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["same", "shared", "cap", "paused", "kills"])
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds, on average")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(asyncio.run(main(parser.parse_args())))
