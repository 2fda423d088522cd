"""The relay of standard input: after its end nothing of the client's reaches another file."""

import subprocess
import sys

SCRIPT = """
import os, sys, time
from moot.contrib.server.input_relay import relay_input
with relay_input(longest=100, told=print) as close:
    close()
    assert os.read(0, 10) == b""
    opened = [os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND) for _ in range(4)]
    print("closed", flush=True)
    time.sleep(1)
"""


def test_a_file_that_is_opened_after_the_end_gets_no_line_of_the_client(tmp_path):
    words = [sys.executable, "-c", SCRIPT, str(tmp_path / "file")]
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **piped) as process:
        assert process.stdout.readline() == b"closed\n"
        process.stdin.write(b"secret\n")
        process.stdin.flush()
        assert process.wait(20) == 0
    assert (tmp_path / "file").read_bytes() == b""
