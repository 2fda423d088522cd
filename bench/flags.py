"""What commands do with hostile arguments: every flag of every command, and settings of protocols.

    python bench/flags.py                    every command but the two below
    python bench/flags.py --only run,ask     some of them
    python bench/flags.py --only figures,judge-bias --memory 0      they reserve more than they use
    python bench/flags.py --seed 3 --pairs 500     with 500 pairs of hostile values besides

Each command is called, in this process, with arguments that are right but for one: a value that is
empty, negative, huge, of another type, a folder, a device, a text that moves a terminal, or nested
5,000 deep. A *traceback* is an exception that is none of moot's own; a *raw* trial printed a
control character or one that turns the direction of text; a *slow* one took longer than --limit
seconds. The exit code is 1 when there is any. No model is asked but simulated and scripted ones.
"""

import argparse
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType

import click
from click.testing import CliRunner

from moot.cli.main import moot

MODEL = "simulated/people?accuracy=0.6"
DEEP = 5_000
TEXTS = [
    *("", " ", "-", "--", "-1", "0", "1", "0.5", "nan", "inf", "-inf", "1e400", "9" * 30),
    *("1" * 5_000, "x" * 100_000, "é你😀", "a\u202eb", "a\x1b[31mb", "a\x85b", "\udcff", "a\nb"),
    *("/", ".", "..", "folder", "folder/x", "/dev/null", "/dev/full", "nosuch/x", "small.toml/x"),
    *("~nosuch", "~nosuch/x", "$HOME", "%s%n", "C:\\x", "=", "a=", "=b", "a=b=c", "[", "{}", "[]"),
    *("n" * 300, "none", "null", "true", "binary", "[" * DEEP, "a=" + "[" * DEEP, "empty"),
    *("http://127.0.0.1:9/v1/x", "http://[::", "simulated/x?accuracy=2", "scripted/nosuch.jsonl"),
    *("scripted?reply=", "scripted/folder", "a,b", ",", "a,,b", "a=1,2", "a=nan,nan", "a=-1,0"),
]
VALUES = ["", "-1", "0", "1", "1e9", "9" * 30, "nan", "inf", "none", "x", "[]", "{}", "[" * DEEP]
UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

STUDY = f"""
name = "small"
[settings]
model = "{MODEL}"
[[datasets]]
name = "arithmetic"
n = 3
[[arms]]
protocol = "single"
[[arms]]
protocol = "debate-moderated"
"""
TUNED = f"""
name = "tuned"
[settings]
model = "{MODEL}"
[[datasets]]
name = "arithmetic"
n = 8
[tune]
protocol = "society-of-minds"
trials = 2
[tune.space]
rounds = [1, 2]
"""
REFINED = f"""
name = "refined"
[settings]
model = ["{MODEL}", "simulated/people?accuracy=0.5"]
[[datasets]]
name = "arithmetic"
n = 4
[[arms]]
protocol = "single"
"""
ESSAYS = f"""
name = "written"
[settings]
model = "{MODEL}"
[[datasets]]
name = "file"
path = "propositions.jsonl"
[[arms]]
protocol = "essay-direct"
[[arms]]
protocol = "essay-plan"
"""
BASES: dict[str, list[str]] = {
    "ask": ["2 + 2?", "--model", MODEL, "--kind", "number", "--set", "agents=2"],
    "plan": ["small"],
    "run": ["small.toml", "--yes"],
    "write": ["Museums.", "--model", MODEL, "--protocol", "essay-direct"],
    "tune": ["tuned.toml", "--yes"],
    "refine": ["refined.toml", "--combinations", "0", "--yes"],
    "rejudge": ["small"],
    "analyse compare": ["small", "small"],
    "essays": ["written"],
    "judge": ["written", "--results"],
    "measure": ["small"],
    "show": ["small"],
    "report": ["small", "--no-figures"],
    "figures": ["small"],
    "export": ["small", "--format", "jsonl", "--out", "OUT"],
    "analyse transfer": ["small"],
    "analyse prejudice": ["small"],
    "analyse fidelity": ["small"],
    "analyse judge-bias": ["small"],
    "serve": ["nosuch.toml"],
    "studies": [],
    "protocols": [],
    "datasets": [],
    "models": [],
    "metrics": [],
    "data fetch": ["arithmetic"],
    "data add": ["arithmetic", "small.toml"],
    "data list": [],
    "data peek": ["arithmetic"],
    "model fetch": ["nosuch"],
    "model add": ["x", "small.toml"],
    "model list": [],
}
"""By command: arguments that are right, as far as there are such without a network."""


class TookTooLong(BaseException):
    """A trial is stopped."""


def prepare() -> None:
    """Lay out the files that commands are given, in this folder, and run the studies."""
    Path("folder").mkdir()
    Path("binary").write_bytes(bytes(range(256)) * 8)
    Path("empty").touch()
    for name, text in (
        ("small", STUDY),
        ("tuned", TUNED),
        ("refined", REFINED),
        ("written", ESSAYS),
    ):
        Path(f"{name}.toml").write_text(text)
    line = '{"id": "p%d", "kind": "text", "question": "Museums should be free, part %d."}\n'
    Path("propositions.jsonl").write_text("".join(line % (n, n) for n in range(2)))
    for words in (["run", "small.toml", "--yes"], ["run", "written.toml", "--yes"]):
        done = CliRunner().invoke(moot, words)
        if done.exit_code:
            sys.exit(f"{words}: {done.output}")


