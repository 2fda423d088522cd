"""Whatever is written on the command line: what was asked for, or an error without a traceback."""

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from moot.cli.main import moot
from support.commands import STUDY
from support.fuzzing import WORDS, fuzz

LISTENS = {("serve",), ("judge",)}
ASKS_THE_NETWORK = {("data", "fetch"), ("model", "fetch")}
EXIT_CODES = {0, 1, 2, 3, 4, 5}
"""As ``moot --help`` and the docs tell them; a signal is not sent here."""


def leaves(command=moot, path=()):
    """Every command that is no group, by the words that call it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from leaves(command.get_command(context, name), (*path, name))
    elif path not in LISTENS | ASKS_THE_NETWORK:
        yield path, command


COMMANDS = dict(leaves())
KNOWN = st.sampled_from(
    [
        *("small", "small.toml", "starters", "arithmetic", "society-of-minds", "single", "demo"),
        *("simulated/people?accuracy=0.6", "accuracy", "html", "json", "csv", "svg", "out.txt"),
        *("out", "2", "agents=2", "rounds=2", "local/nothing", "gsm8k", "report.html", "rows.csv"),
    ]
)


@st.composite
def lines(draw):
    """Draw a command with arguments, and some of its options."""
    path = draw(st.sampled_from(sorted(COMMANDS)))
    # Where none is named, these two take the embedded model, which is slow.
    words = ["--model", "simulated/people"] if path in {("ask",), ("write",)} else []
    words += ["--stance", "oppose"] if path == ("write",) else []
    for param in COMMANDS[path].params:
        value = (KNOWN | WORDS | st.text(max_size=8)).filter(lambda text: "\0" not in text)
        if isinstance(param, click.Argument):
            words += [draw(value) for _ in range(draw(st.sampled_from([1, 1, 1, 0, 2])))]
        elif draw(st.integers(0, 5)) == 0:
            words.append(param.opts[-1])
            words += [] if getattr(param, "is_flag", False) else [draw(value)]
    return [*path, *words]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a study, and a store that has its run."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(STUDY)
    ran = CliRunner().invoke(moot, ["run", "small.toml", "--yes"])
    assert ran.exit_code == 0, ran.output
    return tmp_path


def test_any_line(folder):
    def check(line):
        os.chdir(folder)
        ran = CliRunner().invoke(moot, line, input="n\n")
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            raise ran.exception
        assert ran.exit_code in EXIT_CODES, line
        assert "Traceback" not in ran.output

    fuzz(check, line=lines())
