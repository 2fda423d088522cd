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
CHILD = """
import contextlib, io, json, os, signal, sys, traceback
folder, after, *commands = sys.argv[1:]
os.chdir(folder)
from moot.cli.main import moot
if after != "0":
    from moot.ledger import writer
    real, kept = writer.insert_replies, [0]
    def insert(connection, records):
        done = real(connection, records)
        kept[0] += len(records)
        if kept[0] > int(after):
            os.kill(os.getpid(), 9)
        return done
    writer.insert_replies = insert
for command in commands:
    out, err = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    code, trace = 0, ""
    signal.alarm(60)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            moot(command.split(), standalone_mode=False)
        except SystemExit as error:
            code = error.code or 0
        except BaseException:
            trace = traceback.format_exc()
    signal.alarm(0)
    said = [each.buffer.getvalue().decode() for each in (out, err)]
    print(json.dumps([command, code, said[0][:2000000], said[1][-2000:], trace]))
    sys.stdout.flush()
"""
READS = [
    "show",
    "show flips --json",
    "show flips {question} --json",
    "report flips --out report{}.html",
    "export flips --out out{}.jsonl --format jsonl",
    "export flips --out log{} --format inspect",
    "compare flips --json",
    "measure flips --dry-run",
]
RUN = "run study.toml --yes --json"


def moot(folder: Path, *commands: str, after: int = 0) -> tuple[int, list[list[Any]]]:
    """Give commands, one after the other, in a process; its exit code, and what each came to."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), str(after), *commands],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = child.communicate(timeout=900)
    if child.returncode not in (0, -9, -14):
        print(err.decode()[-2000:], file=sys.stderr)
    return child.returncode, [json.loads(line) for line in out.splitlines()]


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


def bases(folder: Path) -> tuple[Path, Path]:
    """A store of a finished run, and one of a run that was killed, with its log."""
    made = []
    for name, after in (("whole", 0), ("killed", 200)):
        place = folder / name
        place.mkdir()
        (place / "study.toml").write_text(STUDY)
        code, _ = moot(place, RUN, after=after)
        assert code == (-9 if after else 0), code
        made.append(place)
    assert (made[1] / ".moot" / "moot.db-wal").stat().st_size > 100_000
    return made[0], made[1]


def damaged(base: Path, folder: Path, seed: int, *, log: bool) -> Path:
    """A copy of a folder with damage."""
    chance = random.Random(f"{seed}-{log}")
    shutil.copytree(base, folder)
    for shared in folder.glob(".moot/*-shm"):
        shared.unlink()
    file = folder / ".moot" / ("moot.db-wal" if log else "moot.db")
    content = file.read_bytes()
    cut = log and seed % 5 == 4
    file.write_bytes(content[: chance.randrange(len(content))] if cut else flipped(content, chance))
    return folder


def tried(base: Path, folder: Path, seed: int, *, log: bool) -> tuple[int, list[str], list[str]]:
    """What came of one damaged copy: what was wrong, and how it ended."""
    place = damaged(base, folder, seed, log=log)
    file = place / ".moot" / "moot.db"
    with closing(sqlite3.connect(base / ".moot" / "moot.db")) as _:
        pass
    before = KNOWN[base.name]
    reads = [each.format(0, question=QUESTION) for each in READS]
    wrong, came = [], []

    def give(*commands: str) -> list[list[Any]]:
        code, said = moot(place, *commands)
        if code == -14:
            wrong.append(f"hang: {commands[len(said)]}")
        elif code:
            wrong.append(f"exit {code}: {commands[len(said)]}")
        for command, _, _, err, trace in said:
            if trace or "Traceback" in err:
                wrong.append(f"traceback: {command}: {(trace or err).strip().splitlines()[-1]}")
        return said

    said = give(*reads, RUN)
    first = said[-1] if said and said[-1][0] == RUN else [RUN, -1, "", "", ""]
    fresh = 0 if base.name == "whole" else WHOLE - before
    paid = replies(file) - before
    if first[1] == 0 and paid > fresh:
        wrong.append(f"{paid - fresh} replies were paid again without a word")
    told = first[1] != 0 or any(each[1] == 2 for each in said)
    said = give("store check --json", "store repair --json")
    if len(said) < 2 or any(each[4] for each in said):
        return seed, wrong, came
    found = json.loads(said[0][2])["damaged"] if said[0][1] in (0, 1) else {"unreadable": 1}
    came += ["told by a command"] * told + ["found by check"] * bool(found)
    done = json.loads(said[1][2]) if said[1][1] in (0, 1) else None
    if done is None:
        wrong.append(f"repair: {said[1][3].strip()[-200:]}")
        return seed, wrong, came
    if done["missing"]:
        came.append("records missing for good, told")
        give("store repair --accept-loss --json")
    again = done["set_aside"].get("reply", 0) + done["unreadable"]
    kept = replies(file)
    end = give(RUN, "store check --json", *[each.format(1, question=QUESTION) for each in READS])
    if not end or end[0][1] != 0:
        wrong.append(f"run after repair: {end[0][3].strip()[-200:] if end else 'nothing'}")
        return seed, wrong, came
    asked = replies(file) - kept
    more = max(0, WHOLE - KNOWN[base.name]) if first[1] else 0
    if not done["missing"] and asked > again + more:
        wrong.append(f"{asked} replies were paid after a repair that told of {again}")
    if end[1][1] != 0:
        wrong.append(f"still damaged after the repair: {end[1][2][:200]}")
    if any(each[1] for each in end[2:]):
        bad = next(each for each in end[2:] if each[1])
        wrong.append(f"after the repair: {bad[0]}: {bad[3].strip()[-200:]}")
    if not told and not found:
        came.append("harmless")
    elif not done["missing"]:
        came.append("repaired, some asked again" if again else "repaired, nothing asked again")
    return seed, wrong, came


QUESTION = "arithmetic-1-0-0"
KNOWN: dict[str, int] = {}
WHOLE = 0


def campaign(
    options: argparse.Namespace, folder: Path
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Every damaged copy, as it comes."""
    global WHOLE  # noqa: PLW0603  of one campaign
    whole, killed = bases(folder)
    WHOLE = replies(whole / ".moot" / "moot.db")
    KNOWN["whole"] = WHOLE
    copy = folder / "count"
    shutil.copytree(killed, copy)
    KNOWN["killed"] = replies(copy / ".moot" / "moot.db")
    shutil.rmtree(copy)
    print(f"{WHOLE} replies; killed after {KNOWN['killed']}", file=sys.stderr)
    cases = [(whole, n, False) for n in range(options.stores)]
    cases += [(killed, n, True) for n in range(options.logs)]

    def one(case: tuple[Path, int, bool]) -> tuple[str, list[str], list[str]]:
        base, number, log = case
        place = folder / f"{base.name}-{number}"
        seed, wrong, came = tried(base, place, options.seed + number, log=log)
        if not wrong or not options.keep:
            shutil.rmtree(place)
        return f"{'log' if log else 'store'} {seed}", wrong, came

    with ThreadPoolExecutor(options.at_once) as pool:
        yield from pool.map(one, cases)


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
