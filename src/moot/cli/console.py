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

    return asyncio.run(work)


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
