"""Several processes of ``moot`` on one store, against a server that notes every call."""

import json
import time
from collections import Counter

import pytest

from moot.cli.console import BUSY, DONE
from support.chaos import start_chaos

STUDY = """
name = "{name}"
settings = {{ model = "{url}/ok?concurrency=8", temperature = 0.7 }}
datasets = [{{ name = "arithmetic", n = 60 }}]
arms = [{{ protocol = "single" }}, {{ protocol = "self-consistency", samples = {samples} }}]
"""

pytestmark = pytest.mark.soak


def end(process):
    out, error = process.communicate(timeout=120)
    return process.returncode, out, error


def test_calls_are_paid_for_once_and_a_run_is_refused_while_another_process_runs_it(
    tmp_path, forks
):
    with start_chaos(tmp_path, latency=0.15) as (url, log):

        def start(samples, *more):
            text = STUDY.format(url=url, name=f"s{samples}", samples=samples)
            (tmp_path / f"s{samples}.toml").write_text(text)
            return forks.start(tmp_path, ["run", f"s{samples}.toml", "--json", *more])

        first = start(5)
        while not log.exists() or not log.read_text():
            time.sleep(0.01)
        refused, waiting, *others = start(5), start(5, "--wait"), start(3), start(4)
        code, out, error = end(refused)
        assert (code, out, error.count("\n")) == (BUSY, "", 1)
        assert f" is being run by process {first.pid} on host " in error
        assert "--wait" in error
        *ends, again = [end(each) for each in (first, *others, waiting)]
        assert [code for code, *_ in (*ends, again)] == [DONE] * 4
        assert "waiting for it" in again[2]
        calls = Counter(json.loads(line)["identity"] for line in log.read_text().splitlines())
    assert (len(calls), set(calls.values())) == (60 * 5, {1})
    shared = {process for _, out, _ in ends for process in json.loads(out)["shared"]}
    assert {process.split()[0] for process in shared} == {"process"}
