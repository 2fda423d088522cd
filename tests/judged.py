"""Stores with essays to compare, and a server on which they are."""

import sqlite3
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import msgspec

from moot.core.events import Closed, Opened, Transcript, Turn, Verdict
from moot.core.questions import Question
from moot.core.stored import Arm, StudyRow
from moot.debate.protocol import registry as protocols
from moot.essays.rate.rating import RatingPlan
from moot.essays.rate.rating_server import rating_server
from moot.ledger.place import FILE
from moot.ledger.store import Store
from moot.server.config import of
from served import up

ARMS = ("secretarm-direct", "secretarm-plan", "secretarm-debate")
MODEL = "scripted/secretmodel"


def essay(text: str | None, question: str, proposition: str) -> Transcript:
    """A debate that came to an essay, or to nothing."""
    asked = Question(id=question, kind="text", text=proposition)
    settings = protocols.get("single").check({})
    said = Turn(
        id=1,
        agent="writer",
        seat=0,
        role="writer",
        step="essay",
        round=1,
        model=MODEL,
        text=text or "",
        answer=text,
        reads=(),
        call="00" * 16,
    )
    opened = Opened(question=asked, protocol="single", settings=settings, pack="")
    return Transcript((opened, said, Closed(verdict=Verdict(answer=text, by="essay", turn=1))))


def about(proposition: int, arm: str) -> str:
    """An essay that tells itself from all others."""
    words = f"On matter {proposition} the case of kind {ARMS.index(arm)} goes like this."
    return "\n\n".join([words, *(f"Point {n}: {'reasons weigh much. ' * 12}" for n in range(4))])


async def fill(store: Path, n: int = 3, *, arms=ARMS, settings=None, text=about) -> str:
    """Keep a run with an essay of each arm on ``n`` propositions; gives its key."""
    kinds = [Arm(name=arm, protocol="single", settings=settings or {}) for arm in arms]
    study = StudyRow(name="essays", arms=tuple(kinds), baseline=None, simulated=(arms[0],))
    async with Store.open(store) as opened:
        row = opened.begin_run("secretrun-1", "essays", msgspec.json.encode(study))
        for number in range(n):
            for arm in arms:
                held = essay(text(number, arm), f"q{number}", f"We should do thing {number}.")
                await opened.save_debate(row.id, arm, "props", f"q{number}", 0, held, {})
    return row.key


class Judged:
    """A judging server that is up: its address, and its application."""

    def __init__(self, running) -> None:
        self.url, self.app = f"http://127.0.0.1:{running.port}", running.app

    @property
    def judging(self):
        return self.app.state.rating

    def link(self, name: str) -> str:
        """The address of an invited rater."""
        rater = next(each for each in self.judging.invited if each.name == name)
        return f"{self.url}/judge/{rater.key}"

    def sheet(self, number: int):
        """One of the sheets, by its number from 1."""
        return self.judging.sheets.sheets[number - 1]


@asynccontextmanager
async def judging(store: Path, run: str = "essays", **plan):
    """Serve until the block is left."""
    running = rating_server(of(), RatingPlan(run, **plan), store=store)
    async with up(running):
        yield Judged(running)


@contextmanager
def forbidden(store: Path):
    """Have the store refuse every ranking until the block is left, as a full disk does."""
    with closing(sqlite3.connect(store / FILE, isolation_level=None)) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON rankings BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        yield
        connection.execute("DROP TRIGGER full")
