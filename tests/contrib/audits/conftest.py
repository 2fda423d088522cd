"""Logs made by hand in the open format, and their audits."""

import msgspec
import pytest

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
)


def debate(number, right, *rounds, text="", kind="number", choices=(), finish="", models=()):
    """A debate; each round has a reply of each agent, or an empty text where one is silent."""
    names = [f"agent {seat}" for seat in range(1, len(rounds[0]) + 1)]
    turns = [
        LoggedTurn(
            agent=name,
            text=reply,
            round=at,
            finish=finish,
            reads=tuple(range(1, (at - 1) * len(names) + 1)),
        )
        for at, replies in enumerate(rounds, 1)
        for name, reply in zip(names, replies, strict=True)
    ]
    given = dict(zip(names, models, strict=True)) if models else {}
    return LoggedDebate(
        id=f"q{number}",
        question=LoggedQuestion(
            text=text or f"What is the number of question {number}?",
            kind=kind,
            answer=right,
            choices=choices,
        ),
        agents=tuple(LoggedAgent(name=name, model=given.get(name, "")) for name in names),
        turns=tuple(turns),
        method="society-of-minds",
        place=f"log.jsonl, line {number}",
    )


def box(*values):
    """The replies of a round whose agents are in the asked form."""
    return [rf"So it comes to this. The answer is \boxed{{{value}}}." for value in values]


def sound(number, value=None):
    """A debate of three agents and two rounds on which all rules agree."""
    value = value or str(10 + number)
    return debate(number, value, box(value, value, value), box(value, value, value))


@pytest.fixture
def write_log(tmp_path):
    """Write debates as a log and return its path."""

    def write(debates, name="log.jsonl"):
        path = tmp_path / name
        path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in debates))
        return path

    return write


@pytest.fixture
def audit(moot, write_log):
    """Audit debates by the command; give what it prints as JSON."""

    def run(debates, *options):
        log = debates if isinstance(debates, str) else str(write_log(debates))
        code, out, errors = moot("audit", log, "--json", *options)
        assert code == 0, errors
        return msgspec.json.decode(out)

    return run
