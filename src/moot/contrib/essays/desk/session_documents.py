"""The documents that a writer has uploaded: a session's own, by a cookie that cannot be guessed."""

from asyncio import to_thread
from contextlib import suppress
from secrets import token_urlsafe
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from moot import InputError
from moot.contrib.documents.reading_summary import summarise_reading
from moot.contrib.server.config import UploadLimits
from moot.contrib.server.document_reading import ReadersFull
from moot.contrib.server.live_debates import LiveDebates
from moot.contrib.server.multipart import PostedForm
from moot.contrib.server.uploads import (
    FILES,
    UploadFolder,
    Uploads,
    format_size,
    list_sizes,
    make_safe_name,
)
from moot.extend.words import format_things

COOKIE = "moot-desk"
"""The cookie that names a session."""
SESSION = 24
"""Random bytes of a session's name."""


class SessionDocuments(NamedTuple):
    """The documents of a session, as its page shows them.

    Attributes:
        files: the name and the size of each, in words.
        troubles: why files that were just posted are not among them, a sentence each.
        limits: how much there may be.
        read: what was read of each, by its name.
    """

    files: list[tuple[str, str]]
    troubles: list[str]
    limits: UploadLimits
    read: dict[str, str]

    @property
    def bounds(self) -> str:
        """How many there may be, and of what size, in words."""
        one, every = format_size(self.limits.file), format_size(self.limits.total)
        return f"{format_things(self.limits.files, 'file')}, of {one} each and {every} together"

    @property
    def kept(self) -> str:
        """How long they are kept, in words."""
        return format_things(self.limits.hours, "hour")


def uploads_of(request: Request) -> Uploads:
    """Return the uploads of the server."""
    debates: LiveDebates = request.app.state.debates
    assert debates.uploads is not None  # a server with pages has them
    return debates.uploads


def folder_of(request: Request) -> UploadFolder:
    """Return the folder of the session; of a new one where the browser names none."""
    state = request.state
    session = getattr(state, "session", "") or request.cookies.get(COOKIE, "")
    if not session:
        session = state.session = token_urlsafe(SESSION)
    return uploads_of(request).folder_of(state.client, session)


def show_documents(request: Request) -> SessionDocuments:
    """Return the documents of the session, and what was wrong with those just posted."""
    files = list_sizes(folder_of(request).list_files())
    troubles = getattr(request.state, "troubles", [])
    read = getattr(request.state, "read", {})
    return SessionDocuments(files, troubles, uploads_of(request).limits, read)


async def read_files(request: Request) -> None:
    """Look at what is read of the session's documents, which ``show_documents`` then shows."""
    folder = folder_of(request)
    if folder.list_files():
        with suppress(InputError):  # one is being removed
            where = str(folder.path / FILES)
            request.state.read = await to_thread(summarise_reading, where)


async def change_documents(request: Request, form: PostedForm) -> bool:
    """Add the files of a form to the session, or remove what its button names.

    Returns:
        Whether the writer should look at the form again: a button of it was for the files, or one
        of them cannot be taken.
    """
    folder, troubles = folder_of(request), list(form.refused)
    if (name := form.fields.get("remove")) is not None:
        folder.remove(name)
    for each in form.files:
        try:
            name = make_safe_name(each.name)
            client = request.state.client
            await uploads_of(request).take(folder, name, each.content, client=client)
        except (InputError, ReadersFull) as error:
            troubles.append(str(error))
            request.state.full = isinstance(error, ReadersFull)
            if request.state.full:
                break
    request.state.troubles = troubles
    return bool(troubles) or bool(form.fields.keys() & {"upload", "remove"})


def set_status(request: Request, response: Response) -> None:
    """Have the answer tell programs that a document was refused, and when to try again."""
    if response.status_code == 200 and getattr(request.state, "troubles", []):
        is_full = getattr(request.state, "full", False)
        response.status_code = 503 if is_full else 400
        if is_full:
            response.headers["retry-after"] = f"{ReadersFull.retry_after:.0f}"


def set_session(request: Request, response: Response) -> None:
    """Have the browser name the session from now on, where it has files."""
    session = getattr(request.state, "session", "")
    if session and folder_of(request).list_files():
        hours = uploads_of(request).limits.hours
        response.set_cookie(
            COOKIE, session, max_age=int(hours * 3600), httponly=True, samesite="lax"
        )
