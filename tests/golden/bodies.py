"""Bodies of the server: completions, responses, streams, errors, models, and what pages show.

The model is scripted, and the pages are of a recorded run. What differs from run to run is
normalised by name, see ``UNSTEADY``.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
from bs4 import BeautifulSoup

import moot
from golden import packed, surfaces

MODEL = "scripted/golden"
SAYS = {
    "mind-1": ["17 and 25 are 42.\nFinal answer: 42", "I stay.\nFinal answer: 42"],
    "mind-2": ["It may be 41.\nFinal answer: 41", "I see it now.\nFinal answer: 42"],
    "mind-3": ["I cannot say.", "Others say 42.\nFinal answer: 42"],
    "agent": ["Final answer: 42"],
}
UNSTEADY = {
    *("id", "created", "created_at", "completed_at", "seconds", "run", "item_id", "response_id"),
    *("began", "wall"),
}
"""Keys whose values are ids and times; of each its kind is kept."""
SUM = "What is 17+25?"
MINDS = f"society-of-minds:{MODEL}"
RUN = "earlier-398ed9198e"
ASKED = {"model": MINDS, "messages": [{"role": "user", "content": SUM}], "moot": {"kind": "number"}}
SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "sum",
        "schema": {"type": "object", "properties": {"answer": {"type": "integer"}}}
        | {"required": ["answer"], "additionalProperties": False},
    },
}

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
POSTS: dict[str, tuple[str, Any]] = {
    "a completion": (CHAT, ASKED),
    "a completion of one agent": (CHAT, ASKED | {"model": f"single:{MODEL}"}),
    "a completion with settings": (CHAT, ASKED | {"model": f"{MINDS}?agents=2&rounds=1"}),
    "two choices": (CHAT, ASKED | {"n": 2}),
    "a schema": (CHAT, ASKED | {"response_format": SCHEMA, "moot": {}}),
    "a stream": (CHAT, ASKED | {"stream": True, "stream_options": {"include_usage": True}}),
    "a history": (
        CHAT,
        ASKED
        | {
            "messages": [
                {"role": "system", "content": "Be short."},
                {"role": "user", "content": "Hello."},
                {"role": "assistant", "content": "Hello!"},
                {"role": "user", "content": SUM},
            ]
        },
    ),
    "a response": (RESPONSES, {"model": MINDS, "input": SUM}),
    "a streamed response": (RESPONSES, {"model": MINDS, "input": SUM, "stream": True}),
    "no JSON": (CHAT, "{"),
    "no messages": (CHAT, {"model": MINDS}),
    "no question": (CHAT, ASKED | {"messages": []}),
    "an unknown model": (CHAT, ASKED | {"model": "single:openai/gpt-4o"}),
    "an unknown protocol": (CHAT, ASKED | {"model": f"society-of-mind:{MODEL}"}),
    "an unknown setting": (CHAT, ASKED | {"model": f"{MINDS}?agent=2"}),
    "a wrong setting": (CHAT, ASKED | {"model": f"{MINDS}?agents=none"}),
    "an unknown kind": (CHAT, ASKED | {"moot": {"kind": "numbr"}}),
    "an unknown key of moot's": (CHAT, ASKED | {"moot": {"sort": "number"}}),
    "a wrong type": (CHAT, ASKED | {"temperature": "hot"}),
    "too many choices": (CHAT, ASKED | {"n": 100_000}),
    "a response without input": (RESPONSES, {"model": MINDS}),
    "a response of an unknown model": (RESPONSES, {"model": "x", "input": SUM}),
}
"""Requests by what they are; each has a seed of its own, so that it is a debate of its own."""
GETS = (
    *("/v1/models", f"/v1/models/{MINDS}", "/v1/models/nobody", "/openapi.json", "/healthz"),
    f"/debates/{RUN}/json?arm=council&dataset=arithmetic&question=arithmetic-3-0-0",
)
PAGES = (
    *("/", "/ask", "/runs", f"/runs/{RUN}", f"/runs/{RUN}/results", f"/runs/{RUN}/debates"),
    *(f"/runs/{RUN}/settings", f"/runs/{RUN}/analyses/accuracy", f"/compare?a={RUN}"),
    f"/debates/{RUN}?arm=council&dataset=arithmetic&question=arithmetic-3-0-0",
    *("/nowhere", "/runs/nowhere"),
)


def make(*, record: bool = False) -> dict[str, packed.Values]:
    """Ask a server everything; by request, the figures and the words of its body."""
    with packed.scratch() as folder:
        told = asyncio.run(_ask_all(packed.unpack_store("35fb27c5", folder)))
    figures, words = {}, {}
    for name, body in told.items():
        figures[name], words[name] = packed.split(normalise(body))
    return {"figures": packed.plain(figures), "words": packed.plain(words)}


async def _ask_all(store: Path) -> packed.Values:
    model = moot.Scripted(SAYS, name="golden")
    told: packed.Values = {}
    async with surfaces.serve(store, model) as url, aiohttp.ClientSession() as client:
        for path in PAGES:  # before debates are added to the store
            async with client.get(f"{url}{path}") as answer:
                told[f"GET {path}"] = await _page(answer, url)
        for path in GETS:
            async with client.get(f"{url}{path}") as answer:
                told[f"GET {path}"] = await _body(answer)
        for name, (path, asked) in POSTS.items():
            sent = {"data": asked} if isinstance(asked, str) else {"json": asked}
            async with client.post(f"{url}{path}", **sent) as answer:
                told[f"POST {path}: {name}"] = await _body(answer)
    return told


async def _body(answer: aiohttp.ClientResponse) -> dict[str, Any]:
    text = await answer.text()
    kind = answer.headers["content-type"]
    body: Any = text
    if kind.startswith("application/json"):
        body = json.loads(text)
    elif kind.startswith("text/event-stream"):
        body = [_line(line) for line in text.splitlines() if line and not line.startswith(":")]
    return {"status": answer.status, "type": kind, "body": body}


def _line(line: str) -> Any:
    """Return a line of a stream: its field, and what is in it."""
    field, _, value = line.partition(": ")
    return {field: json.loads(value) if value.startswith("{") else value}


async def _page(answer: aiohttp.ClientResponse, url: str) -> dict[str, Any]:
    """Return what a page shows: headings, tables, links, and the fields of forms."""
    page = BeautifulSoup((await answer.text()).replace(url, "URL"), "html.parser")
    for each in page(["script", "style", "time"]):
        each.decompose()
    tables = [
        [[_text(cell) for cell in row(["th", "td"])] for row in table("tr")]
        for table in page("table")
    ]
    fields = [
        {
            "field": each.get("name", ""),
            "as": each.get("type", each.name),
            "value": each.get("value", ""),
            "options": [option.get("value", _text(option)) for option in each("option")],
        }
        for each in page(["input", "select", "textarea"])
    ]
    return {
        "status": answer.status,
        "headings": [_text(each) for each in page(["h1", "h2", "h3"])],
        "tables": tables,
        "fields": fields,
        "links": sorted({each["href"] for each in page("a", href=True)}),
        "paragraphs": [_text(each) for each in page(["p", "li", "dt", "dd", "summary"])],
    }


def _text(element: Any) -> str:
    return " ".join(element.get_text(" ").split())


def normalise(value: Any) -> Any:
    """Return a body with the kind of each id and time in its place."""
    if isinstance(value, list):
        return [normalise(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: type(each).__name__
        if key in UNSTEADY and isinstance(each, str | int | float)
        else normalise(each)
        for key, each in value.items()
    }
