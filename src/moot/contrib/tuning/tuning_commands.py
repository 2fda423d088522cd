"""The command that tunes, which is imported when it is used."""

from moot.extend.commands import CommandPlace

tune = CommandPlace(
    "moot.contrib.tuning.tune:tune",
    "Tune the protocol that the table [tune] of STUDY names.",
    group="More",
)
