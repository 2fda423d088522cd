"""What tests of essays share: essays as transcripts and by scripts, a judge, raters, embeddings."""

import asyncio
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web

import moot
from moot.contrib.essays.rate.rating_server import rating_server
from moot.contrib.essays.rate.sheets import RatingPlan
from moot.contrib.server.config import config_from
from moot.core.events import (
    Closed,
    Failed,
    Opened,
    Passage,
    Searched,
    Seat,
    Seated,
    Transcript,
    Verdict,
)
from moot.core.questions import Question
from moot.core.stored import Arm, StudyRow
from moot.debate.protocol import registry as protocols
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE
from moot.models.scripted import Scripted
from support.debates import hold, make_turn
from support.hub_server import serve
from support.promises.essays import argues, pool
from support.server import up

# Debates that wrote an essay, as transcripts made by hand.


PROPOSITION = "Museums should be free of charge."

POOL = "\n".join(
    f'{{"agent_id": {number}, "description": "{who}", "claim": "{claim}"}}'
    for number, (who, claim) in enumerate(
        [
            ("A curator", "Fees pay for the care of what is shown."),
            ("A taxpayer", "Who never goes should not pay for who does."),
            ("A teacher", "What costs nothing is not prepared for."),
            ("A guard", "Crowds harm what they come to see."),
        ],
        1,
    )
)
CHOICE = "\n".join(
    f'{{"agent_id": {number}, "description": "{who}", "reason": "{why}"}}'
    for number, who, why in [
        (2, "A taxpayer", "speaks for those who pay"),
        (1, "A curator", "knows the accounts"),
        (4, "A guard", "sees the crowd"),
    ]
)
PLAN = (
    "Acknowledgment: a fee keeps some people out\n"
    "1. Fees pay for care.\n   - Repairs cost more each year.\n   - Grants do not keep pace.\n"
    "2. Crowds do harm."
)
ESSAY = (
    "A free door is not a free museum. The house says that “repairs doubled in ten years” [1], "
    "and that “nobody comes twice” [2].\n\nSo let those who come pay."
)
PASSAGES = (
    Passage(1, "notes/costs.md:3", "In our house, repairs doubled in ten years."),
    Passage(2, "visits.txt:1", "Most come once a year."),
)
SETTINGS = {"model": "scripted/house", "stance": "oppose", "team": 3, "rounds": 3, "pool": 4}
SETTINGS |= {"points": 4, "personas": True, "dialogue": "agents", "cast": []}


def turn(number, agent, step, text, *, number_of_round=1, **more):
    """A turn of some agent; its role is its name without the number."""
    given = {"model": "scripted/house", "call": "00", "seconds": 1.5, "round": number_of_round}
    given |= {"prompt_tokens": 20, "completion_tokens": 10, "cost": 0.001}
    given["role"] = agent.rpartition("-")[0] if agent[-1].isdecimal() else agent
    return make_turn(number, agent=agent, step=step, text=text, **given | more)


def steps(*, pool=POOL, choice=CHOICE, plan=PLAN, essay=ESSAY, rounds=("no", "yes")):
    """Agent, prompt, text and round of each turn of a debate to write."""
    yield "organiser", "personas", pool, 1
    yield "organiser", "select", choice, 1
    for place, stand in enumerate(rounds, 1):
        for member in (1, 2, 3):
            yield f"member-{member}", "discuss", f"So I think.\nSatisfied: {stand}", place
        yield "critic", "challenge", f"And who pays?\nPersuaded: {stand}", place
    yield "planner", "plan", plan, len(rounds) + 1
    yield "writer", "essay", essay, len(rounds) + 1


