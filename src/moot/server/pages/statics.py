"""The files of the pages: scripts, styles and icons, read once into memory."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

PAGES = "moot.server.pages"
"""The package whose folder ``static`` has the files of these pages."""
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
YEAR = 31_536_000


class StaticFile(NamedTuple):
    """A file with its media type; its mark is a hash of its content."""

    content: bytes
    type: str
    mark: str


@cache
def static_files(*packages: str) -> dict[str, StaticFile]:
    """Return the files in the folders ``static`` of packages of pages, by name.

    No two of the packages have a file of the same name.
    """
    found = {}
    for each in (file for name in packages for file in files(name).joinpath("static").iterdir()):
        kind = TYPES.get(each.name.rpartition(".")[2])
        if kind:
            content = each.read_bytes()
            mark = blake2b(content, digest_size=6).hexdigest()
            found[each.name] = StaticFile(content, kind, mark)
    return found


def static_url(name: str, *packages: str) -> str:
    """Return the URL of this version of a file: browsers keep it until it changes.

    Args:
        name: of the file.
        packages: of pages that are served beside those of ``moot.server.pages``.
    """
    return f"/static/{name}?{static_files(PAGES, *packages)[name].mark}"


def routes(*packages: str) -> list[Route]:
    """Return the route that sends the files of the pages, and of these packages of pages."""

    async def static(request: Request) -> Response:
        file = static_files(PAGES, *packages).get(request.path_params["name"])
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

    return [Route("/static/{name}", static)]


ROUTES = routes()
