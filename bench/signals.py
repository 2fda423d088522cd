"""Signals at random moments of a run: what is lost, and what is said.

    python bench/signals.py                       60 trials
    python bench/signals.py --trials 200 --seed 7

A run of simulated agents is sent SIGTERM, SIGINT, SIGHUP, SIGTERM twice, or SIGTERM and after a
moment SIGKILL, as `docker stop` does it. Before each signal the replies in the store are noted.
*Lost* are those that are not there afterwards; *traceback* counts trials that showed one; *wrong
code* those that ended otherwise than documented; *standing* those that the store calls running
afterwards. Each run then goes on, and its results must be those of a run that nothing stopped. The
exit code is 1 when anything of this went wrong.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shared import stored_rows

STUDY = """
name = "slow"
at_once = 8
[settings]
model = "simulated/people?accuracy=0.6&latency=0.02"
[[datasets]]
name = "arithmetic"
n = 40
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
"""
KINDS = {
    "TERM": [signal.SIGTERM],
    "INT": [signal.SIGINT],
    "HUP": [signal.SIGHUP],
    "TERM TERM": [signal.SIGTERM, signal.SIGTERM],
    "TERM KILL": [signal.SIGTERM, signal.SIGKILL],
    "KILL": [signal.SIGKILL],
}


def begin(folder: Path, store: str) -> "subprocess.Popen[bytes]":
    """Start a run, or go on with it."""
    command = [sys.executable, "-m", "moot", "run", "slow.toml", "--json", "--store", store]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    own = {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}
    return subprocess.Popen(command, cwd=folder, env=own, **pipes)


def replies(file: Path) -> set[bytes]:
    """Return the identities of the replies that are durable."""
    return {identity for (identity,) in stored_rows(file, "identity")}


def accuracies(out: bytes) -> list[Any]:
    """What a run came to."""
    return [(arm["arm"], arm["accuracy"]) for arm in json.loads(out)["results"]["arms"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, came, wrong = random.Random(options.seed), Counter[str](), Counter[str]()
    print(f"seed {options.seed}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slow.toml").write_text(STUDY)
        began = time.monotonic()
        right = accuracies(begin(folder, "whole").communicate()[0])
        lasts = time.monotonic() - began
        for trial in range(options.trials):
            kind = rng.choice(list(KINDS))
            file = folder / str(trial) / "moot.db"
            process = begin(folder, str(trial))
            time.sleep(rng.uniform(0.2, lasts))
            before, first = replies(file), KINDS[kind][0]
            for number in KINDS[kind]:
                if number is not first or (len(KINDS[kind]) > 1 and number != first):
                    time.sleep(rng.uniform(0.0, 1.0))
                process.send_signal(number)
            _, err = process.communicate()
            code = process.returncode
            came[f"{kind}: {code}"] += 1
            wrong["lost"] += len(before - replies(file))
            wrong["traceback"] += b"Traceback" in err or b"Exception ignored" in err
            allowed = {0, 128 + first, -first, -signal.SIGKILL}
            wrong["wrong code"] += code not in allowed
            shown = subprocess.run(
                [sys.executable, "-m", "moot", "show", "--json", "--store", str(trial)],
                cwd=folder,
                capture_output=True,
                check=False,
            )
            wrong["standing"] += b'"running"' in shown.stdout
            wrong["other results"] += (
                accuracies(begin(folder, str(trial)).communicate()[0]) != right
            )
    print(dict(sorted(came.items())))
    print(f"{options.trials} trials:", dict(wrong))
    sys.exit(1 if any(wrong.values()) else 0)


if __name__ == "__main__":
    main()
