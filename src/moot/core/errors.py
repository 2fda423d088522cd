"""All errors that moot raises on purpose.

MootError
  InputError              the user gave something impossible; no call was made
    UnknownName           no such protocol, dataset, model, metric, setting …; names the nearest
    ToolServerDown        a server of tools does not start; the log says why
  StoreError              the store cannot be read or written
    LeaseLost             this process was taken for ended, and its part of a budget is another's
    DamagedError          a record of the store is not as it was written
  OutputError             results cannot be printed or written to a file
  RunBusy                 another process is running this run
  BudgetReached           the run's cap on money, tokens or calls
  CallWaits               a call waits for a batch; the debate goes on when its reply is there
  ModelError              a model gave no reply
    TransientError        may pass: retried, then the question fails
      ShortageError       this machine has no room for one more connection
    RefusedError          will not pass: never retried
      AccessError         the key is missing, wrong, or not allowed this
      NotFoundError       the endpoint knows no such model or address
      ContextTooLong      the prompt does not fit the model
    ScriptEnded           a scripted model has no further reply
"""

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

import msgspec

from moot.core.encoding import describe_other_encoding

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""The errors of decoding: no JSON, another type than wanted, or nested too deeply."""


def describe_not_utf8(error: UnicodeDecodeError) -> str:
    """Return a text that names the first byte that is not UTF-8, with advice."""
    if other := describe_other_encoding(error.object):
        return other
    byte = error.object[error.start]
    return f"not UTF-8 (byte 0x{byte:02x} at place {error.start}): save the file as UTF-8"


class MootError(Exception):
    """The base of all errors that moot raises on purpose. The text says what to do."""


class InputError(MootError):
    """Wrong input: the text names what is wrong, where, and what would be right."""


NAMES = 10
"""The most valid names that an error lists; more are listed only where no name is near."""
LISTS = {
    "protocol": "moot protocols",
    "dataset": "moot data list",
    "metric": "moot metrics",
    "analysis": "moot analyse --help",
    "study": "moot studies",
    "provider": "moot models",
    "model provider": "moot models",
}
"""The command that lists all names of a kind."""
SHOWN = 200
"""The most characters of a wrong name that an error repeats."""


class UnknownName(InputError):
    """An unknown name, with the nearest valid one.

    Attributes:
        what: the kind of name, e.g. ``"protocol"``.
        name: the name as the user wrote it.
        valid: all valid names.
        nearest: the nearest valid name, or None.
        where: the file, option or table with the name, or an empty text.
    """

    def __init__(self, what: str, name: str, valid: Iterable[str], *, where: str = "") -> None:
        self.what, self.name, self.where = what, name, where
        self.valid = tuple(sorted(valid))
        folded = [each.lower() for each in self.valid]
        begun = [each for each in folded if len(name) > 2 and each.startswith(name.lower())]
        begun.sort(key=len)
        close = begun or get_close_matches(name.lower(), folded, n=1, cutoff=0.51)
        self.nearest = next((v for v in self.valid if close and v.lower() == close[0]), None)
        place = f"{where}: " if where else ""
        wrong = repr(name[:SHOWN]) + "…" * (len(name) > SHOWN)
        super().__init__(f"{place}unknown {what} {wrong}; {self._advise()}")

    def _advise(self) -> str:
        """Return the nearest name, the valid ones, or both where these are few."""
        left = len(self.valid) - NAMES
        if self.nearest and left > 0:
            return f"did you mean {self.nearest!r}?"
        hint = f"did you mean {self.nearest!r}? " if self.nearest else ""
        known = ", ".join(self.valid[:NAMES]) or "none"
        if left <= 0:
            return f"{hint}Valid: {known}."
        listed = f"; {command!r} lists all" if (command := LISTS.get(self.what)) else ""
        return f"{hint}Valid: {known} and {left} more{listed}."


class ToolServerDown(InputError):
    """A server of tools does not start or list its tools, so that no call was made.

    The text is for anybody; the reason, with names of files and the server's own words, is in the
    log.
    """


def check_known(what: str, names: Iterable[str], valid: Iterable[str], *, where: str = "") -> None:
    """Raise ``UnknownName`` for the first of the names that is not valid; see there."""
    valid = valid if isinstance(valid, Container) else tuple(valid)
    for name in names:
        if name not in valid:
            raise UnknownName(what, name, valid, where=where)


@contextmanager
def place_errors(where: str, kind: type[MootError] = InputError) -> Iterator[None]:
    """Put a place before the text of an error of this kind; it becomes an ``InputError``."""
    try:
        yield
    except kind as error:
        raise InputError(f"{where}: {error}") from None


_TYPE_WORDS = {
    "Object missing required field": "There is no",
    "`int": "`a whole number",
    "`float": "`a number",
    "`str": "`a text",
    "`array": "`a list",
    "`object": "`a table",
    " | null": "",
}


def simplify_message(message: str) -> str:
    """Return an error text with TOML's words for types in place of the reader's."""
    for type_, words in _TYPE_WORDS.items():
        message = message.replace(type_, words)
    return message[:1].lower() + message[1:]


def split_fault(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return where a value of a table is wrong, e.g. ``"agents[...].role"``, and what is wrong."""
    fault, _, place = str(error).partition(" - at `$")
    return place.strip("`."), fault


class StoreError(MootError):
    """The store cannot be read or written: a full disk, a read-only one, another schema."""


class LeaseLost(StoreError):
    """Another process has taken this one for ended, and spends its part of the budget."""


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
        """Return the parts by which pickle sends it to another process."""
        return type(self), (self.what, self.why)


class OutputError(MootError):
    """Results cannot be printed or written: a full disk, a terminal that is gone."""


class RunBusy(MootError):
    """Another process is running this run; no call was made.

    Attributes:
        what: which process runs it, and since when.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: wait for it with --wait (in Python wait=True), or stop it")
        self.what = what


class BudgetReached(MootError):
    """The cap on money, tokens or calls is reached; all paid replies are in the ledger."""


class CallWaits(MootError):
    """A call waits for a batch. The debate is run again when the reply is there."""


class ModelError(MootError):
    """A model gave no reply.

    Attributes:
        status: the HTTP status, where there was one.
        retries: the number of attempts after the first.
    """

    def __init__(self, message: str, *, status: int | None = None, retries: int = 0) -> None:
        super().__init__(message)
        self.status, self.retries = status, retries


class TransientError(ModelError):
    """A failure that may pass: 408, 409, 429, 5xx, a timeout, a dropped connection, a cut-off body.

    Attributes:
        retry_after: seconds that the endpoint asks to wait, or None.
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
        lacking: the resource that is short, in words.
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
    """A scripted model got more calls than it has replies."""


FAILURES = {
    "TransientError": "the model does not answer",
    "ShortageError": "this machine has no connection left",
    "RefusedError": "the model refuses the request",
    "AccessError": "the model gives no access",
    "NotFoundError": "there is no such model",
    "ContextTooLong": "the prompt is too long for the model",
    "ModelError": "the model fails",
    "ScriptEnded": "the script has no more replies",
    "BudgetReached": "stopped at a cap",
    "InputError": "it cannot be done so",
    "ToolServerDown": "a server of tools does not start",
    "StoreError": "the store fails",
    "Interrupted": "it was interrupted",
}
"""What each class of error means to people; exports and JSON have the class."""
