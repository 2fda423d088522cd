"""The process behind ``forks``: it has imported moot, and forks for each line that it reads."""

import gc
import json
import os
import pkgutil
import selectors
import signal
import sys
from importlib import import_module
from time import time

FOLDERS = ("cli", "datasets", "ledger", "metrics", "models", "protocols", "prompts", "reports")
FOLDERS += ("statistics", "studies")
LATER = ("aiohttp", "concurrent.futures.thread", "ctypes", "jinja2", "numpy")
"""What commands import only when they need it."""
PACKS = ("single", "self-consistency", "society-of-minds")
"""The prompts that are compiled before any fork: those of most tests."""


def import_all() -> None:
    """Import what commands import; what needs an extra that is not here stays away."""
    from moot.debate.protocol import registry

    for folder in FOLDERS:
        package = import_module(f"moot.{folder}")
        for found in pkgutil.iter_modules(package.__path__, f"moot.{folder}."):
            import_module(found.name)
    for name in LATER:
        import_module(name)
    for name in PACKS:
        registry.get(name).check({})


def become(asked: dict) -> None:
    """Be the command that is asked for, in a fork; never return."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["env"])
    if terminal := asked.get("terminal"):
        os.setsid()  # so that the terminal opened next is its own, whose Ctrl-C it gets
        opened = [os.open(terminal, os.O_RDWR) for _ in range(3)]
    else:
        opened = [os.open(os.devnull, os.O_RDONLY)]
        opened += [open_stream(asked[name]) for name in ("out", "err")]
    for number, file in enumerate(opened):
        os.dup2(file, number)
        os.close(file)
    from moot.cli.main import entry
    from moot.studies import debate_origins

    debate_origins._STARTED = time()  # as a process that begins now
    words = asked["words"]
    if words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        sys.path.insert(0, "")
        exec(words[1], {"__name__": "__main__"})
        sys.exit()
    sys.argv = ["moot", *words]
    entry()


def open_stream(path: str) -> int:
    """Open a file to write to; without a path, a pipe that nobody reads."""
    if path:
        return os.open(path, os.O_WRONLY | os.O_APPEND)
    reads, writes = os.pipe()
    os.close(reads)
    return writes


def serve() -> None:
    """Fork for each line of the input, and say when each fork begins and ends."""
    woken, wakes = os.pipe()
    for file in (woken, wakes):
        os.set_blocking(file, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    wanted = selectors.DefaultSelector()
    wanted.register(0, selectors.EVENT_READ)
    wanted.register(woken, selectors.EVENT_READ)
    rest = b""
    while True:
        ready = {key.fd for key, _ in wanted.select()}
        if woken in ready:
            os.read(woken, 4096)
            tell_ends()
        if 0 in ready:
            read = os.read(0, 1 << 20)
            if not read:
                return
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                pid = os.fork()
                if not pid:
                    wanted.close()
                    become(json.loads(line))
                tell(begun=pid)


def tell(**news: int) -> None:
    os.write(1, json.dumps(news).encode() + b"\n")


def tell_ends() -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        tell(ended=pid, code=os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, which no process of moot has there
    import_all()
    gc.collect()
    gc.freeze()
    serve()
