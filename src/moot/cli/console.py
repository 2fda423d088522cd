"""Shared by all commands: printing, completion, errors and exit codes, and the event loop."""

import shlex
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import partial
from signal import SIGINT
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
from click.shell_completion import CompletionItem

from moot.cli.signals import Interrupted, signals
from moot.cli.streams import ReaderGone
from moot.core.display_text import escape_json, make_visible
from moot.core.errors import BudgetReached, MootError, OutputError, RunBusy

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class ExitCode(IntEnum):
    """The exit codes of commands.

    Attributes:
        DONE: all is done.
        FAILED: questions of a run failed.
        BAD_INPUT: what was given cannot be used.
        BUDGET: a cap is reached.
        BUSY: another process is running the run.
        UNWRITTEN: the output could not be written.
        WAITING: calls wait for a batch.
        NAMED: something happened that ``--fail-on`` names.
        FAULT: moot has a fault.
    """

    DONE, FAILED, BAD_INPUT, BUDGET, BUSY, UNWRITTEN, WAITING, NAMED, FAULT = *range(8), 70


DONE, FAILED, BAD_INPUT, BUDGET, BUSY, UNWRITTEN, WAITING, NAMED, FAULT = ExitCode

store_option = click.option(
    "--store",
    metavar="DIR",
    help="The store's folder, or address of PostgreSQL; MOOT_STORE, else .moot, if not given.",
)


Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
"""As click's ``shell_complete``."""


def _complete(
    lister: str, _: click.Context, __: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return a shell's proposals among the names that a function of ``completed_names`` lists."""
    from moot.cli import completed_names  # for a shell alone: a command asks for no names

    with suppress(MootError):
        return [
            CompletionItem(name, help=about)
            for name, about in getattr(completed_names, lister)()
            if name.startswith(begun)
        ]
    return []


complete_protocol: Complete = partial(_complete, "list_protocols")
complete_setting: Complete = partial(_complete, "list_settings")
complete_dataset: Complete = partial(_complete, "list_datasets")
complete_study: Complete = partial(_complete, "list_studies")
complete_run: Complete = partial(_complete, "list_runs")


def name_command(*words: str) -> str:
    """Return a command of moot to paste into a shell; it opens the store of this command."""
    context = click.get_current_context(silent=True)
    store = context and context.params.get("store")
    if not store:
        return make_visible(shlex.join(["moot", *words]))
    from moot.ledger.store_place import describe_place

    return make_visible(shlex.join(["moot", *words, "--store", describe_place(store)]))


wait_option = click.option(
    "--wait", is_flag=True, help="Where another process runs the same, wait for it and go on."
)


def schema_option(make_schema: Callable[[], dict[str, Any]]) -> Callable[[F], F]:
    """Return a decorator that adds ``--json-schema``: print the schema of ``--json`` and exit."""

    def show_schema(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 -- click's
        if value and not ctx.resilient_parsing:
            print_json(make_schema())
            ctx.exit()

    return click.option(
        "--json-schema",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show_schema,
        help="Print the JSON schema of what --json prints, and exit.",
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def console(*, err: bool = False) -> "Console":
    """Return the terminal: standard output, or with ``err`` standard error, for progress."""
    from rich.console import Console

    return Console(stderr=err, highlight=False)


def say(text: str, *, err: bool = False) -> None:
    """Print a line. Control characters in it are made visible."""
    (sys.stderr if err else sys.stdout).write(f"{make_visible(text)}\n")


def print_json(value: object, *, lines: bool = False) -> None:
    """Print one JSON value, indented; with ``lines`` on one line.

    Control characters are escaped. So are all characters beyond ASCII where standard output has no
    code for one of them.
    """
    import msgspec

    encoded = msgspec.json.encode(value)
    text = (encoded if lines else msgspec.json.format(encoded)).decode()
    print_text(escape_json(text, sys.stdout.encoding) + "\n")


def print_text(text: str) -> None:
    """Print a text as it is; it must hold no control characters."""
    sys.stdout.write(text)
    sys.stdout.flush()


@contextmanager
def exit_after(code: int) -> Iterator[None]:
    """Run the block, which prints, then exit with this code, also where no one reads the output."""
    try:
        yield
        sys.stdout.flush()
    except (ReaderGone, BrokenPipeError):
        pass
    except OutputError as error:
        raise OutputError(f"{error}; what was paid for is in the store") from None
    sys.exit(code)


def end_command(found: object, show: Callable[[], None], code: int, *, as_json: bool) -> None:
    """Print what a command has found, as JSON or by ``show``, and exit with this code."""
    with exit_after(code):
        if as_json:
            print_json(found)
        else:
            show()


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a new event loop and return its result. The first signal cancels it.

    Raises:
        Interrupted: a signal ended it.
    """
    from asyncio import CancelledError, Runner

    with signals.handle():
        try:
            with Runner() as runner:
                loop = runner.get_loop()
                task = loop.create_task(work)
                with signals.cancel_on_signal(loop, task):
                    return loop.run_until_complete(task)
        except CancelledError:
            if signals.first_signal is None:
                raise
            raise Interrupted(signals.first_signal) from None
        except MootError as error:  # such as the store's, while paid replies were being written
            if signals.first_signal is None:
                raise
            _tell(str(error))
            raise Interrupted(signals.first_signal) from None


async def ask_to_confirm(question: str) -> bool:
    """Ask on standard error; return whether the next line of the terminal says yes."""
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
    """Print a message on standard error, without a traceback, and exit with this code."""
    _tell(message)
    sys.exit(code)


def _tell(message: str) -> None:
    sys.stderr.write(f"moot: {make_visible(message)}\n")


def is_argument(text: str) -> bool:
    """Return whether a text with bytes that are not UTF-8 comes from the command line."""
    return any(0xDC80 <= ord(sign) <= 0xDCFF for sign in text) and any(
        text in each for each in sys.argv
    )


@contextmanager
def catch_errors() -> Iterator[None]:
    """Print the errors of moot inside the block as messages, and exit with their codes."""
    try:
        yield
        sys.stdout.flush()
    except BudgetReached as error:
        fail(str(error), BUDGET)
    except OutputError as error:
        fail(str(error), UNWRITTEN)
    except RunBusy as error:
        fail(str(error), BUSY)
    except MootError as error:
        fail(str(error), BAD_INPUT)
    except UnicodeEncodeError as error:
        if not is_argument(error.object):
            raise
        fail(f"{ascii(error.object)[:200]}: it is not UTF-8; type it again", BAD_INPUT)
    except KeyboardInterrupt as stop:
        code = 128 + (stop.number if isinstance(stop, Interrupted) else SIGINT)
        fail("interrupted; what was paid for is in the store, run again to go on", code)
    except (ReaderGone, BrokenPipeError):
        sys.exit(DONE)  # the reader of the output has gone, which is no error
