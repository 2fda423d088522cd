"""A debate to take away: as Markdown to read, as JSON for programs."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot import Transcript
from moot.contrib.server.pages.debate_page import place_of, read_events
from moot.extend.records import hide_paths_of_debate, write_transcript
from moot.extend.words import redact


async def markdown(request: Request) -> Response:
    """Return a debate as a file of Markdown."""
    lines = write_transcript(redact(Transcript(await read_events(request))))
    return _file(request, "\n".join(lines).encode(), "text/markdown; charset=utf-8", "md")


async def json(request: Request) -> Response:
    """Return a debate as JSON: its run, its replicate, and its events as ``moot show --json``."""
    where = place_of(request)
    events = hide_paths_of_debate(redact(Transcript(await read_events(request)))).events
    told = {"run": where.run, "replicate": where.replicate, "events": events}
    return _file(request, msgspec.json.encode(told), "application/json", "json")


def _file(request: Request, content: bytes, kind: str, ending: str) -> Response:
    where = place_of(request)
    name = "".join(each if each.isascii() and each.isalnum() else "-" for each in where.run)
    named = f'attachment; filename="{name}-{where.replicate}.{ending}"'
    return Response(content, media_type=kind, headers={"content-disposition": named})


ROUTES = [
    Route("/debates/{run}/markdown", markdown, methods=["GET"]),
    Route("/debates/{run}/json", json, methods=["GET"]),
]
