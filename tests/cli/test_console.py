"""What every command shares."""

import subprocess
import sys

WAITS = """
import asyncio, os, signal, threading, time
from moot.cli.console import catch_errors, run_async

def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)

threading.Thread(target=interrupt, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
catch_errors(run_async)(asyncio.Event().wait())
"""


def test_a_signal_that_interrupts_no_waiting_is_noticed_at_once():
    # Delivered to another thread it does not interrupt the loop's waiting, just as one that comes
    # in the instant before that begins.
    ended = subprocess.run(
        [sys.executable, "-c", WAITS], capture_output=True, check=False, timeout=15
    )
    assert ended.returncode == 130
    assert b"Traceback" not in ended.stderr
