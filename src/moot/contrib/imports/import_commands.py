"""The command that imports, which is imported when it is used."""

from moot.extend.commands import CommandPlace

import_ = CommandPlace(
    "moot.contrib.imports.import_command:import_",
    "Make a run of LOG: debates that others held, as they published them.",
    group="Study",
)
