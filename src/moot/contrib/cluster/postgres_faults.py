"""Errors of PostgreSQL in plain words, and what kind each of them is."""

from moot import InputError
from moot.extend.stores import DatabaseFault, FaultKind

try:
    import asyncpg
except ModuleNotFoundError as error:
    if error.name != "asyncpg":
        raise
    raise InputError(
        "a store in PostgreSQL needs asyncpg: pip install 'moot[postgresql]'"
    ) from None

_LOST = ("08", "57P01", "57P02", "57P03", "40001", "40P01", "53300")
"""A connection that failed, a server that stops or starts, two transactions that wait for each
other, and no free connection: the same may succeed later."""
_FULL = ("53100", "58030")
_RECORD = ("22", "23", "54")
"""Values that the server does not take: only their record is concerned."""
POOLED = (
    "a pooler gives this process another connection of the server for each transaction, and moot "
    "needs its own: name the server itself, or have the pooler pool sessions (PgBouncer: "
    "pool_mode = session)"
)
_ADVICE = {
    "26000": POOLED,
    "42P05": POOLED,
    "28": "check user and password in the address",
    "3D000": "make it first, e.g. with: createdb NAME",
    "42501": "the user has no right to this: GRANT CREATE ON DATABASE, and rights on schema moot",
    "53100": "make room on the server's disk and run again: all recorded before is kept",
    "58030": "check the server's disk and run again: all recorded before is kept",
    "53300": "raise max_connections of the server, or use fewer processes",
    "25006": "the server only takes reading; name the primary server",
}


def explain(error: Exception) -> DatabaseFault:
    """Return the fault for an error of asyncpg or the system."""
    state = str(getattr(error, "sqlstate", None) or "")
    advice = next((text for code, text in _ADVICE.items() if state.startswith(code)), "")
    # The lines after the first have details, such as the row: that may hold a secret question.
    why = next(iter(str(error).splitlines()), "") or type(error).__name__
    if not state and isinstance(error, OSError):
        advice = "check that a server listens there, and host and port in the address"
    return DatabaseFault(f"{why}; {advice}" if advice else why, _kind(error, state), state)


def _kind(error: Exception, state: str) -> FaultKind:
    if state:
        if state.startswith(_LOST):
            return "lost"
        if state.startswith(_FULL):
            return "full"
        return "record" if state.startswith(_RECORD) else "other"
    lost = OSError | asyncpg.InterfaceError | asyncpg.InternalClientError
    if isinstance(error, lost) and not isinstance(error, ValueError):
        return "lost"
    return "record"
