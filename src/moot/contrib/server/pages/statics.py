"""The files of the pages: scripts, styles and icons, kept by browsers until they change."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from moot.contrib.server.pages.added_pages import registry as added
from moot.extend.calls import STATIC

PAGES = "moot.contrib.server.pages"
"""The package whose folder ``static`` has the files of these pages, beside that of reports."""
YEAR = 31_536_000


@cache
def static_url(name: str, package: str = PAGES) -> str:
    """Return the URL of this version of a file: it names a hash of the content.

    Args:
        name: of the file.
        package: of pages that are served beside those of ``moot.contrib.server.pages``, which
            have the files that it does not have.
    """
    every = [files(each).joinpath("static", name) for each in _list_packages(package)]
    file = next((each for each in every if each.is_file()), every[0])
    return f"/static/{name}?{blake2b(file.read_bytes(), digest_size=6).hexdigest()}"


def _list_packages(package: str) -> list[str]:
    """Return the packages whose files are served beside those of a package, which comes first."""
    return list(dict.fromkeys((package, PAGES, STATIC, *(each.package for each in added))))


class MarkedFiles(StaticFiles):
    """Files that browsers keep for good if the URL names the hash of their content.

    Args:
        package: of pages that are served beside those of ``moot.contrib.server.pages``; no file
            of it has the name of one of theirs.
    """

    def __init__(self, package: str = PAGES) -> None:
        super().__init__(packages=[(name, "static") for name in _list_packages(package)])
        self._package = package

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file of a path."""
        response = await super().get_response(path, scope)
        url = f"/static/{path}?{scope['query_string'].decode()}"
        kept = url == static_url(path, self._package)
        cache_control = f"public, max-age={YEAR}, immutable" if kept else "no-cache"
        response.headers["cache-control"] = cache_control
        return response
