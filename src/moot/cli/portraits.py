"""Protocols in full, each with a drawing of who reads whom."""

from collections.abc import Sequence

from msgspec import to_builtins

from moot.cli.console import print_json, run_async, say
from moot.cli.listings import print_rows
from moot.cli.setting_options import parse_settings
from moot.debate.protocol import registry
from moot.reports.portrait import as_data, as_text, describe_protocol
from moot.reports.prompt_file import write_prompts
from moot.studies.dry_run import rehearse_debate, shrink_settings


def print_all() -> None:
    """Print everything about each protocol as JSON."""
    rows = [to_builtins(describe_protocol(each)) for each in registry]
    print_rows(rows, registry.what, registry.broken, as_json=True)


def print_prompts(name: str, settings: Sequence[str]) -> None:
    """Print a protocol's prompts at default settings or given ones, as a file of prompts."""
    protocol = registry.get(name)
    say(write_prompts(protocol.read(protocol.check(parse_settings(settings), absent=True))))


def print_one(name: str, settings: Sequence[str], *, as_json: bool) -> None:
    """Print a protocol in full, at default settings or with those given as ``KEY=VALUE``."""
    protocol = registry.get(name)
    given = shrink_settings(protocol, parse_settings(settings))
    rehearsed = run_async(rehearse_debate(protocol, protocol.check(given)))
    if as_json:
        print_json(as_data(describe_protocol(protocol), rehearsed, given))
    else:
        say(as_text(describe_protocol(protocol), rehearsed, given))
