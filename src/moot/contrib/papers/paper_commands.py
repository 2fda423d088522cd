"""The command that repeats a paper, which is imported when it is used."""

from moot.extend.commands import CommandPlace

paper = CommandPlace(
    "moot.contrib.papers.paper_command:paper",
    "Repeat a paper on a model of yours, its tables and figures beside the published ones.",
    group="Study",
)
