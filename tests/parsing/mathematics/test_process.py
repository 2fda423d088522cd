"""A process aside computes forms: it is ended where it takes too long, and ends with this one."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from moot.core.questions import Question
from moot.parsing import apart
from moot.parsing.extract import extract
from moot.parsing.mathematics import process
from moot.parsing.mathematics.process import FormProcess, run_apart
from support.commands import environment

QUESTION = Question(id="q", kind="math", text="?")
ENDLESS = r"10^{10^{10}}"


@pytest.fixture(scope="module")
def forms():
    """One process for all: to start it takes a second."""
    made = FormProcess()
    yield made
    made.close()


def begin(forms, place):
    """Have the process running: what is known already needs none."""
    assert forms.find("+".join("x" * place)) == f"{place} x"


def test_an_endless_expression_has_no_form_and_the_next_one_has(forms):
    assert forms.find(r"\frac{2}{\sqrt2}") == r"\sqrt{2}"
    began = time.monotonic()
    assert forms.find(ENDLESS) is None
    assert time.monotonic() - began < 5  # 0.2 s of CPU time; the machine may be busy
    assert forms.find(ENDLESS) is None  # known: not computed again
    assert forms.ended == 1
    assert forms.find(r"\frac{6}{\sqrt2}") == r"3 \sqrt{2}"


def test_the_limit_is_200_ms_of_its_own_time_and_its_memory_is_bounded(forms):
    assert process.LIMIT == 0.2
    begin(forms, 6)
    assert forms.limit >= process.LIMIT  # a slow machine has as much more as its first forms took
    pid = forms._child.pid
    before = _cpu_seconds(pid)
    latest, done = before, False
    thread = threading.Thread(target=forms.find, args=[f"{ENDLESS}+1"])
    thread.start()
    while not done:
        now = _cpu_seconds(pid)
        done, latest = now is None, now or latest
    thread.join()
    assert latest - before <= forms.limit + 0.05
    begin(forms, 7)
    assert resource.prlimit(forms._child.pid, resource.RLIMIT_AS)[0] == process._MEMORY


def _cpu_seconds(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    if fields[0] == "Z":
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_process_that_was_killed_starts_again(forms):
    begin(forms, 8)
    os.kill(forms._child.pid, signal.SIGKILL)
    forms._child.join()
    assert forms.find("x+x+x") is None  # what it was asked when it ended has no form
    assert forms.find("x+2x+x") == "4 x"


def test_an_idle_process_ends_and_starts_again_without_a_loss(forms):
    begin(forms, 9)
    before = forms.ended
    forms._link.shutdown(1)  # as at the end of its patience, the child leaves its loop
    forms._child.join()
    assert forms._child.exitcode == 0
    begin(forms, 5)
    assert forms.ended == before


async def test_the_event_loop_goes_on_meanwhile(forms):
    await run_apart(forms.find, "x+x")
    reading = asyncio.ensure_future(run_apart(forms.find, f"{ENDLESS}+2"))
    longest, last = 0.0, time.monotonic()
    while not reading.done():
        await asyncio.sleep(0.005)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    assert await reading is None
    assert longest < 0.15


async def test_reading_apart_is_for_mathematics_alone():
    threads = []

    def read():
        threads.append(threading.current_thread().name)

    await apart.call_apart("number", read)
    await apart.call_apart("math", read)
    assert threads[0] == "MainThread"
    assert threads[1].startswith("moot-math")


def test_closing_ends_the_process():
    forms = FormProcess()
    begin(forms, 10)
    child = forms._child
    assert child in active_children()
    forms.close()
    assert child not in active_children()


def test_numbers_and_words_need_no_process():
    before = {*active_children()}
    apart.close_apart()
    for said in ("5", r"\frac{3}{4}", "1,234", r"\text{even}", r"0.\overline{3}", "3:1"):
        assert extract(f"Final answer: {said}", QUESTION) is not None
    assert {*active_children()} <= before


SCRIPT = r"""
import signal, sys, time
if sys.argv[1] == "ignored":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
from moot.parsing.mathematics.process import forms
if __name__ == "__main__":
    assert forms.find("x+x") == "2 x"
    print(forms._child.pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.soak
@pytest.mark.parametrize(
    ("how", "ends"),
    [("heard", signal.SIGINT), ("ignored", signal.SIGTERM), ("heard", signal.SIGKILL)],
)
def test_the_process_ends_with_its_parent_however_that_ends(how, ends, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with subprocess.Popen(
        [sys.executable, script, how], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(), text=True,
    ) as parent:  # fmt: skip
        child = int(parent.stdout.readline())
        if how == "ignored":
            os.kill(parent.pid, signal.SIGINT)
            os.kill(child, signal.SIGINT)  # a terminal sends it to both
            time.sleep(0.2)
            assert parent.poll() is None
        parent.send_signal(ends)
        parent.wait(10)
    for _ in range(100):
        if _cpu_seconds(child) is None:
            return
        time.sleep(0.05)
    raise AssertionError("the process outlives its parent")


def test_without_the_library_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(process, "find_spec", lambda _: None)
    with pytest.raises(process.InputError, match=r"pip install 'moot\[math\]'"):
        apart.check_kinds({"math"}, where="study")
    apart.check_kinds({"number"}, where="study")
