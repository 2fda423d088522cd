"""The files beside the pages: read once, named in full, never looked up by a path of a request."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

PACKAGES = ("moot.server.pages", "moot.server.judging")
"""The packages of pages; no two of their files have the same name."""
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
YEAR = 31_536_000


class File(NamedTuple):
    """A file as it is sent; its mark changes with its content."""

    content: bytes
    type: str
    mark: str


@cache
def held() -> dict[str, File]:
    """Every file there is, by name."""
    found = {}
    for each in (file for name in PACKAGES for file in files(name).joinpath("static").iterdir()):
        kind = TYPES.get(each.name.rpartition(".")[2])
        if kind:
            content = each.read_bytes()
            mark = blake2b(content, digest_size=6).hexdigest()
            found[each.name] = File(content, kind, mark)
    return found


def address(name: str) -> str:
    """Where a file is, in this version of it: browsers keep it until it changes."""
    return f"/static/{name}?{held()[name].mark}"


async def static(request: Request) -> Response:
    """Send a file."""
    file = held().get(request.path_params["name"])
    if file is None:
        return PlainTextResponse("no such file\n", 404)
    kept = request.url.query == file.mark
    headers = {
        "cache-control": f"public, max-age={YEAR}, immutable" if kept else "no-cache",
        "etag": f'"{file.mark}"',
    }
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.type, headers=headers)


ROUTES = [Route("/static/{name}", static)]
