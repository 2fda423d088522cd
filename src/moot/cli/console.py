"""What every command shares: printing, errors and exit codes, and the event loop."""

import sys
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from moot.core.errors import BudgetReached, MootError

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")
T = TypeVar("T")

DONE, FAILED, BAD_INPUT, BUDGET, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: done; a run with failed questions; bad input; budget reached; interrupted."""

store_option = click.option(
    "--store", metavar="DIR", help="The store's folder; MOOT_STORE, else .moot, if not given."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def console(*, err: bool = False) -> "Console":
    """The terminal; what is shown while working goes to standard error."""
    from rich.console import Console

    return Console(stderr=err, highlight=False)


def print_json(value: object, *, lines: bool = False) -> None:
    """One JSON object, indented, or on one line where several follow each other."""
    import msgspec

    encoded = msgspec.json.encode(value)
    sys.stdout.write((encoded if lines else msgspec.json.format(encoded)).decode() + "\n")


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; the one place with an event loop."""
    import asyncio

    return asyncio.run(_awake(work))


async def _awake(work: Coroutine[Any, Any, T]) -> T:
    """Have every signal wake the event loop.

    Else one that comes in the instant before the loop begins to wait is noticed only when
    something else happens: at a question to the user, at the second Ctrl-C.
    """
    if sys.platform == "win32":
        return await work  # its event loop does this by itself
    from asyncio import get_running_loop
    from signal import set_wakeup_fd
    from socket import socketpair

    loop = get_running_loop()
    woken, wakes = socketpair()
    with woken, wakes:
        woken.settimeout(0)
        wakes.settimeout(0)
        loop.add_reader(woken, woken.recv, 64)
        before = set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        try:
            return await work
        finally:
            set_wakeup_fd(before)
            loop.remove_reader(woken)


async def confirmed(question: str) -> bool:
    """Ask on standard error; whether the next line of the terminal says yes."""
    from asyncio import Event, get_running_loop

    sys.stderr.write(f"{question} [y/N]: ")
    sys.stderr.flush()
    if sys.platform != "win32":  # there only a thread could wait for a line
        typed = Event()
        get_running_loop().add_reader(sys.stdin, typed.set)
        try:
            await typed.wait()
        finally:
            get_running_loop().remove_reader(sys.stdin)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def fail(message: str, code: int) -> NoReturn:
    """Say what was wrong, on standard error and without a traceback, and end."""
    from moot.reports.plain import plain

    sys.stderr.write(f"moot: {plain(message)}\n")
    sys.exit(code)


def guarded(command: Callable[P, T]) -> Callable[P, T]:
    """Turn moot's errors into their message and exit code."""

    @wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except BudgetReached as error:
            fail(str(error), BUDGET)
        except MootError as error:
            fail(str(error), BAD_INPUT)
        except KeyboardInterrupt:
            fail("interrupted; what was paid for is in the store, run again to go on", INTERRUPTED)
        except BrokenPipeError:
            sys.stderr.close()  # whoever read our output has gone; that is no error of ours
            sys.exit(DONE)

    return wrapper
