"""Whether a damaged store is told of, and put right, and nothing is paid twice in silence.

    python bench/damage.py                       200 flipped stores, 50 flipped logs
    python bench/damage.py --stores 20 --logs 5 --seed 3

A study of simulated agents is run. Of its store copies are made, in each of which one to four bits
are flipped, anywhere in the file; and of a store whose process was killed, in its log; every fifth
log is cut off instead. On each copy every command that reads is tried, then a run, a check, a
repair, and the run again. A reply counts as paid again when the store has a new one. The exit code
is 1 when a command hangs or gives a traceback, when a run pays again without a word, or when it
pays more than the repair has told. What came of all is printed, with the seed.
"""

import argparse
import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

STUDY = """
name = "flips"
at_once = 8
replicates = 2
[[datasets]]
name = "arithmetic"
n = 20
[[arms]]
name = "alone"
protocol = "single"
model = "simulated/people?accuracy=0.7"
[[arms]]
name = "minds"
protocol = "society-of-minds"
model = "simulated/people?accuracy=0.6"
agents = 3
rounds = 2
"""
SERVER = """
import contextlib, io, json, os, signal, sys, traceback
from moot.cli.main import moot
from moot.ledger.sqlite import SqliteDatabase

def die_after(most):
    real, kept = SqliteDatabase.insert_replies, [0]
    def insert(database, records):
        done = real(database, records)
        kept[0] += len(records)
        if kept[0] > most:
            os.kill(os.getpid(), 9)
        return done
    SqliteDatabase.insert_replies = insert

def do(command):
    out, err = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    code, trace = 0, ""
    signal.alarm(120)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            moot(command.split(), standalone_mode=False)
        except SystemExit as error:
            code = error.code or 0
        except BaseException:
            trace = traceback.format_exc()
    signal.alarm(0)
    said = [each.buffer.getvalue().decode() for each in (out, err)]
    return [command, code, said[0], said[1][-2000:], trace]

for line in sys.stdin:
    folder, after, here, commands = json.loads(line)
    child = 0 if here else os.fork()  # so that nothing is imported again
    if not child:
        os.chdir(folder)
        if after:
            die_after(after)
        for command in commands:
            print(json.dumps(do(command)), flush=True)
        if not here:
            os._exit(0)
    status = 0 if here else os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps({"end": status}), flush=True)
"""
READS = [
    "show",
    "show flips --json",
    "show flips {question} --json",
    "report flips --out report{}.html",
    "export flips --out out{}.jsonl --format jsonl",
    "export flips --out log{} --format inspect",
    "analyse compare flips --pair alone=minds --format json",
    "measure flips --dry-run",
]
RUN = "run study.toml --yes --json"


class Server:
    """A process that has moot imported, and gives commands in children of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", SERVER]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def give(
        self, folder: Path, *commands: str, after: int = 0, here: bool = False
    ) -> tuple[int, list[list[Any]]]:
        """Give commands, one after the other; the child's exit code, and what each came to."""
        assert self._process.stdin
        assert self._process.stdout
        asked = json.dumps([str(folder), after, here, commands])
        self._process.stdin.write(f"{asked}\n")
        self._process.stdin.flush()
        said: list[list[Any]] = []
        for line in self._process.stdout:
            came = json.loads(line)
            if isinstance(came, dict):
                return int(came["end"]), said
            said.append(came)
        raise SystemExit("the process that gives commands has ended")

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def replies(file: Path) -> int:
    """How many replies were ever stored, as far as can be read."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT MAX(id) FROM replies").fetchone()[0] or 0)
    except sqlite3.Error:
        return -1


def flipped(content: bytes, chance: random.Random) -> bytes:
    """The same with one to four bits turned around."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def bases(folder: Path, server: Server) -> tuple[Path, Path]:
    """A store of a finished run, and one of a run that was killed, with its log."""
    made = []
    for name, after in (("whole", 0), ("killed", 200)):
        place = folder / name
        place.mkdir()
        (place / "study.toml").write_text(STUDY)
        code, _ = server.give(place, RUN, after=after)
        assert code == (-9 if after else 0), code
        made.append(place)
    assert (made[1] / ".moot" / "moot.db-wal").stat().st_size > 100_000
    return made[0], made[1]


def damaged(base: Path, folder: Path, seed: int, *, log: bool) -> None:
    """Make a copy of a folder with damage."""
    chance = random.Random(f"{seed}-{log}")
    shutil.copytree(base, folder)
    for shared in folder.glob(".moot/*-shm"):
        shared.unlink()
    file = folder / ".moot" / ("moot.db-wal" if log else "moot.db")
    content = file.read_bytes()
    cut = log and seed % 5 == 4
    file.write_bytes(content[: chance.randrange(len(content))] if cut else flipped(content, chance))


