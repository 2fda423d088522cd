"""A log that a command takes in place of a run: it is imported first."""

from pathlib import Path

from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.extend.studies import Lab
from moot.extend.terminal import say
from moot.extend.words import format_things


async def store_log(lab: Lab, path: Path) -> str:
    """Import a log into the store of a laboratory and return the key of its run.

    The key, and what could not be read, is said on standard error.

    Raises:
        InputError: it is no log of debates of a known format, or it is damaged.
        RunBusy: another process imports the same log now.
        StoreError: the run cannot be written.
    """
    log = Log(path)
    found = await import_log(lab, log, find_format(log, None))
    say(f"{path} is run {found.run} of the store", err=True)
    if found.unread_parts:
        parts = format_things(found.unread_parts, "part")
        say(f"{parts} of it could not be read; moot import {path} names them", err=True)
    return found.run
