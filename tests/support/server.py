"""The server: debates that it shows or runs, its pages, and requests to its endpoint."""

import asyncio
import json
import re
from contextlib import aclosing, asynccontextmanager
from html.parser import HTMLParser
from typing import Any

import pytest
from bs4 import BeautifulSoup

from moot.contrib.server.serving import Server, open_socket
from moot.core.calls import Reply
from moot.core.events import Closed, Opened, Seat, Seated, Transcript, Turn, Verdict
from moot.core.messages import FunctionCall, ToolCall
from moot.core.questions import Question
from moot.core.stored import Arm
from moot.debate.protocol import registry as protocols
from moot.studies.lab import encode_study
from moot.studies.question_plan import plan_question
from support.debates import make_turn

NASTY = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> <a href='javascript:alert(1)'>x</a> "
    "\x1b[31mred\x1b[0m \x00\x07\x9b1m \u202egnp.exe\u2066 {{ 7*7 }} </textarea></p></main> \u2028"
    "&lt;b&gt; ]]> <!-- "
)


SHAPES = {"single", "society-of-minds", "council", "network", "hopfield", "chateval", "jury",
          "agreement-gate", "evidence-debate", "debate-match", "oversight-debate"}  # fmt: skip
"""Protocols whose debates have every kind of event and place."""


def each_protocol(chosen=bool):
    """Each protocol that is installed, as a parameter; ``make test`` has those of every shape."""
    return [
        pytest.param(each.name, marks=() if each.name in SHAPES else pytest.mark.soak)
        for each in protocols
        if each.is_installed and chosen(each)
    ]


