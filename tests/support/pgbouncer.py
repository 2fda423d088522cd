"""PgBouncer before a server of PostgreSQL, for tests of what moot does behind a pooler."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, sleep

from support.postgres import become_other_user, find_free_port

_START = 10.0
"""Seconds until it must take connections."""


def find_pgbouncer() -> str | None:
    """Return the program, or None where it is not installed."""
    return shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")


@contextmanager
def start_pgbouncer(address: str, mode: str, **settings: object) -> Iterator[str]:
    """Start PgBouncer; yield the address of the database behind it."""
    program = find_pgbouncer()
    if program is None:
        raise RuntimeError("no PgBouncer: apt-get install pgbouncer")
    folder, port = Path(mkdtemp(prefix="moot-pooler-")), find_free_port()
    place, _, database = address.rpartition("/")
    user = place.removeprefix("postgresql://").partition("@")[0]
    (folder / "users").write_text(f'"{user}" ""\n')
    (folder / "ini").write_text(
        f"[databases]\n{database} = host=127.0.0.1 port={place.rpartition(':')[2]}\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = trust\nunix_socket_dir =\n"
        f"auth_file = {folder}/users\npool_mode = {mode}\nlogfile = {folder}/log\n"
        + "".join(f"{name} = {value}\n" for name, value in settings.items())
    )
    try:
        if not os.geteuid():
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, "nobody")
        with subprocess.Popen(
            [*become_other_user(), program, folder / "ini"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                _wait_for(port)
                yield f"postgresql://{user}@127.0.0.1:{port}/{database}"
            finally:
                process.terminate()
    finally:
        shutil.rmtree(folder)


def _wait_for(port: int) -> None:
    end = monotonic() + _START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if monotonic() > end:
                raise
            sleep(0.02)
        else:
            return
