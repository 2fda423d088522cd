"""Addresses of endpoints: parsed, completed, and tried without sending a request."""

import asyncio
import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from moot.core.errors import InputError

_VERSION = re.compile(r"/v\d")
COMPLETIONS = "/chat/completions"
"""The path of chat completions below an address."""
_EVERY_INTERFACE = {"0.0.0.0", "::"}  # noqa: S104 -- a server listens there, no client calls it
_PARTS = re.compile(
    r"(https?://[^/?#]+(?:/[^/]+)*?/v\d+[a-z0-9]*(?:/openai|(?:/[^/]+){2}/compat)?)/(.+)", re.DOTALL
)
"""An address up to its version, or to the part that follows it at Gemini and Cloudflare."""
OLLAMA_PORT = 11434
ADDRESS_KEY = "MOOT_API_KEY"
"""The variable whose key goes to addresses that are written out."""
CONNECT_SECONDS = 5.0
"""The time that a connection may take in ``check_connection``."""


class Address(NamedTuple):
    """Where an endpoint is.

    Attributes:
        base: the part before ``/chat/completions``, without a slash at its end.
        variable: the environment variable that gave it; None where none did.
    """

    base: str
    variable: str | None = None


def address_from_environment(variables: tuple[str, ...], root: str) -> Address | None:
    """Return the address in the first of these variables that is set; None where none is.

    Args:
        variables: in order of precedence.
        root: the path that the provider's own library adds to such an address. It is added where
            the address has no version in its path.

    Raises:
        InputError: the value cannot be an address. It is not repeated: it may hold a password.
    """
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if not value:
            continue
        if variable == "OLLAMA_HOST":
            value = complete_host(value)
        base = parse_base(value, f"the environment variable {variable}", is_shown=False)
        path = urlsplit(base).path
        if root and not _VERSION.search(path) and not path.endswith(root):
            base += root
        return Address(base, variable)
    return None


def complete_host(value: str) -> str:
    """Return ``OLLAMA_HOST`` as an address. It may be a host, a port, both, or a whole address.

    Without a scheme it is ``http`` and port 11434, as for Ollama itself. An address of all
    interfaces becomes that of this machine. A value with a user and a password is returned as it
    is: ``parse_base`` refuses it.
    """
    if "@" in value:
        return value
    scheme, separator, rest = value.rpartition("://")
    scheme = scheme if separator else "http"
    host, slash, path = rest.partition("/")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    if host.startswith(":"):
        host = f"127.0.0.1{host}"
    try:
        parts = urlsplit(f"{scheme}://{host}")
        name, port = parts.hostname or "", parts.port
    except ValueError:
        return value
    if name in _EVERY_INTERFACE:
        name = "127.0.0.1"
    name = f"[{name}]" if ":" in name else name
    if port is None and not separator:
        port = OLLAMA_PORT
    return f"{scheme}://{name}{'' if port is None else f':{port}'}{slash}{path}".rstrip("/")


def parse_base(value: str, where: str, *, is_shown: bool = True) -> str:
    """Return an address without slashes and ``/chat/completions`` at its end.

    Args:
        value: the address as written.
        where: names the place of the value, for the error's text.
        is_shown: whether the error may repeat the value.

    Raises:
        InputError: the value cannot be an address, or has a user and a password in it.
    """
    base, mark, query = value.strip().partition("?")
    base = base.rstrip("/").removesuffix(COMPLETIONS).rstrip("/")
    usable = _is_usable(base)
    if "@" in (urlsplit(base).netloc if usable else value):
        raise InputError(f"{where}: an address takes no user and password; keys have variables")
    if not usable or urlsplit(base).fragment or re.search(r"[\s\\]", value):
        written = repr(base) if is_shown else "its value"
        raise InputError(
            f"{where}: {written} is no address: write http(s)://HOST[:PORT]/PATH, the part before "
            f"{COMPLETIONS}"
        )
    return base + mark + query


def split_address(address: str) -> tuple[str, str]:
    """Return the base and the model of an address such as ``http://127.0.0.1:8000/v1/llama``.

    Raises:
        InputError: it has no version or no model, has a user and a password, or cannot be.
    """
    if "@" in address.partition("://")[2].partition("/")[0]:
        raise InputError(
            "a model's address takes no user and password; put the key into the environment "
            f"variable {ADDRESS_KEY}, or into another and name that by ?key=NAME"
        )
    parts = _PARTS.fullmatch(address)
    if not parts or parts[2].endswith("chat/completions"):
        raise InputError(
            f"model {address!r}: write the address up to its version and then the model's name, "
            "e.g. http://127.0.0.1:8000/v1/llama; for an address without a version write "
            "http/NAME?base=ADDRESS, e.g. http/llama?base=http://127.0.0.1:8000/api"
        )
    if not _is_usable(parts[1]):
        raise InputError(f"model {address!r}: the host or the port in it cannot be")
    return parts[1], parts[2]


def _is_usable(base: str) -> bool:
    """Return whether an address has http or https, a host, and a port that can be, if any."""
    try:
        parts = urlsplit(base)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and (port is None or port > 0)


def is_same_place(one: str, other: str) -> bool:
    """Return whether two addresses have the same scheme, host and port."""
    here, there = urlsplit(one), urlsplit(other)
    return (here.scheme, here.netloc.lower()) == (there.scheme, there.netloc.lower())


def short_address(base: str, usual: str) -> str:
    """Return an address as a model's name has it: without scheme, and without the usual path."""
    parts = urlsplit(base)
    path = "" if parts.path == usual else parts.path
    return parts.netloc + path + (f"?{parts.query}" if parts.query else "")


def proxy_for(base: str) -> str | None:
    """Return the proxy that the environment names for an address; None without one.

    It is read once for a model. aiohttp would read the environment before every request, in a
    thread, and a ``.netrc`` as well, whose password it would send in place of the key.

    Raises:
        InputError: the proxy is not an HTTP proxy.
    """
    from urllib.request import getproxies, proxy_bypass  # slow to import

    parts = urlsplit(base)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.startswith(("http://", "https://")):
        kind = proxy.partition("://")[0]
        raise InputError(
            f"the proxy for {base} is of the kind {kind}: only http works; set NO_PROXY"
        )
    return proxy


async def check_connection(base: str, *, name: str, proxy: str | None = None) -> None:
    """Open a connection to an address, or to the proxy before it, and close it again.

    No request is sent, so nothing is paid.

    Args:
        base: the address, as http(s)://host[:port]/path.
        name: the model's name, for the error.
        proxy: the address of the proxy that requests go through.

    Raises:
        InputError: the host does not exist, no server listens there, or it takes too long.
    """
    parts = urlsplit(proxy or base)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    at = f"the proxy {host}:{port}" if proxy else f"{host}:{port}"
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        raise InputError(
            f"{name}: {at} does not answer within {CONNECT_SECONDS:g} seconds"
        ) from None
    except UnicodeError:
        raise InputError(f"{name}: {at}: no host can have this name") from None
    except OSError as error:
        raise InputError(
            f"{name}: no connection to {at}: {system_reason(error)}; is the address right, and "
            "does the server run?"
        ) from None
    writer.close()


def system_reason(error: OSError) -> str:
    """Return the system's words for an error, without the address that asyncio repeats."""
    if error.errno is not None and error.errno > 0:  # those below 0 are of names, and have texts
        return os.strerror(error.errno)
    return error.strerror or str(error)
