"""``moot``: the command line."""

import sys

import click

from moot.cli import streams
from moot.cli.ask import ask
from moot.cli.compare import compare
from moot.cli.console import BAD_INPUT, DONE, FAULT, UNWRITTEN
from moot.cli.data import data
from moot.cli.essays import essays
from moot.cli.export import export
from moot.cli.fidelity import fidelity
from moot.cli.figures import figures
from moot.cli.judge import judge
from moot.cli.judge_bias import judge_bias
from moot.cli.listings import datasets, metrics, models, protocols
from moot.cli.measure import measure
from moot.cli.model import model
from moot.cli.prejudice import prejudice
from moot.cli.refine import refine
from moot.cli.rejudge import rejudge
from moot.cli.report import report
from moot.cli.run import run
from moot.cli.serve import serve
from moot.cli.show import show
from moot.cli.signals import signals
from moot.cli.store import store
from moot.cli.studies import studies
from moot.cli.transfer import transfer
from moot.cli.tune import tune
from moot.cli.write import write
from moot.core.errors import OutputError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="moot")
def moot() -> None:
    """Debate among language models: ask, measure, and find out whether it was worth it."""


for command in (
    *(ask, run, tune, refine, show, report, compare, transfer, prejudice, judge_bias, fidelity),
    *(rejudge, essays, judge, write, figures, export, measure, serve),
    *(studies, protocols, datasets, models, metrics, data, model, store),
):
    moot.add_command(command)


def entry() -> None:
    """Run the command line and exit with its code."""
    try:
        signals.install()
        streams.prepare()
        code = _code()
    except KeyboardInterrupt:  # while something else was told
        code = signals.exit_code
    signals.remove()
    sys.exit(code)


def _code() -> int:
    """Run the command line; gives its exit code."""
    code: object = DONE
    try:
        code = moot(standalone_mode=False)
        streams.flush()
    except SystemExit as ended:
        code = ended.code
    except click.ClickException as error:
        _tell(error)
        code = BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("moot: interrupted\n")
        code = signals.exit_code
    except streams.ReaderGone:
        code = DONE
    except OutputError as error:
        sys.stderr.write(f"moot: {error}\n")
        code = UNWRITTEN
    except Exception as error:  # noqa: BLE001 -- whatever it is, the user is told shortly
        _tell_fault(error)
        code = FAULT
    return code if isinstance(code, int) else DONE


def _tell(error: click.ClickException) -> None:
    """Say what is wrong with the arguments, as click does, and nothing that moves a terminal."""
    from io import StringIO

    from moot.core.plain import plain

    told = StringIO()
    error.show(told)
    sys.stderr.write(plain(told.getvalue()))


def _tell_fault(error: Exception) -> None:
    """Say that moot itself went wrong; where, if ``MOOT_TRACEBACK`` is set."""
    import os
    import traceback

    from moot.core.plain import line

    if os.environ.get("MOOT_TRACEBACK"):
        traceback.print_exception(error)
    what = f"{type(error).__name__}: {line(str(error), 200)}"
    sys.stderr.write(
        f"moot: a fault of moot itself: {what}; what was paid for is in the store. Please report "
        "it with what MOOT_TRACEBACK=1 shows\n"
    )
