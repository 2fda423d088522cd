"""Several processes of ``moot`` on one store, against a server that notes every call."""

import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest

from moot.cli.console import DONE
from support.chaos import start_chaos
from support.forks import Fork, Forks

STUDY = """
name = "{name}"
baseline = "single"
settings = {{ model = "{url}/ok?concurrency=8", temperature = 0.7 }}
datasets = [{{ name = "arithmetic", n = {questions} }}]
arms = [{{ protocol = "single" }}, {{ protocol = "self-consistency", samples = {samples} }}]
"""

pytestmark = pytest.mark.soak


class Server:
    """A chat-completions server in a process of its own."""

    def __init__(self, url: str, log: Path) -> None:
        self.url, self.log = url, log

    @property
    def calls(self) -> Counter[str]:
        """How often each call was made."""
        if not self.log.exists():
            return Counter()
        return Counter(json.loads(line)["identity"] for line in self.log.read_text().splitlines())

    def wait_for(self, calls: int) -> None:
        end = time.monotonic() + 60
        while self.calls.total() < calls:
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.fixture
def server(tmp_path: Path):
    with start_chaos(tmp_path, latency=0.15) as made:
        yield Server(*made)


def study(server: Server, folder: Path, name="both", *, samples=3, questions=20):
    text = STUDY.format(url=server.url, name=name, samples=samples, questions=questions)
    (folder / f"{name}.toml").write_text(text)
    return str(folder / f"{name}.toml")


@pytest.fixture
def start(tmp_path: Path, forks: Forks):
    """Starts processes of ``moot``; ends those that a failed test has left."""
    started: list[Fork] = []

    def begin(*arguments: str) -> Fork:
        words = [*arguments, "--store", tmp_path / "store", "--json"]
        started.append(forks.start(tmp_path, words, os.environ | {"NO_COLOR": "1"}))
        return started[-1]

    yield begin
    for process in started:
        process.kill()


def end(process: Fork) -> tuple[int, str, str]:
    out, error = process.communicate(timeout=120)
    return process.returncode, out, error


def test_studies_that_share_calls_pay_for_each_once(server: Server, start, tmp_path: Path):
    files = [study(server, tmp_path, f"s{samples}", samples=samples) for samples in (3, 4, 5)]
    ends = [end(each) for each in [start("run", file) for file in files]]
    assert [code for code, *_ in ends] == [DONE] * 3
    assert set(server.calls.values()) == {1}
    assert len(server.calls) == 20 * 5
    shared = [json.loads(out)["shared"] for _, out, _ in ends]
    assert any(shared)
    for process in {process for each in shared for process in each}:
        assert process.startswith("process ")
