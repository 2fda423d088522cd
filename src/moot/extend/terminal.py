"""Commands of the command line: options, output, exit codes, estimates and progress."""

from moot.cli.analyse import ReportOutput
from moot.cli.console import (
    ExitCode,
    console,
    exit_after,
    json_option,
    run_async,
    say,
    store_option,
)
from moot.cli.estimates import confirm_estimate, show_estimate, summarise_estimate
from moot.cli.output_file import OutputFile
from moot.cli.progress_line import show_progress
from moot.cli.setting_options import SettingCommand, budget_options, parse_prices, parse_settings
from moot.cli.streams import ReaderGone
from moot.cli.study_options import StudyOptions
from moot.cli.terminal_debate import TerminalDebate

__all__ = [
    "ExitCode",
    "OutputFile",
    "ReaderGone",
    "ReportOutput",
    "SettingCommand",
    "StudyOptions",
    "TerminalDebate",
    "budget_options",
    "confirm_estimate",
    "console",
    "exit_after",
    "json_option",
    "parse_prices",
    "parse_settings",
    "run_async",
    "say",
    "show_estimate",
    "show_progress",
    "store_option",
    "summarise_estimate",
]
