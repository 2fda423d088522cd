"""What ``moot --help`` takes above bare Python: interleaved runs of both.

python bench/startup.py [--rounds N]
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

COMMANDS = {"python": ["-c", "pass"], "moot --help": ["-m", "moot", "--help"]}


def seconds(arguments: list[str]) -> float:
    # Without bytecode on disk every start would compile again, which no user has.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, check=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    for arguments in COMMANDS.values():
        seconds(arguments)
    taken = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, arguments in COMMANDS.items():
            taken[name].append(seconds(arguments) * 1000)
    for name, times in taken.items():
        print(f"{name:12} {statistics.median(times):6.0f} ms [{min(times):.0f}-{max(times):.0f}]")
    pairs = zip(*taken.values(), strict=True)
    above = [slow - bare for bare, slow in pairs]
    print(f"above bare   {statistics.median(above):6.0f} ms [{min(above):.0f}-{max(above):.0f}]")
    print(f"n = {rounds} interleaved rounds; median [range]")


if __name__ == "__main__":
    main()
