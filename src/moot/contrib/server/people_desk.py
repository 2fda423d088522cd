"""Questions that wait for people: who is asked what, by which debate, and the replies they type."""

import asyncio
import hmac
import os
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes, token_hex

from moot import Call, InputError, StoreError
from moot.extend.calls import identity
from moot.extend.stores import StorePlace, files_folder

KEY_FILE = "people.key"
"""The file in the store's folder with the secret that keys of links are made of."""
SECRET = 32
"""Bytes of a secret."""


@dataclass(frozen=True)
class AskingDebate:
    """The debate that asks a person.

    Attributes:
        run: the key of its run.
        replicate: its number among the debates of the same question.
    """

    run: str
    replicate: int

    @property
    def name(self) -> str:
        """Its name in an address: ``ask-0a1b2c3d4e.0``."""
        return f"{self.run}.{self.replicate}"


_asking: ContextVar[AskingDebate] = ContextVar("asking")


@contextmanager
def ask_for(run: str, replicate: int) -> Iterator[None]:
    """Ask people for this debate while the block lasts, in this context."""
    token = _asking.set(AskingDebate(run, replicate))
    try:
        yield
    finally:
        _asking.reset(token)


@dataclass(frozen=True, eq=False)
class WaitingQuestion:
    """What a person is asked.

    Attributes:
        id: the call's identity, the same after a restart.
        person: who is asked.
        call: what the agent would be sent.
        debate: which debate waits.
        reply: is done when the person has replied.
    """

    id: str
    person: str
    call: Call
    debate: AskingDebate
    reply: asyncio.Future[str] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class PeopleDesk:
    """The questions of one server that wait for people.

    Args:
        secret: what the keys of links are made of.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._waiting: dict[str, WaitingQuestion] = {}

    async def ask(self, person: str, call: Call) -> str:
        """Show a call to a person until there is a reply, and return it."""
        number = identity(call.request(), call.draw).hex()
        question = WaitingQuestion(number, person, call, _asking.get())
        self._waiting[number] = question
        try:
            return await question.reply
        finally:
            del self._waiting[number]

    def list_waiting(
        self, person: str | None = None, debate: str | None = None
    ) -> list[WaitingQuestion]:
        """Return what waits, the first asked first.

        Args:
            person: who is asked; None for all people.
            debate: the name of the debate that asks; None for any.
        """
        return [
            each
            for each in self._waiting.values()
            if person in (None, each.person) and debate in (None, each.debate.name)
            if not each.reply.done()
        ]

    def answer(self, question: WaitingQuestion, text: str) -> None:
        """Give a person's reply. Raises ``InputError`` where it has no words."""
        if not text.strip():
            raise InputError("Your reply is empty. Write what you have to say.")
        question.reply.set_result(text)

    def make_key(self, person: str, debate: str) -> str:
        """Return the key by which a person answers for one debate without the server's token."""
        message = f"{person}\n{debate}".encode()
        return urlsafe_b64encode(hmac.digest(self._secret, message, "sha256")[:18]).decode()

    def is_invited(self, key: str, person: str, debate: str) -> bool:
        """Whether a key is that of a person and a debate; compared in constant time."""
        return hmac.compare_digest(key.encode(), self.make_key(person, debate).encode())


def read_secret(place: StorePlace) -> bytes:
    """Return the secret that keys of links are made of: the same after a restart.

    It is the file ``people.key`` in the store's folder, or in ``.moot`` for a database. It is made
    where there is none, and only this user may read it.

    Raises:
        StoreError: the file cannot be read or made, or it is of another size.
    """
    file = files_folder(place) / KEY_FILE
    try:
        if not file.exists():
            _make_secret(file)
        secret = file.read_bytes()
    except OSError as error:
        raise StoreError(f"{file} cannot be read or made: {error.strerror or error}") from None
    if len(secret) != SECRET:
        raise StoreError(
            f"{file} has {len(secret)} bytes, and a key has {SECRET}: stop the server and delete "
            "the file; links that were sent are no longer good then"
        )
    return secret


def _make_secret(file: Path) -> None:
    """Write a new secret; one that another server has written meanwhile stays."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = file.with_name(f"{KEY_FILE}.{token_hex(8)}")
    _write_secret(new)
    try:
        os.link(new, file)
    except FileExistsError:
        pass
    except OSError:  # the disk has no hard links
        with suppress(FileExistsError):
            _write_secret(file)
    finally:
        new.unlink()


def _write_secret(file: Path) -> None:
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "wb") as opened:
        opened.write(token_bytes(SECRET))