def command(words: str) -> click.Command:
    """The command of this name."""
    found: click.Command | None = moot
    for word in words.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def trials(words: str) -> list[list[str]]:
    """Every list of arguments to try with a command."""
    base, found = BASES[words], []
    for place in range(sum(1 for _ in arguments(base))):
        found += [[*base[:place], "--", text, *base[place + 1 :]] for text in TEXTS[:1]]
        found += [[*base[:place], text, *base[place + 1 :]] for text in TEXTS]
    for option in command(words).params:
        if not isinstance(option, click.Option) or option.name == "help":
            continue
        flag = option.opts[0]
        if option.is_flag:
            found.append([*base, flag])
        else:
            found += [[*without(base, option.opts), flag, text] for text in TEXTS]
            found.append([*base, flag])
        if flag == "--set":
            found += [[*base, flag, f"{key}={value}"] for key in KEYS for value in VALUES]
        if flag == "--agent":
            found += [[*base, flag, f"{key}={value}"] for key in AGENT for value in VALUES]
        if flag == "--price":
            found += [[*base, flag, f"{MODEL}={value},{value}"] for value in VALUES]
    return found


KEYS = [
    *("agents", "rounds", "seed", "temperature", "max_tokens", "top_p", "style", "model", "window"),
    *("samples", "opening", "put", "stop", "cast", "effort", "examples", "evidence", "persona"),
]
AGENT = ["model", "temperature", "top_p", "max_tokens", "style", "role", "persona", "seed"]


def arguments(base: list[str]) -> list[str]:
    """The arguments without a flag that a base begins with."""
    first = next((at for at, word in enumerate(base) if word.startswith("--")), len(base))
    return base[:first]


def without(base: list[str], flags: list[str]) -> list[str]:
    """A base without these flags and their values."""
    kept, skip = [], False
    for word in base:
        if skip:
            skip = False
        elif word in flags and word != "--set":
            skip = True
        else:
            kept.append(word)
    return kept


def stop(number: int, frame: FrameType | None) -> None:
    """Stop a trial that takes too long."""
    del number, frame
    raise TookTooLong


def one(words: list[str], limit: int) -> tuple[str, str]:
    """Call a command; what came of it, in a word and in full."""
    words = [f"out-{time.monotonic_ns()}" if word == "OUT" else word for word in words]
    signal.alarm(limit)
    try:
        done = CliRunner().invoke(moot, words)
    except TookTooLong:
        return "slow", ""
    finally:
        signal.alarm(0)
    error = done.exception
    if isinstance(error, TookTooLong):
        return "slow", ""
    if error is not None and not isinstance(error, SystemExit):
        own = [f for f in traceback.extract_tb(error.__traceback__) if "/moot/" in f.filename]
        at = own[-1] if own else traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(at.filename).name}:{at.lineno}"
        return "traceback", f"{type(error).__name__} in {where}: {str(error)[:100]!r}"
    if raw := UNSAFE.search(done.output):
        return "raw", f"{raw[0]!r} in {done.output[max(0, raw.start() - 40) :][:80]!r}"
    return f"exit {done.exit_code}", ""


def shortened(words: list[str]) -> str:
    return repr(
        " ".join(word if len(word) < 60 else f"{word[:30]}…({len(word)})" for word in words)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help="commands, separated by commas")
    parser.add_argument("--limit", type=int, default=15, help="seconds a trial may take")
    parser.add_argument("--pairs", type=int, default=0, help="trials of two hostile values")
    parser.add_argument("--memory", type=int, default=3, help="GB of addresses; 0 for no limit")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.memory:
        resource.setrlimit(resource.RLIMIT_AS, (options.memory << 30, options.memory << 30))
    signal.signal(signal.SIGALRM, stop)
    for name in [name for name in os.environ if name.startswith("MOOT_") or name.endswith("_KEY")]:
        del os.environ[name]
    os.environ |= {"HF_ENDPOINT": "http://127.0.0.1:9", "MOOT_MODEL": MODEL}
    usual = [name for name in BASES if name not in {"figures", "judge-bias"}]
    chosen = options.only.split(",") if options.only else usual
    print(f"seed {options.seed}")
    came, seen, began = Counter[str](), Counter[str](), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ |= {"MOOT_STORE": f"{folder}/store", "MOOT_DATA": f"{folder}/data"}
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache"}
        prepare()
        every = [[*words.split(), *given] for words in chosen for given in trials(words)]
        rng = random.Random(options.seed)
        for _ in range(options.pairs):
            words = rng.choice(chosen)
            first, second = rng.sample(trials(words), 2)
            every.append([*words.split(), *first, *second[len(arguments(BASES[words])) :]])
        for given in every:
            what, why = one(given, options.limit)
            came[what] += 1
            if what in {"traceback", "raw", "slow"}:
                key = f"{what} {given[0]} {why}"
                seen[key] += 1
                if seen[key] == 1:
                    print(f"{what}: moot {shortened(given)}: {why}", flush=True)
        os.chdir("/")
    print(f"{len(every)} trials, {time.monotonic() - began:.0f} s: {dict(came)}; {len(seen)} kinds")
    sys.exit(1 if seen else 0)


if __name__ == "__main__":
    main()
