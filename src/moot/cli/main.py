"""``moot``: the command line."""

import os
import sys
from io import StringIO

import click

from moot.cli import streams
from moot.cli.commands import CommandGroup, CommandPlace
from moot.cli.console import BAD_INPUT, DONE, FAULT, UNWRITTEN, catch_errors, print_text
from moot.cli.signals import signals
from moot.core.display_text import make_visible, on_one_line
from moot.core.errors import MootError, OutputError

SUMMARIES = {
    "analyse": "Analyse recorded runs.",
    "ask": "Debate QUESTION and give the answer.",
    "data": "Fetch, add, list and look into datasets.",
    "datasets": "List the datasets.",
    "export": "Write the debates of each RUN for other programs and print where they are.",
    "init": "Write a first study, NAME.toml, or with --method a method of your own, NAME.py.",
    "measure": "Measure the recorded debates of every RUN again.",
    "metrics": "List the metrics.",
    "model": "Fetch, add and list the weights of embedded models.",
    "models": "List the providers of models, or show where NAME goes.",
    "plan": "Say how many questions it takes to show a difference.",
    "protocols": "List the protocols, or show NAME in full.",
    "refine": "Keep the questions of STUDY's datasets that models find hardest.",
    "rejudge": "Put the debates of RUN to their judges again, with the sides' labels swapped.",
    "report": "Report what the analyses of each RUN find.",
    "run": "Run STUDY, or go on with it where it stopped.",
    "show": "Show a run's results, or the transcripts of QUESTION.",
    "store": "Check, repair and copy stores.",
    "studies": "List the studies that come with moot, or print NAME to copy from.",
    "worth": "Find out whether debates are worth their tokens on QUESTIONS.",
}
"""moot's own commands and the first line of their help. A test keeps each as the command has it."""

GROUPS = {
    "Ask": ("ask",),
    "Study": ("worth", "plan", "init", "run", "show", "report", "analyse", "studies"),
    "Look up": ("protocols", "models", "datasets"),
}
"""The commands of the first screen; the others stand in a line below it."""

START = """\
moot lets language models debate, and measures whether it was worth it.

  moot ask "Is 91 prime?" --kind boolean    a debated answer, by the embedded model
  moot ask "..." --models a/x,b/y,c/z       by models of your choice: moot models
  git diff | moot review -                  a review that reviewers vote on
  moot worth questions.csv --model a/x      is a debate worth its tokens, on your questions?
  moot audit log.json                       what others' debates show, and what they claim
  moot run demo                             a study: every method, table and figure
  moot serve                                pages to ask and watch, and an endpoint

All commands: moot --help. How to debate: moot protocols.
"""
"""What ``moot`` alone says."""

PLACES = {
    name: CommandPlace(f"moot.cli.{name}:{name}", summary) for name, summary in SUMMARIES.items()
}
"""Where moot's own commands are."""


@click.group(
    cls=CommandGroup,
    places=PLACES,
    groups=GROUPS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="moot")
@click.pass_context
def moot(ctx: click.Context) -> None:
    """Debate among language models: ask, measure, and find out whether it was worth it."""
    ctx.with_resource(catch_errors())
    if ctx.invoked_subcommand is None:
        print_text(START)


def entry() -> None:
    """Run the command line and exit with its code."""
    try:
        signals.install()
        streams.prepare()
        try:
            code = moot(standalone_mode=False, complete_var="_MOOT_COMPLETE")
            streams.flush()
        except BaseException as error:  # noqa: BLE001 -- the user gets a short message for any fault
            code = _report(error)
    except KeyboardInterrupt:  # while an error was being printed
        code = signals.exit_code
    signals.remove()
    sys.exit(code if isinstance(code, int) else DONE)


def _report(error: BaseException) -> object:
    """Say what ended the command line; return the exit code.

    click raises ``Abort`` for Ctrl-C, for input that ends at a prompt, and for any ``EOFError``
    that a command did not catch, such as that of a damaged file. Only the last has a cause.
    """
    code: object = DONE
    match error:
        case SystemExit():
            code = error.code
        case click.Abort(__cause__=EOFError() as fault):
            code = _report_fault(fault)
        case click.Abort() | KeyboardInterrupt():
            sys.stderr.write("moot: interrupted\n")
            code = signals.exit_code
        case click.ClickException():
            _print_usage_error(error)
            code = BAD_INPUT
        case streams.ReaderGone():
            pass
        case MootError():  # such as that of a command that cannot be imported
            sys.stderr.write(f"moot: {make_visible(str(error))}\n")
            code = UNWRITTEN if isinstance(error, OutputError) else BAD_INPUT
        case Exception():
            code = _report_fault(error)
        case _:
            raise error
    return code


def _print_usage_error(error: click.ClickException) -> None:
    """Print what is wrong with the arguments, in click's words, without control characters."""
    text = StringIO()
    error.show(text)
    sys.stderr.write(make_visible(text.getvalue()))


def _report_fault(error: Exception) -> int:
    """Say that moot itself failed, with a traceback if ``MOOT_TRACEBACK`` is set.

    Returns the exit code.
    """
    if os.environ.get("MOOT_TRACEBACK"):
        import traceback  # slow to import

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {on_one_line(str(error), 200)}"
    sys.stderr.write(
        f"moot: a fault of moot itself: {what}; what was paid for is in the store. Please report "
        "it with what MOOT_TRACEBACK=1 shows\n"
    )
    return FAULT
