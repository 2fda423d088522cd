"""Every error moot raises on purpose.

MootError
  InputError              the user gave something that cannot be; nothing was called or paid
    UnknownName           no such protocol, dataset, model, metric, setting …; names the nearest
  StoreError              the store cannot be read or written
    DamagedError          a record of the store is not as it was written
  OutputError             what was found cannot be printed or written to a file
  RunBusy                 another process is running this run
  BudgetReached           the run's cap on money, tokens or calls
  ModelError              a model gave no reply
    TransientError        may pass: retried, then the question fails
      ShortageError       this machine has no room for one more connection
    RefusedError          will not pass: never retried
      AccessError         the key is missing, wrong, or not allowed this
      NotFoundError       the endpoint knows no such model or address
      ContextTooLong      the prompt does not fit the model
    ScriptEnded           a scripted model has no further reply
"""

from collections.abc import Iterable
from difflib import get_close_matches

import msgspec

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises where bytes are no JSON, not of the type asked for, or nested too deeply."""


def not_utf8(error: UnicodeDecodeError) -> str:
    """Say of bytes that are no UTF-8 which one is wrong, and what would be right."""
    byte = error.object[error.start]
    return f"not UTF-8 (byte 0x{byte:02x} at place {error.start}): save the file as UTF-8"


class MootError(Exception):
    """The root of all errors moot raises on purpose. Its text says what to do next."""


class InputError(MootError):
    """Something the user gave cannot be: the text names what, where, and what would be right."""


class UnknownName(InputError):
    """A name that stands for nothing, with the nearest that does.

    Attributes:
        what: the kind of thing, e.g. ``"protocol"``.
        name: as the user wrote it.
        valid: every name that would have been right.
        nearest: the closest of them, or None.
        where: the file, option or table it stood in, or an empty text.
    """

    def __init__(self, what: str, name: str, valid: Iterable[str], *, where: str = "") -> None:
        self.what, self.name, self.where = what, name, where
        self.valid = tuple(sorted(valid))
        close = get_close_matches(name.lower(), [v.lower() for v in self.valid], n=1, cutoff=0.5)
        self.nearest = next((v for v in self.valid if close and v.lower() == close[0]), None)
        hint = f"did you mean {self.nearest!r}? " if self.nearest else ""
        place = f"{where}: " if where else ""
        known = ", ".join(self.valid) or "none"
        super().__init__(f"{place}unknown {what} {name!r}; {hint}Valid: {known}.")


class StoreError(MootError):
    """The store cannot be read or written: a full disk, a read-only one, another schema."""


class DamagedError(StoreError):
    """A record of the store is not as it was written.

    Args:
        what: which record, e.g. ``"reply 7"``.
        why: what is wrong with it.
    """

    def __init__(self, what: str, why: str) -> None:
        self.what, self.why = what, why
        super().__init__(
            f"{what} is damaged: {why}; `moot store check` finds all that is damaged, and "
            "`moot store repair` sets it aside"
        )

    def __reduce__(self) -> tuple[type["DamagedError"], tuple[str, str]]:
        """How it is sent to another process."""
        return type(self), (self.what, self.why)


class OutputError(MootError):
    """What was found cannot be printed or written: a full disk, a terminal that is gone."""


class RunBusy(MootError):
    """Another process is running this run; nothing was called or paid.

    Attributes:
        what: which process runs it, and since when.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: wait for it with --wait (in Python wait=True), or stop it")
        self.what = what


class BudgetReached(MootError):
    """The cap on money, tokens or calls is reached; what was paid for is in the ledger."""


class ModelError(MootError):
    """A model gave no reply.

    Attributes:
        status: the HTTP status, where there was one.
        retries: how many attempts were made after the first.
    """

    def __init__(self, message: str, *, status: int | None = None, retries: int = 0) -> None:
        super().__init__(message)
        self.status, self.retries = status, retries


class TransientError(ModelError):
    """A failure that may pass: 408, 409, 429, 5xx, a timeout, a dropped connection, a cut-off body.

    Attributes:
        retry_after: seconds the endpoint asked to wait, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retries: int = 0,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, status=status, retries=retries)
        self.retry_after = retry_after


class ShortageError(TransientError):
    """This machine has no free file, port or memory for one more connection: nothing was sent.

    Attributes:
        lacking: what there is too little of.
    """

    def __init__(self, message: str, lacking: str) -> None:
        super().__init__(message)
        self.lacking = lacking


class RefusedError(ModelError):
    """A failure that will not pass, such as 400: never retried."""


class AccessError(RefusedError):
    """The key is missing, wrong, or may not use this model (401, 403)."""


class NotFoundError(RefusedError):
    """The endpoint knows no such model, or no such address (404)."""


class ContextTooLong(RefusedError):
    """The prompt, with the room for its reply, does not fit the model's context."""


class ScriptEnded(ModelError):
    """A scripted model was asked more often than it has replies."""