@asynccontextmanager
async def up(running: Server, *, host: str = "127.0.0.1"):
    """Have a server serve until the block is left; then it was shut down as by a signal."""
    started = asyncio.Event()
    running.on_start = started.set
    with open_socket(host, 0) as own:
        task = asyncio.create_task(running.serve(sockets=[own]))
        begun = asyncio.create_task(started.wait())
        await asyncio.wait({task, begun}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            begun.cancel()
            task.result()
        try:
            yield
        finally:
            running.should_exit = True
            await task


class Seen(HTMLParser):
    """The elements of a page, its text, and each attribute of each element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements, self.attributes, self.text = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        self.text.append(data)


def harmless(page: str) -> None:
    """Fail where something of a reply has become more than text."""
    seen = Seen(page)
    scripts = [value for *at, value in seen.attributes if at == ["script", "src"]]
    assert len({*scripts}) == seen.elements.count("script")  # each is a file, and there once
    assert all(each.startswith("/static/") for each in scripts)
    assert "img" not in seen.elements
    assert "style" not in seen.elements
    for tag, name, value in seen.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name != "style", tag
        if (tag, name) == ("a", "href") and value.startswith(("https://", "http://")):
            assert {("a", "rel", "noopener noreferrer nofollow")} <= {*seen.attributes}
        elif name in {"href", "src", "action"}:
            assert value.startswith(("/", "#")), (tag, value)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]", page)


def turn(number: int, **more) -> Turn:
    given = {"agent": f"mind-{number}", "seat": number - 1, "role": "mind", "call": "00" * 16}
    return make_turn(number, **given | {"text": f"I say 4, as #{number}.", "answer": "4"} | more)


def record(*turns: Turn, end=None, **opened) -> Transcript:
    question = Question(id="sum", kind="number", text="What is 2+2?", answer="4")
    settings = protocols.get("society-of-minds").check({})
    first = {"question": question, "protocol": "society-of-minds", "settings": settings, "pack": ""}
    seats = {each.seat: each for each in turns}.values()
    return Transcript(
        (
            Opened(**{**first, **opened}),
            *(
                Seated(seat=Seat(number=t.seat, agent=t.agent, role=t.role, model=t.model))
                for t in seats
            ),
            *turns,
            end or Closed(verdict=Verdict(answer="4", by="majority")),
        )
    )


async def save(server, transcript: Transcript, *, arm: str = "a", question: str = "q") -> str:
    """Keep a debate in the server's store; the address of its page."""
    lab = server.lab
    arms = [Arm(name=arm, protocol="single", settings={"model": "simulated/crowd"})]
    study = encode_study(lab, "made", arms)
    row = lab.store.begin_run("made-1", "made", study)
    await lab.store.save_debate(row.id, arm, "d", question, 0, transcript, {})
    await lab.store.flush()
    return f"{server.url}/debates/made-1"


async def page_of(client, url: str, status: int = 200, **given) -> str:
    async with client.get(url, **given) as answer:
        assert answer.status == status, url
        return await answer.text()


def sent_by(page: str, action: str) -> dict[str, str]:
    """The fields that a browser sends when the form of this action is submitted untouched."""
    [form] = [each for each in BeautifulSoup(page, "html.parser")("form") if sends_to(each, action)]
    fields = {}
    for each in form(["input", "select", "textarea"]):
        name, kind = each.get("name"), each.get("type", "text")
        if not name or kind in {"submit", "button", "file"}:
            continue
        if each.name == "select":
            options = each("option")
            chosen = [one for one in options if one.has_attr("selected")] or options[:1]
            for one in chosen:
                fields[name] = one.get("value", one.text)
        elif kind not in {"checkbox", "radio"} or each.has_attr("checked"):
            fields[name] = each.text.strip() if each.name == "textarea" else each.get("value", "")
    return fields


def sends_to(form: Any, action: str) -> bool:
    return form.get("method", "").lower() == "post" and form.get("action", action) == action


async def hold(server, question: str = "Which is even?", **given):
    """Begin a debate as the page to ask does; give it, and where it is shown."""
    given = {"protocol": "society-of-minds", "model": "simulated/crowd", **given}
    choices = given.pop("choices", ("one", "two"))
    budget = given.pop("budget", None)
    protocol, stream = given.pop("protocol"), given.pop("stream", False)
    prepared = plan_question(question, protocol=protocol, settings=given, choices=choices)
    held = await server.debates.start(prepared, linger=None, budget=budget, stream=stream)
    return held, f"{server.url}/debates/{held.run}?held={held.id}"


async def stream(client, url: str, last: int | None = None) -> list[tuple[int, str, dict]]:
    """All changes of a debate's page until it ends: number, name and data."""
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    async with client.get(url, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [block async for block in blocks(answer) if block[1] not in {"piece", "draft"}]


async def blocks(answer):
    fields: dict[str, str] = {}
    async for raw in answer.content:
        line = raw.decode().rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield int(fields.get("id", -1)), fields["event"], json.loads(fields["data"])
            fields = {}
        else:
            fields = {}


def events_url(url: str) -> str:
    path, _, query = url.partition("?")
    return f"{path}/events?{query}"


QUESTION = "An ice cube floats in a glass filled to the brim. What does the water do?"
SAYS = {
    ("mind-1", 1): "It displaces its own weight.\nFinal answer: B",
    ("mind-2", 1): "The ice comes down as water.\nFinal answer: A",
    ("mind-3", 1): f"{'Long words. ' * 400}\nFinal answer: B",
    ("mind-2", 2): "I was wrong.\nFinal answer: B",
}


class Gate:
    """A model that speaks when it is let: round by round."""

    def __init__(self) -> None:
        self.open = [asyncio.Event(), asyncio.Event()]

    async def __call__(self, call):
        await self.open[min(call.scene.round, 2) - 1].wait()
        text = SAYS.get((call.scene.agent, call.scene.round), "As before.\nFinal answer: B")
        return Reply(text=text, prompt_tokens=50, completion_tokens=12, cost=0.0004, seconds=1.2)


async def ask(page, url, question: str = QUESTION, choices: str = "It rises\nIt stays") -> None:
    await page.goto(f"{url}/ask")
    await page.fill("#question", question)
    await page.fill("#choices", choices)
    await page.get_by_role("button", name="Debate").click()
    await page.wait_for_url("**/debates/**")


CROWD = "simulated/crowd"
SLOW = "simulated/slow?latency=0.05"
CALLS = 6


def asked(question="What is 3 + 4?", **settings):
    given = {"model": CROWD, "agents": 3, "rounds": 2, **settings}
    return plan_question(question, protocol="society-of-minds", settings=given, kind="number")


async def told(held):
    async with aclosing(held.events()) as events:
        return [event async for event in events]


async def settled(server):
    async with asyncio.timeout(5):
        while server.debates.live:
            await asyncio.sleep(0.005)
    await server.lab.store.flush()


def status(server, held):
    return server.lab.store.find_run(held.run).status


SUM = "What is 17+25?"
MODEL = "simulated/p=0.7"
MINDS = f"society-of-minds:{MODEL}"


def body(text=SUM, *, model=MINDS, **more):
    """A request for a debate of this question; a number answers it."""
    moot = {"kind": "number", **more.pop("moot", {})}
    return {"model": model, "messages": [{"role": "user", "content": text}], "moot": moot, **more}


async def complete(client, serving, request, **given):
    address = f"{serving.url}/v1/chat/completions"
    async with client.post(address, json=request, **given) as response:
        return response.status, await response.json()


async def refused(client, serving, request, **given):
    """The status of a request that cannot be; of its error the text, the parameter, the code."""
    status, told = await complete(client, serving, request, **given)
    error = told["error"]
    return status, error["message"], error["param"], error["code"]


async def streamed(response):
    """The chunks of a stream, whole; what follows the end is an error."""
    chunks, ended = [], False
    async for line in response.content:
        assert not ended or not line.strip(), line
        if line.startswith(b"data: "):
            data = line.removeprefix(b"data: ").strip()
            ended = data == b"[DONE]"
            if not ended:
                chunks.append(json.loads(data))
    assert ended
    return chunks


def says(call):
    if any(message.role == "tool" for message in call.messages):
        return Reply(text=f"It is {call.messages[-1].content}.", cost=0.0)
    wanted = ToolCall("call_1", FunctionCall("get_weather", '{"place": "Ulm"}'))
    return Reply(text="", tool_calls=(wanted,), finish="other", cost=0.0)
