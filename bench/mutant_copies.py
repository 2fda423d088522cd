"""Copies of a commit, in which tests run on one mutant at a time."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PROBE = "mutant_probe"
_times = count(1_000_000_000)


@dataclass(frozen=True)
class Ran:
    """How tests ended.

    Attributes:
        passed: all of them.
        ended: within their time.
        failed: the first test that failed, where one did.
        said: what pytest wrote last.
        seconds: by the clock.
        took: seconds of each test.
    """

    passed: bool
    ended: bool
    failed: str
    said: str
    seconds: float
    took: dict[str, float]


@dataclass(frozen=True)
class Copy:
    """A commit's files in a folder, with entry points of its own.

    Attributes:
        root: its files.
        own: what is imported before all else: the distribution's entry points, and the probe.
    """

    root: Path
    own: Path

    def test_files(self) -> list[str]:
        """Every file of tests."""
        return sorted(
            str(each.relative_to(self.root)) for each in self.root.glob("tests/**/test_*.py")
        )

    @contextmanager
    def holding(self, texts: dict[Path, str]) -> Iterator[None]:
        """Other texts in some of its files."""
        before = {file: (self.root / file).read_bytes() for file in texts}
        try:
            for file, text in texts.items():
                self._write(file, text.encode())
            yield
        finally:
            for file, old in before.items():
                self._write(file, old)

    def _write(self, file: Path, text: bytes) -> None:
        """Write a file, with a time that no bytecode of it has yet."""
        (self.root / file).write_bytes(text)
        moment = next(_times)
        os.utime(self.root / file, (moment, moment))

    def run(self, tests: Iterable[str], limit: float, *options: str) -> Ran:
        """Run tests until one fails, or for as long as they may take."""
        words = self.own / "tests.txt"
        words.write_text("\n".join(tests))
        (self.own / "tests.jsonl").unlink(missing_ok=True)
        quiet = ("-q", "--no-header", "-p", "no:cacheprovider", "-p", PROBE)
        start = time.monotonic()
        code, said = self._call(["-m", "pytest", *quiet, *options, f"@{words}"], limit)
        seconds = time.monotonic() - start
        took: dict[str, float] = {}
        failed = ""
        for test, outcome, lasted in self.written("tests"):
            took[test] = took.get(test, 0) + lasted
            failed = failed or (test if outcome == "failed" else "")
        return Ran(code in {0, 5}, code is not None, failed, said, seconds, took)

    def written(self, name: str) -> list[list]:
        """The lines that the probe has written."""
        file = self.own / f"{name}.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def origin(self) -> str:
        """Where moot is imported from, and one of its entry points."""
        code = (
            "import moot, importlib.metadata as m;"
            "print(moot.__file__, *m.entry_points(group='moot.simulations'))"
        )
        return self._call(["-c", code], 60)[1]

    def _call(self, words: list[str], limit: float) -> tuple[int | None, str]:
        """Run Python on this copy, and end all that it has started when its time is over."""
        path = os.pathsep.join(map(str, [self.own, self.root / "src", self.root / "tests"]))
        environment = {key: value for key, value in os.environ.items() if key != "MOOT_CI"}
        with (self.own / "said.txt").open("w+") as said:
            process = subprocess.Popen(
                [sys.executable, *words],
                cwd=self.root,
                env=environment | {"PYTHONPATH": path, "MOOT_FUZZ_SEED": "34"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said.seek(0)
            return code, said.read()[-2000:].strip()


@contextmanager
def copies(commit: str, number: int) -> Iterator[list[Copy]]:
    """Copies of a commit, beside the shared data, until the block ends."""
    git = ("git", "-C", str(ROOT), "worktree")
    with TemporaryDirectory(prefix="mutants-") as scratch:
        (Path(scratch) / "shared").symlink_to((ROOT.parent / "shared").resolve())
        made: list[Copy] = []
        try:
            for each in range(number):
                root, own = Path(scratch) / f"moot-{each}", Path(scratch) / f"own-{each}"
                made.append(Copy(root, own))
                subprocess.run([*git, "add", "--quiet", "--detach", root, commit], check=True)
                _describe(root, own)
            yield made
        finally:
            for each in made:
                subprocess.run([*git, "remove", "--force", each.root], check=False)


def _describe(root: Path, own: Path) -> None:
    """Name the entry points that the copy's project names; those installed may be others."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    info = own / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head)
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in groups.items()
        )
    )
    shutil.copy(ROOT / "bench" / f"{PROBE}.py", own)
