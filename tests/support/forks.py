"""``moot`` in processes of its own that need not import it: forks of a process that has.

A fork has its own pid, environment, folder, streams and signals, as any process. What a start
itself does, or Python before it (encodings, bytecode), is for ``commands.start_command``.
Their standard output is buffered, as that of a user's command, whatever runs the tests.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

PARENT = Path(__file__).with_name("forking.py")
CLOSED = ""
"""In the place of a stream's file: a pipe that nobody reads."""


class Forks:
    """A process that has imported moot and waits for command lines."""

    def __init__(self, **variables: str) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, PARENT],
            env=os.environ | {"PYTHONUNBUFFERED": ""} | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._codes: dict[int, int] = {}
        self._begun: list[int] = []
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._parent.stdout:
            told = json.loads(line)
            with self._news:
                if "begun" in told:
                    self._begun.append(told["begun"])
                else:
                    self._codes[told["ended"]] = told["code"]
                self._news.notify_all()
        with self._news:
            self._begun.append(0)
            self._news.notify_all()

    def start(self, folder: Path, words: Iterable, env: Any = None, **streams: str) -> "Fork":
        """Begin ``moot`` with these words in a folder; return the process."""
        out, err = NamedTemporaryFile(), NamedTemporaryFile()  # noqa: SIM115 - the fork closes them
        asked: dict[str, Any] = {"words": [*map(str, words)], "folder": str(folder)}
        asked["env"] = dict(os.environ if env is None else env)
        asked |= {"out": out.name, "err": err.name} | streams
        with self._news:
            self._parent.stdin.write(json.dumps(asked) + "\n")
            self._parent.stdin.flush()
            assert self._news.wait_for(lambda: self._begun, 30)
            pid = self._begun.pop(0)
        assert pid, "the process that forks has ended"
        return Fork(self, pid, out, err)

    def run(self, folder: Path, words: Iterable, env: Any = None, **streams: str) -> "Fork":
        """Run ``moot`` to its end; return the process, with what it has said."""
        process = self.start(folder, words, env, **streams)
        process.communicate(timeout=120)
        return process

    def code(self, pid: int, timeout: float | None) -> int | None:
        """Return how a fork ended, as ``Popen.returncode``; None where it still runs by then."""
        with self._news:
            self._news.wait_for(lambda: pid in self._codes, timeout)
            return self._codes.get(pid)

    def close(self) -> None:
        self._parent.stdin.close()
        self._parent.wait(30)
        self._parent.stdout.close()


class Fork:
    """A process of ``Forks``, used like ``subprocess.Popen``."""

    def __init__(self, parent: Forks, pid: int, out: Any, err: Any) -> None:
        self.pid, self.returncode, self.stdout, self.stderr = pid, None, "", ""
        self._parent, self._streams = parent, (out, err)

    def poll(self) -> int | None:
        self.returncode = self._parent.code(self.pid, 0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self.returncode = self._parent.code(self.pid, timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(f"fork {self.pid}", timeout)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self.wait(timeout)
        self.stdout, self.stderr = (Path(each.name).read_text() for each in self._streams)
        for each in self._streams:
            each.close()
        return self.stdout, self.stderr

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Terminal:
    """A terminal, and a process of ``Forks`` that it is the terminal of."""

    def __init__(self, forks: Forks, folder: Path, *words: object, env: Mapping[str, str]) -> None:
        self.number, theirs = os.openpty()
        name = os.ttyname(theirs)
        self.process = forks.start(folder, words, env, terminal=name)
        while str(Path(f"/proc/{self.process.pid}/fd/2").readlink()) != name:
            time.sleep(0.001)  # a terminal that no process has open has ended
        os.close(theirs)
        self.text = ""

    def end(self) -> tuple[str, int]:
        try:
            while part := os.read(self.number, 65536):
                self.text += part.decode()
        except OSError:  # the other end is closed
            pass
        return self.text, self.process.wait(60)
