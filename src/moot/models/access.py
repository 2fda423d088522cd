"""Whether a key may go on asking a model, as the endpoint's refusals tell.

A refusal is 401, 402, 403, 404, or 429 with ``insufficient_quota``. It may be about the key: then
every further call is a waste. Or it is about one prompt, by a firewall or a safety system: then it
must not end what is left.
"""

import time

from moot.core.errors import AccessError, RefusedError

IN_A_ROW = 5
"""Refusals with no success between them, each of a call that was sent after the one before it, that
mean that further calls would be refused, too."""
AGAIN = 60.0
"""Seconds after which one call may find out whether it is still so."""


class Access:
    """What the refusals of one model have come to."""

    def __init__(self) -> None:
        self._worked = False
        self._in_a_row = self._counted = 0
        self._denied: RefusedError | None = None
        self._since = 0.0

    @property
    def doubtful(self) -> bool:
        """Whether the last that was heard is a refusal: then calls are sent one at a time."""
        return self._in_a_row > 0

    def begin(self) -> int:
        """Say that a call is about to be sent; gives what ``refuse`` takes.

        Raises:
            AccessError: it would be refused.
            NotFoundError: likewise.
        """
        denied = self._denied
        if denied is not None and time.monotonic() - self._since < AGAIN:
            raise type(denied)(str(denied), status=denied.status)
        return self._counted

    def succeed(self) -> None:
        """Take note of a reply."""
        self._worked = True
        if self._in_a_row:
            self._in_a_row, self._denied = 0, None

    def refuse(self, error: RefusedError, begun: int, *, page: bool = False) -> RefusedError:
        """What a refusal means for its call, and take note of it.

        Args:
            error: an ``AccessError`` or a ``NotFoundError``, as the endpoint has it.
            begun: what ``begin`` gave.
            page: whether a web page says it, and not the endpoint itself.

        Returns:
            The error if all further calls would fail so; one for this call alone if they may not.
        """
        if begun == self._counted:  # refusals of calls that were sent together count once
            self._counted += 1
            self._in_a_row += 1
        many = self._in_a_row >= IN_A_ROW
        if many:
            text = f"{error}; so were the last {IN_A_ROW} calls in a row"
            error = type(error)(text, status=error.status)
        elif not isinstance(error, AccessError) and not self._worked:
            return error  # the name is wrong, most likely: a run stops, a server may ask again
        if many or not (self._worked or page):
            self._denied, self._since = error, time.monotonic()
            return error
        return RefusedError(str(error), status=error.status)