def transcript(*, searched=PASSAGES, failed="", settings=None, cut=(), keep=None, **said):
    told = list(steps(**said))[:keep]
    turns = [
        turn(number, agent, step, text, number_of_round=place,
             finish="length" if step in cut else "stop",
             answer=(text.strip() or None) if step == "essay" else None)
        for number, (agent, step, text, place) in enumerate(told, 1)
    ]  # fmt: skip
    question = Question(id="museums", kind="text", text=PROPOSITION)
    opened = Opened(
        question=question, protocol="debate-to-write", settings=SETTINGS | (settings or {}),
        pack="00", simulated=True,
    )  # fmt: skip
    agents = dict.fromkeys(each.agent for each in turns)
    seats = [
        Seated(seat=Seat(number=place, agent=agent, role="any", model="scripted/house"))
        for place, agent in enumerate(agents)
    ]
    found = [Searched(query=PROPOSITION, passages=searched)] if searched else []
    if failed or not turns or turns[-1].step != "essay":
        end = Failed(kind="RefusedError", reason=failed or "it would not", seconds=9.0)
    else:
        last = turns[-1]
        verdict = Verdict(answer=last.answer, text=last.text, by="essay", turn=last.id)
        end = Closed(verdict=verdict, seconds=9.0)
    return Transcript((opened, *seats, *turns[:-2], *found, *turns[-2:], end))


NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
FREE = Question(id="free", kind="text", text="We should make all museums free of charge")
THREE = pool("Nurse", "Cook", "Judge")
SHORT_ESSAY = "Museums need money.\n\nSo they must sell tickets."


def speaking(ends=1, **replies):
    """A script in which a step has these words; functions are given the call."""

    def script(call):
        said = replies.get(call.scene.step, {"essay": SHORT_ESSAY}.get(call.scene.step))
        if said is None:
            return argues(call, ends)
        return said(call) if callable(said) else said

    return script


async def write_by(store, script, name="debate-to-write", question=FREE, **given):
    """A debate that did not fail, its steps, and what each call was sent, by turn."""
    sent = {}

    def recorded(call):
        sent[call.scene.turn] = "\n\n".join(message.content for message in call.messages)
        return script(call)

    model = Scripted(recorded, name=f"script-{next(NAMES)}")
    transcript = await hold(name, model, store, question=question, **given)
    assert transcript.failed is None
    return transcript, [turn.step for turn in transcript.turns], sent


def members(transcript):
    return sum(seat.role == "member" for seat in transcript.seats)


PROPOSITIONS = ("Cats are better than dogs", "Tea is better than coffee", "Rain is better than sun")
WORDS = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
PAIR = re.compile(r"===== The (first|second) essay =====\n(.*?)\n=====", re.DOTALL)


def reply_of_arm(call):
    """What an arm writes: the plain one says the same each time, the rich one never does."""
    at = call.draw.replicate
    if "plain" in call.model:
        return "Dull prose says one dull thing, and says one dull thing again."
    return "gold " + " ".join(WORDS[at * 4 : at * 4 + 4])


def judge_reply(call):
    """Lists what it reads as two points; prefers gold, else says they are equal."""
    asked = call.messages[-1].content
    shown = dict(PAIR.findall(asked))
    if not shown:
        return "Its points:\n1. It stands for something.\n2. " + asked.split("\n")[3][:40]
    gold = ["gold" in shown[place] for place in ("first", "second")]
    letter = "C" if gold[0] == gold[1] else "AB"[gold.index(True)]
    return f"I have read both.\nFinal answer: {letter}"


def models(judge=judge_reply):
    return [
        Scripted(reply_of_arm, name="plain"),
        Scripted(reply_of_arm, name="rich"),
        Scripted(judge, name="judge"),
    ]


def study(tmp_path, **given):
    path = tmp_path / "town.jsonl"
    path.write_text(
        "".join(f'{{"id": "m{n}", "question": "{m}"}}\n' for n, m in enumerate(PROPOSITIONS))
    )
    return {
        "name": "tried",
        "replicates": 3,
        "baseline": "plain",
        "datasets": [{"name": "file", "label": "town", "path": str(path), "kind": "text"}],
        "arms": [
            {"name": "plain", "protocol": "essay-direct", "model": "scripted/plain"},
            {"name": "rich", "protocol": "essay-direct", "model": "scripted/rich"},
        ],
    } | given


