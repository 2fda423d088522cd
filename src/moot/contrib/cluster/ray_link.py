"""Starting Ray on this machine, or joining a cluster; Ray itself is imported here alone.

Ray's own messages, its dashboard and its usage statistics stay off where moot starts it.
"""

import asyncio
import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from secrets import token_hex
from tempfile import mkdtemp
from typing import Any, NamedTuple

from moot import InputError, MootError

HERE = ""
"""The address that stands for a Ray of our own on this machine."""
_MEMORY = 80 * 2**20
"""Bytes of Ray's object store: its least. Only chunks go through it, a few at a time."""
_CONNECT = 10.0
"""Seconds in which a cluster must answer."""
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_DEDUP_LOGS": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}


class ClusterError(MootError):
    """The workers of a cluster cannot be started or reached, or one chunk brings them down."""


class RayLink(NamedTuple):
    """A connection to Ray.

    Attributes:
        ray: the module.
        cpus: the CPUs of the cluster.
    """

    ray: Any
    cpus: int

    def make_actor(self, kind: type, *arguments: object, **options: object) -> Any:  # noqa: ANN401 -- Ray's
        """Have Ray place an actor somewhere in the cluster; return its handle at once."""
        return self.ray.remote(**options)(kind).remote(*arguments)

    def kill(self, actor: Any) -> None:  # noqa: ANN401 -- Ray's
        """End an actor for good."""
        self.ray.kill(actor)


class WorkerLost(Exception):
    """A worker died, or cannot be reached, before it had answered."""


async def wait_for(answer: Any) -> Any:  # noqa: ANN401 -- Ray's, and what a worker answers is of any type
    """Wait for the answer of an actor.

    Raises:
        WorkerLost: the actor died. Ray starts it again.
        ClusterError: it cannot be started at all.
    """
    from ray import exceptions

    try:
        return await answer
    except exceptions.ActorDiedError as error:
        if "creation" in str(error).lower() or "__init__" in str(error):
            raise ClusterError(f"a worker cannot be started: {_find_cause(error)}") from None
        raise WorkerLost(str(error)) from None
    except (exceptions.RayActorError, exceptions.WorkerCrashedError) as error:
        raise WorkerLost(str(error)) from None


def _find_cause(error: Exception) -> str:
    """Return the last line of an error of Ray: what was raised."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(error).__name__


def import_ray(address: str) -> Any:  # noqa: ANN401 -- a module
    """Return Ray, to be used at this address. Raises ``InputError`` where it is not installed."""
    settings = dict(_QUIET)
    if address == HERE and "ray" not in sys.modules:
        # Ray's ports are open to the network; who has not this token may not use them.
        settings |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}
    os.environ.update({name: os.environ.get(name, value) for name, value in settings.items()})
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise InputError("--ray needs Ray: pip install 'moot[cluster]'") from None
    return ray


@asynccontextmanager
async def open_ray(address: str, workers: int | None) -> AsyncIterator[RayLink]:
    """Start Ray on this machine, or join a cluster, for the block.

    A Ray that this process has joined already is used, and stays.

    Args:
        address: of the cluster, as ``ray.init`` takes it; ``HERE`` for a Ray of our own.
        workers: how many workers there are to be; None: as many as there are CPUs.

    Raises:
        InputError: Ray is not installed.
        ClusterError: Ray cannot be started, or no cluster is at the address.
    """
    ray = import_ray(address)
    await _check_address(address)
    if ray.is_initialized():
        yield _describe(ray)
        return
    folder = mkdtemp(prefix="moot-ray-", dir="/tmp") if address == HERE else None
    quiet = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if folder is None:
        options = {"address": address, **quiet}
    else:
        options = {
            "num_cpus": workers or os.cpu_count() or 1,
            "num_gpus": 0,
            "include_dashboard": False,
            "object_store_memory": _MEMORY,
            "_node_ip_address": "127.0.0.1",
            "_temp_dir": folder,
            **quiet,
        }
    try:
        try:
            # In a thread: Ray then leaves the signals of this process alone.
            await finish(asyncio.to_thread(ray.init, **options))
        except (ConnectionError, OSError, RuntimeError, ValueError, TimeoutError) as error:
            if not address:
                raise ClusterError(f"Ray on this machine: {_find_cause(error)}") from None
            raise ClusterError(
                f"Ray at {address}: {_find_cause(error)}; where the cluster takes a token, set "
                "RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH"
            ) from None
        yield _describe(ray)
    finally:
        await finish(asyncio.to_thread(ray.shutdown))
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


async def _check_address(address: str) -> None:
    """Raise ``ClusterError`` where nothing answers at an address; Ray itself waits for minutes."""
    host, colon, port = address.partition("://")[2].rpartition(":")
    if not colon:
        host, colon, port = address.rpartition(":")
    if not (host and port.isdecimal() and len(port) < 6):
        return  # a word such as "auto"
    try:
        async with asyncio.timeout(_CONNECT):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, OverflowError, TimeoutError) as error:
        why = str(error) or f"no answer in {_CONNECT:g} s"
        raise ClusterError(f"no Ray at {address}: {why}") from None
    writer.close()


def _describe(ray: Any) -> RayLink:  # noqa: ANN401 -- a module
    return RayLink(ray, int(ray.cluster_resources().get("CPU", 1)))


async def finish(work: Awaitable[Any]) -> None:
    """Wait for work that must end also where this task is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.cancelled():
            await task
        raise