class Case:
    """One damaged copy, and what comes of it.

    Attributes:
        wrong: what should not have been.
        came: how it ended.
    """

    def __init__(self, base: Path, place: Path, server: Server) -> None:
        self._server = server
        self.wrong: list[str] = []
        self.came: list[str] = []
        self._base, self._place = base.name, place
        self._file = place / ".moot" / "moot.db"

    def give(self, *commands: str) -> list[list[Any]]:
        """Give commands; none may hang or give a traceback."""
        code, said = self._server.give(self._place, *commands)
        if code:
            kind = "hang" if code == -14 else f"exit {code}"
            self.wrong.append(f"{kind}: {commands[len(said)]}")
        for command, _, _, err, trace in said:
            if trace or "Traceback" in err:
                last = (trace or err).strip().splitlines()[-1]
                self.wrong.append(f"traceback: {command}: {last}")
        return said

    def meet(self) -> tuple[bool, bool]:
        """Read it, and run: whether a command has told of damage, and the run was refused."""
        said = self.give(*READS_BEFORE, RUN)
        refused = not said or said[-1][0] != RUN or said[-1][1] != 0
        fresh = WHOLE - KNOWN[self._base]
        paid = replies(self._file) - KNOWN[self._base]
        if not refused and paid > fresh:
            self.wrong.append(f"{paid - fresh} replies were paid again without a word")
        return refused or any(each[1] == 2 for each in said), refused

    def mend(self) -> tuple[bool, int | None]:
        """Check and repair: whether damage was found; replies to be asked again, None for any."""
        said = self.give("store check --json", "store repair --json")
        if len(said) < 2 or self.wrong:
            return False, 0
        found = said[0][1] != 0
        if said[1][1] not in (0, 1):
            self.wrong.append(f"repair: {said[1][3].strip()[-200:]}")
            return found, 0
        done = json.loads(said[1][2])
        if not done["missing"]:
            return found, done["set_aside"].get("reply", 0) + done["unreadable"]
        self.came.append("records missing for good, told")
        self.give("store repair --accept-loss --json")
        return found, None

    def go_on(self, again: int | None) -> None:
        """Run after the repair: only what was told of is paid, and nothing is damaged."""
        kept = replies(self._file)
        end = self.give(RUN, "store check --json", *READS_AFTER)
        if self.wrong:
            return
        for command, code, out, err, _ in end:
            if code:
                self.wrong.append(f"after the repair: {command}: {(err or out).strip()[-300:]}")
        asked = replies(self._file) - kept
        if again is not None and asked > again + WHOLE - KNOWN[self._base]:
            self.wrong.append(f"{asked} replies were paid after a repair that told of {again}")


def tried(base: Path, place: Path, server: Server, seed: int, *, log: bool) -> Case:
    """What came of one damaged copy."""
    damaged(base, place, seed, log=log)
    case = Case(base, place, server)
    told, _ = case.meet()
    found, again = case.mend()
    if not case.wrong:
        case.go_on(again)
    case.came += ["told by a command"] * told + ["found by check"] * found
    if not told and not found:
        case.came.append("harmless")
    elif again is not None:
        case.came.append("repaired, some asked again" if again else "repaired, all kept")
    return case


QUESTION = "arithmetic-1-0-0"
READS_BEFORE, READS_AFTER = (
    [each.format(when, question=QUESTION) for each in READS] for when in (0, 1)
)
KNOWN: dict[str, int] = {}
WHOLE = 0
Ended = tuple[str, list[str], list[str]]


def campaign(options: argparse.Namespace, folder: Path) -> Iterator[Ended]:
    """Every damaged copy, as it comes."""
    global WHOLE  # noqa: PLW0603  of one campaign
    servers = SimpleQueue[Server]()
    for _ in range(options.at_once):
        servers.put(Server())
    server = servers.get()
    whole, killed = bases(folder, server)
    servers.put(server)
    WHOLE = replies(whole / ".moot" / "moot.db")
    KNOWN["whole"] = WHOLE
    copy = folder / "count"
    shutil.copytree(killed, copy)
    KNOWN["killed"] = replies(copy / ".moot" / "moot.db")
    for each in [servers.get() for _ in range(options.at_once)]:  # all that is needed is imported
        each.give(whole, *(read.format("-warm", question=QUESTION) for read in READS), here=True)
        each.give(whole, "store check --json", here=True)
        shutil.rmtree(whole / "log-warm")
        for made in whole.glob("*-warm*"):
            made.unlink()
        servers.put(each)
    shutil.rmtree(copy)
    print(f"{WHOLE} replies; killed after {KNOWN['killed']}", file=sys.stderr)
    cases = [(whole, n, False) for n in range(options.stores)]
    cases += [(killed, n, True) for n in range(options.logs)]

    def one(case: tuple[Path, int, bool]) -> Ended:
        base, number, log = case
        place = folder / f"{base.name}-{number}"
        seed = options.seed + number
        server = servers.get()
        done = tried(base, place, server, seed, log=log)
        servers.put(server)
        if not done.wrong or not options.keep:
            shutil.rmtree(place)
        return f"{'log' if log else 'store'} {seed}", done.wrong, done.came

    with ThreadPoolExecutor(options.at_once) as pool:
        yield from pool.map(one, cases)
    for _ in range(options.at_once):
        servers.get().close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stores", type=int, default=200)
    parser.add_argument("--logs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=2, help="copies that are tried at once")
    parser.add_argument("--keep", type=Path, help="a folder to keep the copies in that went wrong")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {"store": Counter(), "log": Counter()}
    bad = 0
    with TemporaryDirectory() as folder:
        for name, wrong, came in campaign(options, options.keep or Path(folder)):
            counts[name.split()[0]].update(came)
            bad += bool(wrong)
            for each in wrong:
                print(f"{name}: {each}", flush=True)
    print(f"seeds {options.seed} to {options.seed + max(options.stores, options.logs) - 1}")
    for kind, number in (("store", options.stores), ("log", options.logs)):
        told = ", ".join(f"{times} {what}" for what, times in counts[kind].most_common())
        print(f"{number} flipped {kind}s: {told}")
    print(f"{bad} went wrong")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