async def hold_study(tmp_path, models=models(), **given):  # noqa: B008 -- they keep nothing
    outcome = await moot.run(study(tmp_path, **given), store=tmp_path / "store", models=models)
    return outcome.run


ARMS = ("secretarm-direct", "secretarm-plan", "secretarm-debate")
MODEL = "scripted/secretmodel"


def essay_transcript(text: str | None, question: str, proposition: str) -> Transcript:
    """A debate that came to an essay_transcript, or to nothing."""
    asked = Question(id=question, kind="text", text=proposition)
    settings = protocols.get("single").check({})
    of = {"agent": "writer", "role": "writer", "step": "essay", "model": MODEL, "call": "00" * 16}
    said = make_turn(text=text or "", answer=text, **of)
    opened = Opened(question=asked, protocol="single", settings=settings, pack="")
    return Transcript((opened, said, Closed(verdict=Verdict(answer=text, by="essay", turn=1))))


def essay_text(proposition: int, arm: str) -> str:
    words = f"On matter {proposition} the case of kind {ARMS.index(arm)} goes like this."
    return "\n\n".join([words, *(f"Point {n}: {'reasons weigh much. ' * 12}" for n in range(4))])


async def fill(store: Path, n: int = 3, *, arms=ARMS, settings=None, text=essay_text) -> str:
    """Keep a run with an essay of each arm on ``n`` propositions; gives its key."""
    settings = settings or {"stance": "oppose"}  # that of every run of essays
    kinds = [Arm(name=arm, protocol="single", settings=settings) for arm in arms]
    study = StudyRow(name="essays", arms=tuple(kinds), baseline=None, simulated=(arms[0],))
    async with Store.open(store) as opened:
        row = opened.begin_run("secretrun-1", "essays", msgspec.json.encode(study))
        for number in range(n):
            for arm in arms:
                held = essay_transcript(
                    text(number, arm), f"q{number}", f"We should do thing {number}."
                )
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
        rater = next(each for each in self.judging.invited if each.name == name)
        return f"{self.url}/judge/{rater.key}"

    def sheet(self, number: int):
        return self.judging.sheets.sheets[number - 1]


@asynccontextmanager
async def judging(store: Path | str, run: str = "essays", **plan):
    running = rating_server(config_from(), RatingPlan(run, **plan), store=store)
    async with up(running):
        yield Judged(running)


@contextmanager
def forbidden(store: Path):
    """Have the store refuse every ranking until the block is left, as a full disk does."""
    with closing(sqlite3.connect(store / STORE_FILE, isolation_level=None)) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON rankings BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        yield
        connection.execute("DROP TRIGGER full")


USAGE = {"prompt_tokens": 7, "total_tokens": 7}


def vector(text: str) -> list[float]:
    return [float(len(text)), float(text.count("a"))]


class Endpoint:
    """What it answers is set by the tests; ``fails`` are the answers to the next requests."""

    def __init__(self) -> None:
        self.address = ""
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.fails: list[web.Response] = []
        self.delay, self.at_once, self.most = 0.0, 0, 0
        self.shape: Callable[[Any], Any] = lambda data: data

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.seen.append((request.path, dict(request.headers), body))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(self.delay)
        self.at_once -= 1
        if self.fails:
            return self.fails.pop(0)
        data = [{"index": at, "embedding": vector(text)} for at, text in enumerate(body["input"])]
        return web.json_response(self.shape({"data": data, "usage": USAGE}))


@asynccontextmanager
async def endpoint_of() -> AsyncIterator[Endpoint]:
    here, app = Endpoint(), web.Application()
    app.router.add_post("/v1/embeddings", here.answer)
    async with serve(app) as here.address:
        yield here


@contextmanager
def endpoint_apart() -> Iterator[Endpoint]:
    """One in a thread of its own, for what runs an event loop itself."""
    found: list[Endpoint] = []
    loop, up, down = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serving() -> None:
        async with endpoint_of() as here:
            found.append(here)
            up.set()
            await down.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serving(),))
    thread.start()
    assert up.wait(10)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(down.set)
        thread.join(10)
        loop.close()
