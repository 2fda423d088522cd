"""The guard that all other tests stand behind."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
async def test_another_machine_is_refused(address, refused):
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as tcp, pytest.raises(refused, match="connect"):
        tcp.connect(address)
    with socket.socket(family, socket.SOCK_DGRAM) as udp, pytest.raises(refused):
        udp.sendto(b"x", address)
    with pytest.raises(refused, match=r"getaddrinfo to 'api\.example'"):
        socket.create_connection(("api.example", 443))
    async with aiohttp.ClientSession() as session:
        with pytest.raises(refused):  # and not merely disconnected
            await session.get("http://192.0.2.1:9/")


def test_the_environment_names_nothing_of_this_machine(tmp_path):
    assert os.environ["MOOT_STORE"] == str(tmp_path / "store")
    assert not [name for name in os.environ if name.lower().endswith(("_proxy", "_api_key"))]
    assert "MOOT_MODEL" not in os.environ


def run_pytest(folder, code, env):
    """Run tests of this code under this ``conftest`` in a process of its own."""
    root = Path(__file__).parents[1]
    (folder / "test_it.py").write_text(code)
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", root]
    more = os.environ | {"PYTHONPATH": f"{root / 'tests'}{os.pathsep}{root / 'src'}"}
    return subprocess.run(
        [*words, "-c", root / "pyproject.toml", "--confcutdir", root, "-p", "conftest", folder],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False, env=more | env
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ci", "code", "told"),
    [
        ({}, 0, "skipped 2 tests, not here: ../shared/data: no copies of the published files"),
        ({"MOOT_CI": "1"}, 1, "MOOT_CI is set, and CI must have what is not here"),
    ],
)
def test_what_is_not_here_is_named_once_and_its_tests_are_counted(tmp_path, ci, code, told):
    beside = "from pathlib import Path\nfrom support import beside\n"
    beside += "beside.SHARED_DATA = Path('nowhere')\n"
    tests = "".join(f"def test_{name}(shared_data): pass\n" for name in ("one", "two"))
    (tmp_path / "conftest.py").write_text(beside)
    usual = {"MOOT_CLIENTS": sys.executable, "MOOT_SOCIETY": sys.executable}
    done = run_pytest(tmp_path, beside + tests, env=usual | ci)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.startswith("not here: ../shared/data: no copies of the published files\n")
    assert told in done.stdout + done.stderr
