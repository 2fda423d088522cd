"""The command for people who judge, which is imported when it is used."""

from moot.extend.commands import CommandPlace

judge = CommandPlace(
    "moot.contrib.judging.judge_command:judge",
    "Judge two answers side by side, blind: the council's and a single reply.",
    group="Study",
)
