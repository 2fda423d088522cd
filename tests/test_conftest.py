"""The guard that all other tests stand behind."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_another_machine_is_refused(address, refused):
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as tcp, pytest.raises(refused, match="connect"):
        tcp.connect(address)
    with socket.socket(family, socket.SOCK_DGRAM) as udp, pytest.raises(refused):
        udp.sendto(b"x", address)


def test_no_name_is_looked_up(refused):
    with pytest.raises(refused, match=r"getaddrinfo to 'api\.example'"):
        socket.create_connection(("api.example", 443))


async def test_a_client_is_refused_and_not_merely_disconnected(refused):
    async with aiohttp.ClientSession() as session:
        with pytest.raises(refused):
            await session.get("http://192.0.2.1:9/")


async def test_loopback_and_unix_sockets_stay(tmp_path):
    async def echo(reader, writer):
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(echo, "127.0.0.1")
    local = await asyncio.start_unix_server(echo, tmp_path / "s")
    async with server, local:
        port = server.sockets[0].getsockname()[1]
        for connected in (
            asyncio.open_connection("localhost", port),
            asyncio.open_unix_connection(tmp_path / "s"),
        ):
            reader, writer = await connected
            writer.write(b"here\n")
            assert await reader.readline() == b"here\n"
            writer.close()
            await writer.wait_closed()


def test_the_environment_names_nothing_of_this_machine(tmp_path):
    assert os.environ["MOOT_STORE"] == str(tmp_path / "store")
    assert not [name for name in os.environ if name.lower().endswith(("_proxy", "_api_key"))]
    assert "MOOT_MODEL" not in os.environ


def test_a_run_that_ignores_sigint_gives_its_processes_the_usual_handler(tmp_path):
    """As one started with "&" does: a command that a test ends by SIGINT would never end."""
    root = Path(__file__).parents[1]
    (tmp_path / "test_it.py").write_text(
        "import signal, subprocess, sys\n"
        "def test_it():\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "    child.send_signal(signal.SIGINT)\n"
        "    assert child.wait(20) == -signal.SIGINT\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", root]
    done = subprocess.run(
        [*words, "-c", root / "pyproject.toml", "--confcutdir", root, "-p", "conftest", tmp_path],
        cwd=root / "tests",
        env=os.environ | {"PYTHONPATH": f"{root / 'tests'}{os.pathsep}{root / 'src'}"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout
